/** Texts of the field in which a folder of the machine is chosen. */
import { speak } from "../texts/texts.ts";
import { en } from "./texts.en.ts";
import { zh } from "./texts.zh.ts";

export const t = speak(en, zh);
