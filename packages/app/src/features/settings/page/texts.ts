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

/** What it is called where a value comes from, and what that means. */
export const SOURCE = {
  default: "source_default",
  profile: "source_profile",
  file: "source_file",
  env: "source_env",
  flag: "source_flag",
} as const;

export const SOURCE_WHY = {
  default: "sourceWhy_default",
  profile: "sourceWhy_profile",
  file: "sourceWhy_file",
  env: "sourceWhy_env",
  flag: "sourceWhy_flag",
} as const;

/** What holds while a setting has no value. */
export function noneOf(path: string): string {
  const key = `none_${path}`;
  return isKey(en, key) ? t(key) : t("empty");
}

/** What stands for a value of a choice; without words it stands for itself. */
export function valueWord(path: string, value: string): string {
  const key = `value_${path}_${value}`;
  return isKey(en, key) ? t(key) : value;
}
