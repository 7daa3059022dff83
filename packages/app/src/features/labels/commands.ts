/** The rows of `margay trust` in the table of commands. */
import { YES } from "../../host/cli/command-options.ts";
import type { CommandSpec } from "../../host/cli/command.ts";

export const LABELS_COMMANDS: readonly CommandSpec[] = [
  {
    name: "trust",
    args: "[path...]",
    about: "about.trust",
    options: [{ flags: "--stranger", about: "opt.stranger" }, YES],
    examples: [
      "margay trust",
      "margay trust notes/page.md docs",
      "margay trust --stranger cloned",
      "margay trust --json",
    ],
    load: async () => (await import("./command.ts")).runTrust,
  },
];
