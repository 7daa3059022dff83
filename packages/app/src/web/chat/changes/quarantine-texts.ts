/** Texts of what commands left behind and was kept aside. */
import { speak } from "../../texts/texts.ts";
import { en } from "./quarantine-texts.en.ts";
import { zh } from "./quarantine-texts.zh.ts";

export const t = speak(en, zh);
