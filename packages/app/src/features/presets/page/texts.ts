/** Texts of the page of prompts. */
import { speak } from "../../../web/texts/texts.ts";
import { en } from "./texts.en.ts";
import { zh } from "./texts.zh.ts";

export const t = speak(en, zh);
