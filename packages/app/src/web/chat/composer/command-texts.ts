/** The slash commands, as the menu of the composer lists them. */
import { may } from "../../auth.ts";
import { speak } from "../../texts/texts.ts";
import { en } from "./command-texts.en.ts";

const COMMANDS = ["new", "stop", "status", "model", "persona", "skill", "help"] as const;
export const commandTexts = speak(en);

export function commandsOffered(): readonly (typeof COMMANDS)[number][] {
  return COMMANDS.filter((name) => may(`/${name}`));
}
