/** Wire shapes of the settings routes. */
import { z } from "zod";

/** A secret as it is read: never a part of its value. */
export const MaskSchema = z.strictObject({
  $secret: z.strictObject({
    set: z.boolean(),
    source: z.string().optional(),
    updatedAt: z.number().int().optional(),
  }),
});
/** As it is written: new, or the form that was read, which means "unchanged". */
export const SecretInput = z.union([z.strictObject({ $secret: z.string().min(1).max(16_384) }), MaskSchema]);

export const FieldSchema = z.strictObject({
  source: z.enum(["default", "profile", "file", "env", "flag"]),
  name: z.string().optional(),
  locked: z.boolean(),
  restart: z.boolean(),
  secret: z.boolean(),
  safety: z.boolean(),
  title: z.string(),
  help: z.string(),
  takes: z.string(),
  default: z.json().optional(),
});

export const SettingsSchema = z.strictObject({
  values: z.record(z.string(), z.json()),
  fields: z.record(z.string(), FieldSchema),
  schema: z.record(z.string(), z.json()),
  profile: z.enum(["default", "nanobot", "countbot"]),
  pendingRestart: z.array(z.string()),
  hash: z.string(),
});

/** JSON Merge Patch: an object of `config.json`'s shape, `null` for the default. */
export const SettingsPatch = z.record(z.string(), z.json());

export const DryRunQuery = z.strictObject({ dryRun: z.enum(["", "true", "false"]).optional() });

export const SettingsChange = z.strictObject({
  applied: z.array(z.string()),
  restart: z.array(z.string()),
  warnings: z.array(z.string()),
  hash: z.string(),
});

export const ProfileBody = z.strictObject({ profile: z.enum(["default", "nanobot", "countbot"]) });

/** What a profile changes, of each key that changes with it. */
export const ProfileChange = z.strictObject({
  profile: z.enum(["default", "nanobot", "countbot"]),
  changes: z.array(
    z.strictObject({
      path: z.string(),
      from: z.json().optional(),
      to: z.json().optional(),
      restart: z.boolean(),
    }),
  ),
  restart: z.array(z.string()),
  hash: z.string(),
});

export type SettingsView = z.infer<typeof SettingsSchema>;
export type Mask = z.infer<typeof MaskSchema>;
