/** The rows of `margay open` and `margay token` in the table of commands. */
import type { CommandSpec } from "../../host/cli/command.ts";

export const ACCESS_COMMANDS: readonly CommandSpec[] = [
  {
    name: "gateway password",
    about: "about.gateway.password",
    examples: ["margay gateway password", "margay gateway password < password.txt"],
    load: async () => (await import("./command-password.ts")).setPassword,
  },
  {
    name: "open",
    about: "about.open",
    options: [
      { flags: "--code", about: "opt.open.code" },
      { flags: "--for <person>", about: "opt.open.for" },
      { flags: "--no-open", about: "opt.gateway.noOpen" },
    ],
    examples: ["margay open", "margay open --code", "margay open --for eva"],
    load: async () => (await import("./command-open.ts")).openLink,
  },
  {
    name: "token",
    about: "about.token",
    examples: ["margay token create --name ci --scope chat", "margay token list"],
  },
  {
    name: "token create",
    about: "about.token.create",
    options: [
      { flags: "--name <text>", about: "opt.token.name" },
      { flags: "--scope <scope>", about: "opt.token.scope", repeat: true },
      { flags: "--days <number>", about: "opt.token.days" },
      { flags: "--budget <usd>", about: "opt.token.budget" },
      { flags: "--for <person>", about: "opt.token.for" },
    ],
    examples: ["margay token create --name ci --scope chat --days 90", "margay token create --name site --for guest"],
    load: async () => (await import("./command-token.ts")).createToken,
  },
  {
    name: "token list",
    about: "about.token.list",
    load: async () => (await import("./command-token.ts")).listTokens,
  },
  {
    name: "token rotate",
    args: "<id>",
    about: "about.token.rotate",
    options: [{ flags: "--grace <seconds>", about: "opt.token.grace" }],
    load: async () => (await import("./command-token.ts")).rotateToken,
  },
  {
    name: "token revoke",
    args: "<id>",
    about: "about.token.revoke",
    load: async () => (await import("./command-token.ts")).revokeToken,
  },
];
