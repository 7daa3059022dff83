/** The rows of `margay import` in the table of commands. */
import type { CommandSpec } from "../../host/cli/command.ts";

export const IMPORT_COMMANDS: readonly CommandSpec[] = [
  {
    name: "import",
    args: "<path>",
    about: "about.import",
    options: [{ flags: "--dry-run", about: "opt.dryRun" }],
    examples: ["margay import ~/.nanobot --dry-run", "margay import ~/.openclaw"],
    load: async () => (await import("./command.ts")).runImport,
  },
];
