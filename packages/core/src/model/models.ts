// What is known about models by name: window, output limit, price, abilities. A sane guess for all others.
import type { Usage } from "../contract/message.ts";
import type { ModelInfo, Price } from "./model-info.ts";
import { MODEL_ROWS } from "./model-table.ts";

/** Small enough for every current model and most local ones. */
export const DEFAULT_MODEL: ModelInfo = {
  contextWindow: 128_000,
  maxOutputTokens: 8192,
  images: true,
  thinking: false,
};
/** Local servers cut the window to what the memory allows; Ollama's own default is smaller still. */
const LOCAL_WINDOW = 32_768;
/** `us.anthropic.claude-…`: an inference profile's region and the maker (Bedrock user guide, 2026-11-21). */
const BEDROCK_VENDOR = /^(?:[a-z-]+\.)?[a-z0-9]+\.(?=[a-z])/;

/**
 * Looks a model up by name, with or without a vendor in front (`anthropic/claude-…`) and a date or tag behind. The first
 * matching row counts. Prices apply to the vendor's own API, so none is given for other providers.
 */
export function modelInfo(provider: string, model: string, options: { readonly local?: boolean } = {}): ModelInfo {
  const short = model.toLowerCase().replace(/^.*\//, "");
  const name = provider === "bedrock" ? short.replace(BEDROCK_VENDOR, "") : short;
  const row = MODEL_ROWS.find(({ pattern }) => pattern.test(name));
  if (row === undefined)
    return options.local === true ? { ...DEFAULT_MODEL, contextWindow: LOCAL_WINDOW } : DEFAULT_MODEL;
  const { contextWindow, maxOutputTokens, images, thinking, price, vendors } = row;
  return {
    contextWindow: options.local === true ? Math.min(contextWindow, LOCAL_WINDOW) : contextWindow,
    maxOutputTokens,
    images,
    thinking,
    ...(price !== undefined && vendors.includes(provider) && { price }),
  };
}

/** @returns US dollars, or undefined when the price is unknown. */
export function costOf(usage: Usage, price: Price | undefined): number | undefined {
  if (price === undefined) return undefined;
  const plain = Math.max(0, usage.input - usage.cacheRead - usage.cacheWrite);
  const read = usage.cacheRead * (price.cacheRead ?? price.input);
  const write = usage.cacheWrite * (price.cacheWrite ?? price.input);
  return (plain * price.input + read + write + usage.output * price.output) / 1_000_000;
}
