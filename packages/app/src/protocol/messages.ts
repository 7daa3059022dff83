/** Sending on the wire. */
import { z } from "zod";
import { Id } from "./common.ts";
import { BlobSchema, Seq } from "./items.ts";

/** `media`: of an upload; its type is looked at again, never believed. */
export const SendPart = z.discriminatedUnion("type", [
  z.strictObject({ type: z.literal("text"), text: z.string().min(1).max(1_000_000) }),
  z.strictObject({ type: z.literal("media"), blob: BlobSchema, name: z.string().max(200).optional() }),
]);
export const Mode = z.enum(["steer", "queue", "interrupt"]);
export const SendBody = z.strictObject({
  parts: z.array(SendPart).min(1).max(20),
  mode: Mode.optional(),
  /** In a session of a chat app: where the answer goes. `web`: it is read here only; `channel`: it is posted there too. */
  deliver: z.enum(["web", "channel"]).optional(),
});
export const SentSchema = z.strictObject({
  status: z.enum(["accepted", "duplicate"]),
  session: Id,
  /** Of the commit that holds it. */
  seq: Seq,
  /** `null`: a command, answered outside of the conversation. */
  messageId: z.string().nullable(),
  /** How many wait before it. */
  position: z.number().int(),
});
/** The inbox key: the same one is accepted once, ever. */
export const MessageKey = z
  .string()
  .min(1)
  .max(128)
  .regex(/^[\x21-\x7e]+$/);
