/** Why a call asks, what could go wrong, and what a yes that is kept covers. */
import { isKey } from "@margay/core/internal/state";
import { speak } from "./texts.ts";
import { en } from "./approval.en.ts";

export const t = speak(en);

/** The words for a rule or a risk; undefined for one this page does not know. */
export function known(kind: "why" | "risk", name: string): string | undefined {
  const key = `${kind}.${name}`;
  return isKey(en, key) ? t(key) : undefined;
}
