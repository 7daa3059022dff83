/** The rows of `margay memory` in the table of commands. */
import { LIMIT } from "../../host/cli/command-options.ts";
import type { CommandSpec } from "../../host/cli/command.ts";

export const MEMORY_COMMANDS: readonly CommandSpec[] = [
  {
    name: "memory",
    about: "about.memory",
    examples: ["margay memory show", 'margay memory search "green tea"', "margay memory log --limit 5"],
  },
  {
    name: "memory show",
    about: "about.memory.show",
    load: async () => (await import("./command.ts")).showMemory,
  },
  {
    name: "memory edit",
    about: "about.memory.edit",
    examples: ["EDITOR=nano margay memory edit"],
    load: async () => (await import("./command.ts")).editMemory,
  },
  {
    name: "memory search",
    args: "<text>",
    about: "about.memory.search",
    options: [LIMIT],
    examples: ['margay memory search "green tea"'],
    load: async () => (await import("./command.ts")).searchMemory,
  },
  {
    name: "memory log",
    about: "about.memory.log",
    options: [LIMIT],
    load: async () => (await import("./command.ts")).showLog,
  },
];
