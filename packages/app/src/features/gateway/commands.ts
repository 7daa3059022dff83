/** The rows of `margay gateway` in the table of commands. */
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
    name: "gateway start",
    about: "about.gateway.start",
    options: [
      { flags: "--host <address>", about: "opt.gateway.host" },
      { flags: "--port <number>", about: "opt.gateway.port" },
    ],
    examples: ["margay gateway start", "margay gateway start --port 0"],
    load: async () => (await import("./background.ts")).startInBackground,
  },
  {
    name: "gateway status",
    about: "about.gateway.status",
    load: async () => (await import("./background.ts")).showGateway,
  },
  {
    name: "gateway stop",
    about: "about.gateway.stop",
    load: async () => (await import("./background.ts")).stopGateway,
  },
  {
    name: "gateway restart",
    about: "about.gateway.restart",
    options: [
      { flags: "--host <address>", about: "opt.gateway.host" },
      { flags: "--port <number>", about: "opt.gateway.port" },
    ],
    load: async () => (await import("./background.ts")).restartGateway,
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
];
