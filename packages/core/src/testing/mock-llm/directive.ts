// `[[bench …]]` in a user message scripts the answer: for programs that cannot queue one (benchmarks, end to end).

import type { RecordedRequest } from "./request.ts";
import type { Reply } from "./script.ts";
import { callsTools, says } from "./script.ts";

/** Fields of the directive; the same as those of the benchmark kit. */
export interface Directive {
  /** Rounds of tool calls before the final text. */
  readonly tools: number;
  /** Calls in each round. */
  readonly parallel: number;
  readonly tool: string;
  /** JSON text; `{{n}}` becomes the number of the call in the turn, from 1. */
  readonly args: string;
  /** Deltas in the final text. */
  readonly chunks: number;
  /** Text of one delta. */
  readonly text: string;
  /** Milliseconds before the first byte. */
  readonly delay: number;
  /** Milliseconds between writes. */
  readonly chunkdelay: number;
  /** Deltas in one write. */
  readonly batch: number;
  readonly id: string;
  /** 0: this request is not kept. */
  readonly record: number;
  /** 1: honored although the request offers no tools. */
  readonly bare: number;
}

const DEFAULTS: Directive = {
  tools: 0,
  parallel: 1,
  tool: "",
  args: "{}",
  chunks: 1,
  text: "word ",
  delay: 0,
  chunkdelay: 0,
  batch: 32,
  id: "",
  record: 1,
  bare: 0,
};

/** The last directive of a text. */
export function parseDirective(source: string): Directive | undefined {
  const start = source.lastIndexOf("[[bench");
  if (start < 0) return undefined;
  let text = source.slice(start + "[[bench".length);
  if (text.includes('={\\"')) text = text.replaceAll('\\"', '"'); // a prompt that was quoted on its way
  const found: Record<string, string | number> = {};
  for (;;) {
    text = text.trimStart();
    if (text.startsWith("]]")) return { ...DEFAULTS, ...found };
    const key = /^([a-z]+)=/.exec(text)?.[1];
    if (key === undefined) return undefined;
    text = text.slice(key.length + 1);
    const length = text.startsWith("{") ? jsonLength(text) : (/^(?:(?!\]\])\S)*/.exec(text)?.[0].length ?? 0);
    const value = text.slice(0, length);
    found[key] = typeof DEFAULTS[key as keyof Directive] === "number" ? Number(value) : value; // unknown keys stay strings
    text = text.slice(length);
  }
}

/** The inverse of `parseDirective`. */
export function directive(fields: Partial<Omit<Directive, "args">> & { readonly args?: unknown }): string {
  const parts = Object.entries(fields).map(
    ([key, value]) => `${key}=${typeof value === "string" ? value : JSON.stringify(value)}`,
  );
  return `[[bench ${parts.join(" ")}]]`;
}

/** The answer that the conversation's directive asks for; undefined without one. */
export function directed(request: RecordedRequest): { readonly reply: Reply; readonly record: boolean } | undefined {
  let results = 0;
  let found: Directive | undefined;
  for (const message of request.messages.toReversed()) {
    if (message.role === "tool") results += message.parts.length;
    if (message.role !== "user") continue;
    found = parseDirective(message.parts.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("\n"));
    if (found !== undefined) break;
  }
  if (found === undefined) return undefined;
  const script = found;
  const record = script.record !== 0;
  const timing = { ...(script.delay > 0 && { delayMs: script.delay }) };
  if (request.toolNames.length === 0 && script.bare === 0) return { reply: says("ok"), record };
  const round = Math.floor(results / script.parallel);
  if (round >= script.tools) {
    const chunks = Array.from<string>({ length: script.chunks }).fill(script.text);
    const pace = { ...(script.chunkdelay > 0 && { chunkDelayMs: script.chunkdelay }) };
    return { reply: says("", { chunks, batch: script.batch, ...timing, ...pace }), record };
  }
  if (!request.toolNames.includes(script.tool))
    return {
      reply: says(`bench-error: tool ${script.tool} is not offered; offered: ${request.toolNames.join(",")}`),
      record,
    };
  const calls = Array.from({ length: script.parallel }, (_, index) => ({
    id: `call_${request.messages.length}_${index}`,
    name: script.tool,
    args: script.args.replaceAll("{{n}}", String(round * script.parallel + index + 1)),
  }));
  return { reply: callsTools(calls, timing), record };
}

/** Length of the JSON object at the start of a text. */
function jsonLength(text: string): number {
  let depth = 0;
  let quoted = false;
  for (let at = 0; at < text.length; at++) {
    const character = text[at];
    if (quoted) {
      if (character === "\\") at++;
      else if (character === '"') quoted = false;
    } else if (character === '"') quoted = true;
    else if (character === "{") depth++;
    else if (character === "}" && --depth === 0) return at + 1;
  }
  return text.length;
}
