/** The row of `margay agent` in the table of commands. */
import type { CommandSpec, OptionSpec } from "../../host/cli/command.ts";

/** Of the chat: `margay` and `margay agent` without a message. */
export const CHAT_OPTIONS: readonly OptionSpec[] = [
  { flags: "-c, --continue", about: "opt.continue" },
  { flags: "-r, --resume", about: "opt.resume" },
  { flags: "--plain", about: "opt.plain" },
  { flags: "--temporary", about: "opt.temporary" },
];

export const CHAT_COMMANDS: readonly CommandSpec[] = [
  {
    name: "agent",
    about: "about.agent",
    options: [
      { flags: "-m, --message <text>", about: "opt.message" },
      { flags: "--session <key>", about: "opt.session" },
      { flags: "--model <ref>", about: "opt.model" },
      { flags: "--image <file>", about: "opt.image", repeat: true },
      { flags: "--no-stream", about: "opt.noStream" },
      ...CHAT_OPTIONS,
    ],
    examples: [
      'margay agent -m "read notes.txt and tell me the deadline"',
      'margay agent -m "what is this?" --image photo.jpg',
      'git diff | margay agent -m "review this" --session cli:review',
    ],
    load: async () => (await import("./command.ts")).runAgent,
  },
];
