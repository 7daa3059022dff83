/** What a key of the configuration does, in the language of a reader; loaded by what shows it, not at the start. */
import type { Language } from "../texts/text.ts";
import { KEY_TEXTS } from "./keys/texts.en.ts";
import { KEY_TEXTS_ZH } from "./keys/texts.zh.ts";

/** @param path as in the table of keys. */
export function keyText(path: string, language: Language): string {
  return (language === "zh-CN" ? KEY_TEXTS_ZH : KEY_TEXTS)[path] ?? path;
}
