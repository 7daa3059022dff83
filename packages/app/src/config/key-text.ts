/** What a key of the configuration is called and does, in the language of a reader; loaded by what shows it, not at the start. */
import type { Language } from "../texts/text.ts";
import { KEY_TEXTS } from "./keys/texts.en.ts";
import { KEY_TEXTS_ZH } from "./keys/texts.zh.ts";
import { KEY_TITLES } from "./keys/titles.en.ts";
import { KEY_TITLES_ZH } from "./keys/titles.zh.ts";

/** @param path as in the table of keys. */
export function keyText(path: string, language: Language): string {
  return (language === "zh-CN" ? KEY_TEXTS_ZH : KEY_TEXTS)[path] ?? path;
}

/**
 * What a person calls it.
 * @param path as in the table of keys.
 */
export function keyTitle(path: string, language: Language): string {
  const titles: Readonly<Record<string, string>> = language === "zh-CN" ? KEY_TITLES_ZH : KEY_TITLES;
  const known = titles[path];
  if (known !== undefined) return known;
  if (language === "zh-CN") return keyText(path, language).split(/[；。，]/, 1)[0] ?? path;
  // `agent.maxToolCalls` → `Max tool calls`
  const words = (path.split(".").at(-1) ?? path).replaceAll(/([a-z])([A-Z])/g, "$1 $2").toLowerCase();
  return words.charAt(0).toUpperCase() + words.slice(1);
}
