/** The rows of `margay doctor`, `margay status` and `margay gateway logs` in the table of commands. */
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
  {
    name: "gateway logs",
    about: "about.gateway.logs",
    options: [
      { flags: "-n, --lines <count>", about: "opt.logs.lines" },
      { flags: "-f, --follow", about: "opt.logs.follow" },
    ],
    examples: ["margay gateway logs", "margay gateway logs -n 200 -f", "margay gateway logs --json"],
    load: async () => (await import("./command-logs.ts")).showLogs,
  },
];
