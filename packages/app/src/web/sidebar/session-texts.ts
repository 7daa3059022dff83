/** Texts of the trash and of bringing chats in. */
import { speak } from "../texts/texts.ts";
import { en } from "./session-texts.en.ts";
import { zh } from "./session-texts.zh.ts";

export const t = speak(en, zh);
