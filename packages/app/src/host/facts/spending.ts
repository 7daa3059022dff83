/** Sums over requests that were paid for, with those whose price nobody knows counted apart. */
import { addUsage, NO_USAGE, type SpentRequest } from "@margay/core/internal";

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

export function sumOf(list: readonly Pick<SpentRequest, "usage" | "requests">[]): Spent {
  const sum = list.reduce((total, { usage }) => addUsage(total, usage), NO_USAGE);
  const { input, output, cacheRead, cacheWrite } = sum;
  const requests = countOf(list);
  const unpriced = countOf(list.filter(({ usage }) => usage.costUsd === undefined));
  return {
    requests,
    input,
    output,
    cacheRead,
    cacheWrite,
    cacheHit: input === 0 ? 0 : cacheRead / input,
    costUsd: requests > 0 && unpriced === requests ? null : (sum.costUsd ?? 0),
    unpriced,
  };
}

function countOf(list: readonly Pick<SpentRequest, "requests">[]): number {
  return list.reduce((sum, { requests = 1 }) => sum + requests, 0);
}
