/** How often somebody may ask: a fixed window of a minute per name, bounded in memory. */
import type { Clock } from "@margay/core";
import { Problem } from "../api/problem.ts";

export interface Rates {
  /** Counts one. @throws Problem `rate.exceeded` with the wait. */
  take(name: string, perMinute: number): void;
  /** Counts one without refusing. @returns whether it was within the limit. */
  within(name: string, perMinute: number): boolean;
  /** One of at most `limit` at the same time. @returns what gives it back. @throws Problem `rate.exceeded`. */
  hold(name: string, limit: number): () => void;
  /** How many are held now. */
  held(name: string): number;
}

const WINDOW_MS = 60_000;
/** Names kept; the oldest window goes first. */
const MAX_NAMES = 10_000;

export function createRates(clock: Clock): Rates {
  const held = new Map<string, number>();
  const windows = new Map<string, { readonly since: number; count: number }>();
  const count = (name: string): { readonly count: number; readonly leftMs: number } => {
    const now = clock.monotonic();
    let window = windows.get(name);
    if (window === undefined || now - window.since >= WINDOW_MS) {
      windows.delete(name);
      window = { since: now, count: 0 };
      windows.set(name, window);
      const oldest = windows.size > MAX_NAMES ? windows.keys().next().value : undefined;
      if (oldest !== undefined) windows.delete(oldest);
    }
    window.count += 1;
    return { count: window.count, leftMs: WINDOW_MS - (now - window.since) };
  };
  return {
    take: (name, perMinute) => {
      const taken = count(name);
      if (taken.count > perMinute) throw tooMany(`More than ${perMinute} requests in a minute.`, taken.leftMs);
    },
    within: (name, perMinute) => count(name).count <= perMinute,
    hold: (name, limit) => {
      const now = held.get(name) ?? 0;
      if (now >= limit) throw tooMany(`${limit} of this kind are open already.`, 5000);
      held.set(name, now + 1);
      let isHeld = true;
      return () => {
        if (!isHeld) return;
        isHeld = false;
        const left = (held.get(name) ?? 1) - 1;
        if (left > 0) held.set(name, left);
        else held.delete(name);
      };
    },
    held: (name) => held.get(name) ?? 0,
  };
}

export function tooMany(detail: string, leftMs: number): Problem {
  return new Problem("rate.exceeded", {
    detail,
    remedy: "Wait and try again.",
    retryAfterMs: Math.ceil(leftMs),
    headers: { "retry-after": String(Math.max(1, Math.ceil(leftMs / 1000))) },
  });
}
