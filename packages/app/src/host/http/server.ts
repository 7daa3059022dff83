/** The gateway: one HTTP server over the composed app, its start and its end. */
import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { createServer as createTlsServer, type Server as TlsServer } from "node:https";
import { isIP, type AddressInfo, type Socket } from "node:net";
import { join } from "node:path";
import { rmSync } from "node:fs";
import { RuntimeError } from "@margay/core";
import { messageOf, replaceFile } from "@margay/core/internal";
import type { App } from "../../app.ts";
import { pathIn } from "../../config/paths.ts";
import { translator } from "../../texts/translate.ts";
import { assetDirectory, openAssets } from "./assets.ts";
import type { AuthStore } from "../auth/store.ts";
import { eventsOf } from "../sessions/access.ts";
import { startEvents, tellBegun } from "../live/start.ts";
import { boundConnections } from "./connections.ts";
import { admit, type Dispatch, type Network } from "./admit.ts";
import { handleRequest } from "./dispatch.ts";
import { createGuards } from "./guards.ts";
import type { Note } from "../control/gateway-note.ts";
import type { LoadSurface } from "../control/surface.ts";
import { createTable } from "./table.ts";
import { followKeys, readKeys, type KeyFiles } from "./tls.ts";
import { createUpgrade } from "./upgrade.ts";
import type { GatewayEvents, Services } from "../api/services.ts";
import { checkStart } from "./start-checks.ts";
import { authOf, openServices } from "./open-services.ts";
import type { SocketHandler } from "../live/socket-handler.ts";
import { followTurns } from "./turn-metrics.ts";
import { stopping } from "../api/problem.ts";

export interface GatewayOptions {
  readonly app: App;
  readonly environment: Services["environment"];
  readonly loadOptions: Services["loadOptions"];
  readonly surface: LoadSurface;
  /** Folder of the built pages. Default: where the build puts it. */
  readonly pages?: string;
  readonly events?: Partial<GatewayEvents>;
  readonly restart?: Services["restart"];
  readonly meanwhileFault?: string;
  /** Starts where others can reach it without a password: only the page that sets one is of use then. */
  readonly setup?: boolean;
  /** How long a request may take to arrive. Default 10 s and 60 s. */
  readonly arrival?: { readonly headersMs: number; readonly bodyMs: number };
}

export interface Gateway {
  /** `http://127.0.0.1:18790`. */
  readonly url: string;
  readonly services: Services;
  readonly auth: AuthStore;
  /** The agent goes on with what was left, and channels are heard: `/ready` says so from now on. */
  working(): void;
  /** Says goodbye, gives work in hand its time, ends all connections. Names what hung. */
  close(graceMs: number): Promise<void>;
}

const MAX_HEADER_BYTES = 16_384;
const KEEP_ALIVE_MS = 65_000;
/** For the last answers to leave. */
const FAREWELL_MS = 1000;

/** Listens when it resolves. @throws RuntimeError `config.invalid`; the system's error, `EADDRINUSE` for example. */
export async function createGateway(options: GatewayOptions): Promise<Gateway> {
  const { app, setup = false, loadOptions } = options;
  const { config, places } = app.loaded;
  const { port, tls } = config.gateway;
  const auth = authOf(app);
  const pathOf = (path: string): string => pathIn(places.home, path, options.environment.userHome);
  await checkStart({ loaded: app.loaded, auth, setup, pathOf, t: loadOptions.t });
  const assets = openAssets(options.pages ?? assetDirectory(import.meta.url));
  let url = "";
  let isReady = false;
  let ofPersons: readonly string[] = [];
  let bound = port;
  const opened = openServices({
    ...{ ...options, auth, build: assets.build },
    ...{ origin: () => url, working: () => isReady, ofPersons: () => ofPersons },
  });
  const { services } = opened;
  startEvents(services);
  const unfollow = followTurns(app, services.metrics);
  const { routes, sockets } = await options.surface();
  ofPersons = routes.filter((route) => route.ofPersons === true).map(({ id }) => id);
  const network: Network = {
    services,
    guards: createGuards({ config: () => app.inside.loaded().config.gateway, port: () => bound, tls: tls !== null }),
    port: () => bound,
    tls: tls !== null,
  };
  const dispatch: Dispatch = {
    services,
    table: createTable(routes),
    assets,
    admit: (request, line, isOpen) => admit(request, line, isOpen, network),
    tls: tls !== null,
    translator,
  };
  const keys = tls === null ? undefined : { cert: pathOf(tls.cert), key: pathOf(tls.key) };
  const release = (): void => {
    unfollow();
    auth[Symbol.dispose]();
  };
  try {
    const listening = await listen(dispatch, options, { keys, sockets });
    bound = listening.port;
    url = listening.url;
    const note = join(places.home, "gateway.json");
    const tell = (more: Pick<Note, "starting">): void =>
      replaceFile(
        note,
        `${JSON.stringify({ url, pid: process.pid, token: auth.localToken, ...more } satisfies Note)}\n`,
      );
    tell({ starting: true });
    return {
      url,
      services,
      auth,
      working: () => {
        if (isReady || services.closing.aborted) return; // an agent that failed begins again
        isReady = true;
        try {
          tell({});
        } catch (error) {
          app.log.warn("gateway.note", { message: messageOf(error) }); // a full disk: commands are more patient than they need be
        }
        tellBegun(services);
      },
      close: async (graceMs) => {
        rmSync(note, { force: true });
        opened.closing.abort(new Error("the gateway is stopping"));
        await closed(listening.server, graceMs, app, opened.late);
        await eventsOf(services).index.save();
        listening.unwatch();
        release();
      },
    };
  } catch (error) {
    opened.closing.abort(new Error("the gateway did not start")); // what waits for a later hour holds the process
    release();
    throw error;
  }
}

interface Listening {
  readonly server: Server;
  readonly port: number;
  readonly url: string;
  /** Certificate and key are followed until then. */
  readonly unwatch: () => void;
}

interface ListenOptions {
  readonly keys: KeyFiles | undefined;
  readonly sockets: readonly SocketHandler[];
}

async function listen(
  dispatch: Dispatch,
  options: GatewayOptions,
  { keys, sockets }: ListenOptions,
): Promise<Listening> {
  const { app } = options;
  const { host, port } = app.loaded.config.gateway;
  const server = openWith(dispatch, options, { keys, sockets });
  const unwatch = keys === undefined ? () => {} : followKeys(server as TlsServer, keys, app.log); // made with keys: a TLS server
  try {
    server.listen(port, host);
    await once(server, "listening");
  } catch (error) {
    unwatch();
    throw error;
  }
  server.on("error", (error) => app.log.error("gateway.failed", { message: error.message })); // out of descriptors
  const bound = (server.address() as AddressInfo).port; // a TCP server, not a pipe
  const url = `${keys === undefined ? "http" : "https"}://${reachable(host)}:${bound}`;
  return { server, port: bound, url, unwatch };
}

/** @throws RuntimeError `config.invalid` when certificate and key are none, or not of each other. */
function openWith(dispatch: Dispatch, options: GatewayOptions, { keys, sockets }: ListenOptions): Server {
  try {
    return open(dispatch, options, { keys, sockets });
  } catch (error) {
    if (keys === undefined) throw error;
    const { t } = options.loadOptions;
    const text = t("gateway.badTls", { cert: keys.cert, key: keys.key, reason: messageOf(error) });
    throw new RuntimeError("config.invalid", text, { cause: error });
  }
}

function open(
  dispatch: Dispatch,
  { app, arrival = { headersMs: 10_000, bodyMs: 60_000 } }: GatewayOptions,
  { keys, sockets }: ListenOptions,
): Server {
  const settings = {
    maxHeaderSize: MAX_HEADER_BYTES,
    headersTimeout: arrival.headersMs,
    // Checked once a second: what is late is gone within the minute.
    requestTimeout: arrival.bodyMs - Math.min(2000, arrival.bodyMs / 10),
    connectionsCheckingInterval: Math.min(1000, arrival.bodyMs / 10),
    keepAliveTimeout: KEEP_ALIVE_MS,
    requireHostHeader: false, // said by us, in our shape
    rejectNonStandardBodyWrites: false,
  };
  const answer = (request: IncomingMessage, response: ServerResponse): void => {
    void handleRequest(request, response, dispatch); // never rejects
  };
  const server =
    keys === undefined
      ? createServer(settings)
      : createTlsServer({ ...settings, handshakeTimeout: arrival.headersMs, ...readKeys(keys) });
  server.maxHeadersCount = 200; // more than we take: the excess is seen and refused, not cut off
  boundConnections(server, app.loaded.config.gateway.limits.connections, keys !== undefined, dispatch.services.closing);
  server.on("request", answer);
  server.on("checkContinue", answer);
  server.on("upgrade", createUpgrade(dispatch, sockets));
  server.on("connect", (_request: IncomingMessage, socket: Socket) => refuse(socket, 400, "CONNECT is not served."));
  server.on("clientError", (error: NodeJS.ErrnoException, socket: Socket) => {
    if (error.code === "HPE_HEADER_OVERFLOW") refuse(socket, 431, "The header section is larger than 16 KiB.");
    else if (error.code === "ERR_HTTP_REQUEST_TIMEOUT") refuse(socket, 408, "The request did not arrive in time.");
    else refuse(socket, 400, "The request is malformed.");
  });
  return server;
}

function refuse(socket: Socket, status: number, text: string): void {
  if (!socket.writable) {
    socket.destroy();
    return;
  }
  const body = `${text}\n`;
  socket.end(
    `HTTP/1.1 ${status} Refused\r\ncontent-type: text/plain; charset=utf-8\r\nx-content-type-options: nosniff\r\nconnection: close\r\ncontent-length: ${body.length}\r\n\r\n${body}`,
  );
}

async function closed(server: Server, graceMs: number, { clock, log }: App, late: AbortController): Promise<void> {
  const done = new AbortController();
  server.close(() => done.abort());
  server.closeIdleConnections();
  try {
    await clock.sleep(graceMs, done.signal);
    log.warn("gateway.hung", { graceMs });
    late.abort(stopping("The gateway stops before this is done."));
    await clock.sleep(FAREWELL_MS, done.signal);
    server.closeAllConnections();
  } catch {
    // all connections have ended
  }
}

/** An address of this machine that a server bound to `host` answers at. */
function reachable(host: string): string {
  if (host === "0.0.0.0" || host === "localhost") return "127.0.0.1";
  if (host === "::") return "[::1]";
  return isIP(host) === 6 ? `[${host}]` : host;
}
