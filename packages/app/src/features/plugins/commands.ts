/** The rows of `margay plugin` in the table of commands. */
import type { CommandSpec } from "../../host/cli/command.ts";

export const PLUGIN_COMMANDS: readonly CommandSpec[] = [
  {
    name: "plugin",
    about: "about.plugin",
    examples: ["margay plugin list", "margay plugin add provider-bedrock"],
  },
  {
    name: "plugin list",
    about: "about.plugin.list",
    load: async () => (await import("./command.ts")).listPlugins,
  },
  {
    name: "plugin add",
    args: "<plugin>",
    about: "about.plugin.add",
    options: [
      { flags: "--trusted", about: "about.plugin.trusted" },
      { flags: "-y, --yes", about: "opt.yes" },
    ],
    examples: ["margay plugin add provider-azure", "margay plugin add ./margay-provider-bedrock-0.1.0.tgz"],
    load: async () => (await import("./command.ts")).addPlugin,
  },
  {
    name: "plugin show",
    args: "<plugin>",
    about: "about.plugin.show",
    examples: ["margay plugin show weather"],
    load: async () => (await import("./command.ts")).showPlugin,
  },
  {
    name: "plugin approve",
    args: "<plugin>",
    about: "about.plugin.approve",
    options: [{ flags: "-y, --yes", about: "opt.yes" }],
    examples: ["margay plugin approve weather"],
    load: async () => (await import("./command.ts")).approvePlugin,
  },
  {
    name: "plugin remove",
    args: "<plugin>",
    about: "about.plugin.remove",
    examples: ["margay plugin remove provider-azure"],
    load: async () => (await import("./command.ts")).removePlugin,
  },
];
