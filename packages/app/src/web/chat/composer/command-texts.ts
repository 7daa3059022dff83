/** The slash commands, as the menu of the composer lists them. */
import { speak } from "../../texts/texts.ts";
import { en } from "./command-texts.en.ts";

export const COMMANDS = ["new", "stop", "status", "model", "persona", "skill", "help"] as const;
export const commandTexts = speak(en);
