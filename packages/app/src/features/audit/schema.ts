/** The audit log on the wire. */
import { z } from "zod";
import { Millis, page, PageQuery } from "../../protocol/common.ts";
import { RecordUsage } from "../../protocol/items.ts";

const chain = { n: z.number().int(), at: Millis, prev: z.string(), hash: z.string() };
const source = { session: z.string(), key: z.string(), turn: z.string() };
const Decision = z.enum(["allow", "deny", "ask", "none"]);

export const AuditEntrySchema = z.discriminatedUnion("kind", [
  z.strictObject({
    ...chain,
    kind: z.literal("call"),
    ...source,
    call: z.string(),
    tool: z.string(),
    decision: Decision,
    rule: z.string(),
    by: z.string(),
    /** Of the context it was judged in; absent: trusted and public. */
    label: z
      .strictObject({
        integrity: z.literal("untrusted").optional(),
        confidentiality: z.enum(["personal", "sensitive"]).optional(),
        /** Who may read what came from elsewhere: those who are in all of them. `by`: whose it is. */
        readers: z
          .array(z.strictObject({ to: z.array(z.string()).readonly(), by: z.string() }))
          .readonly()
          .optional(),
      })
      .optional(),
    status: z.enum(["ok", "error", "denied", "interrupted"]),
    ms: z.number(),
    attempts: z.number().int(),
    argsHash: z.string(),
    /** Arguments and the beginning of the result, redacted when they were written. */
    text: z.string(),
    result: z.string(),
  }),
  z.strictObject({
    ...chain,
    kind: z.literal("turn"),
    ...source,
    reason: z.string(),
    ms: z.number(),
    usage: RecordUsage,
    /** What the person wrote. */
    text: z.string(),
    reply: z.string(),
    error: z.string().optional(),
  }),
  z.strictObject({
    ...chain,
    kind: z.literal("event"),
    /** Of an answer that a person gave in a session. */
    session: z.string().optional(),
    key: z.string().optional(),
    name: z.string(),
    text: z.string(),
    data: z.json(),
  }),
]);
export const AuditPage = page(AuditEntrySchema);

export const AuditQuery = PageQuery.extend({
  from: z.coerce.number().int().optional(),
  to: z.coerce.number().int().optional(),
  kind: z.enum(["call", "turn", "event"]).optional(),
  tool: z.string().max(200).optional(),
  session: z.string().max(64).optional(),
  decision: Decision.optional(),
  by: z.string().max(200).optional(),
});

export const AuditReportSchema = z.strictObject({
  ok: z.boolean(),
  /** Proven intact, from the first on. */
  entries: z.number().int(),
  /** Number and hash of the last intact entry; 0 when there is none. */
  last: z.number().int(),
  head: z.string(),
  /** When the head was last signed. */
  anchoredAt: Millis.optional(),
  broken: z
    .strictObject({
      n: z.number().int(),
      reason: z.enum(["edited", "missing", "reordered", "truncated", "key"]),
      file: z.string(),
      line: z.number().int(),
      detail: z.string(),
    })
    .optional(),
});
