/** The rows of `margay stop` and `margay resume` in the table of commands. */
import type { CommandSpec } from "../../host/cli/command.ts";

export const EMERGENCY_STOP_COMMANDS: readonly CommandSpec[] = [
  {
    name: "stop",
    about: "about.stop",
    options: [{ flags: "--all", about: "opt.stop.all" }],
    examples: ["margay stop --all"],
    load: async () => (await import("./command.ts")).stopAll,
  },
  {
    name: "resume",
    about: "about.resume",
    options: [{ flags: "--all", about: "opt.stop.all" }],
    examples: ["margay resume --all"],
    load: async () => (await import("./command.ts")).resumeAll,
  },
];
