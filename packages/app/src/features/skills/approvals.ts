/** The file with what the operator approved: when it is damaged, nothing counts as approved and nothing is written. */
import { hasCode } from "@margay/core";
import { approvalOf, readApprovals, writeApproval, type SkillApproval, type SkillFiles } from "@margay/core/internal";
import { approvalsFile } from "./settings.ts";
import type { Language } from "../../texts/text.ts";
import { refusal } from "../../host/api/refusal.ts";
import type { Call } from "../../host/api/route.ts";
import { TEXT } from "./api-texts.ts";

type Asking = Pick<Call<unknown, unknown>, "services" | "language">;

/** @throws Problem `settings.unreadable-file`, as the others here. */
export function approvalFor(name: string, { services, language }: Asking): SkillApproval | undefined {
  return readable(language, () => approvalOf(readApprovals(approvalsFile(services.app.loaded.places)), name));
}

/** What the operator saw and accepted. */
export function approve(
  name: string,
  { hash, files }: Pick<SkillFiles, "hash" | "files">,
  { services, language }: Asking,
  source?: string,
): void {
  const { app } = services;
  const from = source === undefined ? {} : { source };
  const approval: SkillApproval = {
    hash,
    at: new Date(app.clock.now()).toISOString(),
    ...from,
    files: Object.fromEntries(files.map((file) => [file.path, file.sha256])),
  };
  readable(language, () => writeApproval(approvalsFile(app.loaded.places), name, approval));
  app.audit.record("skill.approved", { name, hash, ...from });
}

export function withdrawApproval(name: string, { services, language }: Asking): void {
  readable(language, () => writeApproval(approvalsFile(services.app.loaded.places), name, undefined));
}

function readable<T>(language: Language, work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (!hasCode(error, "skill.approvals")) throw error;
    throw refusal("settings.unreadable-file", language, {
      detail: TEXT.skillsJsonState,
      remedy: TEXT.repairOrRemove,
    });
  }
}
