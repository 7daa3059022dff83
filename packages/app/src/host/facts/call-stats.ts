/** What calls have in common: how often, how long, how well. Durations are of calls that ran. */
import type { FoundCall } from "./calls.ts";

export interface CallStats {
  readonly calls: number;
  readonly ok: number;
  readonly error: number;
  readonly denied: number;
  readonly interrupted: number;
  readonly notRun: number;
  readonly successRate: number;
  readonly p50Ms: number | null;
  readonly p95Ms: number | null;
}

export function statsOf(calls: readonly Pick<FoundCall, "status" | "attempts" | "ms">[]): CallStats {
  const count = (status: FoundCall["status"]): number => calls.filter((call) => call.status === status).length;
  const [ok, error, denied] = [count("ok"), count("error"), count("denied")];
  const [interrupted, notRun] = [count("interrupted"), count("not-run")];
  const ended = ok + error + denied + interrupted + notRun;
  const durations = calls
    .flatMap(({ attempts, ms }) => (attempts > 0 && ms !== undefined ? [ms] : []))
    .toSorted((a, b) => a - b);
  return {
    calls: calls.length,
    ok,
    error,
    denied,
    interrupted,
    notRun,
    successRate: ended === 0 ? 1 : ok / ended,
    p50Ms: quantile(durations, 0.5),
    p95Ms: quantile(durations, 0.95),
  };
}

/** Nearest rank: always a value that was measured. */
function quantile(sorted: readonly number[], share: number): number | null {
  return sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] ?? null;
}
