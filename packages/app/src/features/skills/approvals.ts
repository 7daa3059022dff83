/** What the operator approved: when it is damaged, nothing counts as approved and nothing is written. */
import { hasCode } from "@margay/core";
import { approvalOf, readApprovals, writeApproval, type SkillApproval, type SkillFiles } from "@margay/core/internal";
import type { Language } from "../../texts/text.ts";
import { refusal } from "../../host/api/refusal.ts";
import type { Call } from "../../host/api/route.ts";
import { TEXT } from "./api-texts.ts";

type Asking = Pick<Call<unknown, unknown>, "services" | "language">;

/** @throws Problem `settings.unreadable-file`, as the others here. */
export function approvalFor(name: string, { services, language }: Asking): SkillApproval | undefined {
  try {
    return approvalOf(readApprovals(services.app.loaded.places.docs), name);
  } catch (error) {
    throw readable(error, language);
  }
}

/** What the operator saw and accepted. */
export async function approve(
  name: string,
  { hash, files }: Pick<SkillFiles, "hash" | "files">,
  { services, language }: Asking,
  source?: string,
): Promise<void> {
  const { app } = services;
  const from = source === undefined ? {} : { source };
  const approval: SkillApproval = {
    hash,
    at: new Date(app.clock.now()).toISOString(),
    ...from,
    files: Object.fromEntries(files.map((file) => [file.path, file.sha256])),
  };
  await write(name, approval, { services, language });
  app.audit.record("skill.approved", { name, hash, ...from });
}

export function withdrawApproval(name: string, asking: Asking): Promise<void> {
  return write(name, undefined, asking);
}

async function write(name: string, approval: SkillApproval | undefined, { services, language }: Asking): Promise<void> {
  try {
    await writeApproval(services.app.loaded.places.docs, name, approval);
  } catch (error) {
    throw readable(error, language);
  }
}

function readable(error: unknown, language: Language): unknown {
  if (!hasCode(error, "skill.approvals")) return error;
  return refusal("settings.unreadable-file", language, {
    detail: TEXT.skillsJsonState,
    remedy: TEXT.repairOrRemove,
  });
}
