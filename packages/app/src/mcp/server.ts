/** One server: connected when it is needed, again after it broke, its tools answering in every state. */
import {
  messageOf,
  raceAbort,
  type BlobStore,
  type Effect,
  type Logger,
  type Millis,
  type Tool,
  type ToolContext,
  type ToolResult,
} from "@margay/core";
import type { ConnectOptions, SignIn } from "./client.ts";
import type { Confinement } from "./confine.ts";
import type { Pins } from "./pins.ts";
import { refused, uncertain, unavailable } from "./no-result.ts";
import { toolResult } from "./result.ts";
import { tailed, type LogLine } from "./tail.ts";
import { catalogOf, enabledOf, type CatalogTool } from "./tools.ts";
import type { CallOptions, CallResult, Definition, Failure, Link, ServerConfig, ServerState } from "./types.ts";

export interface ServerOptions extends Pick<ConnectOptions, "env" | "allowHosts" | "clock"> {
  readonly confinement: Confinement;
  readonly name: string;
  readonly config: ServerConfig;
  readonly pins: Pins;
  readonly blobs: BlobStore;
  readonly log: Logger;
  readonly callTimeoutMs: Millis;
  /** Takes our secrets out of what it says its tools are: that goes into prompts. */
  readonly redact: (text: string) => string;
  /** Told when something was noted about it: what changes its state is. */
  readonly changed?: () => void;
  /** For HTTP servers. */
  readonly signIn?: () => SignIn;
}

export interface Server {
  readonly name: string;
  readonly state: ServerState;
  /** Why it is not up. */
  readonly error: string | undefined;
  /** Every tool a running epoch may know, whatever state the server is in. */
  readonly tools: readonly Tool[];
  /** The same with those that are not enabled. */
  readonly catalog: readonly CatalogTool[];
  /** Whether they may be offered to a new epoch. */
  readonly offered: boolean;
  /** Whether the last process that tried could not connect to it as it is configured. */
  readonly failedBefore: boolean;
  /** Somebody waited for it in vain: the next start does not. */
  late(): void;
  /** Its last log lines, oldest first: what a program printed on stderr, and what we noted. */
  readonly log: readonly LogLine[];
  /** Connects, unless it failed a moment ago. Never throws. */
  connect(): Promise<void>;
  /** Ends the connection and makes a new one now, whatever failed before. Never throws. */
  reconnect(): Promise<void>;
  close(): Promise<void>;
}

/** The library is loaded when the first server is connected. */
interface Library {
  readonly connectClient: (options: ConnectOptions, signal: AbortSignal) => Promise<Link>;
  readonly classify: (error: unknown) => Failure;
}

/** A package runner may download first; the first turn does not wait this long (R213). */
const CONNECT_LIMIT_MS = 120_000;
const FIRST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 60_000;

export function createServer(options: ServerOptions): Server {
  const { name, config, pins, clock, blobs } = options;
  const { log, lines } = tailed(options.log.child({ server: name }), clock, options.changed);
  const closing = new AbortController();
  let link: Link | undefined;
  let connecting: Promise<void> | undefined;
  let library: Library | undefined;
  let definitions: readonly Definition[] = [];
  let catalog: readonly CatalogTool[] = [];
  let tools: readonly Tool[] = [];
  let state: ServerState = "off";
  let error: string | undefined;
  let failures = 0;
  let retryAt: Millis = 0;
  const failedBefore = isDead(pins, options);

  const accept = (opened: Link, found: readonly Definition[]): void => {
    definitions = found;
    const trusted = pins.check(name, config, found);
    catalog = catalogOf({
      server: name,
      config,
      definitions,
      offers: opened.offers,
      timeoutMs: options.callTimeoutMs,
      use,
      warn: (fact) => log.warn("mcp.tool", { fact }),
    });
    tools = enabledOf(catalog);
    state = trusted ? "up" : "changed";
    error = trusted ? undefined : `its tools are not the ones that were accepted`;
    if (!trusted) log.warn("mcp.changed", { next: `margay mcp accept ${name}` });
  };

  /** An operator may have accepted the change in the meantime. While that cannot be read, nothing changes. */
  const acceptAgain = (current: Link): void => {
    try {
      accept(current, definitions);
    } catch (failure) {
      log.warn("mcp.accept", { message: messageOf(failure) });
    }
  };

  const refresh = async (): Promise<void> => {
    const current = link;
    if (current === undefined) return;
    try {
      const found = withoutSecrets(await current.tools(closing.signal), options.redact);
      if (link === current) accept(current, found);
    } catch (failure) {
      log.warn("mcp.list", { message: messageOf(failure) });
    }
  };

  const noteFailed = (failed: boolean): void => {
    try {
      pins.noteDead(name, config, failed);
    } catch (failure) {
      log.warn("mcp.note", { message: messageOf(failure) });
    }
  };

  const lost = (): void => {
    link = undefined;
    if (closing.signal.aborted) return;
    state = "failed";
    error = "its connection ended";
    log.warn("mcp.lost");
  };

  const attempt = async (): Promise<void> => {
    state = "connecting";
    const limit = new AbortController();
    const signal = AbortSignal.any([closing.signal, limit.signal]);
    const timer = clock.sleep(CONNECT_LIMIT_MS, signal).then(
      () => limit.abort(new Error(`it did not answer within ${CONNECT_LIMIT_MS / 1000} s`)),
      () => undefined, // settled in time
    );
    let opened: Link | undefined;
    try {
      library ??= await import("./client.ts");
      const { env, allowHosts, confinement, signIn } = options;
      opened = await library.connectClient(
        {
          name,
          config,
          confinement,
          env,
          allowHosts,
          clock,
          log,
          ...(signIn !== undefined && { signIn: signIn() }),
          onLost: lost,
          onToolsChanged: () => void refresh(),
        },
        signal,
      );
      const found = opened.offers.tools ? withoutSecrets(await opened.tools(signal), options.redact) : [];
      closing.signal.throwIfAborted();
      link = opened;
      accept(opened, found);
      failures = 0;
      retryAt = 0;
      noteFailed(false);
      log.info("mcp.connected", { tools: tools.length });
    } catch (failure) {
      link = undefined;
      await opened?.close();
      if (closing.signal.aborted) return;
      failures += 1;
      retryAt = clock.now() + Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** (failures - 1));
      state = library?.classify(failure) === "login" ? "login" : "failed";
      error = messageOf(failure);
      noteFailed(true);
      log.warn("mcp.failed", { message: error });
    } finally {
      limit.abort(new Error("settled"));
      await timer;
    }
  };

  const connect = async (): Promise<void> => {
    if (closing.signal.aborted) return;
    if (link !== undefined) {
      if (state === "changed") acceptAgain(link);
      return;
    }
    if (connecting === undefined && clock.now() < retryAt) return;
    connecting ??= attempt().finally(() => {
      connecting = undefined;
    });
    await connecting;
  };

  const current = async (signal: AbortSignal): Promise<Link | undefined> => {
    if (link === undefined) await raceAbort(connect(), signal);
    return state === "up" ? link : undefined;
  };

  const use = async (
    effect: Effect,
    context: ToolContext,
    work: (link: Link, given: CallOptions) => Promise<CallResult>,
  ): Promise<ToolResult> => {
    const given: CallOptions = { signal: context.signal, onProgress: context.progress };
    for (let tries = 1; ; tries += 1) {
      const connection = await current(context.signal);
      if (connection === undefined) return unavailable(name, state);
      try {
        return await toolResult(await work(connection, given), blobs);
      } catch (failure) {
        context.signal.throwIfAborted();
        const kind = library?.classify(failure) ?? "answered";
        log.warn("mcp.call", { kind, message: messageOf(failure) });
        if (kind === "answered") return refused(name, messageOf(failure));
        if (link === connection) {
          link = undefined;
          state = kind === "login" ? "login" : "failed";
          error = messageOf(failure);
          void connection.close();
        }
        // Nothing of a `write` is repeated, unless the server cannot have seen it (MC1).
        if (kind === "login" || tries > 1) return unavailable(name, state);
        if (effect === "write" && kind === "lost") return uncertain(name);
      }
    }
  };

  return {
    name,
    get state() {
      return state;
    },
    get error() {
      return error;
    },
    get tools() {
      return tools;
    },
    get catalog() {
      return catalog;
    },
    failedBefore,
    late: () => noteFailed(true),
    get offered() {
      return state !== "changed";
    },
    log: lines,
    connect,
    reconnect: async () => {
      await connecting;
      const old = link;
      link = undefined;
      await old?.close();
      failures = 0;
      retryAt = 0;
      await connect();
    },
    close: async () => {
      closing.abort(new Error("margay is closing its MCP servers"));
      await connecting;
      await link?.close();
      link = undefined;
      state = "off";
    },
  };
}

/** What cannot be read is said when it is connected. */
function isDead(pins: Pins, { name, config, log }: ServerOptions): boolean {
  try {
    return pins.isDead(name, config);
  } catch (failure) {
    log.warn("mcp.note", { message: messageOf(failure) });
    return false;
  }
}

/** A server may quote the key it was given. `raw` goes back to it alone. */
function withoutSecrets(found: readonly Definition[], redact: (text: string) => string): readonly Definition[] {
  return found.map((one) => ({
    ...one,
    description: redact(one.description),
    ...(one.inputSchema !== undefined && {
      inputSchema: JSON.parse(redact(JSON.stringify(one.inputSchema))) as unknown,
    }),
  }));
}
