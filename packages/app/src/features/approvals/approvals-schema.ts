/** What waits for a person, on the wire. */
import { z } from "zod";
import { page, PageQuery } from "../../protocol/common.ts";
import { ApprovalSchema } from "../../protocol/items.ts";

export const ApprovalsQuery = z.strictObject({
  ...PageQuery.shape,
  state: z.enum(["pending", "settled"]).default("pending"),
  session: z.string().max(64).optional(),
});
export const ApprovalPage = page(ApprovalSchema);
export const VerdictBody = z.strictObject({
  verdict: z.enum(["allow", "deny"]),
  /** Of the call as it was shown. */
  hash: z.string().min(1).max(200),
  /** For how long a yes holds; `always` needs the owner. */
  remember: z.enum(["once", "session", "always"]).optional(),
  reason: z.string().max(1000).optional(),
});
