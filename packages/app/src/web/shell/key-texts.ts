/** What the shortcuts do, in words. */
import { speak } from "../texts/texts.ts";
import { en } from "./key-texts.en.ts";
import { zh } from "./key-texts.zh.ts";

export const keyTexts = speak(en, zh);
