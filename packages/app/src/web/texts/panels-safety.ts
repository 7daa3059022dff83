/** Texts of the pages about safety: approvals, security, audit. */
import { isKey } from "@margay/core/internal/state";
import { speak } from "./texts.ts";
import { en } from "./panels-safety.en.ts";
import { zh } from "./panels-safety.zh.ts";

export const t = speak(en, zh);

/** The case of a policy row in words; what the server adds later stands as it is. */
export function caseName(name: string): string {
  const key = `case_${name}`;
  return isKey(en, key) ? t(key) : name;
}
