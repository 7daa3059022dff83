/** Texts of what can be done with a message of one's own. */
import { speak } from "../../texts/texts.ts";
import { en } from "./texts.en.ts";
import { zh } from "./texts.zh.ts";

export const t = speak(en, zh);
