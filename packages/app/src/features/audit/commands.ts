/** The rows of `margay audit` in the table of commands. */
import { LIMIT } from "../../host/cli/command-options.ts";
import type { CommandSpec } from "../../host/cli/command.ts";

export const AUDIT_COMMANDS: readonly CommandSpec[] = [
  { name: "audit", about: "about.audit", examples: ["margay audit list --limit 50", "margay audit verify"] },
  {
    name: "audit list",
    about: "about.audit.list",
    options: [LIMIT],
    load: async () => (await import("./command.ts")).listAudit,
  },
  {
    name: "audit verify",
    about: "about.audit.verify",
    options: [{ flags: "--head <head>", about: "opt.audit.head" }],
    examples: ["margay audit verify", "margay audit verify --head $(cat /mnt/elsewhere/margay-head)"],
    load: async () => (await import("./command.ts")).verifyAudit,
  },
  {
    name: "audit head",
    about: "about.audit.head",
    examples: ["margay audit head > /mnt/elsewhere/margay-head"],
    load: async () => (await import("./command.ts")).showHead,
  },
  {
    name: "audit renew",
    about: "about.audit.renew",
    load: async () => (await import("./command.ts")).renewLog,
  },
];
