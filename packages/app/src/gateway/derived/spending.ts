/** Sums over requests that were paid for, with those whose price nobody knows counted apart. */
import { addUsage, NO_USAGE, type SpentRequest } from "@margay/core";

export interface Spent {
  readonly requests: number;
  readonly input: number;
  readonly output: number;
  readonly cacheRead: number;
  readonly cacheWrite: number;
  /** Share of the input that came from the provider's cache. */
  readonly cacheHit: number;
  /** Of the requests with a price; null: there are requests, and none has one. */
  readonly costUsd: number | null;
  /** Requests without a price. */
  readonly unpriced: number;
}

export function sumOf(list: readonly Pick<SpentRequest, "usage">[]): Spent {
  const sum = list.reduce((total, { usage }) => addUsage(total, usage), NO_USAGE);
  const { input, output, cacheRead, cacheWrite } = sum;
  const unpriced = list.filter(({ usage }) => usage.costUsd === undefined).length;
  return {
    requests: list.length,
    input,
    output,
    cacheRead,
    cacheWrite,
    cacheHit: input === 0 ? 0 : cacheRead / input,
    costUsd: list.length > 0 && unpriced === list.length ? null : (sum.costUsd ?? 0),
    unpriced,
  };
}
