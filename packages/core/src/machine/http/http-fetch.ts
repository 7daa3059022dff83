// `fetch` on node:http: starts 40 ms sooner and loads no undici; one kept-alive pool; never follows a redirect.
import type { ClientRequest, IncomingMessage, RequestOptions } from "node:http";
import type { Socket } from "node:net";
import { urlToHttpOptions } from "node:url";
import { liteResponse } from "./http-response.ts";

export interface HttpFetchOptions {
  /** Milliseconds until the connection (name look-up, TCP, TLS) must stand. */
  readonly connectTimeoutMs?: number;
  /** Milliseconds an unused connection is kept. */
  readonly keepAliveMs?: number;
  /** Nothing is sent a second time: what asks may act, and a server that closes a kept connection may have read the request. */
  readonly sendsOnce?: boolean;
  /** Whose connection is opened at once: the first request there finds it standing, or on its way. A failure is told to that request. */
  readonly connectTo?: string;
}

/**
 * A `fetch` for JSON APIs. Takes a string, URL or nothing richer as address and text or bytes as body. 3xx comes back
 * as it is (not `ok`): a key must never travel to another host. Aborting closes the socket and rejects with the
 * signal's reason. The pool holds no process open.
 */
export function httpFetch(options: HttpFetchOptions = {}): typeof fetch {
  const clients = createClients(options);
  const send = async (input: string | URL | Request, init: RequestInit = {}): Promise<Response> => {
    const address = clients.address(input instanceof URL ? input.href : typeof input === "string" ? input : input.url);
    const signal = init.signal ?? undefined;
    signal?.throwIfAborted();
    const body = bodyOf(init.body);
    const headers = headersOf(init.headers);
    headers["accept-encoding"] ??= "gzip";
    if (body !== undefined) headers["content-length"] = String(body.byteLength);
    const request: RequestOptions = { ...address.parts, method: init.method ?? "GET", headers };
    const connectMs = options.connectTimeoutMs ?? 15_000;
    try {
      return await exchange(clients.open(address, request), body, connectMs, signal);
    } catch (error) {
      // The server closed a kept connection, as a rule at the moment it was used again: once more on a new one.
      if (!(error instanceof StaleConnection) || options.sendsOnce === true || signal?.aborted === true) throw error;
      return await exchange(clients.open(address, { ...request, agent: false }), body, connectMs, signal);
    }
  };
  // The parts of `fetch` an API client uses; a full Response would load undici.
  return send as typeof fetch;
}

function exchange(
  request: ClientRequest,
  body: Uint8Array | undefined,
  connectMs: number,
  signal: AbortSignal | undefined,
): Promise<Response> {
  return new Promise<Response>((resolve, reject) => {
    let connecting: NodeJS.Timeout | undefined;
    const connected = (): void => clearTimeout(connecting);
    const onAbort = (): void => {
      request.destroy();
      reject(reasonOf(signal));
    };
    const settle = (): void => {
      clearTimeout(connecting);
      signal?.removeEventListener("abort", onAbort);
    };
    signal?.addEventListener("abort", onAbort, { once: true });
    const onSocket = (socket: Socket): void => {
      if (!socket.connecting) return; // a kept one
      connecting = setTimeout(
        () => request.destroy(Object.assign(new Error("connect timed out"), { code: "ETIMEDOUT" })),
        connectMs,
      );
      socket.once("encrypted" in socket ? "secureConnect" : "connect", connected);
    };
    if (request.socket) onSocket(request.socket);
    else request.once("socket", onSocket);
    request.once("error", (error) => {
      settle();
      if (signal?.aborted === true) reject(reasonOf(signal));
      else
        reject(
          (request.reusedSocket || early.has(request)) &&
            "code" in error &&
            (error.code === "ECONNRESET" || error.code === "EPIPE")
            ? new StaleConnection(error)
            : error,
        );
    });
    request.once("response", (message: IncomingMessage) => {
      settle();
      resolve(liteResponse(message, signal));
    });
    request.end(body);
  });
}

/** Opened before anything was asked: the server may have grown tired of it. */
const early = new WeakSet<ClientRequest>();

class StaleConnection extends Error {
  override readonly name = "StaleConnection";
  readonly code = "ECONNRESET";
  constructor(cause: Error) {
    super("the kept connection was closed by the server", { cause });
  }
}

/** Where requests go. */
interface Address {
  readonly given: string;
  readonly secure: boolean;
  readonly parts: RequestOptions;
}

interface Clients {
  /** @throws TypeError when it is none. */
  address(given: string): Address;
  open(address: Address, options: RequestOptions): ClientRequest;
}

/** Both modules are loaded at the first request of their scheme, and not through ESM, which would read every export. */
function createClients(options: HttpFetchOptions): Clients {
  const agentOptions = {
    keepAlive: true,
    keepAliveMsecs: 15_000,
    timeout: options.keepAliveMs ?? 30_000,
    scheduling: "lifo" as const,
  };
  const http = once(() => {
    const module = process.getBuiltinModule("node:http");
    return { module, agent: new module.Agent(agentOptions) };
  });
  const https = once(() => {
    const module = process.getBuiltinModule("node:https");
    return { module, agent: new module.Agent(agentOptions) };
  });
  let last: Address | undefined;
  // Whoever asks a model asks the same address again and again.
  const address = (given: string): Address => {
    if (last?.given === given) return last;
    const url = new URL(given);
    const secure = url.protocol === "https:";
    return (last = { given, secure, parts: { ...urlToHttpOptions(url), agent: (secure ? https : http)().agent } });
  };
  const open: Clients["open"] = ({ secure }, request) => (secure ? https : http)().module.request(request);
  const soon = options.connectTo;
  let waiting = soon !== undefined && URL.canParse(soon) ? openEarly(address(soon), open) : undefined;
  return {
    address,
    open: (to, request) => {
      const taken = waiting?.(to, request);
      waiting = undefined;
      return taken ?? open(to, request);
    },
  };
}

/** A request whose head is not written yet. @returns undefined when that is another server's, or its connection is gone. */
type Early = (to: Address, request: RequestOptions) => ClientRequest | undefined;

/** What it asks is filled in when that is known; until then it holds no process open. */
function openEarly(there: Address, open: Clients["open"]): Early {
  const waiting = open(there, { ...there.parts, method: "POST" });
  early.add(waiting);
  let state: "waits" | "gone" | "taken" = "waits";
  const lost = (): void => void (state = "gone");
  waiting.on("error", lost).on("close", lost);
  waiting.on("socket", (socket) => void (state === "waits" && socket.unref()));
  return ({ parts }, { method, headers = {}, agent, path }) => {
    const same =
      parts.hostname === there.parts.hostname && parts.port === there.parts.port && agent === there.parts.agent;
    if (state === "gone" || !same || method !== "POST") {
      waiting.destroy();
      return undefined;
    }
    state = "taken";
    waiting.off("error", lost).off("close", lost).socket?.ref();
    waiting.path = path ?? "/";
    for (const [name, value] of Object.entries(headers)) waiting.setHeader(name, value as string); // as `headersOf` made them
    return waiting;
  };
}

function headersOf(init: RequestInit["headers"]): Record<string, string> {
  const headers: Record<string, string> = {};
  const entries: Iterable<readonly [string, unknown]> =
    init === undefined
      ? []
      : Symbol.iterator in init
        ? (init as Iterable<readonly [string, unknown]>)
        : Object.entries(init);
  for (const [name, value] of entries)
    if (value !== undefined && value !== null) headers[name.toLowerCase()] = String(value);
  return headers;
}

/** Text is made bytes here and not by the socket, which would join it with the head and go through it once more. */
function bodyOf(body: unknown): Uint8Array | undefined {
  if (body === undefined || body === null) return undefined;
  if (typeof body === "string") return Buffer.from(body);
  if (body instanceof Uint8Array) return body;
  throw new TypeError("httpFetch sends text or bytes only. Encode the body first.");
}

/** The abort reason as an error; the AI SDK passes errors named AbortError through unwrapped. */
function reasonOf(signal: AbortSignal | undefined): Error {
  const reason: unknown = signal?.reason;
  return reason instanceof Error ? reason : new DOMException("This operation was aborted", "AbortError");
}

function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => (made ??= { value: make() }).value;
}
