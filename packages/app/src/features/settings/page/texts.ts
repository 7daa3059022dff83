/** Texts of the settings page. */
import { isKey } from "@margay/core/internal/state";
import { speak } from "../../../web/texts/texts.ts";
import { en } from "./texts.en.ts";
import { zh } from "./texts.zh.ts";

export const t = speak(en, zh);

/** The name of a group of settings; the server may name one that this page does not know. */
export function groupName(name: string): string {
  const key = `group_${name}`;
  return isKey(en, key) ? t(key) : name;
}
