/** Search over conversations and memory, on the wire. */
import { z } from "zod";
import { Millis } from "./common.ts";

export const SearchQuery = z.strictObject({
  q: z.string().trim().min(1).max(200),
  scope: z.enum(["messages", "memory", "all"]).default("all"),
  session: z.string().max(64).optional(),
  from: z.coerce.number().optional(),
  to: z.coerce.number().optional(),
  limit: z.coerce.number().int().min(1).max(200).default(50),
});
export const HitSchema = z.strictObject({
  /** `null`: in memory. */
  session: z.string().nullable(),
  title: z.string(),
  item: z.string().nullable(),
  at: Millis.nullable(),
  role: z.enum(["user", "assistant", "memory", "history"]),
  snippet: z.string(),
  /** Of the words that were looked for, in the snippet: UTF-16 positions. */
  ranges: z.array(z.tuple([z.number().int(), z.number().int()])),
});
export const HitPage = z.strictObject({
  items: z.array(HitSchema),
  next: z.null(),
  /** Of one conversation: all that there are, also beyond the limit. */
  total: z.number().int().optional(),
});
