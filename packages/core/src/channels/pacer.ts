/** Keeps below what a platform allows, so that it never has to refuse: so many messages in a time, in all and in each chat. */
import type { Clock, Millis } from "../contract/base.ts";
import type { Channel } from "../contract/channel.ts";
import type { Address } from "../contract/message.ts";
import type { Audience } from "../contract/people.ts";
import { raceAbort } from "../lib/async/abort.ts";
import { isGroup } from "../lib/audience.ts";
import { createSerial } from "../lib/async/serial.ts";

export interface Paced {
  readonly to: Address;
  /** Platforms allow less in a group. */
  readonly audience: Audience | undefined;
}

export interface Pacer {
  /**
   * Resolves when the platform allows one more message there, in the order in which it was asked.
   * @returns to be disposed of when the message has left, or has not. @throws the reason of the signal.
   */
  pace(channel: Pick<Channel, "id" | "can">, paced: Paced, signal: AbortSignal): Promise<Disposable>;
  /**
   * For what may as well not be shown: the last place is for a reply, where there is more than one.
   * @returns 0: it may be sent, and counts. Else for how long it may not at least, `Infinity` where nobody can tell.
   */
  spare(channel: Pick<Channel, "id" | "can">, paced: Paced): Millis;
}

/** What left before the program started is not known: as long as this it does half of what it may. */
const YOUNG_MS = 60_000;
/** Chats of which the last sends are known. The oldest are forgotten first. */
const MAX_CHATS = 10_000;

/** When one left. */
interface Place {
  at: Millis;
}

type Limits = NonNullable<Channel["can"]["rate"]>;

interface Window {
  readonly key: string;
  readonly count: number;
  readonly perMs: Millis;
}

/** Of one channel: how many are being sent, and who waits for the end of one. */
interface Line {
  sending: number;
  readonly waiting: (() => void)[];
}

export function createPacer(clock: Clock): Pacer {
  const startedAt = clock.monotonic();
  /** The last ones that left, by window: never more of them than it allows. */
  const sent = new Map<string, readonly Place[]>();
  const lines = new Map<string, Line>();
  /** For the window of a channel one waits at a time: hundreds that wake up at once would do nothing but that. */
  const oneByOne = createSerial();

  /** @param spared how many places are to be left for others. */
  const waitOf = ({ key, count, perMs }: Window, spared = 0): Millis => {
    const now = clock.monotonic();
    const allowed = now - startedAt < YOUNG_MS ? Math.ceil(count / 2) : count;
    const before = sent.get(key)?.at(-Math.max(1, allowed - spared));
    return before === undefined ? 0 : Math.max(0, before.at + perMs - now);
  };
  const untilFree = async (window: Window, signal: AbortSignal): Promise<void> => {
    for (let ms = waitOf(window); ms > 0; ms = waitOf(window)) await clock.sleep(ms, signal);
  };
  const take = ({ key, count }: Window, place: Place): void => {
    const before = sent.get(key) ?? [];
    sent.delete(key); // and comes last
    sent.set(key, [...before, place].slice(-count));
    for (const oldest of sent.keys()) {
      if (sent.size <= MAX_CHATS) break;
      sent.delete(oldest);
    }
  };

  return {
    async pace({ id, can: { rate } }, paced, signal) {
      if (rate === undefined) return { [Symbol.dispose]: () => {} };
      const { ofAll, ofChat } = windowsOf(id, rate, paced);
      const windows = [...ofChat, ...ofAll];
      // A place is taken when it is there, not before: a chat that has to wait takes none that others could have.
      while (windows.some((window) => waitOf(window) > 0)) {
        for (const window of ofChat) await untilFree(window, signal);
        for (const window of ofAll) await oneByOne(window.key, () => untilFree(window, signal));
      }
      const place = { at: clock.monotonic() };
      for (const window of windows) take(window, place);
      const line = lines.get(id) ?? { sending: 0, waiting: [] };
      lines.set(id, line);
      const entered = await enter(line, rate.concurrency ?? Infinity, signal);
      return {
        [Symbol.dispose]: () => {
          // The platform counted it somewhere between: a first one that took long lets the next one come no earlier.
          place.at = clock.monotonic();
          entered[Symbol.dispose]();
        },
      };
    },
    spare({ id, can: { rate } }, paced) {
      if (rate === undefined) return 0;
      const { ofAll, ofChat } = windowsOf(id, rate, paced);
      const windows = [...ofChat, ...ofAll];
      const { sending = 0 } = lines.get(id) ?? {};
      if (sending >= (rate.concurrency ?? Infinity)) return Infinity;
      const ms = Math.max(0, ...windows.map((window) => waitOf(window, 1)));
      if (ms === 0) for (const window of windows) take(window, { at: clock.monotonic() });
      return ms;
    },
  };
}

function windowsOf(
  id: string,
  { channel, chat, group }: Limits,
  { to, audience }: Paced,
): { readonly ofAll: readonly Window[]; readonly ofChat: readonly Window[] } {
  const own = (isGroup(audience) ? group : undefined) ?? chat;
  return {
    ofAll: channel === undefined ? [] : [{ key: id, ...channel }],
    ofChat: own === undefined ? [] : [{ key: `${id}\n${to.chat}`, ...own }], // all its topics together
  };
}

async function enter(line: Line, limit: number, signal: AbortSignal): Promise<Disposable> {
  if (line.sending >= limit) {
    const turn = Promise.withResolvers<void>();
    line.waiting.push(turn.resolve);
    try {
      await raceAbort(turn.promise, signal);
    } catch (error) {
      const at = line.waiting.indexOf(turn.resolve);
      if (at >= 0) line.waiting.splice(at, 1);
      else leave(line); // it was handed on in the same moment
      throw error;
    }
  } else line.sending += 1;
  let isOver = false;
  return {
    [Symbol.dispose]: () => {
      if (isOver) return;
      isOver = true;
      leave(line);
    },
  };
}

/** To the next one, who counts as sending from then on. */
function leave(line: Line): void {
  const next = line.waiting.shift();
  if (next === undefined) line.sending -= 1;
  else next();
}
