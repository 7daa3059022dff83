/** The language of what the server sends in both. */
import { language, languageTag } from "./texts.ts";

/** One of two texts that came along with the data. */
export function pick(pair: { readonly en: string; readonly zh: string }): string {
  return chinese() ? pair.zh : pair.en;
}

export function chinese(): boolean {
  return language.value === "zh";
}

/** BCP 47 tag for `Intl`. */
export function locale(): string {
  return languageTag();
}
