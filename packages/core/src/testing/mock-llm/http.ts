// The few things of HTTP that the mock model needs.

import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

export function sendJson(response: ServerResponse, status: number, body: unknown): void {
  if (!response.hasHeader("content-type")) response.setHeader("content-type", "application/json");
  response.writeHead(status).end(typeof body === "string" ? body : JSON.stringify(body));
}

export async function bodyOf(incoming: IncomingMessage): Promise<string> {
  const parts: Uint8Array[] = [];
  for await (const part of incoming) parts.push(part as Uint8Array); // no encoding is set: always bytes
  return Buffer.concat(parts).toString("utf8");
}

export function headersOf(incoming: IncomingMessage): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(incoming.headers).map(([key, value]) => [
      key,
      Array.isArray(value) ? value.join(", ") : (value ?? ""),
    ]),
  );
}

export function listen(server: Server, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen({ port, host: "127.0.0.1", backlog: 1024 }, () => resolve((server.address() as AddressInfo).port)); // a TCP server that listens has one
  });
}
