// What differs between the APIs and vendors behind one interface.

export type WireKind = "anthropic" | "openai-chat" | "openai-responses" | "google";

export interface Quirks {
  /** Default: taken from the model's own name for itself. */
  readonly wire?: WireKind;
  /** `nine`: exactly nine letters and digits (Mistral). */
  readonly callIds?: "plain" | "nine";
  /**
   * How broken argument text is sent back. `text`: as received. `object` (default): as `{}`; local servers parse the
   * text for their templates and would reject the request.
   */
  readonly brokenArguments?: "text" | "object";
  /** Tool results may hold images. Otherwise they follow in a user message. */
  readonly toolResultImages?: boolean;
  /** The model takes images. Default true; otherwise a line says that one was not delivered. */
  readonly images?: boolean;
  /** PDF files as they are. */
  readonly files?: boolean;
  /** `blocks`: explicit breakpoints as on Anthropic's API, also through OpenAI-compatible routers. */
  readonly cacheControl?: "blocks" | "none";
  /** Where the cache key goes. */
  readonly cacheKey?: "prompt_cache_key" | "none";
  /** How thinking is asked for on an OpenAI-compatible API. Default `none`: the model decides. */
  readonly thinking?: ThinkingStyle;
  /** Calls must be accompanied by the field `reasoning_content`, even an empty one (DeepSeek, Moonshot). */
  readonly echoReasoning?: boolean;
  /** Name of the output limit. Default `max_tokens`. */
  readonly maxTokensField?: "max_tokens" | "max_completion_tokens";
}

/**
 * - `effort`: `reasoning_effort: "low"` (OpenAI, Groq, xAI)
 * - `reasoning-object`: `reasoning: { effort }` (OpenRouter)
 * - `thinking-type`: `thinking: { type: "enabled" | "disabled" }` (Zhipu, Doubao, Moonshot, DeepSeek)
 * - `enable-thinking`: `enable_thinking: true` (DashScope, SiliconFlow, ModelScope)
 */
export type ThinkingStyle = "none" | "effort" | "reasoning-object" | "thinking-type" | "enable-thinking";

/** Quirks with every default filled in for a wire. */
export function resolveQuirks(quirks: Quirks, modelProvider: string): Required<Quirks> {
  const wire = quirks.wire ?? wireOf(modelProvider);
  const native = wire !== "openai-chat";
  return {
    wire,
    callIds: quirks.callIds ?? "plain",
    brokenArguments: quirks.brokenArguments ?? "object",
    toolResultImages: quirks.toolResultImages ?? (wire === "anthropic" || wire === "openai-responses"),
    images: quirks.images ?? true,
    files: quirks.files ?? native,
    cacheControl: quirks.cacheControl ?? (wire === "anthropic" ? "blocks" : "none"),
    cacheKey:
      quirks.cacheKey ?? (wire === "openai-responses" || modelProvider === "openai.chat" ? "prompt_cache_key" : "none"),
    thinking: quirks.thinking ?? "none",
    echoReasoning: quirks.echoReasoning ?? false,
    maxTokensField: quirks.maxTokensField ?? "max_tokens",
  };
}

/** `anthropic.messages`, `openai.responses`, `google.generative-ai`; everything else speaks chat. */
function wireOf(modelProvider: string): WireKind {
  const name = modelProvider.toLowerCase();
  if (name.includes("anthropic") || name.endsWith(".messages")) return "anthropic";
  if (name.endsWith(".responses")) return "openai-responses";
  return name.startsWith("google") || name.includes("vertex") ? "google" : "openai-chat";
}
