/** Texts of the usage page. */
import { isKey } from "@margay/core/internal/state";
import { speak } from "../../../web/texts/texts.ts";
import { en } from "./texts.en.ts";
import { zh } from "./texts.zh.ts";

export const t = speak(en, zh);

/** What a source is called; a platform is called by its name. */
export function sourceName(source: string): string {
  const key = `from_${source}`;
  return isKey(en, key) ? t(key) : source;
}
