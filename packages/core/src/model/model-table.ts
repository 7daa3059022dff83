// Rows of models.ts. A date says when the source before it was read; rows behind "from memory, unverified" were not looked
// up by anybody. A price that was not found is left out.
import type { ModelInfo, Price } from "./model-info.ts";

export interface ModelRow extends ModelInfo {
  readonly pattern: RegExp;
  /** Providers to which the price applies. */
  readonly vendors: readonly string[];
}

const row = (
  vendors: readonly string[],
  pattern: RegExp,
  contextWindow: number,
  maxOutputTokens: number,
  abilities: "text" | "images" | "thinking" | "both",
  price?: Price,
): ModelRow => ({
  pattern,
  vendors,
  contextWindow,
  maxOutputTokens,
  images: abilities === "images" || abilities === "both",
  thinking: abilities === "thinking" || abilities === "both",
  ...(price !== undefined && { price }),
});
const price = (input: number, output: number, cacheRead?: number, cacheWrite?: number): Price => ({
  input,
  output,
  ...(cacheRead !== undefined && { cacheRead }),
  ...(cacheWrite !== undefined && { cacheWrite }),
});

/** More special patterns first. */
export const MODEL_ROWS: readonly ModelRow[] = [
  // platform.claude.com/docs, whats-new-opus-5 with the line-up (prices without cache, except Opus 5), read 2026-11-21. Cache
  // write is the five-minute one; the other cache prices: from memory, unverified.
  row(["anthropic"], /^claude-fable-5/, 1_000_000, 128_000, "both", price(10, 50)),
  row(["anthropic"], /^claude-opus-5[-.]5/, 1_000_000, 128_000, "both", price(4, 20, 0.2, 5)),
  row(["anthropic"], /^claude-opus-5/, 1_000_000, 128_000, "both", price(5, 25, 0.5, 6.25)),
  row(["anthropic"], /^claude-sonnet-5[-.]5/, 1_000_000, 128_000, "both", price(2, 10)),
  row(["anthropic"], /^claude-sonnet-5/, 1_000_000, 128_000, "both", price(2, 10, 0.2, 2.5)),
  // Listed as "from $0.10 / $0.50": it varies, so no price.
  row(["anthropic"], /^claude-haiku-5[-.]5/, 1_000_000, 128_000, "both"),
  // From memory, unverified.
  row(["anthropic"], /^claude-opus-4[-.][678]/, 1_000_000, 128_000, "both", price(5, 25, 0.5, 6.25)),
  row(["anthropic"], /^claude-sonnet-4[-.]6/, 1_000_000, 64_000, "both", price(3, 15, 0.3, 3.75)),
  row(["anthropic"], /^claude-opus-4[-.]5/, 200_000, 64_000, "both", price(5, 25, 0.5, 6.25)),
  row(["anthropic"], /^claude-sonnet-4/, 200_000, 64_000, "both", price(3, 15, 0.3, 3.75)),
  row(["anthropic"], /^claude-haiku-4[-.]5/, 200_000, 64_000, "both", price(1, 5, 0.1, 1.25)),
  row(["anthropic"], /^claude-opus-4/, 200_000, 32_000, "both", price(15, 75, 1.5, 18.75)),
  row(["anthropic"], /^claude/, 200_000, 8192, "images"),
  // w3cschool.cn and docs.litellm.ai on gpt-6.1-sol, inference.sh on gpt-6-sol, read 2026-11-21.
  // Prices above 272,000 input tokens are higher and not modeled.
  row(["openai"], /^gpt-6\.1-sol/, 1_050_000, 128_000, "both", price(2, 10, 0.1, 2.5)),
  row(["openai"], /^gpt-6-sol/, 1_050_000, 128_000, "both", price(2, 10, 0.2, 2.5)),
  // From memory, unverified.
  row(["openai"], /^gpt-6/, 1_050_000, 128_000, "both"),
  row(["openai"], /^gpt-5\.[456]/, 1_050_000, 128_000, "both"),
  row(["openai"], /^gpt-5-mini/, 400_000, 128_000, "both", price(0.25, 2, 0.025)),
  row(["openai"], /^gpt-5-nano/, 400_000, 128_000, "both", price(0.05, 0.4, 0.005)),
  row(["openai"], /^gpt-5(?:\.1)?(?:-2025|-codex)?(?:-|$)/, 400_000, 128_000, "both", price(1.25, 10, 0.125)),
  row(["openai"], /^gpt-5/, 400_000, 128_000, "both"),
  row(["openai"], /^gpt-4\.1-mini/, 1_047_576, 32_768, "images", price(0.4, 1.6, 0.1)),
  row(["openai"], /^gpt-4\.1-nano/, 1_047_576, 32_768, "images", price(0.1, 0.4, 0.025)),
  row(["openai"], /^gpt-4\.1/, 1_047_576, 32_768, "images", price(2, 8, 0.5)),
  // Speech to text. developers.openai.com/api/docs/models/gpt-4o-transcribe, vercel.com/ai-gateway/models, read 2026-11-22.
  row(["openai"], /^gpt-4o-mini-transcribe/, 16_000, 2000, "text", price(1.25, 5)),
  row(["openai"], /^gpt-4o-transcribe/, 16_000, 2000, "text", price(2.5, 10)),
  // From memory, unverified.
  row(["openai"], /^gpt-4o-mini/, 128_000, 16_384, "images", price(0.15, 0.6, 0.075)),
  row(["openai"], /^gpt-4o/, 128_000, 16_384, "images", price(2.5, 10, 1.25)),
  row(["openai"], /^o[34]/, 200_000, 100_000, "both"),
  row(["groq", "together", "fireworks", "cerebras"], /^gpt-oss/, 131_072, 32_768, "thinking"),
  // vercel.com/ai-gateway/models/gemini-3.8-flash, docs.apiyi.com/models/gemini-3-8-flash, read 2026-11-21.
  row(["google"], /^gemini-3\.[678]-flash/, 1_048_576, 65_536, "both", price(0.75, 3.75, 0.075)),
  // From memory, unverified.
  row(["google"], /^gemini-(?:3|4|flash|pro)/, 1_048_576, 65_536, "both"),
  row(["google"], /^gemini-2\.5-pro/, 1_048_576, 65_536, "both", price(1.25, 10, 0.31)),
  row(["google"], /^gemini-2\.5-flash-lite/, 1_048_576, 65_536, "both", price(0.1, 0.4, 0.025)),
  row(["google"], /^gemini-2\.5-flash/, 1_048_576, 65_536, "both", price(0.3, 2.5, 0.075)),
  row(["google"], /^gemini/, 1_048_576, 8192, "images"),
  row([], /^gemma/, 131_072, 8192, "images"),
  // api-docs.deepseek.com/zh-cn/quick_start/pricing, read 2026-11-21. Prices depend on the hour, so none is given. The page
  // says that deepseek-flash takes images and deepseek-v4-pro does not: none are sent to either.
  row([], /^deepseek-(?:flash|pro|v[45])/, 1_000_000, 384_000, "thinking"),
  // From memory, unverified.
  row([], /^deepseek/, 128_000, 8192, "thinking"),
  // docs.apiyi.com/models/grok-4-5.md, Zoo-Code issue 866, read 2026-11-21 (higher above 204,800 input tokens).
  row(["xai"], /^grok-4\.5/, 500_000, 32_768, "both", price(2, 6, 0.5)),
  // grok-4.3: docs.apiyi.com/api-capabilities/grok/overview, read 2026-11-21. The others: from memory, unverified.
  row([], /^grok-4\.3/, 1_000_000, 32_768, "both"),
  row([], /^grok-4\.[67]/, 500_000, 32_768, "both"),
  row([], /^grok/, 256_000, 32_768, "both"),
  // charmbracelet/catwalk#450, read 2026-11-21.
  row(["moonshot"], /^kimi-k3/, 1_048_576, 131_072, "both", price(3, 15, 0.3)),
  // From memory, unverified.
  row([], /^kimi-k2\.[67]/, 262_144, 32_768, "both"),
  row([], /^(?:kimi|moonshot)/, 131_072, 16_384, "text"),
  // vercel.com/ai-gateway/models/mistral-medium-3.5 and the dev.to guides to it, read 2026-11-21; output limit from memory.
  row(["mistral"], /^mistral-medium-(?:latest|3)/, 256_000, 32_768, "both", price(1.5, 7.5)),
  // From memory, unverified.
  row([], /^(?:mistral|ministral|magistral|devstral|codestral)/, 128_000, 32_768, "images"),
  // github.com/VladoIvankovic/Codeep v3.3.0 (Model Studio international), read 2026-11-21.
  row(["qwen"], /^qwen3\.8-max/, 1_000_000, 65_536, "thinking", price(2, 6)),
  row(["qwen"], /^qwen3\.8-flash/, 1_000_000, 65_536, "thinking", price(0.15, 0.47)),
  // From memory, unverified.
  row([], /^qwen3\.[78]/, 1_000_000, 65_536, "thinking"),
  row([], /^qwen.*-?vl/, 131_072, 32_768, "both"),
  row([], /^(?:qwen|qwq)/, 131_072, 32_768, "thinking"),
  // docs.venice.ai/models: glm-5, glm-5-1, glm-5-2, read 2026-11-21.
  row([], /^glm-5(?:\.1)?(?:-|$)/, 200_000, 32_768, "thinking"),
  row([], /^glm-5/, 1_000_000, 131_072, "thinking"),
  // From memory, unverified.
  row([], /^glm.*v/, 65_536, 16_384, "both"),
  row([], /^glm/, 200_000, 98_304, "thinking"),
  // models.dev pull requests 2058 and 2157, read 2026-11-21: documented with 1,000,000, served with 512,000.
  row([], /^minimax-m3/, 500_000, 131_072, "both"),
  // From memory, unverified, to the end.
  row([], /^minimax/, 204_800, 131_072, "thinking"),
  row([], /^(?:doubao|ep-)/, 256_000, 32_768, "both"),
  row([], /^(?:hunyuan|hy)/, 131_072, 16_384, "thinking"),
  row([], /^(?:ernie|step|baichuan|yi-)/, 32_768, 8192, "text"),
  row([], /^(?:command)/, 256_000, 8192, "text"),
  row([], /^sonar/, 128_000, 8192, "images"),
  row([], /^(?:meta-)?llama-?4/, 1_000_000, 16_384, "images"),
  row([], /^(?:meta-)?llama/, 131_072, 8192, "text"),
  row([], /^(?:nemotron|nvidia)/, 131_072, 16_384, "thinking"),
];
