/** Bounds on spending, and how much of each is used. */
import { z } from "zod";
import { CostUsd, Millis } from "../../protocol/common.ts";

const Fields = {
  scope: z.enum(["turn", "session", "day", "month", "source", "unattended", "guest", "guests"]),
  /** With `source`: the channel it counts. */
  source: z.string().min(1).max(64).optional(),
  usd: z.number().min(0).max(1_000_000).optional(),
  tokens: z.number().int().min(1).max(Number.MAX_SAFE_INTEGER).optional(),
  action: z.enum(["stop", "warn"]).optional(),
};

/** One whose scope is `source` and that names none would count nothing. */
export const BudgetSchema = z
  .strictObject(Fields)
  .refine(({ scope, source }) => scope !== "source" || source !== undefined, {
    path: ["source"],
    error: "needed with scope source",
  });
export const BudgetsBody = z.strictObject({ items: z.array(BudgetSchema).max(100) });
export const BudgetsResult = z.strictObject({
  hash: z.string(),
  items: z.array(
    z.strictObject({
      ...Fields,
      /** Tokens held back for requests under way: the worst case of each. Absent as `spent` is. */
      reserved: z.number().int().optional(),
      /** Since the last reset. Absent for a turn and for a session: each has its own. */
      spent: z.strictObject({ tokens: z.number().int(), costUsd: CostUsd }).optional(),
      resetsAt: Millis.optional(),
    }),
  ),
  /** Bounds of persons beside the owner: `people.*.tokensPerDay`, or what a member has by default. */
  people: z.array(
    z.strictObject({
      person: z.string(),
      name: z.string().optional(),
      tokens: z.number().int(),
      spent: z.strictObject({ tokens: z.number().int(), costUsd: CostUsd }),
      resetsAt: Millis,
    }),
  ),
  /** Bounds that tokens were made with; they go with the token. */
  tokens: z.array(
    z.strictObject({
      /** `token:` and its id. */
      scope: z.string(),
      name: z.string(),
      usd: z.number(),
      spent: z.strictObject({ tokens: z.number().int(), costUsd: CostUsd }),
      resetsAt: Millis,
    }),
  ),
});
