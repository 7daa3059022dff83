/** Writes a SKILL.md beside the files a skill already has, in one step, and approves exactly that content. */
import { cpSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { makeDirectory, messageOf } from "@margay/core/internal";
import { installSkill, reportSkill } from "@margay/core/internal";
import { stagingDirectory } from "./settings.ts";
import type { Language } from "../../texts/text.ts";
import { refusal } from "../../host/api/refusal.ts";
import type { Call } from "../../host/api/route.ts";
import { approvalFor, approve } from "./approvals.ts";
import { requireLoadable } from "./skill-view.ts";
import { TEXT } from "./api-texts.ts";

export interface SavedSkill {
  readonly name: string;
  /** The whole SKILL.md. */
  readonly body: string;
  /** Where its other files are. */
  readonly directory?: string;
}

/** @throws Problem `skill.invalid`: it would not load. */
export async function saveSkill(
  { name, body, directory }: SavedSkill,
  { services, signal, language }: Pick<Call<unknown, unknown>, "services" | "signal" | "language">,
): Promise<void> {
  const { places, workspace } = services.app.loaded;
  approvalFor(name, { services, language }); // a damaged file is told before anything is written
  const staging = stagingDirectory(places);
  makeDirectory(staging);
  const place = mkdtempSync(join(staging, "save-"));
  try {
    const copy = join(place, name);
    mkdirSync(copy);
    if (directory !== undefined && existsSync(directory)) copyFiles(directory, copy, language);
    rmSync(join(copy, "SKILL.md"), { force: true, recursive: true });
    writeFileSync(join(copy, "SKILL.md"), body, { flag: "wx" });
    const report = await reportSkill(copy, name, signal);
    requireLoadable(report, language);
    await approve(name, await installSkill({ name, directory: copy, hash: report.hash }, workspace, signal), {
      services,
      language,
    });
  } finally {
    rmSync(place, { recursive: true, force: true });
  }
}

function copyFiles(from: string, to: string, language: Language): void {
  try {
    cpSync(from, to, { recursive: true, verbatimSymlinks: true });
  } catch (error) {
    throw refusal("skill.invalid", language, {
      detail: TEXT.otherFilesCannot,
      values: { reason: messageOf(error).replaceAll(from, "skill").replaceAll(to, "copy") },
    });
  }
}
