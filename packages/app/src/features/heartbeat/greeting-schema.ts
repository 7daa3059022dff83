/** The greeting on the wire. */
import { z } from "zod";
import { AddressSchema, CostUsd, integerOf, Millis } from "../../protocol/common.ts";

export const GreetingBody = z.strictObject({
  enabled: z.boolean(),
  idleHours: integerOf("greeting.idleHours"),
  maxPerDay: integerOf("greeting.maxPerDay"),
  /** `21-08`. */
  quietHours: z.string().max(10),
  /** `last` (as null): the private chat in which the person wrote last; `web`: the pages; or `channel:chat`. */
  target: z.string().max(200).nullable(),
});

export const GreetingSchema = z.strictObject({
  ...GreetingBody.shape,
  hash: z.string(),
  /** The chat that would be greeted now. Null: none, and a greeting is a notification. */
  chat: AddressSchema.nullable(),
  timeZone: z.string(),
  sentToday: z.number().int(),
  /** Null: it is off, paused, no model is configured, or there is no chat. */
  nextSlot: Millis.nullable(),
});

export const GreetingPreviewSchema = z.strictObject({
  text: z.string(),
  /** It would not be sent: too long, or empty. */
  dropped: z.boolean(),
  costUsd: CostUsd,
});
