// Tokens as reported, or our estimate of them.
import type { AssistantPart, Message, Usage } from "../contract/message.ts";
import type { ModelRequest } from "../contract/provider.ts";

/** Characters of a text that are looked at; longer ones are taken to go on as they began. */
const SAMPLE_CHARS = 4096;
/** What an image costs about, in tokens. Anthropic: width · height / 750, at most about 1,600 (2026-11-21). */
const IMAGE_TOKENS = 1200;

/** Tokens as an API reports them. */
export interface TokenReport {
  readonly inputTokens: {
    readonly total?: number | undefined;
    readonly noCache?: number | undefined;
    readonly cacheRead?: number | undefined;
    readonly cacheWrite?: number | undefined;
  };
  readonly outputTokens: { readonly total?: number | undefined };
}

/** `undefined` when nothing usable was reported: no input is never zero tokens. */
export function reportedUsage(usage: TokenReport | undefined): Usage | undefined {
  const input = usage?.inputTokens;
  if (input === undefined) return undefined;
  const cacheRead = count(input.cacheRead);
  const cacheWrite = count(input.cacheWrite);
  // `total` includes the cached tokens by the interface; some adapters leave it out.
  const total = Math.max(count(input.total), count(input.noCache) + cacheRead + cacheWrite);
  if (total === 0) return undefined;
  return { input: total, output: count(usage?.outputTokens.total), cacheRead, cacheWrite };
}

/** A rough count of a whole request and its answer, flagged as such. */
export function estimatedUsage(request: ModelRequest, parts: readonly AssistantPart[]): Usage {
  let input = tokens(request.prefix.system) + tokens(JSON.stringify(request.prefix.tools));
  for (const message of request.messages) input += messageTokens(message);
  let output = 0;
  for (const part of parts) output += partTokens(part);
  return { input, output, cacheRead: 0, cacheWrite: 0, estimated: true };
}

function messageTokens(message: Message): number {
  if (message.role === "notice") return tokens(message.text) + 4;
  let sum = 4; // Role and separators.
  for (const part of message.parts) sum += partTokens(part);
  return sum;
}

function partTokens(part: Extract<Message, { readonly parts: unknown }>["parts"][number]): number {
  switch (part.type) {
    case "text":
    case "thinking":
      return tokens(part.text);
    case "media":
      return IMAGE_TOKENS;
    case "tool-call":
      return tokens(part.name) + tokens(part.inputText ?? JSON.stringify(part.input)) + 8;
  }
}

/** Four ASCII characters a token, and one and a half of the others: within a fifth for prose in most languages. */
function tokens(text: string): number {
  const sample = Math.min(text.length, SAMPLE_CHARS);
  if (sample === 0) return 0;
  let ascii = 0;
  for (let at = 0; at < sample; at++) if (text.charCodeAt(at) < 128) ascii++;
  return Math.ceil(((ascii / 4 + (sample - ascii) / 1.5) * text.length) / sample);
}

/** More is no count of one request: it would break the sums, or spend a budget at once. */
const MAX_TOKENS = 100_000_000;

function count(value: number | undefined): number {
  return value !== undefined && value > 0 && value <= MAX_TOKENS ? Math.round(value) : 0;
}
