/** The texts of one language, filled. */
import { ASKED_WORDS } from "../../protocol/asked-words.en.ts";
import { ASKED_WORDS_ZH } from "../../protocol/asked-words.zh.ts";
import { asTyped } from "../../texts/command.ts";
import { CHAT_TEXTS } from "./texts.en.ts";
import { CHAT_TEXTS_ZH } from "./texts.zh.ts";
import { fill, type Language, type Values } from "../../texts/text.ts";

const EN = { ...CHAT_TEXTS, ...ASKED_WORDS };
const ZH = { ...CHAT_TEXTS_ZH, ...ASKED_WORDS_ZH };

export type ChatTextKey = keyof typeof EN;
export type ChatTexts = (key: ChatTextKey, values?: Values) => string;

/** @param command What the person types for `margay`. */
export function chatTexts(language: Language, command = "margay"): ChatTexts {
  const texts = language === "zh-CN" ? ZH : EN;
  return (key, values) => asTyped(fill(texts[key], values), command);
}
