/** Bounds on spending, and how much of each is used. */
import { z } from "zod";
import { CostUsd, Millis } from "./common.ts";

const Fields = {
  scope: z.enum(["turn", "session", "day", "month", "source"]),
  /** With `source`: the channel it counts. */
  source: z.string().min(1).max(64).optional(),
  usd: z.number().min(0).max(1_000_000).optional(),
  tokens: z.number().int().min(1).max(Number.MAX_SAFE_INTEGER).optional(),
  action: z.enum(["stop", "warn"]).optional(),
};

export const BudgetsBody = z.strictObject({ items: z.array(z.strictObject(Fields)).max(100) });
export const BudgetsResult = z.strictObject({
  hash: z.string(),
  items: z.array(
    z.strictObject({
      ...Fields,
      /** Since the last reset. Absent for a turn and for a session: each has its own. */
      spent: z.strictObject({ tokens: z.number().int(), costUsd: CostUsd }).optional(),
      resetsAt: Millis.optional(),
    }),
  ),
});
