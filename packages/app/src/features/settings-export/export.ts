/** A backup of chosen sections; no secret is in it unless it is sealed with a passphrase. */
import { sha256, type Job } from "@margay/core/internal";
import type { BackupParts, Caller } from "./parts.ts";
import type { Backup, BackupJob, Section } from "./schema.ts";
import { apart } from "./secrets-of.ts";
import { seal } from "./seal.ts";

export const BACKUP_VERSION = 1;

type Settings = NonNullable<Backup["sections"]["settings"]>;

/** @param passphrase Seals the secrets of the settings; without it they are left out. */
export async function exportBackup(
  sections: readonly Section[],
  passphrase: string | undefined,
  call: Caller,
  { sharedFiles }: BackupParts,
): Promise<Backup> {
  const { app } = call.services;
  const settings = apart(app.inside.loaded());
  const made: Backup["sections"] = {
    ...(sections.includes("settings") && {
      settings: { config: settings.config as Settings["config"], secrets: [...settings.places] }, // JSON
    }),
    ...(sections.includes("memory") && { memory: { files: await filesOf(call, sharedFiles) } }),
    ...(sections.includes("schedule") && { schedule: { jobs: await jobsOf(call) } }),
  };
  const secrets =
    passphrase === undefined || !sections.includes("settings") ? undefined : await seal(settings.values, passphrase);
  return {
    format: "margay",
    version: BACKUP_VERSION,
    exportedAt: app.clock.now(),
    sections: made,
    ...(secrets !== undefined && { secrets }),
    hash: hashOfBackup({ sections: made, secrets }),
  };
}

export function hashOfBackup({ sections, secrets }: { sections: unknown; secrets: unknown }): string {
  return sha256(JSON.stringify([sections, secrets ?? null]));
}

async function filesOf(
  { services, signal }: Caller,
  sharedFiles: BackupParts["sharedFiles"],
): Promise<Record<string, string>> {
  const found = await Promise.all(
    sharedFiles(services, Object.keys(services.app.inside.loaded().config.people)).map(
      async (file) => [file.name, await file.read(signal)] as const,
    ),
  );
  return Object.fromEntries(
    found.filter(([, text]) => text !== "").map(([name, text]) => [name, services.app.inside.redact(text)]),
  );
}

async function jobsOf({ services }: Caller): Promise<BackupJob[]> {
  const { redact } = services.app.inside;
  return ((await services.app.schedule.cron?.list()) ?? []).map((job) => ({
    id: job.id,
    ...(job.name !== undefined && { name: job.name }),
    message: redact(job.message),
    ...timesOf(job),
    mode: job.mode,
    misfire: job.misfire,
    enabled: job.enabled,
    to: { ...job.to },
    ...(job.by !== undefined && { by: job.by }),
  }));
}

function timesOf({ trigger }: Job): Pick<BackupJob, "at" | "every_seconds" | "cron_expr" | "tz"> {
  switch (trigger.kind) {
    case "at":
      return { at: trigger.atMs, tz: trigger.timeZone };
    case "every":
      return { every_seconds: trigger.everyMs / 1000 };
    case "cron":
      return { cron_expr: trigger.expression, tz: trigger.timeZone };
  }
}
