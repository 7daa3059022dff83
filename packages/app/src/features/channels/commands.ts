/** The rows of `margay channels` in the table of commands. */
import type { CommandSpec } from "../../host/cli/command.ts";

export const CHANNEL_COMMANDS: readonly CommandSpec[] = [
  {
    name: "channels",
    about: "about.channels",
    examples: ["margay channels list", "margay channels test webhook", "margay channels pair ABCD2345"],
  },
  {
    name: "channels list",
    about: "about.channels.list",
    load: async () => (await import("./command.ts")).listChannels,
  },
  {
    name: "channels login",
    args: "<name>",
    about: "about.channels.login",
    options: [{ flags: "--kind <platform>", about: "opt.channels.kind" }],
    examples: ["margay channels login feishu", "margay channels login work --kind feishu"],
    load: async () => (await import("./login/command.ts")).loginChannel,
  },
  {
    name: "channels test",
    args: "<name>",
    about: "about.channels.test",
    options: [{ flags: "--to <chat>", about: "opt.channels.chat" }],
    examples: ["margay channels test telegram", "margay channels test webhook --to ops"],
    load: async () => (await import("./command.ts")).testChannel,
  },
  {
    name: "channels status",
    about: "about.channels.status",
    load: async () => (await import("./command.ts")).showStatus,
  },
  {
    name: "channels waiting",
    about: "about.channels.waiting",
    load: async () => (await import("./command.ts")).listWaiting,
  },
  {
    name: "channels send",
    args: "<reply>",
    about: "about.channels.send",
    load: async () => (await import("./command.ts")).sendWaiting,
  },
  {
    name: "channels drop",
    args: "<reply>",
    about: "about.channels.drop",
    load: async () => (await import("./command.ts")).dropWaiting,
  },
  {
    name: "channels pair",
    args: "<code>",
    about: "about.channels.pair",
    options: [
      { flags: "--operator", about: "opt.channels.operator" },
      { flags: "--person <name>", about: "opt.channels.person" },
    ],
    examples: [
      "margay channels pair ABCD2345",
      "margay channels pair ABCD2345 --operator",
      "margay channels pair ABCD2345 --person eva",
    ],
    load: async () => (await import("./command.ts")).pairSender,
  },
  {
    name: "channels unpair",
    args: "<channel> <sender>",
    about: "about.channels.unpair",
    load: async () => (await import("./command.ts")).unpairSender,
  },
];
