/** The rows of `margay config` in the table of commands. */
import type { CommandSpec } from "../../host/cli/command.ts";

export const CONFIG_COMMANDS: readonly CommandSpec[] = [
  {
    name: "config",
    about: "about.config",
    examples: [
      "margay config show",
      "margay config set agent.maxIterations 20",
      "margay config set providers.openai.apiKey -",
    ],
  },
  {
    name: "config show",
    args: "[prefix]",
    about: "about.config.show",
    options: [{ flags: "--profile <name>", about: "opt.profile", choices: ["default", "nanobot", "countbot"] }],
    examples: ["margay config show --profile nanobot", "margay config show agent --json"],
    load: async () => (await import("./command.ts")).showConfig,
  },
  {
    name: "config get",
    args: "<key>",
    about: "about.config.get",
    examples: ["margay config get agent.maxIterations"],
    load: async () => (await import("./command.ts")).getConfig,
  },
  {
    name: "config set",
    args: "<key> [value]",
    about: "about.config.set",
    examples: [
      "margay config set agent.maxIterations 20",
      "margay config set fallbackModels '[\"openai/gpt-5-mini\"]'",
      "printenv KEY | margay config set providers.openai.apiKey -",
    ],
    load: async () => (await import("./command.ts")).setConfig,
  },
  {
    name: "config unset",
    args: "<key>",
    about: "about.config.unset",
    examples: ["margay config unset agent.maxIterations"],
    load: async () => (await import("./command.ts")).unsetConfig,
  },
  { name: "config check", about: "about.config.check", load: async () => (await import("./command.ts")).checkConfig },
  { name: "config path", about: "about.config.path", load: async () => (await import("./command.ts")).configPath },
];
