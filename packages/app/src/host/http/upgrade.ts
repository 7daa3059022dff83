/** WebSocket handshakes: every check is done before 101, and a socket ends with its credential and with the gateway. */
import { STATUS_CODES, type IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import { messageOf } from "@margay/core/internal";
import { WebSocketServer, type WebSocket } from "ws";
import type { Credential } from "../auth/credential.ts";
import { Problem, toProblem } from "../api/problem.ts";
import type { SocketHandler } from "../live/socket-handler.ts";
import { languageFor, type Admitted, type Dispatch } from "./admit.ts";
import { SECURITY_HEADERS } from "./headers.ts";
import { problemAnswer, type Asked } from "../api/problem-body.ts";
import { checkRequestLine, ParserRefusal } from "./request-line.ts";

export type Upgrade = (request: IncomingMessage, socket: Duplex, head: Buffer) => void;

const SHUTDOWN = 1001;
const CREDENTIAL_GONE = 4401;
/** A client that never answers our close is cut off. */
const CLOSE_MS = 500;

export function createUpgrade(dispatch: Dispatch, handlers: readonly SocketHandler[]): Upgrade {
  const servers = new Map(handlers.map((handler) => [handler, serverFor(handler)]));
  return (request, socket, head) => {
    socket.on("error", () => {}); // a broken connection is no failure of ours
    const { services } = dispatch;
    const requestId = services.app.ids.next("request");
    let path = "";
    try {
      const line = checkRequestLine(request);
      ({ path } = line);
      if ((request.headers.upgrade ?? "").toLowerCase() !== "websocket")
        throw new Problem("request.malformed", "Only WebSocket upgrades are served.");
      const admitted = dispatch.admit(request, line, false);
      const credential = requireCredential(admitted);
      if (services.closing.aborted) throw new Problem("state.closing", "The gateway is stopping.");
      const handler = handlers.find((one) => one.path === path && (one.enabled?.(services, line.query) ?? true));
      const server = handler === undefined ? undefined : servers.get(handler);
      if (handler === undefined || server === undefined)
        throw new Problem("request.not-found", "There is no WebSocket at this path.");
      if (credential.for !== undefined && !(credential.kind === "browser" && handler.ofPersons === true))
        throw new Problem("auth.scope", "There is nothing here for somebody beside the owner.");
      const release = takeSocket(credential, dispatch);
      socket.once("close", release);
      server.handleUpgrade(request, socket, head, (open) => connect(open, handler, admitted, credential, dispatch));
    } catch (error) {
      const problem =
        error instanceof ParserRefusal ? new Problem("request.malformed", error.message) : toProblem(error);
      if (problem.code === "internal") services.app.log.error("gateway.failed", { message: messageOf(error) });
      refuse(socket, problem, { path, requestId, language: languageFor(request, services) });
    }
  };
}

function connect(
  socket: WebSocket,
  handler: SocketHandler,
  { query, address, language }: Admitted,
  credential: Credential,
  { services }: Dispatch,
): void {
  const { clock, log } = services.app;
  socket.on("error", (error) => log.debug("socket.failed", { message: error.message })); // ws closes it with the right code
  handler.connect(socket, { services, credential, query, address, language });
  const over = new AbortController();
  const end = (code: number, reason: string): void => {
    socket.close(code, reason);
    clock.sleep(CLOSE_MS, over.signal).then(
      () => socket.terminate(),
      () => {}, // it has closed
    );
  };
  // After the handler's own listeners: what it says as a goodbye goes first.
  const onGone = (): void => end(CREDENTIAL_GONE, "the credential has ended");
  const onClosing = (): void => end(SHUTDOWN, "the gateway is stopping");
  credential.gone.addEventListener("abort", onGone, { once: true });
  services.closing.addEventListener("abort", onClosing, { once: true });
  socket.once("close", () => {
    over.abort();
    credential.gone.removeEventListener("abort", onGone);
    services.closing.removeEventListener("abort", onClosing);
  });
  if (credential.gone.aborted) onGone();
}

function serverFor({ protocols, maxPayload }: SocketHandler): WebSocketServer {
  return new WebSocketServer({
    noServer: true,
    clientTracking: false,
    perMessageDeflate: false,
    maxPayload,
    // The key that a browser sends as a sub-protocol is never echoed.
    handleProtocols: (offered) => protocols.find((one) => offered.has(one)) ?? false,
  });
}

function requireCredential({ presented }: Admitted): Credential {
  if (presented.credential === undefined) throw new Problem("auth.required", "This needs a login or a token.");
  return presented.credential;
}

/** @throws Problem `rate.exceeded`. */
function takeSocket(credential: Credential, { services }: Dispatch): () => void {
  const { sockets, socketsPerCredential } = services.app.inside.loaded().config.gateway.limits;
  const own = services.rates.hold(`sockets:${credential.id}`, socketsPerCredential);
  try {
    const all = services.rates.hold("sockets", sockets);
    return () => {
      own();
      all();
    };
  } catch (error) {
    own();
    throw error;
  }
}

function refuse(socket: Duplex, problem: Problem, asked: Asked): void {
  const { status, headers, body } = problemAnswer(problem, asked);
  const bytes = Buffer.from(body ?? "");
  const all = {
    ...SECURITY_HEADERS,
    ...headers,
    "request-id": asked.requestId,
    connection: "close",
    "content-length": bytes.length,
  };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${String(value)}`);
  socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ""}\r\n${lines.join("\r\n")}\r\n\r\n${bytes.toString()}`);
}
