/** The texts of one language, filled. */
import { asTyped } from "../../texts/command.ts";
import { ONBOARD_TEXTS } from "./texts.en.ts";
import { ONBOARD_TEXTS_ZH } from "./texts.zh.ts";
import { fill, type Language, type Values } from "../../texts/text.ts";

export type OnboardTextKey = keyof typeof ONBOARD_TEXTS;
export type OnboardTexts = (key: OnboardTextKey, values?: Values) => string;

/** @param command What the person types for `margay`. */
export function onboardTexts(language: Language, command = "margay"): OnboardTexts {
  const texts = language === "zh-CN" ? ONBOARD_TEXTS_ZH : ONBOARD_TEXTS;
  return (key, values) => asTyped(fill(texts[key], values), command);
}
