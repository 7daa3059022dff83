// Buckets: how often a route may be asked in a channel, and all of them together.

import { Refusal } from "./refusal.ts";

interface Bucket {
  readonly limit: number;
  readonly windowMs: number;
  left: number;
  resetAt: number;
}

/** Requests of all routes within a second. */
const GLOBAL = 50;

export class Limits {
  readonly #now: () => number;
  readonly #strict: boolean;
  readonly #buckets = new Map<string, Bucket>();
  readonly #global: Bucket = { limit: GLOBAL, windowMs: 1000, left: GLOBAL, resetAt: 0 };
  /** Until when a channel, or `global`, is refused. */
  readonly #floods = new Map<string, number>();

  /** @param strict whether a used-up bucket refuses; the headers count in any case */
  constructor(now: () => number, strict: boolean) {
    this.#now = now;
    this.#strict = strict;
  }

  /** 429 for so long. */
  flood(seconds: number, scope: string): void {
    this.#floods.set(scope, this.#now() + seconds * 1000);
  }

  calm(): void {
    this.#floods.clear();
  }

  /** @returns the headers of the answer. @throws Refusal with 429 */
  take(route: string, major: string): Readonly<Record<string, string>> {
    const now = this.#now();
    const global = this.#left("global", now) ?? (this.#strict ? used(this.#global, now) : undefined);
    if (global !== undefined) throw tooMany(global, true, { "x-ratelimit-scope": "global" });
    const key = `${route} ${major}`;
    const bucket = this.#buckets.get(key) ?? { ...sizeOf(route), left: 0, resetAt: 0 };
    this.#buckets.set(key, bucket);
    const over = used(bucket, now);
    const headers = headersOf(key, bucket, now);
    const flood = this.#left(major, now);
    if (flood !== undefined) throw tooMany(flood, false, { ...headers, "x-ratelimit-scope": "shared" });
    if (this.#strict && over !== undefined) throw tooMany(over, false, { ...headers, "x-ratelimit-scope": "user" });
    return headers;
  }

  #left(scope: string, now: number): number | undefined {
    const until = this.#floods.get(scope) ?? 0;
    return until > now ? until - now : undefined;
  }
}

/** About what Discord gives; it says that no number is for ever. */
function sizeOf(route: string): { readonly limit: number; readonly windowMs: number } {
  if (route.includes("/reactions/")) return { limit: 1, windowMs: 250 };
  return route.includes("/messages") ? { limit: 5, windowMs: 5000 } : { limit: 50, windowMs: 10_000 };
}

/** @returns how long to wait when nothing is left. */
function used(bucket: Bucket, now: number): number | undefined {
  if (bucket.resetAt <= now) {
    bucket.left = bucket.limit;
    bucket.resetAt = now + bucket.windowMs;
  }
  if (bucket.left === 0) return bucket.resetAt - now;
  bucket.left--;
  return undefined;
}

function headersOf(key: string, { limit, left, resetAt }: Bucket, now: number): Readonly<Record<string, string>> {
  return {
    "x-ratelimit-limit": String(limit),
    "x-ratelimit-remaining": String(left),
    "x-ratelimit-reset": (resetAt / 1000).toFixed(3),
    "x-ratelimit-reset-after": ((resetAt - now) / 1000).toFixed(3),
    "x-ratelimit-bucket": Buffer.from(key.replace(/ .*/, "")).toString("hex").slice(0, 32),
  };
}

function tooMany(ms: number, global: boolean, headers: Readonly<Record<string, string>>): Refusal {
  const seconds = ms / 1000;
  const refused = new Refusal(429, { message: "You are being rate limited.", retry_after: seconds, global });
  Object.assign(refused.answer, {
    headers: {
      ...headers,
      "retry-after": String(Math.ceil(seconds)),
      ...(global && { "x-ratelimit-global": "true" }),
    },
  });
  return refused;
}
