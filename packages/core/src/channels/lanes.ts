/** What happens in one chat happens in its order, and behind what was missed there. */
import type { Clock, Logger, Millis } from "../contract/base.ts";
import type { Backfill, ChatLanes, SpokenPlace } from "../contract/channel.ts";

export interface LanesOptions {
  readonly channel: string;
  readonly clock: Pick<Clock, "now">;
  readonly log: Pick<Logger, "warn">;
  /** What is older is not asked for. */
  readonly backMs: Millis;
  /** Told that somewhere nobody lets us look back. */
  readonly closed: () => void;
}

/** A thread that nobody wrote in for so long is over. A chat is asked whenever it was. */
const THREAD_MS = 7 * 86_400_000;
/** Of one chat or thread, the newest. */
export const MAX_MISSED = 200;

export function openLanes<Place extends SpokenPlace, Said>(
  options: LanesOptions,
  backfill: Backfill<Place, Said>,
  failed: (error: unknown) => void,
  signal: AbortSignal,
): ChatLanes {
  return new Lanes(options, backfill, failed, signal);
}

class Lanes<Place extends SpokenPlace, Said> implements ChatLanes {
  readonly #options: LanesOptions;
  readonly #backfill: Backfill<Place, Said>;
  readonly #failed: (error: unknown) => void;
  readonly #signal: AbortSignal;
  readonly #tails = new Map<string, Promise<void>>();
  /** Chats in which something waits behind a gap: they are asked before the others. */
  readonly #hurried = new Set<string>();
  readonly #queue: { readonly chat: string; readonly go: () => void }[] = [];
  #isAsking = false;

  constructor(
    options: LanesOptions,
    backfill: Backfill<Place, Said>,
    failed: (error: unknown) => void,
    signal: AbortSignal,
  ) {
    this.#options = options;
    this.#backfill = backfill;
    this.#failed = failed;
    this.#signal = signal;
  }

  run(chat: string, act: () => Promise<void>): Promise<void> {
    this.#hurried.add(chat);
    return this.#behind(chat, act).catch(() => {}); // told to whoever wanted to know
  }

  catchUp(): Promise<void> {
    if (this.#options.backMs === 0) return Promise.resolve();
    const now = this.#options.clock.now();
    const isOver = ({ id, chat, at }: Place): boolean => id !== chat && at <= now - THREAD_MS;
    const places = [...this.#backfill.places()]
      .filter((place) => !isOver(place))
      .toReversed() // of one moment the one that was noted last
      .toSorted((one, other) => other.at - one.at);
    const asked = new Set(places.map(({ id }) => id));
    this.#hurried.clear();
    const all = Promise.all(
      places.map((place) => this.#behind(place.chat, () => this.#fill(place, now - this.#options.backMs, asked))),
    ).then(() => {});
    all.catch(() => {}); // told to whoever wanted to know
    return all;
  }

  async over(): Promise<void> {
    await Promise.allSettled(this.#tails.values());
  }

  #behind(chat: string, act: () => Promise<void>): Promise<void> {
    const tail = (this.#tails.get(chat) ?? Promise.resolve()).then(act);
    this.#tails.set(chat, tail);
    tail.then(
      () => {
        if (this.#tails.get(chat) !== tail) return;
        this.#tails.delete(chat);
        this.#hurried.delete(chat);
      },
      (error: unknown) => this.#failed(error),
    );
    return tail;
  }

  async #fill(place: Place, since: Millis, asked: Set<string>): Promise<void> {
    const { id, chat } = place;
    const { channel, log, closed } = this.#options;
    const limits = { since, most: MAX_MISSED };
    const found = await this.#turn(chat, () => this.#backfill.missed(place, limits, this.#signal));
    if (found === "closed") closed();
    if (typeof found === "string") return;
    const { said, isCut = false } = found;
    if (isCut || said.length > MAX_MISSED)
      log.warn("channel.backfill-cut", { channel, chat, ...(id !== chat && { thread: id }), messages: MAX_MISSED });
    for (const one of said.slice(-MAX_MISSED)) {
      this.#signal.throwIfAborted();
      const begun = await this.#backfill.take(one, place);
      if (begun === undefined || asked.has(begun.id)) continue;
      asked.add(begun.id);
      await this.#fill(begun, since, asked);
    }
  }

  /** One question after the other: platforms count them. */
  async #turn<T>(chat: string, ask: () => Promise<T>): Promise<T> {
    if (this.#isAsking) await new Promise<void>((resolve) => this.#queue.push({ chat, go: resolve }));
    this.#isAsking = true;
    try {
      this.#signal.throwIfAborted();
      return await ask();
    } finally {
      const index = this.#queue.findIndex((waiting) => this.#hurried.has(waiting.chat));
      const [next] = this.#queue.splice(Math.max(index, 0), 1);
      if (next === undefined) this.#isAsking = false;
      else next.go();
    }
  }
}
