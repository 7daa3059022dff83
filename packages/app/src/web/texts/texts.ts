/** Texts in both languages, and the one that is shown. A text without a translation is a type error. */
import { signal } from "@preact/signals";

export type Language = "en" | "zh";

/**
 * `{name}` is filled from the values; `one|other` chooses by the value `n` in languages that have a plural.
 */
export interface Text {
  readonly en: string;
  readonly zh: string;
}
export type Values = Readonly<Record<string, string | number>>;

const STORED = "margay.language";

/** What boot.ts decided: what was chosen here before, else the browser's preference. */
export const language = signal<Language>(document.documentElement.lang.startsWith("zh") ? "zh" : "en");

export function setLanguage(next: Language): void {
  localStorage.setItem(STORED, next);
  document.documentElement.lang = next === "zh" ? "zh-CN" : "en";
  language.value = next;
}

/** The tag for `Accept-Language` and `Intl`. */
export function languageTag(): "en" | "zh-CN" {
  return language.value === "zh" ? "zh-CN" : "en";
}

/** A lookup over one area's texts; areas that are loaded lazily bring their own. */
export function texts<Key extends string>(catalog: Readonly<Record<Key, Text>>): (key: Key, values?: Values) => string {
  return (key, values) => fill(catalog[key][language.value], values);
}

function fill(text: string, values: Values | undefined): string {
  if (values === undefined) return text;
  const forms = text.split("|");
  const chosen =
    forms.length === 2 && new Intl.PluralRules(languageTag()).select(Number(values["n"])) !== "one"
      ? forms[1]
      : forms[0];
  return (chosen ?? text).replace(/\{(\w+)\}/g, (hole, name: string) => {
    const value = values[name];
    return value === undefined ? hole : typeof value === "number" ? number(value) : value;
  });
}

export function number(value: number, options?: Intl.NumberFormatOptions): string {
  return new Intl.NumberFormat(languageTag(), options).format(value);
}
