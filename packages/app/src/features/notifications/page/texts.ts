/** Texts of the page of notifications. */
import { isKey } from "@margay/core/internal/state";
import { speak } from "../../../web/texts/texts.ts";
import { en } from "./texts.en.ts";
import { zh } from "./texts.zh.ts";

export const t = speak(en, zh);

/** What happened to whom; the server may name one that this page does not know. */
export function eventName(kind: string, what: string): string {
  const key = `${kind}_${what}`;
  return isKey(en, key) ? t(key) : key;
}
