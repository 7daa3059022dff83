/** Words of speaking a message: what happens, and what to do when it does not. */
import { speak } from "../../texts/texts.ts";
import { en } from "./voice-texts.en.ts";

export const t = speak(en);
