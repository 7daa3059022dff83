/** Reactions to what we said: counted by who asks, and told the model where the owner wants it. None of them answers anything. */
import type { Clock, Millis } from "../../contract/base.ts";
import type { ChannelInbox, Reaction } from "../../contract/bus.ts";
import type { Address } from "../../contract/message.ts";
import type { Policy } from "../../contract/policy.ts";
import type { Session } from "../../contract/session.ts";
import type { SessionStore } from "../../contract/store.ts";
import { allOf } from "../../lib/by-kind.ts";
import { sessionKeyOf } from "../../lib/session-key.ts";
import { ellipsis, isEmoji, textOf } from "../../lib/text.ts";

export interface ReactionsOptions {
  readonly clock: Pick<Clock, "now">;
  readonly admit: Policy["admit"];
  readonly sessions: Pick<SessionStore, "list">;
  /** Undefined: there is none of that key. */
  readonly find: (sessionKey: string) => Promise<Session | undefined>;
  /** Whether the model is told on that channel. */
  readonly tells: (channel: string) => boolean;
}

export interface Reactions {
  readonly reacted: ChannelInbox["reacted"];
  /** Of which conversations something is to be told. */
  readonly waiting: { has(sessionKey: string): boolean };
  /** What is told with the next message of that conversation, once. "": nothing. */
  readonly told: (sessionKey: string) => string;
}

/** One is looked up in journals: of more in a minute nothing is known. */
const LOOKS_PER_MINUTE = 30;
const MINUTE_MS = 60_000;
/** Other conversations of a chat that are looked at, the newest first. */
const MAX_THREADS = 10;
/** Of one conversation, and of all: the oldest are forgotten. */
const MAX_LINES = 20;
const MAX_SESSIONS = 1000;
const SHOWN_CHARS = 80;

export function createReactions(options: ReactionsOptions): Reactions {
  const { clock, tells } = options;
  const waiting = new Map<string, readonly Told[]>();
  const looks = new Map<string, readonly Millis[]>();
  const mayLook = (channel: string): boolean => {
    const now = clock.now();
    const before = (looks.get(channel) ?? []).filter((at) => now - at < MINUTE_MS);
    looks.set(channel, [...before, now].slice(-LOOKS_PER_MINUTE - 1));
    return before.length < LOOKS_PER_MINUTE;
  };
  return {
    waiting,
    reacted: async (reaction) => {
      const { origin, from } = reaction;
      if (from.bot === true || !mayLook(origin.channel)) return "ignored";
      const found = await ours(reaction, options);
      if (found === undefined) return "ignored";
      // As a message of a group would be: not as a private word, which gets a stranger a code.
      const asked = { key: "", from, origin, parts: [], chat: "group" } as const;
      if (!tells(origin.channel) || !(await options.admit(asked)).ok) return "counted";
      const { key, text } = found;
      waiting.set(key, [...(waiting.get(key) ?? []), { text, emoji: shown(reaction.emoji) }].slice(-MAX_LINES));
      const [oldest] = waiting.keys();
      if (waiting.size > MAX_SESSIONS && oldest !== undefined) waiting.delete(oldest);
      return "told";
    },
    told: (sessionKey) => {
      const all = Map.groupBy(waiting.get(sessionKey) ?? [], ({ text }) => text);
      waiting.delete(sessionKey);
      return [...all].map(([text, some]) => lineOf(text, some)).join("\n");
    },
  };
}

interface Told {
  readonly text: string;
  readonly emoji: string;
}

/** Nothing in it is anybody's words but ours: who reacted is not named, and what a reaction of their own is called is not said. */
function lineOf(text: string, some: readonly Told[]): string {
  const emoji = some.map((one) => one.emoji).join(" ");
  return text === ""
    ? `(reactions to a message of yours: ${emoji})`
    : `(reactions to your message “${text}”: ${emoji})`;
}

function shown(emoji: string | undefined): string {
  return emoji !== undefined && isEmoji(emoji) ? emoji : "[another one]";
}

/** Of whose reply it is a piece. Undefined: of none. A platform may not say which thread of a chat it is. */
async function ours(
  { origin, of }: Reaction,
  { sessions, find }: ReactionsOptions,
): Promise<{ readonly key: string; readonly text: string } | undefined> {
  for await (const session of conversations(origin, { sessions, find })) {
    const text = session && (await sentAs(session, of));
    if (session !== undefined && text !== undefined) return { key: session.state.key, text };
  }
  return undefined;
}

/** Of a chat: its own, then those of its threads. */
export async function* conversations(
  origin: Address,
  { sessions, find }: Pick<ReactionsOptions, "sessions" | "find">,
): AsyncGenerator<Session | undefined> {
  const key = sessionKeyOf(origin);
  yield await find(key);
  const { thread: _, ...chat } = origin;
  const all = sessionKeyOf(chat);
  const threads = (await sessions.list()).filter((one) => one.key === all || one.key.startsWith(`${all}:`));
  for (const thread of threads.toSorted((a, b) => b.updatedAt - a.updatedAt).slice(0, MAX_THREADS))
    yield await find(thread.key);
}

/** What the reply says that has this id on the platform. */
async function sentAs(session: Session, id: string): Promise<string | undefined> {
  const texts = new Map<string, string>();
  for await (const { records } of session.history()) {
    for (const { reply, parts } of allOf(records, "reply.queued")) texts.set(reply, textOf(parts));
    const sent = allOf(records, "reply.sent").find((one) => one.id === id);
    if (sent !== undefined) return ellipsis((texts.get(sent.reply) ?? "").replaceAll(/\s+/g, " ").trim(), SHOWN_CHARS);
    for (const { reply } of allOf(records, "reply.delivered")) texts.delete(reply);
  }
  return undefined;
}
