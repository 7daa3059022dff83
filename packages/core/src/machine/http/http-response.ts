// The part of a Response that API clients use, over an IncomingMessage: no undici, back-pressure kept.
import type { IncomingMessage } from "node:http";
import type { Readable } from "node:stream";

/** An error body larger than this is cut: nobody reads it, and a hostile server could fill the memory. */
const MAX_ERROR_BODY_BYTES = 256 * 1024;

/** @param signal Aborting it destroys the socket and fails the body with its reason. */
export function liteResponse(message: IncomingMessage, signal: AbortSignal | undefined): Response {
  const status = message.statusCode ?? 0;
  const ok = status >= 200 && status <= 299;
  const headers = headersOf(message);
  const body =
    status === 204 || status === 304
      ? undefined
      : bodyStream(message, decoded(message, headers), signal, ok ? Infinity : MAX_ERROR_BODY_BYTES);
  if (body === undefined) message.resume(); // Frees the connection.
  const bytes = async (): Promise<Uint8Array<ArrayBuffer>> => await collect(body);
  const text = async (): Promise<string> => new TextDecoder().decode(await bytes());
  const response = {
    ok,
    status,
    statusText: message.statusMessage ?? "",
    redirected: false,
    headers,
    body: body ?? null,
    text,
    json: async (): Promise<unknown> => {
      const value: unknown = JSON.parse(await text());
      return value;
    },
    arrayBuffer: async (): Promise<ArrayBuffer> => (await bytes()).buffer,
    bytes,
  };
  // Structurally what the callers read; clone(), blob() and formData() have no user here.
  return response as unknown as Response;
}

/** The part of Headers that is read; names are lower case already, as node:http gives them. */
interface LiteHeaders extends Iterable<[string, string]> {
  get(name: string): string | null;
  has(name: string): boolean;
  delete(name: string): void;
}

function headersOf(message: IncomingMessage): LiteHeaders {
  const headers = new Map<string, string>();
  for (const [name, value] of Object.entries(message.headers))
    if (value !== undefined) headers.set(name, Array.isArray(value) ? value.join(", ") : value);
  return {
    get: (name) => headers.get(name.toLowerCase()) ?? null,
    has: (name) => headers.has(name.toLowerCase()),
    delete: (name) => void headers.delete(name),
    [Symbol.iterator]: () => headers.entries(),
  };
}

function decoded(message: IncomingMessage, headers: LiteHeaders): Readable {
  const encoding = headers.get("content-encoding")?.toLowerCase();
  if (encoding !== "gzip" && encoding !== "deflate") return message;
  headers.delete("content-encoding");
  headers.delete("content-length");
  const zlib = process.getBuiltinModule("node:zlib");
  // Partial flush: an event stream must come through as it arrives, not when a block is full.
  const inflate =
    encoding === "gzip"
      ? zlib.createGunzip({ flush: zlib.constants.Z_SYNC_FLUSH })
      : zlib.createInflate({ flush: zlib.constants.Z_SYNC_FLUSH });
  message.once("error", (error) => inflate.destroy(error));
  message.once("aborted", () =>
    inflate.destroy(Object.assign(new Error("aborted by the server"), { code: "ECONNRESET" })),
  );
  return message.pipe(inflate);
}

function bodyStream(
  message: IncomingMessage,
  source: Readable,
  signal: AbortSignal | undefined,
  maxBytes: number,
): ReadableStream<Uint8Array> {
  let open = true;
  let left = maxBytes;
  const close = (): void => {
    open = false;
    signal?.removeEventListener("abort", onAbort);
  };
  let onAbort = (): void => undefined;
  return new ReadableStream<Uint8Array>(
    {
      start(controller) {
        const fail = (error: unknown): void => {
          if (!open) return;
          close();
          message.destroy();
          controller.error(error);
        };
        onAbort = () => {
          const reason: unknown = signal?.reason;
          fail(reason instanceof Error ? reason : new DOMException("This operation was aborted", "AbortError"));
        };
        if (signal?.aborted === true) {
          onAbort();
          return;
        }
        signal?.addEventListener("abort", onAbort, { once: true });
        source.on("data", (chunk: Buffer) => {
          if (!open) return;
          controller.enqueue(chunk.length > left ? chunk.subarray(0, left) : chunk);
          left -= chunk.length;
          if (left <= 0) {
            close();
            message.destroy();
            controller.close();
          } else if ((controller.desiredSize ?? 0) <= 0) source.pause();
        });
        source.once("end", () => {
          if (!open) return;
          close();
          controller.close();
        });
        source.once("error", fail);
        source.once("close", () => fail(Object.assign(new Error("aborted by the server"), { code: "ECONNRESET" })));
        source.pause();
      },
      pull() {
        source.resume();
      },
      cancel() {
        close();
        drain(source, message);
      },
    },
    { highWaterMark: 4 },
  );
}

/** Reads what little may be left, so that the connection can be used again; closes it when it is more than that. */
function drain(source: Readable, message: IncomingMessage): void {
  if (message.complete && source.readableEnded) return;
  let left = 64 * 1024;
  const timer = setTimeout(() => message.destroy(), 100);
  timer.unref();
  source.on("data", (chunk: Buffer) => {
    left -= chunk.length;
    if (left < 0) message.destroy();
  });
  source.once("close", () => clearTimeout(timer));
  source.resume();
}

async function collect(body: ReadableStream<Uint8Array> | undefined): Promise<Uint8Array<ArrayBuffer>> {
  const chunks: Uint8Array[] = [];
  if (body !== undefined) for await (const chunk of body) chunks.push(chunk);
  const all = new Uint8Array(chunks.reduce((sum, chunk) => sum + chunk.length, 0));
  let at = 0;
  for (const chunk of chunks) {
    all.set(chunk, at);
    at += chunk.length;
  }
  return all;
}
