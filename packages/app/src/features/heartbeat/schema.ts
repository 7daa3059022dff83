/** The heartbeat on the wire. */
import { z } from "zod";
import { AddressSchema, CostUsd, Id, integerOf, Millis } from "../../protocol/common.ts";

export const HeartbeatBody = z.strictObject({
  enabled: z.boolean(),
  intervalMinutes: integerOf("heartbeat.intervalMinutes"),
  /** Who gets what it did: `last`, `web`, or `channel:chat`. Absent: as it is. */
  target: z.string().max(200).optional(),
  /** It comes without a sound, where the platform can. Absent: as it is. */
  silent: z.boolean().optional(),
});

export const HeartbeatSchema = z.strictObject({
  ...HeartbeatBody.shape,
  target: z.string(),
  silent: z.boolean(),
  hash: z.string(),
  /** The chat that would get them now. Null: none, and what it did is a notification. */
  chat: AddressSchema.nullable(),
  /** Why nobody can be reached in that chat: no model is asked meanwhile. */
  fault: z.string().optional(),
  /** Null: it is off, paused, or no model is configured. */
  nextAt: Millis.nullable(),
  openTasks: z.number().int(),
  /** Checks that asked the model, the newest first; without an open task none does. */
  runs: z.array(
    z.strictObject({
      at: Millis,
      result: z.enum(["skip", "running", "ok", "silent", "failed", "cancelled"]),
      session: Id,
      turn: z.string().optional(),
      text: z.string().optional(),
      costUsd: CostUsd,
    }),
  ),
});

export const HeartbeatCheck = z.strictObject({
  wouldCall: z.boolean(),
  reason: z.enum(["off", "paused", "practice", "no-tasks", "open-tasks"]),
  because: z.string(),
});
