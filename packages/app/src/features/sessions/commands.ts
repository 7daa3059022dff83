/** The rows of `margay sessions` in the table of commands. */
import { LIMIT, YES } from "../../host/cli/command-options.ts";
import type { CommandSpec } from "../../host/cli/command.ts";

export const SESSION_COMMANDS: readonly CommandSpec[] = [
  { name: "sessions", about: "about.sessions", examples: ["margay sessions list", "margay sessions show cli:direct"] },
  {
    name: "sessions list",
    about: "about.sessions.list",
    options: [LIMIT, { flags: "--folder <name>", about: "opt.sessions.inFolder" }],
    load: async () => (await import("./command.ts")).listSessions,
  },
  {
    name: "sessions show",
    args: "<key>",
    about: "about.sessions.show",
    options: [LIMIT],
    examples: ["margay sessions show telegram:42 --limit 20"],
    load: async () => (await import("./command.ts")).showSession,
  },
  {
    name: "sessions set",
    args: "<key>",
    about: "about.sessions.set",
    options: [
      { flags: "--title <text>", about: "opt.sessions.title" },
      { flags: "--folder <name>", about: "opt.sessions.folder" },
    ],
    examples: ["margay sessions set cli:direct --folder Trips", 'margay sessions set cli:direct --folder ""'],
    load: async () => (await import("./command.ts")).setSession,
  },
  {
    name: "sessions search",
    args: "<text>",
    about: "about.sessions.search",
    options: [LIMIT],
    examples: ["margay sessions search deadline"],
    load: async () => (await import("./command.ts")).searchSessions,
  },
  {
    name: "sessions export",
    args: "<key>",
    about: "about.sessions.export",
    options: [{ flags: "--format <format>", about: "opt.format", choices: ["seed", "journal"] }],
    examples: ["margay sessions export cli:direct --format seed > direct.jsonl"],
    load: async () => (await import("./command-files.ts")).exportSession,
  },
  {
    name: "sessions import",
    args: "<file>",
    about: "about.sessions.import",
    options: [{ flags: "--key <key>", about: "opt.key" }],
    examples: ["margay sessions import direct.jsonl --key cli:old"],
    load: async () => (await import("./command-files.ts")).importSession,
  },
  {
    name: "sessions fork",
    args: "<key> <new-key>",
    about: "about.sessions.fork",
    options: [{ flags: "--seq <number>", about: "opt.seq" }],
    examples: ["margay sessions fork cli:direct cli:try --seq 120"],
    load: async () => (await import("./command.ts")).forkSession,
  },
  {
    name: "sessions delete",
    args: "<key>",
    about: "about.sessions.delete",
    options: [YES],
    examples: ["margay sessions delete cli:old --yes"],
    load: async () => (await import("./command.ts")).deleteSession,
  },
];
