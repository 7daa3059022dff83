/** Words that several panel pages use. */
import { speak } from "./texts.ts";
import { en } from "./panels-common.en.ts";
import { zh } from "./panels-common.zh.ts";

/** Words of all pages. */
export const c = speak(en, zh);
