/** Texts of the pages about work: tools, tasks, files, help. */
import { speak } from "./texts.ts";
import { en } from "./panels-work.en.ts";
import { zh } from "./panels-work.zh.ts";

export const t = speak(en, zh);
