/** Texts of the folders that chats are put into. */
import { speak } from "../../texts/texts.ts";
import { en } from "./texts.en.ts";
import { zh } from "./texts.zh.ts";

export const t = speak(en, zh);
