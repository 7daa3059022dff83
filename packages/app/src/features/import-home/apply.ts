/** Carries a plan out: everything is made beside its place, and then placed as one. A full disk leaves all as it was. */
import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { makeDirectory, systemIds } from "@margay/core/internal";
import type { Plan } from "./plan.ts";
import { noteStaging, placeAll, takeBack } from "./placing.ts";
import { stage, type Place, type StageOptions } from "./stage.ts";

export type ApplyOptions = Omit<StageOptions, "made">;

/** To be called under the lock of the state directory. @throws what stopped it; then nothing was changed. */
export async function applyImport(plan: Plan, options: ApplyOptions, signal: AbortSignal): Promise<void> {
  const { here } = options;
  const name = `.margay-${systemIds().next("import")}`;
  // A rename is only possible within a file system, and the workspace may be on another one.
  const folders = { home: join(here.home, name), workspace: join(existing(here.workspace), name) };
  const staging = [...new Set(Object.values(folders))];
  const made: Place = { home: join(folders.home, "home"), workspace: join(folders.workspace, "workspace") };
  noteStaging(here.home, staging);
  try {
    for (const folder of staging) makeDirectory(folder);
    await stage(plan, { ...options, made }, signal);
    placeAll(here.home, staging, [
      { folder: made.workspace, target: here.workspace },
      { folder: made.home, target: here.home }, // with the configuration: it means that everything else is there
    ]);
  } catch (error) {
    takeBack(here.home);
    throw error;
  }
}

function existing(folder: string): string {
  return existsSync(folder) ? folder : existing(dirname(folder));
}
