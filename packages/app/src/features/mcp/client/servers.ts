/** All servers of the configuration, and the view of their tools that the agent's registry shows. */
import { type Clock, type Logger, type Tool, type ToolRegistry } from "@margay/core";
import { raceAbort, type BlobStore } from "@margay/core/internal";
import type { SignIn } from "./client.ts";
import type { Confinement } from "./confine.ts";
import type { Pins } from "./pins.ts";
import { MAX_SENT_TOOLS, searchTools } from "./search.ts";
import { createServer, type Server } from "./server.ts";
import { suspendedTool } from "./tools.ts";
import type { ServerConfig, ServerState } from "./types.ts";

export interface McpOptions {
  /** `for`: of no concern to the server itself. */
  readonly servers: Readonly<Record<string, ServerConfig & { readonly for?: readonly string[] }>>;
  readonly connectTimeoutMs: number;
  readonly callTimeoutMs: number;
  /** Of this process: PATH and HOME are passed on. */
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly allowHosts: readonly string[];
  readonly confinement: Confinement;
  readonly pins: Pins;
  readonly blobs: BlobStore;
  readonly clock: Clock;
  readonly log: Logger;
  readonly redact: (text: string) => string;
  /** Told when something changed with a server. */
  readonly changed?: (name: string) => void;
  /** How to sign in to the HTTP server of that name. */
  readonly signIn: (name: string) => SignIn;
}

export interface ServerStatus {
  readonly name: string;
  readonly state: ServerState;
  readonly tools: number;
  readonly error?: string;
}

export interface Mcp extends AsyncDisposable {
  /** The tools of a room: `own`, then what the servers that are for it offer. */
  view(own: ToolRegistry, isFor: (server: string) => boolean): ToolRegistry;
  /**
   * Connects at the first call, which waits until every server is there or `connectTimeoutMs` are over. Later
   * calls try again what was lost, and wait for nothing.
   */
  ready(signal: AbortSignal): Promise<void>;
  status(): readonly ServerStatus[];
  /** One of those that are not switched off. */
  find(name: string): Server | undefined;
  /** Other servers from now on: what is new or different is connected when the others were, what is gone is closed. */
  configure(servers: McpOptions["servers"]): void;
}

interface Running {
  readonly options: McpOptions;
  readonly closing: AbortController;
  /** Closing now: no longer configured, or configured in another way. */
  readonly closed: Set<Promise<void>>;
  configured: readonly (readonly [string, ServerConfig])[];
  /** One for each of `configured`, in the same order. */
  servers: readonly Server[];
  started: Promise<void> | undefined;
}

export function createMcp(options: McpOptions): Mcp {
  const configured = enabled(options.servers);
  const running: Running = {
    options,
    closing: new AbortController(),
    closed: new Set(),
    configured,
    servers: configured.map(([name, config]) => create(options, name, config)),
    started: undefined,
  };
  return {
    view: viewOf(running),
    ready: (signal) => ready(running, signal),
    status: () =>
      running.servers.map(({ name, state, count, error }) => ({
        name,
        state,
        tools: count,
        ...(error !== undefined && { error }),
      })),
    find: (name) => running.servers.find((server) => server.name === name),
    configure: (next) => configure(running, enabled(next)),
    [Symbol.asyncDispose]: async () => {
      running.closing.abort();
      await Promise.all([...running.closed, ...running.servers.map((server) => server.close())]);
    },
  };
}

function create(options: McpOptions, name: string, config: ServerConfig): Server {
  return createServer(serverOptions(name, config, options));
}

/** What a room is offered: its own tools, then those of the servers that are for it, or the search in them. */
function viewOf(running: Running): Mcp["view"] {
  const told = new Set<string>();
  const once = (servers: readonly Server[]): readonly Tool[] =>
    namedOnce(servers, (tool, server) => {
      if (told.has(tool)) return;
      told.add(tool);
      running.options.log.warn("mcp.collision", { tool, server });
    });
  return (own, isFor) => {
    const servers = (): readonly Server[] => running.servers.filter(({ name }) => isFor(name));
    const offered = (): readonly Tool[] => once(servers());
    const known = (): readonly Tool[] => servers().flatMap((server) => server.tools);
    const suspended = (name: string): Tool | undefined =>
      servers()
        .flatMap(({ name: server, state }) =>
          state === "changed" || state === "unapproved" ? (suspendedTool(name, server, state) ?? []) : [],
        )
        .at(0);
    const search = searchTools(offered, () => servers().map((server) => server.name));
    return {
      list: () => {
        const tools = offered();
        return [...own.list(), ...(tools.length > MAX_SENT_TOOLS ? search : tools)];
      },
      get: (name) => own.get(name) ?? [...known(), ...search].find((tool) => tool.name === name) ?? suspended(name),
    };
  };
}

async function ready(running: Running, signal: AbortSignal): Promise<void> {
  if (running.servers.length === 0) return;
  if (running.started === undefined) {
    running.started = start(running);
    running.started.catch(() => {}); // awaited below
  } else for (const server of running.servers) void server.connect();
  await raceAbort(running.started, signal);
}

async function start({ options, servers, closing }: Running): Promise<void> {
  const { clock, log, connectTimeoutMs } = options;
  const settled = new AbortController();
  const bound = clock.sleep(connectTimeoutMs, AbortSignal.any([settled.signal, closing.signal])).then(
    () => {
      const late = servers.filter((one) => one.state === "connecting");
      for (const server of late) server.late();
      log.warn("mcp.late", { servers: late.map((one) => one.name) });
    },
    () => undefined, // all are there, or margay is closing
  );
  // One that did not work the last time is not waited for: it comes when it comes.
  const connections = servers.map((server) => ({ server, connected: server.connect() }));
  const awaited = connections.filter(({ server }) => !server.failedBefore);
  const all = Promise.all(awaited.map(({ connected }) => connected)).then(() => settled.abort());
  await Promise.race([all, bound]);
}

function configure(running: Running, wanted: Running["configured"]): void {
  const { options, closing, closed, configured, servers, started } = running;
  if (closing.signal.aborted) return;
  const kept = new Map(
    configured.flatMap(([name, config], index) => {
      const server = servers[index];
      const same = wanted.some(([other, its]) => other === name && JSON.stringify(its) === JSON.stringify(config));
      if (server === undefined || same) return server === undefined ? [] : [[name, server] as const];
      const closes = server.close().finally(() => closed.delete(closes));
      closed.add(closes);
      return [];
    }),
  );
  running.configured = wanted;
  running.servers = wanted.map(([name, config]) => kept.get(name) ?? create(options, name, config));
  if (started !== undefined) for (const server of running.servers) if (!kept.has(server.name)) void server.connect();
}

function enabled(servers: McpOptions["servers"]): readonly (readonly [string, ServerConfig])[] {
  return Object.entries(servers).flatMap(([name, { for: _readers, ...config }]) =>
    config.disabled ? [] : [[name, config] as const],
  );
}

function serverOptions(name: string, config: ServerConfig, options: McpOptions): Parameters<typeof createServer>[0] {
  const { env, allowHosts, confinement, clock, log, pins, blobs, callTimeoutMs, redact, signIn, changed } = options;
  return {
    name,
    config,
    env: serverEnv(env),
    allowHosts,
    confinement,
    clock,
    log,
    pins,
    blobs,
    callTimeoutMs,
    redact,
    ...(changed !== undefined && { changed: () => changed(name) }),
    ...(signsIn(config) && { signIn: () => signIn(name) }),
  };
}

/** What of our own environment a server gets. */
export function serverEnv(env: McpOptions["env"]): Readonly<Record<string, string>> {
  return Object.fromEntries(["PATH", "HOME"].flatMap((key) => (env[key] === undefined ? [] : [[key, env[key]]])));
}

/** A server's own Authorization header is the operator's way to sign in; there is no other one beside it. */
export function signsIn({ command, headers = {} }: ServerConfig): boolean {
  return command === undefined && !Object.keys(headers).some((header) => header.toLowerCase() === "authorization");
}

/** `a.b` and `a_b` are one name to a provider: the tools of the second server of that name are left out. */
function namedOnce(servers: readonly Server[], collides: (tool: string, server: string) => void): readonly Tool[] {
  const byName = new Map<string, Tool>();
  for (const server of servers)
    for (const tool of server.tools) {
      const key = tool.name.toLowerCase();
      if (byName.has(key)) collides(tool.name, server.name);
      else byName.set(key, tool);
    }
  return [...byName.values()].toSorted((a, b) => (a.name < b.name ? -1 : 1));
}
