/** What was spent, why the cache missed, and what bounds the spending. */
import { z } from "zod";
import { CostUsd, Id, Millis } from "../../protocol/common.ts";

const range = { from: z.coerce.number().int().optional(), to: z.coerce.number().int().optional() };

export const UsageQuery = z.strictObject({
  ...range,
  tz: z.string().max(64).optional(),
  group: z.enum(["day", "hour", "model", "provider", "session", "source", "purpose"]).default("day"),
  /** Each row in parts as well. */
  by: z.enum(["model", "source"]).optional(),
});
const Spent = {
  requests: z.number().int(),
  input: z.number(),
  output: z.number(),
  cacheRead: z.number(),
  cacheWrite: z.number(),
  cacheHit: z.number(),
  costUsd: CostUsd,
  unpriced: z.number().int(),
};
export const UsageResult = z.strictObject({
  timeZone: z.string(),
  rows: z.array(
    z.strictObject({
      key: z.string(),
      session: Id.optional(),
      ...Spent,
      parts: z.array(z.strictObject({ key: z.string(), ...Spent })).optional(),
    }),
  ),
  total: z.strictObject(Spent),
});

export const CacheQuery = z.strictObject({ ...range, limit: z.coerce.number().int().min(1).max(200).default(50) });
export const CacheMisses = z.strictObject({
  items: z.array(
    z.strictObject({
      session: Id,
      key: z.string(),
      seq: z.number().int(),
      at: Millis,
      /** Tokens of the request before that were read anew. */
      lostTokens: z.number().int(),
      /** More than the cache would have cost. */
      costUsd: CostUsd,
      /** `ttl`: too long after the request before. `provider`: this provider never said it read from a cache. */
      cause: z.string(),
    }),
  ),
});
