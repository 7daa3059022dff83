/** The rows of `margay quarantine` in the table of commands. */
import { YES } from "../../host/cli/command-options.ts";
import type { CommandSpec } from "../../host/cli/command.ts";

export const QUARANTINE_COMMANDS: readonly CommandSpec[] = [
  {
    name: "quarantine",
    about: "about.quarantine",
    examples: [
      "margay quarantine",
      "margay quarantine show 5f3a9c01",
      "margay quarantine restore 5f3a9c01",
      "margay quarantine delete 5f3a9c01",
    ],
    load: async () => (await import("./command.ts")).listQuarantine,
  },
  {
    name: "quarantine show",
    args: "<id>",
    about: "about.quarantine.show",
    examples: ["margay quarantine show 5f3a9c01", "margay quarantine show 5f3a9c01 --json"],
    load: async () => (await import("./command.ts")).showQuarantined,
  },
  {
    name: "quarantine restore",
    args: "<id>",
    about: "about.quarantine.restore",
    options: [{ flags: "--sha256 <hash>", about: "opt.quarantine.sha256" }, YES],
    examples: ["margay quarantine restore 5f3a9c01", "margay quarantine restore 5f3a9c01 --yes --sha256 HASH"],
    load: async () => (await import("./command.ts")).restoreQuarantined,
  },
  {
    name: "quarantine delete",
    args: "<id>",
    about: "about.quarantine.delete",
    options: [YES],
    examples: ["margay quarantine delete 5f3a9c01"],
    load: async () => (await import("./command.ts")).deleteQuarantined,
  },
];
