/** The rows of `margay doctor` and `margay status` in the table of commands. */
import type { CommandSpec } from "../../host/cli/command.ts";

export const SYSTEM_COMMANDS: readonly CommandSpec[] = [
  {
    name: "doctor",
    about: "about.doctor",
    options: [{ flags: "--fix", about: "opt.fix" }],
    examples: ["margay doctor", "margay doctor --fix"],
    load: async () => (await import("./command-doctor.ts")).runDoctor,
  },
  {
    name: "status",
    about: "about.status",
    load: async () => (await import("./command-status.ts")).runStatus,
  },
];
