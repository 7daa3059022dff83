/** key + language → text. The catalog is the sum of the text files beside this one. */
import { CONFIG_TEXTS } from "./config-texts.ts";
import { fill, type Language, type Text, type Values } from "./text.ts";

export type TextKey = keyof typeof CONFIG_TEXTS;

export const TEXTS: Readonly<Record<TextKey, Text>> = { ...CONFIG_TEXTS };

export type Translate = (key: TextKey, values?: Values) => string;

export function translator(language: Language): Translate {
  return (key, values) => fill(TEXTS[key][language], values);
}
