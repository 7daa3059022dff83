/** Approved plugins → tools of the registry. */
import {
  defineTool,
  toolError,
  type Json,
  type JsonObject,
  type Tool,
  type ToolContext,
  type ToolRegistry,
  type ToolResult,
} from "@margay/core";
import { asUntrusted, messageOf, neutral } from "@margay/core/internal";
import { toolName } from "../../../models/tool-name.ts";
import { neutralTexts } from "../../../models/tool-schema.ts";
import type { AnswersOptions } from "./answers.ts";
import type { ApprovedPlugin } from "./approvals.ts";
import type { PluginManifest } from "./manifest.ts";
import type { DescribedTool } from "./offer.ts";
import { type Plugins, suspendedText } from "./plugins.ts";

export { openPlugins } from "./plugins.ts";

export interface PluginToolsOptions extends Omit<AnswersOptions, "manifest" | "own" | "record"> {
  /** Of a plugin, as they are now: all that somebody has set. */
  readonly settings: (plugin: string) => Readonly<Record<string, Json>>;
  readonly record: (plugin: string, ...attempt: Parameters<AnswersOptions["record"]>) => void;
}

type CallOptions = AnswersOptions & Pick<PluginToolsOptions, "settings">;

/** @param own The other tools of the conversation: files are written and commands run as by them. */
export function pluginTools(plugins: Plugins, own: ToolRegistry, options: PluginToolsOptions): readonly Tool[] {
  return [...plugins.approved].flatMap(([name, plugin]) =>
    plugin.tools.map((tool) => {
      const record: AnswersOptions["record"] = (attempt) => options.record(name, attempt);
      return toolOf(plugins, name, tool, { ...options, record, own, manifest: plugin.manifest });
    }),
  );
}

/** guard: what its manifest names, and nothing else that stands there. */
function settingsOf({ settings = [], secrets = [] }: PluginManifest, all: Readonly<Record<string, Json>>): JsonObject {
  const named = [...settings, ...secrets].flatMap((key) => {
    const value = Object.hasOwn(all, key) ? all[key] : undefined;
    return value === undefined ? [] : [[key, value] as const];
  });
  return Object.fromEntries(named);
}

function toolOf(plugins: Plugins, name: string, tool: DescribedTool, options: CallOptions): Tool {
  const { description, input, effect, reach, timeoutMs } = tool;
  return defineTool<JsonObject>({
    name: toolName(name, tool.name, "plugin"),
    description: neutral(description),
    input: neutralTexts(input),
    effect,
    reach,
    ...(timeoutMs !== undefined && { timeoutMs }),
    unable: () => {
      const suspended = plugins.standing(name);
      return suspended === undefined ? undefined : `Error: ${suspendedText(name, suspended.why)}`;
    },
    execute: (given, context) => execute(plugins, name, tool, given, options, context),
  });
}

async function execute(
  plugins: Plugins,
  name: string,
  tool: DescribedTool,
  input: JsonObject,
  options: CallOptions,
  context: ToolContext,
): Promise<ToolResult> {
  const [{ answersFor }, { readResult }] = await Promise.all([import("./answers.ts"), import("./offer.ts")]);
  const answers = answersFor(options, context);
  const call = {
    about: {
      id: context.callId,
      origin: context.origin,
      settings: settingsOf(options.manifest, options.settings(name)),
    },
    progress: (text: string) => context.progress(text),
    ask: answers.ask,
  };
  let result: ToolResult;
  try {
    const given = await plugins.call(name, tool.name, input, call, context.signal);
    const read = readResult(given, answers.kept);
    if (read === undefined) throw plugins.wrong(name, `${tool.name} gave no result`);
    result = read;
  } catch (error) {
    if (context.signal.aborted) throw context.signal.reason;
    result = toolError(messageOf(error).replace(/\.$/, ""), "do without it, or tell the user");
  }
  const marked = typeof result === "string" ? { parts: [{ type: "text" as const, text: result }] } : result;
  // guard: whatever a plugin gives is a stranger's text, unless it follows from the arguments alone.
  return { ...(options.manifest.pure ? marked : asUntrusted(marked)), ...answers.marks() };
}

/** What a kept yes to one of these tools is bound to: other files are another tool. */
export function pluginOf(plugins: Plugins, tool: string): ApprovedPlugin | undefined {
  return [...plugins.approved].find(([name, { tools }]) =>
    tools.some((own) => toolName(name, own.name, "plugin") === tool),
  )?.[1];
}
