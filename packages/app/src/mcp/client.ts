/** The one file that knows the protocol library. It is imported when the first server is connected. */
import {
  Client,
  ProtocolError,
  SdkError,
  SdkErrorCode,
  SdkHttpError,
  SSEClientTransport,
  StreamableHTTPClientTransport,
  UnauthorizedError,
  type ElicitRequest,
  type ElicitResult,
  type JsonSchemaValidator,
  type OAuthClientProvider,
  type StandardSchemaV1,
  type Tool as RawTool,
  type Transport,
} from "@modelcontextprotocol/client";
import { messageOf, RuntimeError, type Clock, type JsonObject, type Logger } from "@margay/core";
import { serverFetch } from "./http.ts";
import { contentOf, textOfList } from "./result.ts";
import { stdioTransport } from "./stdio.ts";
import type { CallOptions, CallResult, Definition, Failure, Link, ServerConfig } from "./types.ts";

/** How a remote server is signed in to. Without `code` nobody is there to sign in: the connection fails with `login`. */
export interface SignIn {
  readonly provider: OAuthClientProvider;
  /** Waits for the browser to come back. */
  readonly code?: () => Promise<URLSearchParams>;
}

export interface ConnectOptions {
  readonly config: ServerConfig;
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

/** The library's own deadline never fires: the caller's signal carries ours. */
const NO_TIMEOUT_MS = 2 ** 31 - 1;
/** Pages of one list that are read. */
const MAX_PAGES = 50;
/** A sign-in, and one more when the first did not grant enough. */
const MAX_SIGN_INS = 2;

/** What we never do for a server, whatever it asks (MC6). */
const REFUSALS: Readonly<Record<string, string>> = {
  "sampling/createMessage": "Sampling is refused: margay does not lend its model to servers.",
  "elicitation/create": "Elicitation is refused: put the question into the result, and the model will ask the person.",
  "roots/list": "Roots are refused: margay does not tell servers about its files.",
};

/** @throws what the transport or the server answers; see `classify`. */
export async function connectClient(options: ConnectOptions, signal: AbortSignal): Promise<Link> {
  if (options.config.command !== undefined) {
    const { command, args = [], env = {} } = options.config;
    const { clock, log } = options;
    return open(() => stdioTransport({ command, args, env: { ...options.env, ...env }, clock, log }), options, signal);
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

/** What the failure of a request means for the call it carried. */
export function classify(error: unknown): Failure {
  if (UnauthorizedError.isInstance(error)) return "login";
  if (error instanceof RuntimeError && error.code === "mcp.login") return "login";
  if (SdkHttpError.isInstance(error)) {
    if (error.status === 401 || error.status === 403) return "login";
    return error.status === 404 ? "unsent" : "answered"; // 404: the server forgot our session
  }
  if (SdkError.isInstance(error)) {
    if (error.code === SdkErrorCode.NotConnected || error.code === SdkErrorCode.SendFailed) return "unsent";
    return error.code === SdkErrorCode.ConnectionClosed ? "lost" : "answered";
  }
  const code = networkCode(error);
  if (code === undefined) return "answered";
  return NEVER_SENT.has(code) ? "unsent" : "lost";
}

const NEVER_SENT: ReadonlySet<string> = new Set([
  "ECONNREFUSED",
  "ENOTFOUND",
  "EAI_AGAIN",
  "ENETUNREACH",
  "EHOSTUNREACH",
  "EPIPE",
]);

function networkCode(error: unknown): string | undefined {
  if (typeof error !== "object" || error === null) return undefined;
  if ("code" in error && typeof error.code === "string" && /^E[A-Z_]+$/.test(error.code)) return error.code;
  return "cause" in error ? networkCode(error.cause) : undefined;
}

/** Servers from before Streamable HTTP refuse the first POST. */
function isOldServer(error: unknown): boolean {
  return SdkHttpError.isInstance(error) && [400, 404, 405, 406, 415].includes(error.status);
}

function remote(url: URL, options: ConnectOptions, kind: "streamable" | "sse"): Transport {
  const { config, signIn } = options;
  const common = {
    fetch: serverFetch({ url, allowHosts: options.allowHosts, clock: options.clock }),
    requestInit: { headers: { ...config.headers } },
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
      return linkOf(client, transport, options);
    } catch (error) {
      await client.close().catch(() => {});
      await transport.close().catch(() => {});
      signal.throwIfAborted();
      if (signIns >= MAX_SIGN_INS || !(await signedIn(error, transport, options))) throw error;
    }
  }
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
        getValidator: <T>(): JsonSchemaValidator<T> => (input) => ({ valid: true, data: input as T, errorMessage: undefined }),
      },
      listChanged: {
        tools: { autoRefresh: false, debounceMs: 0, onChanged: () => options.onToolsChanged?.() },
      },
    },
  );
  if (elicit !== undefined) client.setRequestHandler("elicitation/create", (request) => elicit(request.params));
  client.fallbackRequestHandler = (request) => {
    options.log.info("mcp.refused", { method: request.method });
    return Promise.reject(new ProtocolError(-32601, REFUSALS[request.method] ?? `margay does not do ${request.method}.`));
  };
  client.onerror = (error) => options.log.debug("mcp.error", { message: messageOf(error) });
  return client;
}

function linkOf(client: Client, transport: Transport, options: ConnectOptions): Link {
  let closing = false;
  client.onclose = () => {
    if (!closing) options.onLost?.();
  };
  const offered = client.getServerCapabilities() ?? {};
  const request = ({ signal, onProgress }: CallOptions): object => ({
    signal,
    timeout: NO_TIMEOUT_MS,
    ...(onProgress !== undefined && {
      onprogress: (progress: { readonly progress: number; readonly total?: number; readonly message?: string }) =>
        onProgress(progressText(progress)),
    }),
  });
  /** A server may ask for more rights in the middle of a call. */
  const again = async <T>(work: () => Promise<T>): Promise<T> => {
    for (let signIns = 0; ; signIns += 1)
      try {
        return await work();
      } catch (error) {
        if (signIns >= MAX_SIGN_INS || !(await signedIn(error, transport, options))) throw error;
      }
  };
  return {
    offers: {
      tools: offered.tools !== undefined,
      resources: offered.resources !== undefined,
      prompts: offered.prompts !== undefined,
    },
    tools: (signal) => again(() => allTools(client, signal)),
    call: (tool, args, given) =>
      again(async (): Promise<CallResult> => {
        const result = await client.callTool(
          { name: tool.name, arguments: { ...args } },
          { ...request(given), toolDefinition: tool.raw as unknown as RawTool }, // as it was listed
        );
        return { content: contentOf(result), isError: result.isError === true };
      }),
    listResources: async (given) => {
      const { resources } = await client.listResources(undefined, request(given));
      const templates = await client
        .listResourceTemplates(undefined, request(given))
        .then((result) => result.resourceTemplates)
        .catch(() => []); // many servers have none and say so with an error
      return textOfList([
        ...resources.map(({ uri, name, description }) => ({ name: uri, about: [name, description] })),
        ...templates.map(({ uriTemplate, name, description }) => ({ name: uriTemplate, about: [name, description] })),
      ]);
    },
    readResource: async (uri, given) => {
      const { contents } = await client.readResource({ uri }, { ...request(given), cacheMode: "bypass" });
      return { content: contentOf({ content: contents.map((resource) => ({ type: "resource", resource })) }), isError: false };
    },
    listPrompts: async (given) => {
      const { prompts } = await client.listPrompts(undefined, request(given));
      return textOfList(
        prompts.map(({ name, description, arguments: args = [] }) => ({
          name: `${name}(${args.map((arg) => `${arg.name}${arg.required === true ? "" : "?"}`).join(", ")})`,
          about: [description],
        })),
      );
    },
    getPrompt: async (name, args, given) => {
      const { messages } = await client.getPrompt({ name, arguments: { ...args } }, request(given));
      return {
        content: messages.flatMap(({ role, content }) => [
          { type: "text" as const, text: `${role}:` },
          ...contentOf({ content: [content] }),
        ]),
        isError: false,
      };
    },
    close: async () => {
      closing = true;
      await client.close().catch((error: unknown) => options.log.debug("mcp.close", { message: messageOf(error) }));
      await transport.close();
    },
  };
}

/**
 * Read without the library's schema of a tool: one that it cannot read would take the whole server with it (MC3).
 */
async function allTools(client: Client, signal: AbortSignal): Promise<readonly Definition[]> {
  const found: Definition[] = [];
  let cursor: string | undefined;
  for (let page = 0; page < MAX_PAGES; page += 1) {
    const params = cursor === undefined ? {} : { cursor };
    const result = await client.request({ method: "tools/list", params }, ANY_OBJECT, { signal, timeout: NO_TIMEOUT_MS });
    if (Array.isArray(result.tools)) found.push(...result.tools.flatMap(definitionOf));
    if (typeof result.nextCursor !== "string" || result.nextCursor === "" || result.nextCursor === cursor) break;
    cursor = result.nextCursor;
  }
  return found;
}

interface ListPage {
  readonly tools?: unknown;
  readonly nextCursor?: unknown;
}

const ANY_OBJECT: StandardSchemaV1<unknown, ListPage> = {
  "~standard": {
    version: 1,
    vendor: "margay",
    validate: (value) =>
      typeof value === "object" && value !== null ? { value } : { issues: [{ message: "not an object" }] },
  },
};

function definitionOf(raw: unknown): readonly Definition[] {
  if (typeof raw !== "object" || raw === null || !("name" in raw) || typeof raw.name !== "string" || raw.name === "")
    return [];
  const hints = "annotations" in raw && typeof raw.annotations === "object" && raw.annotations !== null ? raw.annotations : {};
  return [
    {
      name: raw.name,
      description: "description" in raw && typeof raw.description === "string" ? raw.description : "",
      inputSchema: "inputSchema" in raw ? raw.inputSchema : undefined,
      annotations: {
        readOnly: "readOnlyHint" in hints && hints.readOnlyHint === true,
        idempotent: "idempotentHint" in hints && hints.idempotentHint === true,
      },
      raw: raw as JsonObject, // it came as JSON
    },
  ];
}

function progressText({
  progress,
  total,
  message,
}: {
  readonly progress: number;
  readonly total?: number;
  readonly message?: string;
}): string {
  const count = total === undefined ? `${progress}` : `${progress}/${total}`;
  return message === undefined ? count : `${message} (${count})`;
}
