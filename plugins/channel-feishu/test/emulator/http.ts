// Bytes to requests and answers to bytes, and what can go wrong between the two.
import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { Answer } from "./refusal.ts";

export interface Upload {
  readonly name: string;
  readonly type: string;
  readonly bytes: Buffer;
}

export type Json = Readonly<Record<string, unknown>>;

export function isRecord(value: unknown): value is Json {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/**
 * - `close-before`: the connection ends, nothing was done
 * - `close-after-taking`: it was done, no byte of an answer comes
 * - `close-half-answer`: it was done, half of the answer comes
 * - `hang-after-taking`: it was done, the connection stays and is silent
 * - `garbage`: 200 and no JSON, nothing was done
 * - an answer: this one, nothing was done
 */
export type Fault =
  | "close-before"
  | "close-after-taking"
  | "close-half-answer"
  | "hang-after-taking"
  | "garbage"
  | Answer;

/** Fields of a form count as those of a body. @throws what is no JSON, and no form */
export async function readBody(
  incoming: IncomingMessage,
): Promise<{ value: Json; files: ReadonlyMap<string, Upload> }> {
  const parts: Buffer[] = [];
  for await (const part of incoming) parts.push(part as Buffer); // no encoding is set
  const bytes = Buffer.concat(parts);
  const type = incoming.headers["content-type"] ?? "";
  const files = new Map<string, Upload>();
  if (bytes.length === 0) return { value: {}, files };
  if (type.startsWith("application/x-www-form-urlencoded"))
    return { value: Object.fromEntries(new URLSearchParams(bytes.toString("utf8"))), files };
  if (!type.startsWith("multipart/form-data")) {
    const value: unknown = JSON.parse(bytes.toString("utf8"));
    if (!isRecord(value)) throw new Error("the body is no object");
    return { value, files };
  }
  const form = await new Response(new Uint8Array(bytes), { headers: { "content-type": type } }).formData();
  const value: Record<string, unknown> = {};
  for (const [name, part] of form)
    if (typeof part === "string") value[name] = part;
    else files.set(name, { name: part.name, type: part.type, bytes: Buffer.from(await part.arrayBuffer()) });
  return { value, files };
}

export function send(response: ServerResponse, { status, body, headers }: Answer, share = 1): void {
  const isFile = Buffer.isBuffer(body);
  const bytes = isFile ? body : Buffer.from(typeof body === "string" ? body : JSON.stringify(body));
  response.writeHead(status, {
    "content-type": isFile ? "application/octet-stream" : "application/json; charset=utf-8",
    // In chunks nobody knows how much comes.
    ...(headers?.["transfer-encoding"] === undefined && { "content-length": String(bytes.length) }),
    ...headers,
  });
  if (share === 1) response.end(bytes);
  else response.write(bytes.subarray(0, Math.ceil(bytes.length * share)), () => response.destroy());
}

/** @param act does what was asked for */
export function misbehave(how: Fault, response: ServerResponse, act: () => Answer): void {
  if (typeof how === "object") return send(response, how);
  if (how === "close-before") return void response.destroy();
  if (how === "garbage") return send(response, { status: 200, body: "<html><title>Gateway</title>" });
  const answer = act();
  if (how === "close-after-taking") response.destroy();
  else if (how === "close-half-answer") send(response, answer, 0.5);
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
