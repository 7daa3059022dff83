// Vendors by name: address, key variables, API, default model, quirks. All can be overridden in the configuration.
import { CHINESE_VENDORS } from "./catalog-china.ts";
import { LOCAL_VENDORS } from "./catalog-local.ts";
import type { Vendor } from "./vendor.ts";

export type { Vendor } from "./vendor.ts";

/** Addresses and key variables from each vendor's quick start; models as listed by their pages on the day given. */
const WESTERN_VENDORS: readonly Vendor[] = [
  // platform.claude.com/docs/en/about-claude/models (2026-11-21)
  {
    id: "anthropic",
    name: "Anthropic",
    api: "anthropic",
    baseUrl: "https://api.anthropic.com/v1",
    keys: ["ANTHROPIC_API_KEY"],
    defaultModel: "claude-sonnet-5-5",
  },
  // developers.openai.com/api/docs/models/gpt-6.1-sol (2026-11-21)
  {
    id: "openai",
    name: "OpenAI",
    api: "openai-responses",
    baseUrl: "https://api.openai.com/v1",
    keys: ["OPENAI_API_KEY"],
    defaultModel: "gpt-6.1-sol",
  },
  // ai.google.dev/gemini-api/docs/models (2026-11-21)
  {
    id: "google",
    name: "Google Gemini",
    api: "google",
    baseUrl: "https://generativelanguage.googleapis.com/v1beta",
    keys: ["GEMINI_API_KEY", "GOOGLE_GENERATIVE_AI_API_KEY", "GOOGLE_API_KEY"],
    defaultModel: "gemini-3.8-flash",
  },
  // openrouter.ai/docs/quickstart and /docs/features/prompt-caching, /docs/use-cases/reasoning-tokens (2026-11-21)
  {
    id: "openrouter",
    name: "OpenRouter",
    api: "openai-chat",
    baseUrl: "https://openrouter.ai/api/v1",
    keys: ["OPENROUTER_API_KEY"],
    defaultModel: "anthropic/claude-sonnet-5.5",
    quirks: { cacheControl: "blocks", thinking: "reasoning-object" },
  },
  // console.groq.com/docs/openai (2026-11-21)
  {
    id: "groq",
    name: "Groq",
    api: "openai-chat",
    baseUrl: "https://api.groq.com/openai/v1",
    keys: ["GROQ_API_KEY"],
    defaultModel: "openai/gpt-oss-120b",
    quirks: { thinking: "effort" },
  },
  // docs.mistral.ai/api; call ids of nine characters: "Tool call id must be a-z, A-Z, 0-9, with a length of 9" (2026-11-21)
  {
    id: "mistral",
    name: "Mistral",
    api: "openai-chat",
    baseUrl: "https://api.mistral.ai/v1",
    keys: ["MISTRAL_API_KEY"],
    defaultModel: "mistral-medium-latest",
    quirks: { callIds: "nine" },
  },
  // docs.x.ai/developers (2026-11-21)
  {
    id: "xai",
    name: "xAI",
    api: "openai-chat",
    baseUrl: "https://api.x.ai/v1",
    keys: ["XAI_API_KEY"],
    defaultModel: "grok-4.5",
    quirks: { thinking: "effort" },
  },
  // docs.together.ai/docs/openai-api-compatibility (2026-11-21)
  {
    id: "together",
    name: "Together AI",
    api: "openai-chat",
    baseUrl: "https://api.together.xyz/v1",
    keys: ["TOGETHER_API_KEY"],
    defaultModel: "openai/gpt-oss-120b",
  },
  // docs.fireworks.ai/tools-sdks/openai-compatibility (2026-11-21)
  {
    id: "fireworks",
    name: "Fireworks AI",
    api: "openai-chat",
    baseUrl: "https://api.fireworks.ai/inference/v1",
    keys: ["FIREWORKS_API_KEY"],
    defaultModel: "accounts/fireworks/models/gpt-oss-120b",
  },
  // inference-docs.cerebras.ai/openai (2026-11-21)
  {
    id: "cerebras",
    name: "Cerebras",
    api: "openai-chat",
    baseUrl: "https://api.cerebras.ai/v1",
    keys: ["CEREBRAS_API_KEY"],
    defaultModel: "gpt-oss-120b",
    quirks: { maxTokensField: "max_completion_tokens" },
  },
  // docs.perplexity.ai/guides/chat-completions-guide (2026-11-21)
  {
    id: "perplexity",
    name: "Perplexity",
    api: "openai-chat",
    baseUrl: "https://api.perplexity.ai",
    keys: ["PERPLEXITY_API_KEY"],
    defaultModel: "sonar",
  },
  // docs.cohere.com/docs/compatibility-api (2026-11-21)
  {
    id: "cohere",
    name: "Cohere",
    api: "openai-chat",
    baseUrl: "https://api.cohere.ai/compatibility/v1",
    keys: ["COHERE_API_KEY", "CO_API_KEY"],
    defaultModel: "command-a-03-2025",
  },
  // docs.api.nvidia.com/nim/reference (2026-11-21)
  {
    id: "nvidia",
    name: "NVIDIA",
    api: "openai-chat",
    baseUrl: "https://integrate.api.nvidia.com/v1",
    keys: ["NVIDIA_API_KEY"],
    defaultModel: "openai/gpt-oss-120b",
  },
  // huggingface.co/docs/inference-providers (2026-11-21)
  {
    id: "huggingface",
    name: "Hugging Face",
    api: "openai-chat",
    baseUrl: "https://router.huggingface.co/v1",
    keys: ["HF_TOKEN"],
    defaultModel: "openai/gpt-oss-120b",
  },
  // docs.deepinfra.com/chat/overview (2026-11-21)
  {
    id: "deepinfra",
    name: "DeepInfra",
    api: "openai-chat",
    baseUrl: "https://api.deepinfra.com/v1/openai",
    keys: ["DEEPINFRA_API_KEY", "DEEPINFRA_TOKEN"],
    defaultModel: "openai/gpt-oss-120b",
  },
  // vercel.com/docs/ai-gateway/openai-compat (2026-11-21)
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
