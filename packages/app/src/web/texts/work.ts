/** Texts of the composer, tool cards, approvals, connection and login. */
import { speak } from "./texts.ts";
import { en } from "./work.en.ts";

export const t = speak(en);
