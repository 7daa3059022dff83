/** One server: connected when it is needed, again after it broke, its tools answering in every state. */
import type { Tool } from "@margay/core";
import { messageOf, raceAbort } from "@margay/core/internal";
import { createCall } from "./call.ts";
import { accept, offerOf, refresh, standAgain, type Running, type ServerOptions } from "./offered.ts";
import { tailed, type LogLine } from "./tail.ts";
import type { CatalogTool } from "./tools.ts";
import type { Failure, Link, ServerState } from "./types.ts";

export interface Server {
  readonly name: string;
  readonly state: ServerState;
  /** Why it is not up. */
  readonly error: string | undefined;
  /** What a person approved, whatever state the server is in: a running epoch may know them. None while it waits for one. */
  readonly tools: readonly Tool[];
  /** How many it would offer. */
  readonly count: number;
  /** The same with those that are not enabled. */
  readonly catalog: readonly CatalogTool[];
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

/** A package runner may download first; the first turn does not wait this long. */
const CONNECT_LIMIT_MS = 120_000;
const FIRST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 60_000;
export function createServer(options: ServerOptions): Server {
  const { log, lines } = tailed(options.log.child({ server: options.name }), options.clock, options.changed);
  const running: Running = {
    options,
    log,
    closing: new AbortController(),
    use: createCall({
      name: options.name,
      connected: async (signal) => {
        if (running.link === undefined) await raceAbort(connect(running), signal);
        return running.state === "up" ? running.link : undefined;
      },
      state: () => running.state,
      classify: (failure) => running.library?.classify(failure) ?? "answered",
      broke: (connection, kind, failure) => broke(running, connection, kind, failure),
      blobs: options.blobs,
      log,
    }),
    link: undefined,
    connecting: undefined,
    library: undefined,
    offer: { definitions: [], instructions: "" },
    catalog: [],
    tools: [],
    count: 0,
    state: "off",
    error: undefined,
    failures: 0,
    retryAt: 0,
  };
  return {
    name: options.name,
    get state() {
      return running.state;
    },
    get error() {
      return running.error;
    },
    get tools() {
      return running.tools;
    },
    get count() {
      return running.count;
    },
    get catalog() {
      return running.catalog;
    },
    failedBefore: isDead(options),
    late: () => void noteFailed(running, true),
    log: lines,
    connect: () => connect(running),
    reconnect: () => reconnect(running),
    close: () => close(running),
  };
}

async function noteFailed({ options: { pins, name, config }, log }: Running, failed: boolean): Promise<void> {
  try {
    await pins.noteDead(name, config, failed);
  } catch (failure) {
    log.warn("mcp.note", { message: messageOf(failure) });
  }
}

function lost(running: Running): void {
  running.link = undefined;
  if (running.closing.signal.aborted) return;
  running.state = "failed";
  running.error = "its connection ended";
  running.log.warn("mcp.lost");
}

function broke(running: Running, connection: Link, kind: Failure, failure: unknown): void {
  if (running.link !== connection) return;
  running.link = undefined;
  running.state = kind === "login" ? "login" : "failed";
  running.error = messageOf(failure);
  void connection.close();
}

async function attempt(running: Running): Promise<void> {
  const { closing, log, options } = running;
  running.state = "connecting";
  const limit = new AbortController();
  const signal = AbortSignal.any([closing.signal, limit.signal]);
  const timer = options.clock.sleep(CONNECT_LIMIT_MS, signal).then(
    () => limit.abort(new Error(`it did not answer within ${CONNECT_LIMIT_MS / 1000} s`)),
    () => undefined, // settled in time
  );
  let opened: Link | undefined;
  try {
    opened = await open(running, signal);
    const found = await offerOf(running, opened, signal);
    closing.signal.throwIfAborted();
    running.link = opened;
    await accept(running, opened, found);
    forgive(running);
    await noteFailed(running, false);
    log.info("mcp.connected", { tools: running.tools.length });
  } catch (failure) {
    running.link = undefined;
    await opened?.close();
    if (closing.signal.aborted) return;
    running.failures += 1;
    running.retryAt = options.clock.now() + Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** (running.failures - 1));
    running.state = running.library?.classify(failure) === "login" ? "login" : "failed";
    running.error = messageOf(failure);
    await noteFailed(running, true);
    log.warn("mcp.failed", { message: running.error });
  } finally {
    limit.abort(new Error("settled"));
    await timer;
  }
}

async function open(running: Running, signal: AbortSignal): Promise<Link> {
  const { name, config, confinement, env, allowHosts, clock, signIn } = running.options;
  running.library ??= await import("./client.ts");
  return running.library.connectClient(
    {
      name,
      config,
      confinement,
      env,
      allowHosts,
      clock,
      log: running.log,
      ...(signIn !== undefined && { signIn: signIn() }),
      onLost: () => lost(running),
      onToolsChanged: () => void refresh(running),
    },
    signal,
  );
}

/** The next connection is tried at once. */
function forgive(running: Running): void {
  running.failures = 0;
  running.retryAt = 0;
}

async function connect(running: Running): Promise<void> {
  if (running.closing.signal.aborted) return;
  if (running.link !== undefined) {
    if (running.state === "changed" || running.state === "unapproved") await standAgain(running);
    return;
  }
  if (running.connecting === undefined && running.options.clock.now() < running.retryAt) return;
  running.connecting ??= attempt(running).finally(() => {
    running.connecting = undefined;
  });
  await running.connecting;
}

async function reconnect(running: Running): Promise<void> {
  await running.connecting;
  const old = running.link;
  running.link = undefined;
  await old?.close();
  forgive(running);
  await connect(running);
}

async function close(running: Running): Promise<void> {
  running.closing.abort(new Error("margay is closing its MCP servers"));
  await running.connecting;
  await running.link?.close();
  running.link = undefined;
  running.state = "off";
}

/** What cannot be read is said when it is connected. */
function isDead({ pins, name, config, log }: ServerOptions): boolean {
  try {
    return pins.isDead(name, config);
  } catch (failure) {
    log.warn("mcp.note", { message: messageOf(failure) });
    return false;
  }
}
