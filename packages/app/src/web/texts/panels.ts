/** Texts of the panel pages: English and Chinese side by side, so that neither can be missing. */
import { language, languageTag } from "./texts.ts";

/** Key → English, simplified Chinese. A missing language is a type error. */
export type Texts = Readonly<Record<string, readonly [en: string, zh: string]>>;

export type Values = Readonly<Record<string, string | number>>;

/** A page's own `t`: reads the language as it is drawn, so a switch redraws it. */
export function speak<T extends Texts>(texts: T): (key: keyof T, values?: Values) => string {
  return (key, values) => {
    const pair = texts[key];
    if (pair === undefined) return String(key); // only for keys that the server named
    return fill(pair[chinese() ? 1 : 0], values);
  };
}

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

/** `{name}` is the value; `{n|job|jobs}` is the word that fits the number. */
function fill(text: string, values: Values | undefined): string {
  if (values === undefined) return text;
  return text.replace(/\{(\w+)(?:\|([^|}]*)\|([^}]*))?\}/g, (whole, name: string, one?: string, other?: string) => {
    const value = values[name];
    if (value === undefined) return whole;
    if (one !== undefined && other !== undefined)
      return new Intl.PluralRules("en").select(Number(value)) === "one" ? one : other;
    return typeof value === "number" ? new Intl.NumberFormat(locale()).format(value) : value;
  });
}
