// One HTTP exchange over a connection that the caller has opened: bounded in size, before and after decompression.
import type { IncomingMessage } from "node:http";
import type { Duplex, Readable } from "node:stream";
import { hostOf } from "./safe-url.ts";

const MAX_DOWNLOAD_BYTES = 5 * 1024 * 1024;
const MAX_DECODED_BYTES = 20 * 1024 * 1024;
const MAX_HEADER_BYTES = 64 * 1024;

export interface SafeRequest {
  readonly method?: "GET" | "POST";
  /** Sent to the first host only: keys must not follow a redirect. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
  /** A redirect to another host is answered with its address and not followed. */
  readonly sameHost?: boolean;
}
export interface RawResponse {
  readonly status: number;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
  /** The body went on beyond 5 MB, or beyond 20 MB decompressed. */
  readonly isCut: boolean;
}

const DEFAULT_HEADERS: Readonly<Record<string, string>> = {
  accept: "text/html,application/xhtml+xml,application/json;q=0.9,text/plain;q=0.9,*/*;q=0.5",
  "accept-language": "en,*;q=0.5",
  "accept-encoding": "gzip, deflate, br",
  "user-agent": "Mozilla/5.0 (compatible; margay/1.0)",
};

export function exchange(
  url: URL,
  request: SafeRequest,
  connect: () => Duplex,
  signal: AbortSignal,
): Promise<RawResponse> {
  const http = process.getBuiltinModule("node:http");
  const body = request.body === undefined ? undefined : Buffer.from(request.body);
  return new Promise((resolve, reject) => {
    const outgoing = http.request({
      method: request.method ?? "GET",
      // The name only; the socket is given below and no address is looked up.
      host: hostOf(url),
      path: `${url.pathname}${url.search}`,
      headers: {
        ...DEFAULT_HEADERS,
        ...request.headers,
        host: url.host,
        ...(body !== undefined && { "content-length": String(body.length) }),
        connection: "close",
      },
      maxHeaderSize: MAX_HEADER_BYTES,
      // No `agent`: with one, even `false`, node:http would dial by itself and ignore createConnection. Should that ever
      // change again, the look-up refuses.
      lookup: (host, _, done) => done(new Error(`${host} must not be looked up`), ""),
      createConnection: () => secure(url, connect()),
      signal,
    });
    outgoing.on("error", reject);
    outgoing.once("response", (message) => {
      readBody(message)
        .then(resolve, reject)
        .finally(() => outgoing.destroy());
    });
    outgoing.end(body);
  });
}

/** A connection that speaks TLS when the URL does, with a certificate for its host. */
export function secure(url: URL, socket: Duplex): Duplex {
  if (url.protocol === "http:") return socket;
  const { connect, checkServerIdentity } = process.getBuiltinModule("node:tls");
  const host = hostOf(url);
  const isName = /[a-z]/i.test(host) && !host.includes(":");
  const secured = connect({
    socket,
    ...(isName && { servername: host }),
    ALPNProtocols: ["http/1.1"],
    // Whatever NODE_TLS_REJECT_UNAUTHORIZED says.
    rejectUnauthorized: true,
    checkServerIdentity: (_, certificate) => checkServerIdentity(host, certificate),
  });
  socket.once("error", (error) => secured.destroy(error));
  return secured;
}

async function readBody(message: IncomingMessage): Promise<RawResponse> {
  const headers: Record<string, string> = {};
  for (const [name, value] of Object.entries(message.headers)) {
    if (value !== undefined) headers[name] = Array.isArray(value) ? value.join(", ") : value;
  }
  const status = message.statusCode ?? 0;
  const counted = { downloaded: 0 };
  const source = decoded(message, headers["content-encoding"], counted);
  const maxBytes = source === message ? MAX_DOWNLOAD_BYTES : MAX_DECODED_BYTES;
  const chunks: Uint8Array[] = [];
  let total = 0;
  let isCut = false;
  try {
    for await (const chunk of source as AsyncIterable<Uint8Array>) {
      total += chunk.length;
      chunks.push(chunk);
      isCut = total > maxBytes || counted.downloaded > MAX_DOWNLOAD_BYTES;
      if (isCut) break;
    }
  } catch (error) {
    // A connection that breaks after part of an uncompressed text still gave that part; everything else is an error.
    if (chunks.length === 0 || source !== message) throw error;
    isCut = true;
  }
  return { status, headers, body: Buffer.concat(chunks).subarray(0, maxBytes), isCut };
}

function decoded(message: IncomingMessage, encoding: string | undefined, counted: { downloaded: number }): Readable {
  const zlib = process.getBuiltinModule("node:zlib");
  const decoder = {
    gzip: () => zlib.createGunzip(),
    "x-gzip": () => zlib.createGunzip(),
    deflate: () => zlib.createInflate(),
    br: () => zlib.createBrotliDecompress(),
  }[(encoding ?? "").trim().toLowerCase()];
  if (decoder === undefined) return message;
  const stream = decoder();
  message.on("data", (chunk: Uint8Array) => (counted.downloaded += chunk.length));
  message.once("error", (error) => stream.destroy(error));
  return message.pipe(stream);
}
