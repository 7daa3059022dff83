/** The texts of one language, filled. */
import { asTyped } from "../../texts/command.ts";
import { CHAT_TEXTS } from "./texts.en.ts";
import { CHAT_TEXTS_ZH } from "./texts.zh.ts";
import { fill, type Language, type Values } from "../../texts/text.ts";

export type ChatTextKey = keyof typeof CHAT_TEXTS;
export type ChatTexts = (key: ChatTextKey, values?: Values) => string;

/** @param command What the person types for `margay`. */
export function chatTexts(language: Language, command = "margay"): ChatTexts {
  const texts = language === "zh-CN" ? CHAT_TEXTS_ZH : CHAT_TEXTS;
  return (key, values) => asTyped(fill(texts[key], values), command);
}
