/** Tools that the agent has, and every call that was ever made. */
import { z } from "zod";
import { Id, Millis, page, PageQuery } from "../../protocol/common.ts";
import { CallSchema } from "../../protocol/items.ts";

export const ToolList = z.strictObject({
  items: z.array(
    z.strictObject({
      name: z.string(),
      /** `builtin`, or `mcp:` and the server. */
      origin: z.string(),
      effect: z.enum(["read", "idempotent", "write"]),
      description: z.string(),
      schema: z.json(),
      /** For a harmless call in a chat of the browser; `/policy` has the whole table. */
      verdict: z.enum(["allow", "ask", "deny"]),
      tokens: z.number().int(),
      calls7d: z.number().int(),
      p50Ms: z.number().nullable(),
    }),
  ),
});

const Origin = z.enum(["main", "subagent", "mcp"]);
const about = { at: Millis, key: z.string(), origin: Origin, userMessage: z.string() };
const Listed = CallSchema.omit({ result: true, details: true, approval: true }).extend(about);
export const CallPage = page(Listed);
export const WholeCall = CallSchema.extend(about);

const range = { from: z.coerce.number().int().optional(), to: z.coerce.number().int().optional() };
export const CallQuery = PageQuery.extend({
  ...range,
  session: Id.optional(),
  tool: z.string().max(200).optional(),
  status: CallSchema.shape.status.optional(),
  origin: Origin.optional(),
  q: z.string().max(200).optional(),
});

export const StatsQuery = z.strictObject({
  ...range,
  group: z.enum(["tool", "session", "day", "origin"]).default("tool"),
  session: Id.optional(),
});
const Counts = {
  calls: z.number().int(),
  ok: z.number().int(),
  error: z.number().int(),
  denied: z.number().int(),
  interrupted: z.number().int(),
  /** Never begun: a limit, a stop, a call that could not be read. */
  notRun: z.number().int(),
  /** ok ÷ all that ended; 1 when none did. */
  successRate: z.number(),
  p50Ms: z.number().nullable(),
  p95Ms: z.number().nullable(),
};
export const StatsResult = z.strictObject({
  items: z.array(z.strictObject({ key: z.string(), ...Counts })),
  total: z.strictObject(Counts),
});
