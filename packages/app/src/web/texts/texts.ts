/** Texts in both languages, and the one that is shown. A text without a translation is a type error. */
import type { Catalog, Needed, Texts, Values } from "@margay/core/internal/state";
import { signal } from "@preact/signals";
import { numberFormat } from "../lib/formats.ts";

export type Language = "en" | "zh";
const STORED = "margay.language";

/** What boot.ts decided: what was chosen here before, else the browser's preference. */
export const language = signal<Language>(document.documentElement.lang.startsWith("zh") ? "zh" : "en");

/** Chinese of the areas that the first load holds, by their English catalogs. */
const fetched = signal<ReadonlyMap<object, Catalog>>(new Map());

export async function fetchTexts(next: Language): Promise<void> {
  if (next === "zh") fetched.value = (await import("./chinese.ts")).CHINESE;
}

export async function setLanguage(next: Language): Promise<void> {
  await fetchTexts(next);
  localStorage.setItem(STORED, next);
  document.documentElement.lang = next === "zh" ? "zh-CN" : "en";
  language.value = next;
}

/** The tag for `Accept-Language` and `Intl`. */
export function languageTag(): "en" | "zh-CN" {
  return language.value === "zh" ? "zh-CN" : "en";
}

/**
 * The `t` of one catalog: reads the language as it is drawn, so a switch redraws it.
 * @param zh Absent in the areas that the first load holds: see `chinese.ts`.
 */
export function speak<En extends Catalog>(en: En, zh?: Texts<NoInfer<En>>): Speak<En> {
  const find = (key: string): string | undefined => {
    const catalog: Catalog = (language.value === "zh" ? (zh ?? fetched.value.get(en)) : undefined) ?? en;
    return catalog[key];
  };
  const say = (key: string, values?: Values): string => {
    const text = find(key);
    return text === undefined ? key : fill(text, values); // a key of what a newer server names
  };
  return Object.assign(say, { find });
}

interface Speak<En extends Catalog> {
  <Key extends keyof En & string>(key: Key, ...needed: Needed<En[Key]>): string;
  /** The text of a key that is known as the page runs, as it stands. */
  find(key: string): string | undefined;
}

/** `{name}` is the value; `{n|job|jobs}` is the word that fits the number. */
function fill(text: string, values: Values | undefined): string {
  if (values === undefined) return text;
  return text.replace(/\{(\w+)(?:\|([^|}]*)\|([^}]*))?\}/g, (hole, name: string, one?: string, other?: string) => {
    const value = values[name];
    if (value === undefined) return hole;
    if (one !== undefined && other !== undefined)
      return new Intl.PluralRules("en").select(Number(value)) === "one" ? one : other;
    return typeof value === "number" ? number(value) : value;
  });
}

export function number(value: number, options?: Intl.NumberFormatOptions): string {
  return numberFormat(languageTag(), options).format(value);
}
