/** The rows of `margay onboard` in the table of commands. */
import { YES } from "../../host/cli/command-options.ts";
import type { CommandSpec } from "../../host/cli/command.ts";

export const ONBOARD_COMMANDS: readonly CommandSpec[] = [
  {
    name: "onboard",
    about: "about.onboard",
    options: [YES],
    examples: ["margay onboard", "margay onboard --yes"],
    load: async () => (await import("./command.ts")).runOnboard,
  },
];
