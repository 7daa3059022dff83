/** Who writes faster than anybody reads is heard again a little later: the rest of it is taken, and costs nothing. */
import type { Clock, Millis } from "../contract/base.ts";
import type { Accepted, Inbox, InboundMessage } from "../contract/bus.ts";
import type { Rate } from "../contract/channel.ts";
import { LATE_MS } from "../lib/text.ts";

export interface FloodOptions {
  readonly clock: Pick<Clock, "now">;
  /** What one person may write on a channel; undefined: as much as they want. */
  readonly limit: Rate | undefined;
  /** Whether it is heard all the same: what stops us. */
  readonly passes: (message: InboundMessage) => boolean;
  /** Which keys of a platform were accepted. */
  readonly keys: {
    find(channel: string, key: string): unknown;
    taken(channel: string, key: string): void;
  };
  /** One word about it, in its chat. Best effort. */
  readonly tell: (message: InboundMessage) => Promise<void>;
}

/** One person on one channel. */
interface Writer {
  /** When they wrote what was taken, by the platform's time. */
  readonly times: Set<{ readonly at: Millis }>;
  toldAt?: Millis;
}

/** Said once in so long. */
const TELL_EVERY_MS = 600_000;
/** Who has been quiet for longest is forgotten first. */
const MAX_WRITERS = 10_000;

export function withoutFlood(accept: Inbox["accept"], options: FloodOptions): Inbox["accept"] {
  const { clock, limit, passes, keys } = options;
  const writers = new Map<string, Writer>();
  if (limit === undefined) return accept;
  return async (message) => {
    const { from, origin, key, sentAt } = message;
    const isTheirs = message.fromPlatform === true && from.kind === "person" && !passes(message);
    // Told again, it is known already.
    if (!isTheirs || (await keys.find(origin.channel, key)) !== undefined) return accept(message);
    const now = clock.now();
    // What lay at the platform was not written in this moment; nobody wrote it in the future.
    const time = { at: Math.min(sentAt ?? now, now) };
    if (now - time.at > LATE_MS) return accept(message); // one turn answers all of that
    const writer = writerOf(writers, `${origin.channel}\n${from.id}`, now);
    const near = [...writer.times].filter(({ at }) => Math.abs(at - time.at) < limit.perMs);
    if (near.length >= limit.count) return ignored(message, writer, options);
    writer.times.add(time);
    const accepted = await accept(message).catch((error: unknown) => {
      writer.times.delete(time);
      throw error;
    });
    // What is heard, refused or known costs nothing.
    if (accepted.status !== "accepted") writer.times.delete(time);
    return accepted;
  };
}

async function ignored(message: InboundMessage, writer: Writer, options: FloodOptions): Promise<Accepted> {
  const { clock, keys, tell } = options;
  const now = clock.now();
  // Told again later it is no news either.
  keys.taken(message.origin.channel, message.key);
  if (writer.toldAt === undefined || now - writer.toldAt >= TELL_EVERY_MS) {
    writer.toldAt = now;
    await tell(message);
  }
  return { status: "ignored", why: "flood" };
}

function writerOf(writers: Map<string, Writer>, name: string, now: Millis): Writer {
  const writer: Writer = writers.get(name) ?? { times: new Set() };
  writers.delete(name);
  writers.set(name, writer); // the newest stand last
  for (const time of writer.times) if (now - time.at > 2 * LATE_MS) writer.times.delete(time);
  const [oldest] = writers.keys();
  if (writers.size > MAX_WRITERS && oldest !== undefined) writers.delete(oldest);
  return writer;
}
