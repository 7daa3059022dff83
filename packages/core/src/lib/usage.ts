/** Sums of tokens and cost. */
import type { Usage } from "../contract/message.ts";

export const NO_USAGE: Usage = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 };

/** Sum of two; the cost stays absent only when both are unknown. */
export function addUsage(a: Usage, b: Usage): Usage {
  const cost = a.costUsd === undefined && b.costUsd === undefined ? undefined : (a.costUsd ?? 0) + (b.costUsd ?? 0);
  return {
    input: a.input + b.input,
    output: a.output + b.output,
    cacheRead: a.cacheRead + b.cacheRead,
    cacheWrite: a.cacheWrite + b.cacheWrite,
    ...(cost !== undefined && { costUsd: cost }),
    ...((a.estimated === true || b.estimated === true) && { estimated: true }),
  };
}
