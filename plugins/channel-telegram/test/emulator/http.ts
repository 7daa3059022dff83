// What the emulator needs of HTTP: a request as Telegram reads it, an answer as Telegram writes it.

import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** A file of a multipart body. */
export interface Upload {
  readonly name: string;
  readonly type: string;
  readonly bytes: Buffer;
}

/** A body, taken apart. In a form every value is a string, in JSON it has the type it was sent with. */
export interface Body {
  readonly form: boolean;
  readonly values: Readonly<Record<string, unknown>>;
  readonly files: ReadonlyMap<string, Upload>;
}

/** An answer of the server. A string goes out as it is. */
export interface Answer {
  readonly status: number;
  readonly body: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Telegram takes no larger request. */
export const MAX_UPLOAD: number = 50 * 1024 * 1024;

/** All bytes of a request, or `undefined` when it is larger than Telegram takes. */
export async function bytesOf(incoming: IncomingMessage): Promise<Buffer | undefined> {
  const parts: Buffer[] = [];
  let size = 0;
  for await (const part of incoming as AsyncIterable<Buffer>) {
    size += part.length;
    if (size <= MAX_UPLOAD + 64 * 1024) parts.push(part);
  }
  return size <= MAX_UPLOAD + 64 * 1024 ? Buffer.concat(parts) : undefined;
}

/** @throws Error when the body is not what its content type says. */
export function readBody(type: string, query: URLSearchParams, bytes: Buffer): Body {
  const fromQuery = Object.fromEntries(query);
  const empty = new Map<string, Upload>();
  if (type.startsWith("application/json")) {
    if (bytes.length === 0) return { form: true, values: fromQuery, files: empty };
    const parsed: unknown = JSON.parse(bytes.toString("utf8"));
    if (!isRecord(parsed)) throw new Error("an object is expected");
    return { form: false, values: { ...fromQuery, ...parsed }, files: empty };
  }
  if (type.startsWith("multipart/form-data")) {
    const { values, files } = readParts(type, bytes);
    return { form: true, values: { ...fromQuery, ...values }, files };
  }
  const rest = Object.fromEntries(new URLSearchParams(bytes.toString("utf8")));
  return { form: true, values: { ...fromQuery, ...rest }, files: empty };
}

export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function readParts(type: string, bytes: Buffer): Pick<Body, "values" | "files"> {
  const boundary = /boundary="?([^";]+)"?/.exec(type)?.[1];
  if (boundary === undefined) throw new Error("no boundary");
  const values: Record<string, unknown> = {};
  const files = new Map<string, Upload>();
  const mark = Buffer.from(`\r\n--${boundary}`);
  const whole = Buffer.concat([Buffer.from("\r\n"), bytes]);
  let at = whole.indexOf(mark);
  if (at < 0) throw new Error("no part");
  for (;;) {
    const from = at + mark.length;
    if (whole.subarray(from, from + 2).toString("latin1") === "--") return { values, files };
    const next = whole.indexOf(mark, from);
    const head = whole.indexOf("\r\n\r\n", from);
    if (next < 0 || head < 0 || head > next) throw new Error("a part has no end");
    const headers = whole.subarray(from, head).toString("utf8");
    const content = whole.subarray(head + 4, next);
    const name = /[; ]name="([^"]*)"/i.exec(headers)?.[1];
    const [, quoted, bare] = /[; ]filename=(?:"([^"]*)"|([^;\r\n]*))/i.exec(headers) ?? [];
    const file = quoted ?? bare;
    if (name === undefined) throw new Error("a part has no name");
    if (file === undefined) values[name] = content.toString("utf8");
    else {
      const kind = /content-type: *([^\r\n]+)/i.exec(headers)?.[1] ?? "application/octet-stream";
      files.set(name, { name: file, type: kind, bytes: Buffer.from(content) });
    }
    at = next;
  }
}

/** The bytes of an answer. */
export function bytesOfAnswer({ body }: Answer): Buffer {
  if (Buffer.isBuffer(body)) return body;
  return Buffer.from(typeof body === "string" ? body : JSON.stringify(body));
}

export function writeHead(response: ServerResponse, answer: Answer, length: number): void {
  const type = Buffer.isBuffer(answer.body) ? "application/octet-stream" : "application/json";
  response.writeHead(answer.status, { "content-type": type, "content-length": length, ...answer.headers });
}

export function send(response: ServerResponse, answer: Answer): void {
  const bytes = bytesOfAnswer(answer);
  writeHead(response, answer, bytes.length);
  response.end(bytes);
}

export function listen(server: Server, port = 0): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen({ port, host: "127.0.0.1", backlog: 1024 }, () => resolve((server.address() as AddressInfo).port)); // a TCP server that listens has one
  });
}

/** Ends all connections, held ones too. */
export function close(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}
