/** The greeting on the wire. */
import { z } from "zod";
import { AddressSchema, CostUsd, Millis } from "./common.ts";

export const GreetingBody = z.strictObject({
  enabled: z.boolean(),
  idleHours: z.number().int().min(1).max(72),
  maxPerDay: z.number().int().min(1).max(5),
  /** `21-08`. */
  quietHours: z.string().max(10),
  /** `channel:chat`; null: the chat in which a person wrote last. */
  target: z.string().max(200).nullable(),
});

export const GreetingSchema = z.strictObject({
  ...GreetingBody.shape,
  hash: z.string(),
  /** The chat that would be greeted now. */
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
