/** Texts of what fills the context. */
import { speak } from "../texts/texts.ts";
import { en } from "./context-texts.en.ts";
import { zh } from "./context-texts.zh.ts";

export const t = speak(en, zh);
