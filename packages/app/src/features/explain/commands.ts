/** The rows of `margay explain` in the table of commands. */
import type { CommandSpec } from "../../host/cli/command.ts";

export const EXPLAIN_COMMANDS: readonly CommandSpec[] = [
  {
    name: "explain",
    args: "<session>",
    about: "about.explain",
    options: [
      { flags: "--turn <number>", about: "opt.turn" },
      { flags: "--replay", about: "opt.replay" },
    ],
    examples: ["margay explain cli:direct --turn 3", "margay explain cli:direct --replay"],
    load: async () => (await import("./command.ts")).runExplain,
  },
];
