/** Words of browser notifications: that something happened, never what was said. */
import { speak } from "../texts/texts.ts";
import { en } from "./notify-texts.en.ts";

export const t = speak(en);
