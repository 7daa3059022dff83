/** Wire shapes of the backup routes. */
import { z } from "zod";

const AttemptSchema = z.strictObject({
  at: z.number(),
  /** Absent: it went well. */
  error: z.string().optional(),
});

export const BackupSchema = z.strictObject({
  /** As the settings name it; null: none is set. */
  target: z.string().nullable(),
  schedule: z.enum(["off", "hourly", "daily", "weekly"]),
  drillDays: z.number().int(),
  /** Target and passphrase are set: one can be made now. */
  ready: z.boolean(),
  /** The last one that went well. */
  last: z.strictObject({ at: z.number(), target: z.string(), bytes: z.number() }).optional(),
  tried: AttemptSchema.optional(),
  /** When all of it was read. */
  checked: AttemptSchema.optional(),
  drill: AttemptSchema.optional(),
  /** The last time that restoring it for trial went well. */
  drilled: z.number().optional(),
  /** What was asked for here, and how far it is. */
  run: z
    .strictObject({
      state: z.enum(["running", "done", "failed"]),
      files: z.number().int(),
      bytes: z.number(),
      error: z.string().optional(),
    })
    .optional(),
});

export type BackupView = z.infer<typeof BackupSchema>;
