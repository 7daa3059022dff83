/** Channels that follow the configuration while the agent runs, with what is known of each: state, last in, last out. */
import { type Channel, type Clock, type InboundMessage, type Logger } from "@margay/core";
import {
  type ChannelChange,
  type ChannelHooks,
  type ChannelSet,
  ChannelFault,
  keepRunning,
  messageOf,
  random,
  untilAborted,
  type Millis,
} from "@margay/core/internal";
import { type ChannelConfig, fingerprint } from "./kinds.ts";
import { type Heard, runWatched } from "./silence.ts";
import { type Broken, type ChannelStatus, noteSend, noteWord, withBroken } from "./status.ts";

type Configured = Readonly<Record<string, ChannelConfig>>;

/** What a channel finds out by itself: it is connected. */
export type Report = (id: string, change: ChannelChange) => void;

export interface WatchedChannels {
  /** One for each that was ever configured since the start; those that are switched off are not ready. */
  readonly channels: ChannelSet;
  /** Where their platforms call. */
  readonly hooks: ChannelHooks;
  /** Undefined: it is switched off. */
  status(id: string): ChannelStatus | undefined;
  /** Until `resume`: nothing is received there; replies still leave. @returns false when it is switched off. */
  pause(id: string): boolean;
  resume(id: string): boolean;
  /** @throws RuntimeError `config.invalid` when one could not be made with these settings. Nothing changes. */
  refuse(configured: Configured): void;
  /**
   * Other settings from now on: what is different starts anew.
   * @returns whether a channel was switched on: replies may wait for it.
   * @throws RuntimeError `config.invalid`: nothing was changed.
   */
  configure(configured: Configured): boolean;
  /** Told of each change of a channel. @returns the function that ends it. */
  watch(changed: (id: string) => void): () => void;
}

export interface WatchOptions {
  readonly configured: Configured;
  readonly hooks: ChannelHooks;
  readonly create: (id: string, config: ChannelConfig, report: Report) => Channel;
  /** Told of each message of a group that was taken, also of one that is none of our business. */
  readonly inGroup?: (message: InboundMessage) => void;
  readonly clock: Clock;
  readonly log: Logger;
}

interface Running extends Heard {
  /** What it was made from. */
  readonly from: string;
  /** What becomes of a message that may have left. */
  readonly uncertain: NonNullable<ChannelConfig["uncertain"]>;
  status: ChannelStatus;
  readonly broken: Broken;
  paused: boolean;
  /** When it ended by itself, in the last 24 hours. */
  failedAt: readonly Millis[];
}

const DAY_MS = 86_400_000;

/** @throws RuntimeError `config.invalid` when a setting of one that is switched on is missing or wrong. */
export function watchChannels(options: WatchOptions): WatchedChannels {
  const { configured, create } = options;
  const watched: Watched = {
    ...options,
    proxies: new Map(),
    followers: new Set(),
    running: new Map(),
    turns: new Map(),
    watchers: new Set(),
  };
  take(watched, prepare(watched, configured));
  return {
    channels: {
      list: () => [...watched.proxies.values()],
      get: (id) => watched.proxies.get(id),
      follow: (added) => {
        watched.followers.add(added);
        return () => void watched.followers.delete(added);
      },
    },
    hooks: options.hooks,
    status: (id) => statusOf(watched, id),
    pause: (id) => pause(watched, id, true),
    resume: (id) => pause(watched, id, false),
    refuse: (next) => {
      for (const [id, config] of Object.entries(next)) if (config.enabled) create(id, config, () => {});
    },
    configure: (next) => {
      const made = prepare(watched, next);
      take(watched, made);
      return [...made.values()].some((one) => one !== undefined);
    },
    watch: (changed) => {
      watched.watchers.add(changed);
      return () => void watched.watchers.delete(changed);
    },
  };
}

interface Watched extends WatchOptions {
  /** What the agent has of each: it stays when the channel behind it is another. */
  readonly proxies: Map<string, Channel>;
  readonly followers: Set<(channel: Channel) => void>;
  readonly running: Map<string, Running>;
  /** Aborted when what receives now has to look again. */
  readonly turns: Map<string, AbortController>;
  readonly watchers: Set<(id: string) => void>;
}

function set({ running, watchers, clock }: Watched, id: string, change: Partial<ChannelStatus>): void {
  const one = running.get(id);
  if (one === undefined) return;
  const { error, ...before } = one.status;
  const moved = change.state !== undefined && change.state !== before.state;
  const kept = change.state === undefined && error !== undefined ? { error } : {};
  one.status = { ...before, ...kept, ...(moved && { since: clock.now() }), ...change };
  for (const watcher of watchers) watcher(id);
}

function statusOf({ running, clock }: Watched, id: string): ChannelStatus | undefined {
  const one = running.get(id);
  if (one === undefined) return undefined;
  const { limitedUntil = 0, ...status } = withBroken(one.status, one.broken);
  const now = clock.now();
  const reconnects = one.failedAt.filter((at) => at > now - DAY_MS).length;
  return { ...status, reconnects, ...(limitedUntil > now && { limitedUntil }) };
}

function turn({ turns }: Watched, id: string): void {
  turns.get(id)?.abort(new Error("the channel changes"));
  turns.set(id, new AbortController());
}

/** Those that start anew, made before anything is given up. */
function prepare(watched: Watched, next: Configured): ReadonlyMap<string, Running | undefined> {
  const { running, create, clock } = watched;
  const made = new Map<string, Running | undefined>();
  for (const id of new Set([...Object.keys(next), ...running.keys()])) {
    const config = next[id];
    const from = config?.enabled === true ? fingerprint(config) : undefined;
    if (from === running.get(id)?.from) continue;
    made.set(
      id,
      config === undefined || from === undefined
        ? undefined
        : {
            channel: create(id, config, (id, change) => heard(watched, id, change)),
            from,
            uncertain: config.uncertain ?? "again",
            status: { state: "starting", since: clock.now() },
            broken: { failed: 0 },
            paused: false,
            failedAt: [],
            heardAt: clock.monotonic(),
          },
    );
  }
  return made;
}

function take(watched: Watched, made: ReadonlyMap<string, Running | undefined>): void {
  const { running, watchers, proxies, followers } = watched;
  for (const [id, one] of made) {
    if (one === undefined) running.delete(id);
    else running.set(id, one);
    turn(watched, id);
    if (!proxies.has(id)) {
      const added = proxy(watched, id);
      proxies.set(id, added);
      for (const follower of followers) follower(added);
    }
    for (const watcher of watchers) watcher(id);
  }
}

async function receive(
  watched: Watched,
  id: string,
  inbox: Parameters<Channel["run"]>[0],
  signal: AbortSignal,
): Promise<void> {
  const { running, turns, inGroup, hooks, clock, log } = watched;
  const counted: typeof inbox = {
    ...inbox,
    accept: async (message) => {
      const accepted = await inbox.accept(message);
      if (message.chat === "group") inGroup?.(message);
      set(watched, id, { state: "up", lastIn: clock.now() });
      return accepted;
    },
    reacted: async (reaction) => {
      const became = await inbox.reacted(reaction);
      const { reactions = 0 } = running.get(id)?.status ?? {};
      if (became !== "ignored") set(watched, id, { reactions: reactions + 1 });
      return became;
    },
    press: async (pressed) => {
      const answered = await inbox.press(pressed);
      set(watched, id, { state: "up", lastIn: clock.now() });
      return answered;
    },
  };
  const isCalled = (): boolean => hooks.addresses(id).length > 0;
  while (!signal.aborted) {
    const until = AbortSignal.any([signal, turns.get(id)?.signal ?? signal]);
    const one = running.get(id);
    if (one === undefined || one.paused) {
      await untilAborted(until);
      continue;
    }
    set(watched, id, { state: "starting" });
    const failed = (error: unknown, pauseMs?: Millis): void => {
      const message = messageOf(error);
      one.failedAt = [...one.failedAt.filter((at) => at > clock.now() - DAY_MS), clock.now()];
      log.error("channel.stopped", { channel: id, message, ...(pauseMs !== undefined && { pauseMs }) });
      set(watched, id, { state: pauseMs === undefined ? "failed" : "retrying", error: message });
    };
    const run = (signal: AbortSignal): Promise<void> => runWatched({ clock, isCalled }, one, counted, signal);
    await keepRunning({ run, clock, random, failed }, until);
  }
}

/** What a channel says of itself. A sign of life alone changes nothing that anybody shows. */
function heard(watched: Watched, id: string, { alive, degraded, ...change }: ChannelChange): void {
  const one = watched.running.get(id);
  if (one === undefined) return;
  one.heardAt = watched.clock.monotonic();
  const { history, ...before } = one.status;
  // Of the connection before: the new one says it anew.
  const kept = change.state === "up" || history === undefined ? {} : { history };
  one.status = { ...before, ...kept, lastFrame: watched.clock.now() };
  if (alive !== undefined) return;
  if (change.history === undefined) noteWord(one.broken, watched.clock.now(), degraded);
  set(watched, id, change);
}

/** What the agent sees of a channel: the one that is running now, with all that a channel can have. */
function proxy(watched: Watched, id: string): Required<Omit<Channel, "commands">> {
  const { running, clock } = watched;
  return {
    id,
    get can() {
      return running.get(id)?.channel.can ?? NOTHING;
    },
    isOff: () => !running.has(id),
    get uncertain() {
      return running.get(id)?.uncertain ?? "again";
    },
    run: (inbox, signal) => receive(watched, id, inbox, signal),
    send: async (message, signal) => {
      const one = running.get(id);
      if (one === undefined)
        throw new ChannelFault("again", `Channel ${id} was switched off. What waits leaves when it is back.`, {
          sent: "no",
        });
      try {
        const sent = await one.channel.send(message, signal);
        noteSend(one.broken, clock.now());
        set(watched, id, { lastOut: clock.now() });
        return sent;
      } catch (error) {
        const { kind, scope, retryAfterMs = 0 } = error instanceof ChannelFault ? error : {};
        const limit = kind === "slow-down" && scope === "channel" ? { limitedUntil: clock.now() + retryAfterMs } : {};
        if (!signal.aborted) noteSend(one.broken, clock.now(), error, messageOf(error));
        if (!signal.aborted) set(watched, id, { error: messageOf(error), ...limit });
        throw error;
      }
    },
    findSent: async (piece, since, signal) => running.get(id)?.channel.findSent?.(piece, since, signal),
    edit: (of, message, signal) => running.get(id)?.channel.edit?.(of, message, signal) ?? Promise.resolve(),
    remove: (platformId, to, signal) => running.get(id)?.channel.remove?.(platformId, to, signal) ?? Promise.resolve(),
    openStream: async (first, signal) => running.get(id)?.channel.openStream?.(first, signal),
    fetchMedia: (file, signal) =>
      running.get(id)?.channel.fetchMedia?.(file, signal) ??
      Promise.reject(new ChannelFault("again", "its channel is not there", { sent: "no" })),
    nameOf: async (of, kind, signal) => running.get(id)?.channel.nameOf?.(of, kind, signal),
    typing: (to, signal) => running.get(id)?.channel.typing?.(to, signal) ?? Promise.resolve(),
    react: async (...given) => running.get(id)?.channel.react?.(...given),
  };
}

function pause(watched: Watched, id: string, paused: boolean): boolean {
  const one = watched.running.get(id);
  if (one === undefined || one.paused === paused) return one !== undefined;
  one.paused = paused;
  set(watched, id, { state: paused ? "paused" : "starting" });
  turn(watched, id);
  return true;
}

const NOTHING: Channel["can"] = { once: "no", text: { dialect: "markdown", max: Number.POSITIVE_INFINITY } };
