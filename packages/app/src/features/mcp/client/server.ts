/** One server: connected when it is needed, again after it broke, its tools answering in every state. */
import type { Logger, Tool } from "@margay/core";
import { messageOf, raceAbort, type BlobStore, type Millis, type ServerStanding } from "@margay/core/internal";
import type { ConnectOptions, SignIn } from "./client.ts";
import type { Confinement } from "./confine.ts";
import type { Pins } from "./pins.ts";
import { createCall } from "./call.ts";
import { unwritableText } from "./no-result.ts";
import { tailed, type LogLine } from "./tail.ts";
import { catalogOf, enabledOf, type CatalogTool } from "./tools.ts";
import type { Failure, Link, Offer, ServerConfig, ServerState } from "./types.ts";
import { withoutSecrets } from "./without-secrets.ts";
import { unwritable } from "./writable.ts";

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

/** The library is loaded when the first server is connected. */
interface Library {
  readonly connectClient: (options: ConnectOptions, signal: AbortSignal) => Promise<Link>;
  readonly classify: (error: unknown) => Failure;
}

/** A package runner may download first; the first turn does not wait this long. */
const CONNECT_LIMIT_MS = 120_000;
const FIRST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 60_000;
/** Why it is connected and not up. */
const WAITS: Readonly<Record<ServerStanding, string | undefined>> = {
  approved: undefined,
  changed: "its tools are not the ones that were approved",
  unapproved: "nobody has approved its tools yet",
};

export function createServer(options: ServerOptions): Server {
  const { name, config, pins, clock, blobs, confinement } = options;
  const { log, lines } = tailed(options.log.child({ server: name }), clock, options.changed);
  const closing = new AbortController();
  let link: Link | undefined;
  let connecting: Promise<void> | undefined;
  let library: Library | undefined;
  let offer: Offer = { definitions: [], instructions: "" };
  let catalog: readonly CatalogTool[] = [];
  let tools: readonly Tool[] = [];
  let count = 0;
  let state: ServerState = "off";
  let error: string | undefined;
  let failures = 0;
  let retryAt: Millis = 0;
  const failedBefore = isDead(pins, options);

  /** By what a person approved of what it says. */
  const stand = (): void => {
    const standing = pins.check(name, config, offer);
    const enabled = enabledOf(catalog);
    count = enabled.length;
    // Not even kept: what is not here reaches no request.
    tools = standing === "approved" ? enabled : [];
    error = WAITS[standing];
    if (standing === "approved") state = "up";
    else if (state !== standing) {
      state = standing;
      log.warn(`mcp.${standing}`, { next: `margay mcp approve ${name}` });
    }
  };

  const accept = (opened: Link, found: Offer): void => {
    offer = found;
    catalog = catalogOf({
      server: name,
      config,
      definitions: found.definitions,
      offers: opened.offers,
      timeoutMs: options.callTimeoutMs,
      use,
      unable: (tool, input) => {
        const path = unwritable(config, tool, input, confinement.workspace);
        return path === undefined ? undefined : unwritableText(name, path);
      },
      warn: (fact) => log.warn("mcp.tool", { fact }),
    });
    stand();
  };

  /** A person may have approved it in the meantime. While that cannot be read, nothing changes. */
  const standAgain = (): void => {
    try {
      stand();
      if (state === "up") log.info("mcp.approved", { tools: tools.length });
    } catch (failure) {
      log.warn("mcp.accept", { message: messageOf(failure) });
    }
  };

  const offerOf = async ({ offers, instructions, tools: list }: Link, signal: AbortSignal): Promise<Offer> =>
    withoutSecrets({ definitions: offers.tools ? await list(signal) : [], instructions }, options.redact);

  const refresh = async (): Promise<void> => {
    const current = link;
    if (current === undefined) return;
    try {
      const found = await offerOf(current, closing.signal);
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
      const { env, allowHosts, signIn } = options;
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
      const found = await offerOf(opened, signal);
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
      if (state === "changed" || state === "unapproved") standAgain();
      return;
    }
    if (connecting === undefined && clock.now() < retryAt) return;
    connecting ??= attempt().finally(() => {
      connecting = undefined;
    });
    await connecting;
  };

  const use = createCall({
    name,
    connected: async (signal) => {
      if (link === undefined) await raceAbort(connect(), signal);
      return state === "up" ? link : undefined;
    },
    state: () => state,
    classify: (failure) => library?.classify(failure) ?? "answered",
    broke: (connection, kind, failure) => {
      if (link !== connection) return;
      link = undefined;
      state = kind === "login" ? "login" : "failed";
      error = messageOf(failure);
      void connection.close();
    },
    blobs,
    log,
  });

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
    get count() {
      return count;
    },
    get catalog() {
      return catalog;
    },
    failedBefore,
    late: () => noteFailed(true),
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
