/** How a run of a job ended, as the wire and the metrics say it. */
import type { JobRun } from "@margay/core/internal";

export const RESULTS = {
  ok: "ok",
  silent: "silent",
  error: "failed",
  timeout: "failed",
  stopped: "cancelled",
} as const satisfies Record<JobRun["status"], string>;
