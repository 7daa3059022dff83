/** Shapes that several routes share. Objects are strict: an unknown field is refused. */
import { z } from "zod";
import { rangeOf } from "../config/keys.ts";

export const Id = z.string().regex(/^[a-z0-9-]{1,64}$/);
export const Millis = z.number().int().nonnegative();
/** `null`: the price is not known, which is not free. */
export const CostUsd = z.number().nonnegative().nullable();
export const ModelRefSchema = z.strictObject({ provider: z.string(), model: z.string() });
export const UsageSchema = z.strictObject({
  input: z.number(),
  output: z.number(),
  cacheRead: z.number(),
  cacheWrite: z.number(),
});
export const AddressSchema = z.strictObject({ channel: z.string(), chat: z.string(), thread: z.string().optional() });

/** A number within the bounds of a key of the configuration. */
export function numberOf(path: Parameters<typeof rangeOf>[0]) {
  const { min, max } = rangeOf(path);
  return z.number().min(min).max(max);
}

/** The same, whole. */
export function integerOf(path: Parameters<typeof rangeOf>[0]) {
  return numberOf(path).int();
}

/** `?limit` and `?cursor` of every list. */
export const PageQuery = z.strictObject({
  limit: z.coerce.number().int().min(1).max(200).default(50),
  cursor: z.string().max(500).optional(),
});

/** `{items, next, prev?}`; cursors are opaque. */
export function page<Item extends z.ZodType>(item: Item) {
  return z.strictObject({ items: z.array(item), next: z.string().nullable(), prev: z.string().nullable().optional() });
}

export const ProblemSchema = z.looseObject({
  type: z.string(),
  title: z.string(),
  status: z.number().int(),
  code: z.string(),
  detail: z.string(),
  instance: z.string(),
  retryable: z.boolean(),
  retryAfterMs: z.number().optional(),
  remedy: z.string().optional(),
  errors: z.array(z.strictObject({ path: z.string(), code: z.string(), message: z.string() })).optional(),
});

/** Whose login it is, beside the owner, and all that it may ask for: the rest is refused. */
export const PersonLoginSchema = z.strictObject({
  id: z.string(),
  /** By their `operationId`. */
  operations: z.array(z.string()),
  /** By their names, without the slash: in a conversation of theirs. */
  commands: z.array(z.string()),
  /** They answer every call of their conversations that asks, not only what is of their room. */
  operator: z.literal(true).optional(),
});
