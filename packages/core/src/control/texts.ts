/** Answers of slash commands, in the language of who asked. */
import { speaker, type Say } from "../lib/texts.ts";
import { en } from "./texts.en.ts";
import { zh } from "./texts.zh.ts";

export type SayAnswer = Say<typeof en>;

export const answers: (language: "en" | "zh-CN") => SayAnswer = speaker(en, zh);
