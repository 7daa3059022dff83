/** Requests that read again what the provider had seen a request before, and why. */
import type { Millis } from "../contract/base.ts";
import type { ModelRef } from "../contract/message.ts";
import type { Commit, JournalRecord } from "../contract/record.ts";
import { bySomeKind, type SomeKinds } from "../lib/by-kind.ts";

/** USD per million tokens; undefined when nobody knows. */
export type PriceOf = (model: ModelRef) => { readonly input: number; readonly cacheRead?: number } | undefined;

export interface CacheMiss {
  readonly seq: number;
  readonly at: Millis;
  readonly lostTokens: number;
  /** What reading them anew cost more than the cache would have; null when the price is not known. */
  readonly costUsd: number | null;
  readonly cause: string;
}

export interface CacheFold {
  readonly misses: readonly CacheMiss[];
  apply(commit: Commit): void;
}

/** Providers cache from 1,024 tokens on (Anthropic, OpenAI). */
const SMALLEST = 1024;
/** Less than this share of what was sent before came from the cache. */
const MISSED_SHARE = 0.5;
/** Anthropic's and OpenAI's shortest promise. */
const TTL_MS = 5 * 60_000;

interface Before {
  readonly at: Millis;
  readonly input: number;
  readonly model: ModelRef;
}

export function createCacheFold(priceOf: PriceOf): CacheFold {
  const misses: CacheMiss[] = [];
  let before: Before | undefined;
  let frozen: string | undefined;
  let everRead = false;
  let copied = 0;

  const causeOf = (last: Before, model: ModelRef, at: Millis): string => {
    if (frozen !== undefined) return frozen === "tools" || frozen === "model" ? frozen : `epoch:${frozen}`;
    if (last.model.provider !== model.provider || last.model.model !== model.model) return "model";
    return at - last.at > TTL_MS ? "ttl" : everRead ? "bug" : "provider";
  };
  const handlers: SomeKinds<JournalRecord, [commit: Commit], void> = {
    "session.opened": ({ forked }) => {
      copied = forked?.commits ?? 0;
    },
    "prefix.frozen": ({ because }) => {
      if (before !== undefined) frozen = because;
    },
    "model.responded": ({ message: { usage, model } }, { seq, at }) => {
      const last = before;
      if (usage.cacheRead > 0) everRead = true;
      before = { at, input: usage.input, model };
      const lost = last === undefined ? 0 : Math.min(last.input, usage.input) - usage.cacheRead;
      if (last !== undefined && seq > copied && last.input >= SMALLEST && lost > last.input * MISSED_SHARE)
        misses.push({
          seq,
          at,
          lostTokens: lost,
          costUsd: extraCost(lost, priceOf(model)),
          cause: causeOf(last, model, at),
        });
      frozen = undefined;
    },
  };
  return {
    misses,
    apply: (commit) => {
      for (const record of commit.records) bySomeKind(handlers, record, commit);
    },
  };
}

function extraCost(tokens: number, price: ReturnType<PriceOf>): number | null {
  return price === undefined ? null : (tokens * (price.input - (price.cacheRead ?? price.input))) / 1_000_000;
}
