/** The state of a skill, and what it lacks. */
import type { z } from "zod";
import type { SkillSchema } from "../schema.ts";
import { t } from "./texts.ts";

export type Skill = z.infer<typeof SkillSchema>;

export const TONES: Readonly<Record<Skill["state"], string>> = {
  ready: "ok",
  missing: "warn",
  unapproved: "warn",
  suspended: "danger",
  invalid: "danger",
  off: "",
  shadowed: "",
};

export function Missing({ skill }: { readonly skill: Pick<Skill, "missing" | "warnings"> }) {
  return (
    <>
      {skill.missing.length > 0 && (
        <p class="p-warn">
          {t("needs")}: {skill.missing.map(({ kind, name }) => t(`missing_${kind}`, { name })).join(", ")}
        </p>
      )}
      {skill.warnings.map((warning) => (
        <p key={warning} class="p-help">
          {warning}
        </p>
      ))}
    </>
  );
}
