// Vendors by name: address, key variables, API, default model, quirks. All can be overridden in the configuration.
import { CHINESE_VENDORS } from "./catalog-china.ts";
import { LOCAL_VENDORS } from "./catalog-local.ts";
import type { Vendor } from "./vendor.ts";

export type { Vendor } from "./vendor.ts";

/** A date says when a source was read and for what; everything without one is from memory, unverified. */
const WESTERN_VENDORS: readonly Vendor[] = [
  // Model: platform.claude.com/docs, the line-up on each model's page (read 2026-11-21). The rest: from memory, unverified
  {
    id: "anthropic",
    name: "Anthropic",
    api: "anthropic",
    baseUrl: "https://api.anthropic.com/v1",
    keys: ["ANTHROPIC_API_KEY"],
    defaultModel: "claude-sonnet-5-5",
  },
  // Model: vercel.com/ai-gateway/models/gpt-6.1-sol.md (read 2026-11-21). The rest: from memory, unverified
  {
    id: "openai",
    name: "OpenAI",
    api: "openai-responses",
    baseUrl: "https://api.openai.com/v1",
    keys: ["OPENAI_API_KEY"],
    defaultModel: "gpt-6.1-sol",
  },
  // Model: docs.apiyi.com, quoting ai.google.dev; address: iBUHub/AIStudioToAPI#257 (read 2026-11-21). Keys: from memory, unverified
  {
    id: "google",
    name: "Google Gemini",
    api: "google",
    baseUrl: "https://generativelanguage.googleapis.com/v1beta",
    keys: ["GEMINI_API_KEY", "GOOGLE_GENERATIVE_AI_API_KEY", "GOOGLE_API_KEY"],
    defaultModel: "gemini-3.8-flash",
  },
  // Address and key: docs.boundaryml.com/ref/llm-client-providers (read 2026-11-21). Model and quirks: from memory, unverified
  {
    id: "openrouter",
    name: "OpenRouter",
    api: "openai-chat",
    baseUrl: "https://openrouter.ai/api/v1",
    keys: ["OPENROUTER_API_KEY"],
    defaultModel: "anthropic/claude-sonnet-5.5",
    quirks: { cacheControl: "blocks", thinking: "reasoning-object" },
  },
  // Address and key: console.groq.com/docs/openai (read 2026-11-21). Model and quirks: from memory, unverified
  {
    id: "groq",
    name: "Groq",
    api: "openai-chat",
    baseUrl: "https://api.groq.com/openai/v1",
    keys: ["GROQ_API_KEY"],
    defaultModel: "openai/gpt-oss-120b",
    quirks: { thinking: "effort" },
  },
  // Address: dev.to guides to Mistral Medium 3.5 (read 2026-11-21). The rest: from memory, unverified, also the error
  // "Tool call id must be a-z, A-Z, 0-9, with a length of 9"
  {
    id: "mistral",
    name: "Mistral",
    api: "openai-chat",
    baseUrl: "https://api.mistral.ai/v1",
    keys: ["MISTRAL_API_KEY"],
    defaultModel: "mistral-medium-latest",
    quirks: { callIds: "nine" },
  },
  // Address and key: relayplane.com/docs/providers/xai; model: docs.apiyi.com/models/grok-4-5.md (read 2026-11-21)
  {
    id: "xai",
    name: "xAI",
    api: "openai-chat",
    baseUrl: "https://api.x.ai/v1",
    keys: ["XAI_API_KEY"],
    defaultModel: "grok-4.5",
    quirks: { thinking: "effort" },
  },
  // docs.together.ai/docs/openai-api-compatibility: from memory, unverified
  {
    id: "together",
    name: "Together AI",
    api: "openai-chat",
    baseUrl: "https://api.together.xyz/v1",
    keys: ["TOGETHER_API_KEY"],
    defaultModel: "openai/gpt-oss-120b",
  },
  // docs.fireworks.ai/tools-sdks/openai-compatibility: from memory, unverified
  {
    id: "fireworks",
    name: "Fireworks AI",
    api: "openai-chat",
    baseUrl: "https://api.fireworks.ai/inference/v1",
    keys: ["FIREWORKS_API_KEY"],
    defaultModel: "accounts/fireworks/models/gpt-oss-120b",
  },
  // inference-docs.cerebras.ai/openai: from memory, unverified
  {
    id: "cerebras",
    name: "Cerebras",
    api: "openai-chat",
    baseUrl: "https://api.cerebras.ai/v1",
    keys: ["CEREBRAS_API_KEY"],
    defaultModel: "gpt-oss-120b",
    quirks: { maxTokensField: "max_completion_tokens" },
  },
  // docs.perplexity.ai/guides/chat-completions-guide: from memory, unverified
  {
    id: "perplexity",
    name: "Perplexity",
    api: "openai-chat",
    baseUrl: "https://api.perplexity.ai",
    keys: ["PERPLEXITY_API_KEY"],
    defaultModel: "sonar",
  },
  // docs.cohere.com/docs/compatibility-api: from memory, unverified
  {
    id: "cohere",
    name: "Cohere",
    api: "openai-chat",
    baseUrl: "https://api.cohere.ai/compatibility/v1",
    keys: ["COHERE_API_KEY", "CO_API_KEY"],
    defaultModel: "command-a-03-2025",
  },
  // docs.api.nvidia.com/nim/reference: from memory, unverified
  {
    id: "nvidia",
    name: "NVIDIA",
    api: "openai-chat",
    baseUrl: "https://integrate.api.nvidia.com/v1",
    keys: ["NVIDIA_API_KEY"],
    defaultModel: "openai/gpt-oss-120b",
  },
  // huggingface.co/docs/inference-providers: from memory, unverified
  {
    id: "huggingface",
    name: "Hugging Face",
    api: "openai-chat",
    baseUrl: "https://router.huggingface.co/v1",
    keys: ["HF_TOKEN"],
    defaultModel: "openai/gpt-oss-120b",
  },
  // docs.deepinfra.com/chat/overview: from memory, unverified
  {
    id: "deepinfra",
    name: "DeepInfra",
    api: "openai-chat",
    baseUrl: "https://api.deepinfra.com/v1/openai",
    keys: ["DEEPINFRA_API_KEY", "DEEPINFRA_TOKEN"],
    defaultModel: "openai/gpt-oss-120b",
  },
  // vercel.com/docs/ai-gateway/openai-compat: from memory, unverified
  {
    id: "vercel",
    name: "Vercel AI Gateway",
    api: "openai-chat",
    baseUrl: "https://ai-gateway.vercel.sh/v1",
    keys: ["AI_GATEWAY_API_KEY"],
    defaultModel: "anthropic/claude-sonnet-5.5",
  },
];

/** Every vendor, in the order in which keys are looked for. */
export const VENDORS: readonly Vendor[] = [...WESTERN_VENDORS, ...CHINESE_VENDORS, ...LOCAL_VENDORS];

export function findVendor(id: string): Vendor | undefined {
  return VENDORS.find((vendor) => vendor.id === id);
}
