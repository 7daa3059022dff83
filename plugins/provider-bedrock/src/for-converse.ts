/** What Converse wants otherwise than the wire it is prepared for: arguments as objects, cache points of its own. */
import type { ProviderHost } from "@margay/core";

type Source = Parameters<ProviderHost["languageModel"]>[0];
export type Model = Exclude<Source, (id: string) => unknown>;
type CallOptions = Parameters<Model["doStream"]>[0];
type PromptMessage = CallOptions["prompt"][number];

/**
 * Models that take cache points; others reject a request that has one. Those before Claude 3.5 do not.
 * @see Amazon Bedrock user guide, "Prompt caching for faster model inference" (2026-11-21)
 */
const CACHING = /anthropic\.claude-(?!v2|instant|3-(?:haiku|sonnet|opus)|3-5-sonnet-20240620)/;

/** The model, given prompts in Converse's form. */
export function forConverse(model: Model): Model {
  const caching = CACHING.test(model.modelId);
  const adapt = (options: CallOptions): CallOptions => ({
    ...options,
    prompt: options.prompt.map((message) => withCachePoint(withObjects(message), caching)),
  });
  return {
    specificationVersion: model.specificationVersion,
    provider: model.provider,
    modelId: model.modelId,
    supportedUrls: model.supportedUrls,
    doGenerate: (options) => model.doGenerate(adapt(options)),
    doStream: (options) => model.doStream(adapt(options)),
  };
}

/** Text that is kept because the model wrote it so is JSON; Converse sends it as the object it stands for. */
function withObjects(message: PromptMessage): PromptMessage {
  if (message.role !== "assistant") return message;
  if (!message.content.some((part) => part.type === "tool-call" && typeof part.input === "string")) return message;
  return {
    ...message,
    content: message.content.map((part) =>
      part.type === "tool-call" && typeof part.input === "string" ? { ...part, input: objectOf(part.input) } : part,
    ),
  };
}

function objectOf(text: string): unknown {
  const value: unknown = JSON.parse(text); // the host sends only text that is JSON
  return typeof value === "object" && value !== null && !Array.isArray(value) ? value : {};
}

/** The breakpoints that the host marks in Anthropic's words. */
function withCachePoint(message: PromptMessage, caching: boolean): PromptMessage {
  if (message.providerOptions?.["anthropic"]?.["cacheControl"] === undefined) return message;
  const { providerOptions: _, ...rest } = message;
  return caching ? { ...rest, providerOptions: { amazonBedrock: { cachePoint: { type: "default" } } } } : rest;
}
