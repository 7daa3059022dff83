// The part of a Response that API clients use, over an IncomingMessage: no undici, back-pressure kept.
import type { IncomingMessage } from "node:http";
import type { Readable } from "node:stream";

/** An error body larger than this is cut: nobody reads it, and a hostile server could fill the memory. */
const MAX_ERROR_BODY_BYTES = 256 * 1024;

/** So many chunks wait for a reader before the socket is paused. */
const WAITING_CHUNKS = 4;

/** @param signal Aborting it destroys the socket and fails the body with its reason. */
export function liteResponse(message: IncomingMessage, signal: AbortSignal | undefined): Response {
  const status = message.statusCode ?? 0;
  const ok = status >= 200 && status <= 299;
  const encoding = encodingOf(message);
  const empty = status === 204 || status === 304;
  const body = empty
    ? undefined
    : new LiteBody(message, decoded(message, encoding), signal, ok ? Infinity : MAX_ERROR_BODY_BYTES);
  if (body === undefined) message.resume(); // Frees the connection.
  const bytes = async (): Promise<Uint8Array<ArrayBuffer>> => await collect(body);
  const text = async (): Promise<string> => new TextDecoder().decode(await bytes());
  const response = {
    ok,
    status,
    statusText: message.statusMessage ?? "",
    redirected: false,
    headers: headersOf(message, encoding !== undefined && !empty),
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

/** The part of Headers that is read. */
interface LiteHeaders extends Iterable<[string, string]> {
  get(name: string): string | null;
  has(name: string): boolean;
}

/** Put together when somebody asks: most answers are read without them. @param inflated What is read is no longer as the headers say. */
function headersOf(message: IncomingMessage, inflated: boolean): LiteHeaders {
  let made: Map<string, string> | undefined;
  const headers = (): Map<string, string> => {
    if (made !== undefined) return made;
    made = new Map();
    for (const [name, value] of Object.entries(message.headers))
      if (value !== undefined) made.set(name, Array.isArray(value) ? value.join(", ") : value);
    if (inflated) for (const name of ["content-encoding", "content-length"]) made.delete(name);
    return made;
  };
  return {
    get: (name) => headers().get(name.toLowerCase()) ?? null,
    has: (name) => headers().has(name.toLowerCase()),
    [Symbol.iterator]: () => headers().entries(),
  };
}

/** One that we can take away; found without `message.headers`, which parses them all. */
function encodingOf({ rawHeaders }: IncomingMessage): "gzip" | "deflate" | undefined {
  for (let at = 0; at < rawHeaders.length; at += 2) {
    if (rawHeaders[at]?.toLowerCase() !== "content-encoding") continue;
    const encoding = rawHeaders[at + 1]?.toLowerCase();
    if (encoding === "gzip" || encoding === "deflate") return encoding;
  }
  return undefined;
}

function decoded(message: IncomingMessage, encoding: ReturnType<typeof encodingOf>): Readable {
  if (encoding === undefined) return message;
  const zlib = process.getBuiltinModule("node:zlib");
  // Partial flush: an event stream must come through as it arrives, not when a block is full.
  const inflate =
    encoding === "gzip"
      ? zlib.createGunzip({ flush: zlib.constants.Z_SYNC_FLUSH })
      : zlib.createInflate({ flush: zlib.constants.Z_SYNC_FLUSH });
  message.once("error", (error) => inflate.destroy(error));
  message.once("aborted", () => inflate.destroy(abortedByServer()));
  return message.pipe(inflate);
}

function abortedByServer(): Error {
  return Object.assign(new Error("aborted by the server"), { code: "ECONNRESET" });
}

type Chunk = IteratorResult<Uint8Array, undefined>;
const END: Chunk = { done: true, value: undefined };

/** What callers use of a ReadableStream, which costs as much to make as the request: one reader, or `for await`. */
class LiteBody implements AsyncIterable<Uint8Array> {
  readonly #message: IncomingMessage;
  readonly #source: Readable;
  readonly #signal: AbortSignal | undefined;
  #left: number;
  #open = true;
  #failure: { readonly error: unknown } | undefined;
  readonly #chunks: Uint8Array[] = [];
  #reader: PromiseWithResolvers<Chunk> | undefined;

  constructor(message: IncomingMessage, source: Readable, signal: AbortSignal | undefined, maxBytes: number) {
    this.#message = message;
    this.#source = source;
    this.#signal = signal;
    this.#left = maxBytes;
    if (signal?.aborted === true) {
      this.#onAbort();
      return;
    }
    signal?.addEventListener("abort", this.#onAbort, { once: true });
    source.on("data", (chunk: Buffer) => this.#take(chunk));
    source.once("end", () => this.#end());
    source.once("error", (error) => this.#fail(error));
    source.once("close", () => {
      if (this.#open) this.#fail(abortedByServer());
    });
  }

  getReader(): { read(): Promise<Chunk>; cancel(): Promise<void> } {
    return { read: () => this.#read(), cancel: () => this.cancel() };
  }

  [Symbol.asyncIterator](): AsyncIterator<Uint8Array, undefined> {
    return { next: () => this.#read(), return: () => this.cancel().then(() => END) };
  }

  cancel(): Promise<void> {
    const wasOpen = this.#open;
    this.#end();
    this.#chunks.length = 0;
    if (wasOpen) drain(this.#source, this.#message);
    return Promise.resolve();
  }

  #read(): Promise<Chunk> {
    const chunk = this.#chunks.shift();
    if (chunk !== undefined) {
      if (this.#chunks.length < WAITING_CHUNKS) this.#source.resume();
      return Promise.resolve({ done: false, value: chunk });
    }
    if (this.#failure !== undefined) return Promise.reject(this.#failure.error as Error); // as it came from the socket or the signal
    if (!this.#open) return Promise.resolve(END);
    this.#reader ??= Promise.withResolvers<Chunk>();
    return this.#reader.promise;
  }

  #take(chunk: Buffer): void {
    if (!this.#open) return;
    const value = chunk.length > this.#left ? chunk.subarray(0, this.#left) : chunk;
    this.#left -= chunk.length;
    if (this.#reader === undefined) this.#chunks.push(value);
    else this.#answer({ done: false, value });
    if (this.#left <= 0) {
      this.#end();
      this.#message.destroy();
    } else if (this.#chunks.length >= WAITING_CHUNKS) this.#source.pause();
  }

  #answer(chunk: Chunk): void {
    const reader = this.#reader;
    this.#reader = undefined;
    reader?.resolve(chunk);
  }

  #end(): void {
    this.#close();
    this.#answer(END);
  }

  #fail(error: unknown): void {
    if (!this.#open) return;
    this.#close();
    this.#message.destroy();
    this.#failure = { error };
    const reader = this.#reader;
    this.#reader = undefined;
    reader?.reject(error);
  }

  #close(): void {
    this.#open = false;
    this.#signal?.removeEventListener("abort", this.#onAbort);
  }

  readonly #onAbort = (): void => {
    const reason: unknown = this.#signal?.reason;
    this.#chunks.length = 0;
    this.#fail(reason instanceof Error ? reason : new DOMException("This operation was aborted", "AbortError"));
  };
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

async function collect(body: AsyncIterable<Uint8Array> | undefined): Promise<Uint8Array<ArrayBuffer>> {
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
