/** What is said in groups and not to us: kept beside the conversation, a journal for each day, found by the search of the group alone. */
import type { Clock, Millis } from "../contract/base.ts";
import type { Accepted, InboundMessage } from "../contract/bus.ts";
import type { Address, UserMessage } from "../contract/message.ts";
import type { HeardLine, Names, Session } from "../contract/session.ts";
import type { SessionStore } from "../contract/store.ts";
import { createSerial } from "../lib/async/serial.ts";
import { groupOf } from "../lib/audience.ts";
import { spoken } from "./names.ts";

export interface HeardOptions {
  readonly open: (sessionKey: string, origin: Address) => Promise<Session>;
  readonly sessions: Pick<SessionStore, "list" | "remove" | "find">;
  readonly clock: Clock;
}

export interface Heard {
  /** Where a line that is said now is kept. */
  readonly keyOf: (origin: Address) => string;
  readonly keep: (message: InboundMessage, line: UserMessage) => Promise<Accepted>;
  /** Lines of the days since then, as they came: also older ones, and those that were given. */
  readonly since: (origin: Address, at: Millis) => Promise<readonly HeardLine[]>;
  /** A line of the last day, and the journal that it is in. */
  readonly find: (
    origin: Address,
    key: string,
  ) => Promise<{ readonly session: Session; readonly message: UserMessage } | undefined>;
  /** Names that were given today. */
  readonly names: (origin: Address) => Promise<Names>;
}

/** The channel of such journals: nothing is ever sent there. */
const HEARD = "heard";
const DAY_MS = 86_400_000;
const KEPT_MS = 30 * DAY_MS;
/** Lines of one group; of the days before, the oldest go. */
const MAX_LINES = 10_000;

export function createHeard({ open, sessions, clock }: HeardOptions): Heard {
  const alone = createSerial();
  const prefixOf = (origin: Address): string => `${HEARD}:${groupOf(origin).slice("group:".length)}:`;
  const keyAt = (origin: Address, at: Millis): string => prefixOf(origin) + new Date(at).toISOString().slice(0, 10);
  const keyOf = (origin: Address): string => keyAt(origin, clock.now());
  const daysOf = async (origin: Address, at: Millis): Promise<readonly Session[]> => {
    const days = [...new Set([keyAt(origin, at), keyOf(origin)])];
    return (await Promise.all(days.map((day) => sessions.find(day)))).filter((session) => session !== undefined);
  };
  return {
    keyOf,
    keep: async (message, line) => {
      const { origin, key } = message;
      const sessionKey = keyOf(origin);
      const session = await open(sessionKey, { channel: HEARD, chat: sessionKey.slice(HEARD.length + 1) });
      if (session.state.audience === undefined)
        await alone(sessionKey, async () => {
          if (session.state.audience !== undefined) return; // the line before has begun it
          await session.commit({ type: "audience.set", audience: groupOf(origin) });
          await forget(sessions, prefixOf(origin), clock.now());
        });
      if (session.received(origin.channel, key)) return { status: "duplicate" };
      if (session.state.rows < MAX_LINES)
        await session.commit({ type: "message.heard", key, channel: origin.channel, message: line });
      return { status: "ignored", why: "heard" };
    },
    since: async (origin, at) => (await daysOf(origin, at)).flatMap(({ state }) => state.heard ?? []),
    find: async (origin, key) => {
      for (const session of (await daysOf(origin, clock.now() - DAY_MS)).toReversed()) {
        const line = session.state.heard?.findLast((one) => one.key === key);
        if (line !== undefined) return { session, message: line.message };
      }
      return undefined;
    },
    names: async (origin) => (await sessions.find(keyOf(origin)))?.state.names ?? [],
  };
}

/** On the first line of a day: what is older than is promised, and more than is promised. */
async function forget(sessions: HeardOptions["sessions"], prefix: string, now: Millis): Promise<void> {
  const days = (await sessions.list()).filter(({ key }) => key.startsWith(prefix));
  let lines = 0;
  for (const { key, rows, updatedAt } of days.toSorted((a, b) => b.updatedAt - a.updatedAt)) {
    lines += rows;
    if (lines > MAX_LINES || now - updatedAt > KEPT_MS) await sessions.remove(key);
  }
}

/** How much of it goes before the next message that is ours. */
export interface HeardBounds {
  readonly lines: number;
  readonly chars: number;
  readonly ms: Millis;
}

export const BEFORE_AN_ANSWER: HeardBounds = { lines: 20, chars: 4000, ms: 1_800_000 };
export const FOR_A_DIGEST: HeardBounds = { lines: 200, chars: 16_000, ms: DAY_MS };

/** The newest that fit, oldest first, each as one line with its name. */
export function heardText(lines: readonly HeardLine[], { lines: most, chars }: HeardBounds): string {
  const texts: string[] = [];
  let room = chars;
  // Of what was taken back nothing is left.
  const left = lines.filter(({ message: { parts } }) => parts.length > 0);
  for (const { message } of left.slice(-most).toReversed()) {
    const said = message.parts.map((part) => (part.type === "text" ? part.text : `(${part.mediaType})`)).join(" ");
    const line = spoken(message.from.name ?? message.from.id, said);
    if (line.length > room) break;
    room -= line.length + 1;
    texts.unshift(line);
  }
  return texts.join("\n");
}
