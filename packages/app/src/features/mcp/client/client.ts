/** Opens connections with the protocol library. Imported when the first server is connected, and the library with it. */
import {
  Client,
  ProtocolError,
  SSEClientTransport,
  StreamableHTTPClientTransport,
  UnauthorizedError,
  type ElicitRequest,
  type ElicitResult,
  type JsonSchemaValidator,
  type OAuthClientProvider,
  type Transport,
} from "@modelcontextprotocol/client";
import { RuntimeError, type Clock, type Logger } from "@margay/core";
import { messageOf } from "@margay/core/internal";
import type { LeftReport, LeftWatch } from "@margay/core/internal";
import { confineServer, type Confinement } from "./confine.ts";
import { isOldServer } from "./failures.ts";
import { serverFetch } from "./http.ts";
import { createLink, NO_TIMEOUT_MS, type SigningIn } from "./link.ts";
import { stdioTransport, type StdioTransport } from "./stdio.ts";
import type { CallResult, Link, ServerConfig } from "./types.ts";

/** How a remote server is signed in to. Without `code` nobody is there to sign in: the connection fails with `login`. */
export interface SignIn {
  readonly provider: OAuthClientProvider;
  /** Waits for the browser to come back. */
  readonly code?: () => Promise<URLSearchParams>;
}

export interface ConnectOptions {
  readonly name: string;
  readonly config: ServerConfig;
  /** For programs: without it they run only when the operator wants them unconfined. */
  readonly confinement?: Confinement;
  /** PATH and HOME of a stdio server; its own environment is added. */
  readonly env: Readonly<Record<string, string>>;
  /** Hosts besides the configured one. */
  readonly allowHosts: readonly string[];
  readonly clock: Clock;
  readonly log: Logger;
  readonly signIn?: SignIn;
  /** Called once when the connection ends without `close()`. */
  readonly onLost?: () => void;
  readonly onToolsChanged?: () => void;
  /** Answers a server's questions to the person. Without it they are refused. */
  readonly elicit?: (params: ElicitRequest["params"]) => Promise<ElicitResult>;
}

/** A sign-in, and one more when the first did not grant enough. */
const MAX_SIGN_INS = 2;

/** What we never do for a server, whatever it asks. */
const REFUSALS: Readonly<Record<string, string>> = {
  "sampling/createMessage": "Sampling is refused: margay does not lend its model to servers.",
  "elicitation/create": "Elicitation is refused: put the question into the result, and the model will ask the person.",
  "roots/list": "Roots are refused: margay does not tell servers about its files.",
};

export { classify } from "./failures.ts";

/** @throws what the transport or the server answers; see `classify`. */
export async function connectClient(options: ConnectOptions, signal: AbortSignal): Promise<Link> {
  if (options.config.command !== undefined) {
    const { command, args = [], env = {} } = options.config;
    const { clock, log, name, config, confinement } = options;
    const program = { command, args, env: { ...options.env, ...env }, clock, log };
    const confine = async (all: typeof program.env): ReturnType<typeof confineServer> => {
      if (confinement !== undefined) return confineServer(name, config, all, confinement);
      throw new RuntimeError("mcp.failed", `${name} is a program, and there is no sandbox for it here.`);
    };
    let started: StdioTransport | undefined;
    const start = (): Transport =>
      (started = stdioTransport({ ...program, ...(config.sandbox !== false && { confine }) }));
    const link = await open(start, options, signal).catch(async (error: unknown) => {
      throw inItsWords(error, command, (await started?.said()) ?? "");
    });
    return { ...link, call: watched(link.call, () => started?.keepAside()) };
  }
  if (options.config.url === undefined)
    throw new RuntimeError("mcp.failed", "The server has neither command nor url. Set one of them.");
  const url = new URL(options.config.url);
  try {
    return await open(() => remote(url, options, "streamable"), options, signal);
  } catch (error) {
    signal.throwIfAborted();
    if (!isOldServer(error)) throw error;
    options.log.info("mcp.sse", { reason: messageOf(error) });
    return open(() => remote(url, options, "sse"), options, signal).catch(() => {
      throw error; // what the current transport said is the news
    });
  }
}

/** What a program leaves behind while it works on a call is in the result of that call. */
function watched(call: Link["call"], keepAside: () => Promise<LeftWatch> | undefined): Link["call"] {
  return async (...args) => {
    const watch = await keepAside();
    let left: LeftReport | undefined;
    let result: CallResult;
    try {
      result = await call(...args);
    } finally {
      left = await watch?.end();
    }
    return { ...result, ...(left !== undefined && { left }) };
  };
}

/** "Connection closed" says nothing: what the program printed does. */
function inItsWords(error: unknown, command: string, said: string): unknown {
  if (said === "" || error instanceof RuntimeError) return error;
  return new RuntimeError("mcp.failed", `${command}: ${messageOf(error)}. It said: ${said}`, { cause: error });
}

function remote(url: URL, options: ConnectOptions, kind: "streamable" | "sse"): Transport {
  const { config, signIn } = options;
  const common = {
    // Not as `requestInit`: the library would send them to whoever the server names for its sign-in.
    fetch: serverFetch({ url, headers: config.headers ?? {}, allowHosts: options.allowHosts, clock: options.clock }),
    ...(signIn !== undefined && { authProvider: signIn.provider }),
  };
  return kind === "streamable"
    ? new StreamableHTTPClientTransport(url, common)
    : // oxlint-disable-next-line no-deprecated -- servers from before 2025-03-26 speak nothing else
      new SSEClientTransport(url, common);
}

async function open(start: () => Transport, options: ConnectOptions, signal: AbortSignal): Promise<Link> {
  for (let signIns = 0; ; signIns += 1) {
    const transport = start();
    const client = createClient(options, transport);
    try {
      await client.connect(transport, { signal, timeout: NO_TIMEOUT_MS });
      const { log, onLost } = options;
      return createLink({ client, transport, log, onLost, signingIn: signingIn(transport, options) });
    } catch (error) {
      await transport.close().catch(() => {});
      signal.throwIfAborted();
      if (signIns >= MAX_SIGN_INS || !(await signedIn(error, transport, options))) throw error;
    }
  }
}

/** A server may ask for more rights in the middle of a call. */
function signingIn(transport: Transport, options: ConnectOptions): SigningIn {
  return async (work) => {
    for (let signIns = 0; ; signIns += 1)
      try {
        return await work();
      } catch (error) {
        if (signIns >= MAX_SIGN_INS || !(await signedIn(error, transport, options))) throw error;
      }
  };
}

/** Waits for the person when there is one. @returns whether to try again. */
async function signedIn(error: unknown, transport: Transport, { signIn }: ConnectOptions): Promise<boolean> {
  if (signIn?.code === undefined || !UnauthorizedError.isInstance(error)) return false;
  if (!("finishAuth" in transport)) return false;
  const params = await signIn.code();
  // Both HTTP transports have this overload; `in` has just seen the method.
  await (transport as StreamableHTTPClientTransport).finishAuth(params);
  return true;
}

function createClient(options: ConnectOptions, transport: Transport): Client {
  const isHttp = options.config.command === undefined;
  const { elicit } = options;
  const client = new Client(
    { name: "margay", version: "0.1.0" },
    {
      capabilities: elicit === undefined ? {} : { elicitation: { form: { applyDefaults: true } } },
      // A program on a pipe may exit at a question it does not know, so only remote servers are asked what they speak.
      ...(isHttp && transport instanceof StreamableHTTPClientTransport && { versionNegotiation: { mode: "auto" } }),
      ...(elicit === undefined && { inputRequired: { autoFulfill: false } }),
      // Results are text for a model, whatever their schema promised; nothing of a stranger is compiled.
      jsonSchemaValidator: {
        getValidator:
          <T>(): JsonSchemaValidator<T> =>
          (input) => ({ valid: true, data: input as T, errorMessage: undefined }),
      },
      listChanged: {
        tools: { autoRefresh: false, debounceMs: 0, onChanged: () => options.onToolsChanged?.() },
      },
    },
  );
  if (elicit !== undefined) client.setRequestHandler("elicitation/create", (request) => elicit(request.params));
  client.fallbackRequestHandler = (request) => {
    options.log.info("mcp.refused", { method: request.method });
    return Promise.reject(
      new ProtocolError(-32601, REFUSALS[request.method] ?? `margay does not do ${request.method}.`),
    );
  };
  client.onerror = (error) => options.log.debug("mcp.error", { message: messageOf(error) });
  return client;
}
