// Sampling, tools and vendor settings of a request in the AI SDK's form.
import type {
  JSONSchema7,
  LanguageModelV4,
  LanguageModelV4CallOptions,
  LanguageModelV4FunctionTool,
  SharedV4ProviderOptions,
} from "@ai-sdk/provider";
import type { ModelRequest, Sampling, ToolSpec } from "../contract/provider.ts";
import type { Quirks } from "../model/quirks.ts";
import { BREAKPOINT } from "./to-prompt.ts";

type Options = Omit<LanguageModelV4CallOptions, "prompt" | "abortSignal">;
type Level = Exclude<Sampling["thinking"], "off">;

/** Thinking tokens by level where a budget must be named. Anthropic: at least 1,024 (Extended thinking, 2026-11-21). */
const BUDGET: Readonly<Record<Level, number>> = { low: 2048, medium: 8192, high: 24_576 };

/** Everything but the messages. A limit is always sent: without one some adapters ask for the model's largest. */
export function callOptions(request: ModelRequest, quirks: Required<Quirks>, model: LanguageModelV4): Options {
  const { sampling, prefix } = request;
  const tools = prefix.tools.length > 0 ? convertTools(prefix.tools, quirks) : undefined;
  const { reasoning, providerOptions } = vendorOptions(request, quirks, model);
  return {
    maxOutputTokens: sampling.maxOutputTokens,
    ...(sampling.temperature !== undefined && { temperature: sampling.temperature }),
    ...(tools !== undefined && { tools, toolChoice: toolChoice(sampling.toolChoice) }),
    ...(reasoning !== undefined && { reasoning }),
    ...(Object.keys(providerOptions).length > 0 && { providerOptions }),
  };
}

function convertTools(tools: readonly ToolSpec[], quirks: Required<Quirks>): LanguageModelV4FunctionTool[] {
  return tools.map((tool, at) => ({
    type: "function",
    name: tool.name,
    description: tool.description.toWellFormed(),
    // A JSON Schema of a later draft; the adapters pass it on as it is.
    inputSchema: tool.inputSchema as JSONSchema7,
    ...(quirks.cacheControl === "blocks" &&
      quirks.wire === "anthropic" &&
      at === tools.length - 1 && { providerOptions: BREAKPOINT }),
  }));
}

function toolChoice(choice: Sampling["toolChoice"]): NonNullable<LanguageModelV4CallOptions["toolChoice"]> {
  return typeof choice === "string" ? { type: choice } : { type: "tool", toolName: choice.name };
}

interface VendorOptions {
  readonly reasoning?: "low" | "medium" | "high" | "none";
  readonly providerOptions: SharedV4ProviderOptions;
}

function vendorOptions(request: ModelRequest, quirks: Required<Quirks>, model: LanguageModelV4): VendorOptions {
  const { thinking } = request.sampling;
  const cacheKey = quirks.cacheKey === "prompt_cache_key" ? { promptCacheKey: request.cacheKey } : {};
  switch (quirks.wire) {
    case "anthropic":
      return anthropicOptions(thinking, model.modelId);
    case "google":
      return googleOptions(thinking, model.modelId);
    case "openai-responses":
      // Stateless: nothing is stored there. The adapter then asks reasoning models for encrypted reasoning, which is
      // returned with the history.
      return {
        ...(thinking !== "off" && { reasoning: thinking }),
        providerOptions: {
          openai: {
            store: false,
            ...cacheKey,
            ...(thinking !== "off" && { reasoningSummary: "auto" }),
          },
        },
      };
    case "openai-chat":
      return chatOptions(thinking, quirks, model, cacheKey);
  }
}

/** Claude models that take a number of thinking tokens; later ones think as much as their effort says. */
const BUDGETED = /^claude-(?:3|instant|2|(?:opus|sonnet|haiku)-4(?:-[015](?:-|$)|-2025|@|$))/;
/** Their thinking blocks are bound to what came before them, which a compaction changes (What's new in Opus 5.5, 2026-11-21). */
const BOUND = /^claude-(?:opus-5-5|fable-5)/;

function anthropicOptions(thinking: Sampling["thinking"], modelId: string): VendorOptions {
  if (BOUND.test(modelId)) {
    const blockBinding = { prefixMismatchBehavior: "drop_block" };
    const shown = thinking === "off" ? {} : { type: "adaptive", display: "summarized" };
    return {
      providerOptions: {
        anthropic: { thinking: { ...shown, blockBinding }, effort: thinking === "off" ? "low" : thinking },
      },
    };
  }
  const claude = modelId.startsWith("claude-");
  if (claude && !BUDGETED.test(modelId))
    return { reasoning: thinking === "off" ? "none" : thinking, providerOptions: {} };
  const anthropic = {
    // A field of Anthropic's own; those who imitate the API may reject what they do not know.
    ...(!claude && { toolStreaming: false }),
    ...(thinking !== "off" && { thinking: { type: "enabled", budgetTokens: BUDGET[thinking] } }),
  };
  return { providerOptions: Object.keys(anthropic).length > 0 ? { anthropic } : {} };
}

/** The adapter knows which models want a budget and which a level; "off" is the least each of them allows. */
function googleOptions(thinking: Sampling["thinking"], modelId: string): VendorOptions {
  const thinks = /^gemini-(?:2\.5|3|4|5|flash|pro)/.test(modelId);
  if (thinking === "off") return { ...(thinks && { reasoning: "none" }), providerOptions: {} };
  return { reasoning: thinking, providerOptions: { google: { thinkingConfig: { includeThoughts: true } } } };
}

function chatOptions(
  thinking: Sampling["thinking"],
  quirks: Required<Quirks>,
  model: LanguageModelV4,
  cacheKey: { readonly promptCacheKey?: string },
): VendorOptions {
  // Unknown names under the provider's own key are passed into the body.
  const key = model.provider.split(".")[0] ?? "openaiCompatible";
  const on = thinking !== "off";
  const official = model.provider === "openai.chat";
  const body: Record<string, string | boolean | Record<string, string>> = official
    ? { ...cacheKey }
    : cacheKey.promptCacheKey === undefined
      ? {}
      : { prompt_cache_key: cacheKey.promptCacheKey };
  switch (quirks.thinking) {
    case "none":
      break;
    case "effort":
      return { ...(on && { reasoning: thinking }), providerOptions: named(key, body) };
    case "reasoning-object":
      if (on) body["reasoning"] = { effort: thinking };
      break;
    case "thinking-type":
      body["thinking"] = { type: on ? "enabled" : "disabled" };
      break;
    case "enable-thinking":
      body["enable_thinking"] = on;
      break;
  }
  return { providerOptions: named(key, body) };
}

function named(key: string, body: Record<string, string | boolean | Record<string, string>>): SharedV4ProviderOptions {
  return Object.keys(body).length > 0 ? { [key]: body } : {};
}
