/** The rows of `margay undo` in the table of commands. */
import { YES } from "../../host/cli/command-options.ts";
import type { CommandSpec } from "../../host/cli/command.ts";

export const UNDO_COMMANDS: readonly CommandSpec[] = [
  {
    name: "undo",
    args: "[session]",
    about: "about.undo",
    options: [
      { flags: "--turn <turn>", about: "opt.undoTurn" },
      { flags: "--list", about: "opt.undoList" },
      { flags: "--dry-run", about: "opt.dryRun" },
      { flags: "--force", about: "opt.undoForce" },
      YES,
    ],
    examples: ["margay undo", "margay undo cli:direct --turn 3 --dry-run", "margay undo --list"],
    load: async () => (await import("./command.ts")).runUndo,
  },
];
