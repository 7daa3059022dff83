/** Names of people and chats of one channel: asked once a day each, beside what is said there, and kept beside its cursor. */
import type { Clock, Json, Logger, Millis } from "../../contract/base.ts";
import type { ChannelInbox, InboundMessage } from "../../contract/bus.ts";
import type { Channel, ChannelState } from "../../contract/channel.ts";
import { raceAbort } from "../../lib/async/abort.ts";
import { createSerial } from "../../lib/async/serial.ts";
import { channelFault } from "../../lib/errors/channel-fault.ts";
import { messageOf } from "../../lib/errors/errors.ts";
import { sha256 } from "../../machine/system/hash.ts";
import { plainName, withNames } from "./words.ts";

type Kind = Parameters<NonNullable<Channel["nameOf"]>>[1];

export interface KeptNames {
  readonly nameOf: NonNullable<Channel["nameOf"]>;
  /** What is said comes with the names that are known; of the others its platform is asked behind it. */
  readonly inbox: (inbox: ChannelInbox) => ChannelInbox;
}

export interface KeptNamesOptions {
  readonly channel: string;
  readonly state: Pick<ChannelState, "value" | "setValue">;
  readonly clock: Clock;
  readonly log: Logger;
  /** @throws anything. */
  readonly ask: NonNullable<Channel["nameOf"]>;
}

/** Without a name: the platform has none. */
interface Entry {
  readonly name?: string;
  readonly at: Millis;
}

const DAY_MS: Millis = 86_400_000;
/** What could not be had is asked again after so long. */
const PAUSE_MS: Millis = 3_600_000;
const ASK_MS: Millis = 10_000;
/** At a time: who was away comes back to many. */
const ASKED_AT_ONCE = 4;
/** Each shard is one value of the state: all of them hold 9,984 names, and each fits. */
const SHARDS = 128;
const MAX_IN_SHARD = 78;
const MAX_ID_CHARS = 256;
const MAX_PAUSED = 10_000;

export function keepNames({ channel, state, clock, log, ask }: KeptNamesOptions): KeptNames {
  const kept = openNames(state, clock);
  const asking = new Map<string, Promise<string | undefined>>();
  const paused = new Map<string, Millis>();
  const alone = createSerial();
  let turn = 0;
  const pause = (key: string): void => {
    if (paused.size >= MAX_PAUSED) paused.clear();
    paused.set(key, clock.now() + PAUSE_MS);
  };
  /** Nobody is to be asked. */
  const isSettled = (key: string): boolean =>
    kept.isFresh(key) || Math.max(paused.get(key) ?? 0, paused.get(allOf(key)) ?? 0) > clock.now();
  const askNow = async (id: string, kind: Kind, key: string): Promise<string | undefined> => {
    const late = new AbortController();
    using _late = clock.timer(ASK_MS, () => late.abort(new Error(`nothing came in ${ASK_MS / 1000} s`)));
    try {
      await kept.keep(key, plainName((await raceAbort(ask(id, kind, late.signal), late.signal)) ?? ""));
    } catch (error) {
      // A permission that is missing for one is missing for all.
      const fault = channelFault(error)?.kind;
      pause(fault === "auth" || fault === "config" ? allOf(key) : key);
      log.warn("channel.name-unknown", { channel, message: messageOf(error) });
    } finally {
      asking.delete(key);
    }
    return kept.find(key);
  };
  const nameOf = (id: string, kind: Kind): Promise<string | undefined> => {
    const key = keyOf(id, kind);
    if (id.length > MAX_ID_CHARS || isSettled(key)) return Promise.resolve(kept.find(key));
    const asked = asking.get(key) ?? alone(String(turn++ % ASKED_AT_ONCE), () => askNow(id, kind, key));
    asking.set(key, asked);
    return asked;
  };
  const told = async <Said extends InboundMessage, Told>(
    message: Said,
    take: (message: Said) => Promise<Told>,
  ): Promise<Told> => {
    const { unnamed = [], origin } = message;
    const lacksTitle = message.chat === "group" && message.title === undefined;
    const title = lacksTitle ? kept.find(keyOf(origin.chat, "chat")) : undefined;
    const names = new Map<string, string>();
    for (const id of unnamed) {
      const name = kept.find(keyOf(id, "person")); // also of yesterday: it is asked anew behind it
      if (name !== undefined) names.set(id, name);
    }
    const left = unnamed.filter((id) => !names.has(id) && !isSettled(keyOf(id, "person")));
    const said = withNames(message, names, left);
    const taken = await take(title === undefined ? said : { ...said, title });
    for (const id of unnamed) void nameOf(id, "person");
    if (lacksTitle) void nameOf(origin.chat, "chat");
    return taken;
  };
  return {
    nameOf,
    inbox: (inbox) => ({
      ...inbox,
      accept: (message) => told(message, (said) => inbox.accept(said)),
      edited: (change) => told(change, (said) => inbox.edited(said)),
      press: (press) => {
        const { from } = press;
        const name = from.name ?? kept.find(keyOf(from.id, "person"));
        return inbox.press(name === undefined ? press : { ...press, from: { ...from, name } });
      },
    }),
  };
}

function keyOf(id: string, kind: Kind): string {
  return `${kind}:${id}`;
}

/** In place of one. */
function allOf(key: string): string {
  return key.slice(0, key.indexOf(":") + 1);
}

interface Names {
  /** Also what is older than a day. */
  readonly find: (key: string) => string | undefined;
  readonly isFresh: (key: string) => boolean;
  /** @param name "": there is none. */
  readonly keep: (key: string, name: string) => Promise<void>;
}

function openNames(state: KeptNamesOptions["state"], clock: Clock): Names {
  const shards = new Map<string, Map<string, Entry>>();
  const nameOf = (key: string): string => `names-${Number.parseInt(sha256(key).slice(0, 4), 16) % SHARDS}`;
  const shardOf = (key: string): Map<string, Entry> => {
    const name = nameOf(key);
    const shard = shards.get(name) ?? read(state.value(name));
    shards.set(name, shard);
    return shard;
  };
  return {
    find: (key) => shardOf(key).get(key)?.name,
    isFresh: (key) => clock.now() - (shardOf(key).get(key)?.at ?? -DAY_MS) < DAY_MS,
    keep: async (key, name) => {
      const shard = shardOf(key);
      shard.delete(key); // the newest stand last
      shard.set(key, { at: clock.now(), ...(name !== "" && { name }) });
      for (const old of [...shard.keys()].slice(0, Math.max(0, shard.size - MAX_IN_SHARD))) shard.delete(old);
      await state.setValue(nameOf(key), written(shard));
    },
  };
}

function read(value: Json | undefined): Map<string, Entry> {
  return new Map(
    (Array.isArray(value) ? value : []).flatMap((row) => {
      const [key, at, name] = Array.isArray(row) ? row : [];
      if (typeof key !== "string" || typeof at !== "number") return [];
      return [[key, { at, ...(typeof name === "string" && { name }) }] as const];
    }),
  );
}

function written(entries: ReadonlyMap<string, Entry>): Json {
  return [...entries].map(([key, { at, name }]) => [key, at, ...(name === undefined ? [] : [name])]);
}
