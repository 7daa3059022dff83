/** Texts of the chat, the list beside it and the ways in. */
import type { PlainKey } from "@margay/core/internal/state";
import { speak } from "./texts.ts";
import { en } from "./chat.en.ts";

export type ChatKey = PlainKey<typeof en>;

export const t = speak(en);
