// Bytes to requests and answers to bytes.

import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

export interface Answer {
  readonly status: number;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

export type Wire = Readonly<Record<string, unknown>>;

export function isRecord(value: unknown): value is Wire {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

export async function bytesOf(incoming: IncomingMessage): Promise<Buffer> {
  const parts: Buffer[] = [];
  for await (const part of incoming) parts.push(part as Buffer); // no encoding is set
  return Buffer.concat(parts);
}

export function bytesOfAnswer({ body }: Answer): Buffer {
  if (body === undefined) return Buffer.alloc(0);
  if (Buffer.isBuffer(body)) return body;
  return Buffer.from(typeof body === "string" ? body : JSON.stringify(body));
}

export function writeHead(response: ServerResponse, { status, body, headers }: Answer, length: number): void {
  const type = Buffer.isBuffer(body) ? "application/octet-stream" : "application/json";
  response.writeHead(status, { "content-type": type, "content-length": String(length), ...headers });
}

export function send(response: ServerResponse, answer: Answer): void {
  const bytes = bytesOfAnswer(answer);
  writeHead(response, answer, bytes.length);
  response.end(bytes);
}

export function listen(server: Server): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen({ port: 0, host: "127.0.0.1" }, () => resolve((server.address() as AddressInfo).port)); // TCP has one
  });
}

/** Ends all connections, held ones too. */
export function close(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}
