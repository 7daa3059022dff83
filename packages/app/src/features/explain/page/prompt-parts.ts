/** What was sent to the model as texts that can be read and searched. */
import type { Explanation } from "./types.ts";

export interface PromptPart {
  readonly id: "messages" | "system" | "tools";
  readonly language: "json" | "";
  readonly text: string;
}

export type Range = readonly [number, number];

export function partsOf(prompt: NonNullable<Explanation["prompt"]>): readonly PromptPart[] {
  return [
    { id: "messages", language: "json", text: JSON.stringify(prompt.messages, null, 2) },
    { id: "system", language: "", text: prompt.system },
    { id: "tools", language: "json", text: JSON.stringify(prompt.tools, null, 2) },
  ];
}

/** Each mark is an element of the page: what is asked for with one letter must not make a hundred thousand. */
export const MAX_HITS = 2_000;

/**
 * Where the words stand in each part, in the order of the parts.
 * @param words As a person types them: in JSON their quotes and line breaks are found too.
 */
export function findIn(parts: readonly PromptPart[], words: string): readonly (readonly Range[])[] {
  let left = MAX_HITS;
  return parts.map(({ text, language }) => {
    const found = words === "" ? [] : rangesOf(text, language === "json" ? inJson(words) : words, left);
    left -= found.length;
    return found;
  });
}

function rangesOf(text: string, words: string, most: number): readonly Range[] {
  const found: Range[] = [];
  for (const { index, 0: hit } of text.matchAll(new RegExp(words.replaceAll(/[$()*+./?[\\\]^{|}]/g, "\\$&"), "giu"))) {
    if (found.length >= most) break;
    found.push([index, index + hit.length]);
  }
  return found;
}

function inJson(words: string): string {
  return JSON.stringify(words).slice(1, -1);
}
