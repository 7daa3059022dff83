// 429: set by a test, or by the limits that Telegram writes about.

import type { Chat } from "grammy/types";

import type { EmulatorClock } from "./clock.ts";
import { tooMany } from "./refusal.ts";

/** Refuses until its time is over. */
interface Flood {
  readonly chat: number | undefined;
  readonly until: number;
}

/** At most `count` in `perMs`. */
const REAL = {
  all: { count: 30, perMs: 1000 },
  private: { count: 3, perMs: 3000 },
  group: { count: 20, perMs: 60_000 },
} as const;

export class Limits {
  readonly #clock: EmulatorClock;
  readonly #real: boolean;
  #floods: Flood[] = [];
  readonly #sent = new Map<number | "all", number[]>();

  constructor(clock: EmulatorClock, real: boolean) {
    this.#clock = clock;
    this.#real = real;
  }

  /** @param chat absent: every chat */
  flood(seconds: number, chat: number | undefined): void {
    this.#floods.push({ chat, until: this.#clock.now() + seconds * 1000 });
  }

  /** Called before something is sent or edited. @throws Refusal 429 */
  take({ chat }: { readonly chat: Chat }, count = 1): void {
    const now = this.#clock.now();
    this.#floods = this.#floods.filter(({ until }) => until > now);
    const flood = this.#floods.find(({ chat: of }) => of === undefined || of === chat.id);
    if (flood !== undefined) throw tooMany(Math.ceil((flood.until - now) / 1000));
    if (!this.#real) return;
    const own = chat.type === "private" ? REAL.private : REAL.group;
    const counted = [
      { key: "all" as const, ...REAL.all },
      { key: chat.id, ...own },
    ].map(({ key, count: most, perMs }) => {
      const times = (this.#sent.get(key) ?? []).filter((at) => at > now - perMs);
      const first = times[times.length + count - most - 1];
      if (times.length + count > most) throw tooMany(Math.max(1, Math.ceil(((first ?? now) + perMs - now) / 1000)));
      return { key, times };
    });
    for (const { key, times } of counted) this.#sent.set(key, [...times, ...new Array<number>(count).fill(now)]);
  }
}
