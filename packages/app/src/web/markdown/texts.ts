/** Texts around what the model wrote: code, tables, links, formulas, diagrams. */
import { speak } from "../texts/texts.ts";
import { en } from "./texts.en.ts";

export const t = speak(en);
