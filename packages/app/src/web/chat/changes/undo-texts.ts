/** Texts of taking back what a turn did to files. */
import { isKey } from "@margay/core/internal/state";
import { speak } from "../../texts/texts.ts";
import { en } from "./undo-texts.en.ts";
import { zh } from "./undo-texts.zh.ts";

export const t = speak(en, zh);

/** @returns the reason itself when there are no words for it. */
export function whyText(problem: string): string {
  const key = `why.${problem}`;
  return isKey(en, key) ? t(key) : problem;
}
