/** The rows of `margay models` in the table of commands. */
import type { CommandSpec } from "../../host/cli/command.ts";

export const MODEL_COMMANDS: readonly CommandSpec[] = [
  { name: "models", about: "about.models", examples: ["margay models list", "margay models use openai/gpt-5"] },
  {
    name: "models list",
    args: "[text]",
    about: "about.models.list",
    load: async () => (await import("./command.ts")).listModels,
  },
  {
    name: "models test",
    args: "[ref]",
    about: "about.models.test",
    examples: ["margay models test anthropic/claude-sonnet-4-5"],
    load: async () => (await import("./command.ts")).testModel,
  },
  {
    name: "models use",
    args: "<ref>",
    about: "about.models.use",
    examples: ["margay models use ollama/qwen3"],
    load: async () => (await import("./command.ts")).useModel,
  },
];
