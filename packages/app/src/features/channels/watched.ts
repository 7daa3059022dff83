/** Channels that follow the configuration while the agent runs, with what is known of each: state, last in, last out. */
import { type Channel, type Clock, type Logger } from "@margay/core";
import { ChannelFault, keepRunning, messageOf, random, untilAborted, type Millis } from "@margay/core/internal";
import type { ChannelConfig } from "./list.ts";

export interface ChannelStatus {
  readonly state: "starting" | "up" | "retrying" | "failed" | "paused";
  readonly since: Millis;
  readonly error?: string;
  readonly lastIn?: Millis;
  readonly lastOut?: Millis;
}

type Configured = Readonly<Record<string, ChannelConfig>>;

/** What a channel finds out by itself: it is connected. */
export type Report = (id: string, state: "up") => void;

export interface WatchedChannels {
  /** One for each kind there is; those that are switched off are not ready. */
  readonly channels: readonly Channel[];
  /** Undefined: it is switched off. */
  status(id: string): ChannelStatus | undefined;
  /** Until `resume`: nothing is received there; replies still leave. @returns false when it is switched off. */
  pause(id: string): boolean;
  resume(id: string): boolean;
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
  readonly kinds: readonly string[];
  readonly configured: Configured;
  readonly create: (id: string, config: ChannelConfig, report: Report) => Channel;
  readonly clock: Clock;
  readonly log: Logger;
}

interface Running {
  readonly channel: Channel;
  /** What it was made from. */
  readonly from: string;
  status: ChannelStatus;
  paused: boolean;
}

/** @throws RuntimeError `config.invalid` when a setting of one that is switched on is missing or wrong. */
export function watchChannels({ kinds, configured, create, clock, log }: WatchOptions): WatchedChannels {
  const running = new Map<string, Running>();
  /** Aborted when what receives now has to look again. */
  const turns = new Map(kinds.map((id) => [id, new AbortController()]));
  const watchers = new Set<(id: string) => void>();

  const set = (id: string, change: Partial<ChannelStatus>): void => {
    const one = running.get(id);
    if (one === undefined) return;
    const { error, ...before } = one.status;
    const moved = change.state !== undefined && change.state !== before.state;
    const kept = change.state === undefined && error !== undefined ? { error } : {};
    one.status = { ...before, ...kept, ...(moved && { since: clock.now() }), ...change };
    for (const watcher of watchers) watcher(id);
  };
  const report: Report = (id, state) => set(id, { state });
  const turn = (id: string): void => {
    turns.get(id)?.abort(new Error("the channel changes"));
    turns.set(id, new AbortController());
  };

  /** Those that start anew, made before anything is given up. */
  const prepare = (next: Configured): ReadonlyMap<string, Running | undefined> => {
    const made = new Map<string, Running | undefined>();
    for (const id of kinds) {
      const config = next[id];
      const from = config?.enabled === true ? fingerprint(config) : undefined;
      if (from === running.get(id)?.from) continue;
      made.set(
        id,
        config === undefined || from === undefined
          ? undefined
          : {
              channel: create(id, config, report),
              from,
              status: { state: "starting", since: clock.now() },
              paused: false,
            },
      );
    }
    return made;
  };
  const take = (made: ReadonlyMap<string, Running | undefined>): void => {
    for (const [id, one] of made) {
      if (one === undefined) running.delete(id);
      else running.set(id, one);
      turn(id);
      for (const watcher of watchers) watcher(id);
    }
  };

  const receive = async (id: string, inbox: Parameters<Channel["run"]>[0], signal: AbortSignal): Promise<void> => {
    const counted = {
      accept: async (message: Parameters<typeof inbox.accept>[0]) => {
        const accepted = await inbox.accept(message);
        set(id, { state: "up", lastIn: clock.now() });
        return accepted;
      },
    };
    while (!signal.aborted) {
      const until = AbortSignal.any([signal, turns.get(id)?.signal ?? signal]);
      const one = running.get(id);
      if (one === undefined || one.paused) {
        await untilAborted(until);
        continue;
      }
      set(id, { state: "starting" });
      const failed = (error: unknown, pauseMs?: Millis): void => {
        const message = messageOf(error);
        log.error("channel.stopped", { channel: id, message, ...(pauseMs !== undefined && { pauseMs }) });
        set(id, { state: pauseMs === undefined ? "failed" : "retrying", error: message });
      };
      await keepRunning({ run: (signal) => one.channel.run(counted, signal), clock, random, failed }, until);
    }
  };

  const proxy = (id: string): Channel => ({
    id,
    get can() {
      return running.get(id)?.channel.can ?? NOTHING;
    },
    isOff: () => !running.has(id),
    run: (inbox, signal) => receive(id, inbox, signal),
    send: async (message, signal) => {
      const one = running.get(id);
      if (one === undefined)
        throw new ChannelFault("again", `Channel ${id} was switched off. What waits leaves when it is back.`, {
          sent: "no",
        });
      try {
        const sent = await one.channel.send(message, signal);
        set(id, { lastOut: clock.now() });
        return sent;
      } catch (error) {
        if (!signal.aborted) set(id, { error: messageOf(error) });
        throw error;
      }
    },
    edit: (platformId, message, signal) =>
      running.get(id)?.channel.edit?.(platformId, message, signal) ?? Promise.resolve(),
    typing: (to, signal) => running.get(id)?.channel.typing?.(to, signal) ?? Promise.resolve(),
  });

  const pause = (id: string, paused: boolean): boolean => {
    const one = running.get(id);
    if (one === undefined) return false;
    if (one.paused === paused) return true;
    one.paused = paused;
    set(id, { state: paused ? "paused" : "starting" });
    turn(id);
    return true;
  };

  take(prepare(configured));
  return {
    channels: kinds.map(proxy),
    status: (id) => running.get(id)?.status,
    pause: (id) => pause(id, true),
    resume: (id) => pause(id, false),
    configure: (next) => {
      const made = prepare(next);
      take(made);
      return [...made.values()].some((one) => one !== undefined);
    },
    watch: (changed) => {
      watchers.add(changed);
      return () => void watchers.delete(changed);
    },
  };
}

const NOTHING: Channel["can"] = { edit: false, buttons: false, media: false, maxChars: Number.POSITIVE_INFINITY };

/** Who may write is asked for each message, and no reason to start anew. */
function fingerprint(config: ChannelConfig): string {
  const { allowFrom: _asked, ...rest } = config as ChannelConfig & { readonly allowFrom?: unknown };
  return JSON.stringify(rest);
}
