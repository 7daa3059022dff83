// One plain request of a confined program, sent on with a head of our own making.
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { pipeline } from "node:stream/promises";

/** Between two neighbors only (RFC 9110, 7.6.1), and what each side says of its own framing. */
const HOP_BY_HOP: ReadonlySet<string> = new Set([
  "connection",
  "proxy-connection",
  "keep-alive",
  "proxy-authenticate",
  "proxy-authorization",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
  "expect",
  "host",
]);

export interface ForwardTarget {
  readonly url: URL;
  /** The name that was checked: the request is for it, whatever Host said. */
  readonly name: string;
  /** Connected. */
  readonly socket: Socket;
}

/** @throws the error of either side; the response may have begun. */
export async function forward(
  request: IncomingMessage,
  response: ServerResponse,
  { url, name, socket }: ForwardTarget,
): Promise<void> {
  const http = process.getBuiltinModule("node:http");
  const answered = Promise.withResolvers<IncomingMessage>();
  const outgoing = http.request({
    method: request.method ?? "GET",
    path: `${url.pathname}${url.search}`,
    headers: { ...endToEnd(request), host: url.port === "" ? name : `${name}:${url.port}`, connection: "close" },
    setHost: false,
    createConnection: () => socket,
  });
  outgoing.once("response", answered.resolve);
  outgoing.once("error", answered.reject);
  response.once("close", () => outgoing.destroy());
  const sent = pipeline(request, outgoing).catch(answered.reject);
  const message = await answered.promise;
  outgoing.on("error", () => response.destroy()); // after the head: the body breaks off
  response.writeHead(message.statusCode ?? 502, { ...endToEnd(message), connection: "close" });
  await pipeline(message, response);
  await sent;
}

function endToEnd(message: IncomingMessage): Record<string, string[]> {
  const named = new Set((message.headers.connection ?? "").toLowerCase().split(/\s*,\s*/));
  const headers: Record<string, string[]> = {};
  for (let at = 0; at + 1 < message.rawHeaders.length; at += 2) {
    const name = (message.rawHeaders[at] ?? "").toLowerCase();
    if (HOP_BY_HOP.has(name) || named.has(name)) continue;
    (headers[name] ??= []).push(message.rawHeaders[at + 1] ?? "");
  }
  return headers;
}

/** What a person reads where the answer would have been. */
export function sayNo(response: ServerResponse, status: number, reason: string): void {
  response.writeHead(status, { "content-type": "text/plain", connection: "close" });
  response.end(`margay: ${reason}\n`);
}
