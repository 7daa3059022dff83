// Bytes to requests and answers to bytes.

import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** What goes back. `body` absent: 204 has none. */
export interface Answer {
  readonly status: number;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

/** A file of a form. */
export interface Upload {
  readonly name: string;
  readonly type: string;
  readonly bytes: Buffer;
}

/** A body, and the files that came with it, by the name of their part. */
export interface Body {
  readonly value: unknown;
  readonly files: ReadonlyMap<string, Upload>;
}

/** An object that is no list. */
export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

export async function bytesOf(incoming: IncomingMessage): Promise<Buffer> {
  const parts: Buffer[] = [];
  for await (const part of incoming) parts.push(part as Buffer); // no encoding is set
  return Buffer.concat(parts);
}

/** @throws what is no JSON, and no form */
export async function readBody(type: string, bytes: Buffer): Promise<Body> {
  if (bytes.length === 0) return { value: undefined, files: new Map() };
  if (!type.startsWith("multipart/form-data")) {
    if (!type.startsWith("application/json")) throw new Error(`${type} is neither JSON nor a form`);
    return { value: JSON.parse(bytes.toString("utf8")) as unknown, files: new Map() };
  }
  const form = await new Response(new Uint8Array(bytes), { headers: { "content-type": type } }).formData();
  const files = new Map<string, Upload>();
  let value: unknown = {};
  for (const [name, part] of form) {
    if (typeof part !== "string")
      files.set(name, { name: part.name, type: part.type, bytes: Buffer.from(await part.arrayBuffer()) });
    else if (name === "payload_json") value = JSON.parse(part) as unknown;
    else throw new Error(`the form has a part ${name} that is neither payload_json nor a file`);
  }
  return { value, files };
}

export function bytesOfAnswer({ body }: Answer): Buffer {
  if (body === undefined) return Buffer.alloc(0);
  if (Buffer.isBuffer(body)) return body;
  return Buffer.from(typeof body === "string" ? body : JSON.stringify(body));
}

export function writeHead(response: ServerResponse, { status, body, headers }: Answer, length: number): void {
  const type = Buffer.isBuffer(body) ? "application/octet-stream" : "application/json";
  response.writeHead(status, {
    ...(status !== 204 && { "content-type": type, "content-length": String(length) }),
    ...headers,
  });
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
