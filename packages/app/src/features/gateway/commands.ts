/** The rows of `margay gateway`, `margay open` and `margay token` in the table of commands. */
import type { CommandSpec } from "../../host/cli/command.ts";

export const GATEWAY_COMMANDS: readonly CommandSpec[] = [
  {
    name: "gateway",
    about: "about.gateway",
    options: [
      { flags: "--host <address>", about: "opt.gateway.host" },
      { flags: "--port <number>", about: "opt.gateway.port" },
      { flags: "--open", about: "opt.gateway.open" },
      { flags: "--no-open", about: "opt.gateway.noOpen" },
      { flags: "--setup", about: "opt.gateway.setup" },
    ],
    examples: ["margay gateway", "margay gateway --port 0 --no-open", "margay gateway --host 192.168.1.5 --setup"],
    load: async () => (await import("./command.ts")).runGateway,
  },
  {
    name: "gateway password",
    about: "about.gateway.password",
    examples: ["margay gateway password", "margay gateway password < password.txt"],
    load: async () => (await import("../access/command-password.ts")).setPassword,
  },
  {
    name: "gateway install",
    about: "about.gateway.install",
    load: async () => (await import("./service.ts")).installService,
  },
  {
    name: "gateway uninstall",
    about: "about.gateway.uninstall",
    load: async () => (await import("./service.ts")).uninstallService,
  },
  {
    name: "open",
    about: "about.open",
    options: [
      { flags: "--code", about: "opt.open.code" },
      { flags: "--no-open", about: "opt.gateway.noOpen" },
    ],
    examples: ["margay open", "margay open --code"],
    load: async () => (await import("../access/command-open.ts")).openLink,
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
    ],
    examples: ["margay token create --name ci --scope chat --days 90"],
    load: async () => (await import("../access/command-token.ts")).createToken,
  },
  {
    name: "token list",
    about: "about.token.list",
    load: async () => (await import("../access/command-token.ts")).listTokens,
  },
  {
    name: "token rotate",
    args: "<id>",
    about: "about.token.rotate",
    options: [{ flags: "--grace <seconds>", about: "opt.token.grace" }],
    load: async () => (await import("../access/command-token.ts")).rotateToken,
  },
  {
    name: "token revoke",
    args: "<id>",
    about: "about.token.revoke",
    load: async () => (await import("../access/command-token.ts")).revokeToken,
  },
];
