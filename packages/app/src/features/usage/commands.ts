/** The rows of `margay usage` in the table of commands. */
import type { CommandSpec } from "../../host/cli/command.ts";

export const USAGE_COMMANDS: readonly CommandSpec[] = [
  {
    name: "usage",
    about: "about.usage",
    options: [{ flags: "--by <group>", about: "opt.by", choices: ["day", "model", "session", "source"] }],
    examples: ["margay usage --by model"],
    load: async () => (await import("./command.ts")).runUsage,
  },
];
