/** Wire shapes of configuration backups. */
import { z } from "zod";

const SectionName = z.enum(["settings", "memory", "schedule"]);

export const ExportBody = z.strictObject({
  sections: z.array(SectionName).min(1).max(3),
  secrets: z.enum(["none", "encrypted"]).default("none"),
  passphrase: z.string().min(12).max(1024).optional(),
});

/** The file itself. Anything may be in one that is uploaded, so it is checked field by field. */
export const BackupFile = z.strictObject({
  format: z.literal("margay"),
  version: z.number().int(),
  exportedAt: z.number(),
  sections: z.strictObject({
    settings: z
      .strictObject({
        /** `config.json` without what is secret. */
        config: z.record(z.string(), z.json()),
        /** Where secrets were left out. */
        secrets: z.array(z.string().max(500)).max(1000),
      })
      .optional(),
    memory: z.strictObject({ files: z.record(z.string().max(100), z.string().max(5_000_000)) }).optional(),
    schedule: z
      .strictObject({
        jobs: z
          .array(
            z.strictObject({
              id: z.string().max(64),
              name: z.string().max(200).optional(),
              message: z.string().max(50_000),
              at: z.number().optional(),
              every_seconds: z.number().optional(),
              cron_expr: z.string().max(200).optional(),
              tz: z.string().max(100).optional(),
              mode: z.enum(["agent", "deliver"]),
              misfire: z.enum(["skip", "latest_once", "all"]),
              enabled: z.boolean(),
              /** Whose it is, beside the owner. */
              by: z.string().max(32).optional(),
              to: z.strictObject({
                channel: z.string().max(100),
                chat: z.string().max(300),
                thread: z.string().max(300).optional(),
              }),
            }),
          )
          .max(10_000),
      })
      .optional(),
  }),
  /** Values of the secrets by place, under a passphrase: scrypt N=2^17, AES-256-GCM. */
  secrets: z
    .strictObject({ salt: z.string(), nonce: z.string(), tag: z.string(), data: z.string().max(5_000_000) })
    .optional(),
  /** SHA-256 of sections and secrets: a torn download is seen. */
  hash: z.string(),
});

export const ImportQuery = z.strictObject({
  dryRun: z.enum(["", "true", "false"]).optional(),
  /** Of the dry run that was looked at. */
  token: z.string().max(100).optional(),
});

export const ImportResult = z.strictObject({
  format: z.enum(["margay", "nanobot"]),
  sections: z.array(
    z.strictObject({
      name: SectionName,
      adds: z.array(z.string()),
      changes: z.array(z.string()),
      removes: z.array(z.string()),
      /** What stays as it is, and why nothing can be done about it here: set by a flag. */
      conflicts: z.array(z.string()),
      secretsNeeded: z.array(z.string()),
    }),
  ),
  /** What of the file has no place here. */
  skipped: z.array(z.string()),
  token: z.string(),
  applied: z.boolean(),
  restart: z.array(z.string()),
});

export type Backup = z.infer<typeof BackupFile>;
export type BackupJob = NonNullable<Backup["sections"]["schedule"]>["jobs"][number];
export type ImportView = z.infer<typeof ImportResult>;
export type Section = z.infer<typeof SectionName>;
