/** What of a reply is read aloud: its sentences, without code, tables, addresses and pictures, and no longer than people listen. Pure. */
import { createBoundaries } from "../markup/boundaries.ts";
import { parseMarkup } from "../markup/parse.ts";
import type { Block, Inline } from "../markup/tree.ts";
import { speaker } from "../../lib/texts.ts";
import { isSyllable, secondsOfOne } from "../../lib/voice/seconds.ts";
import { en } from "./texts.en.ts";
import { zh } from "./texts.zh.ts";

const MAX_SECONDS = 90;
const CHINESE = /\p{Script=Han}/gu;
const PICTURES = /\p{Extended_Pictographic}|\u{FE0F}|\u{200D}|[\u{1F1E6}-\u{1F1FF}]/gu;
const ADDRESS = /(?:https?:\/\/|www\.)[^\s<>，。；、）】」]+/giu;

const say = speaker(en, zh);

/** @returns `""`: there is nothing to read. */
export function spokenText(markdown: string): string {
  const whole = linesOf(parseMarkup(markdown)).join("\n");
  const shortened = cutTo(whole, MAX_SECONDS);
  if (shortened === whole) return whole;
  return `${shortened}\n${say(isChinese(whole) ? "zh-CN" : "en")("rest")}`;
}

/** A sentence of ours is in the language of the text. */
function isChinese(text: string): boolean {
  return (text.match(CHINESE)?.length ?? 0) * 4 > text.length;
}

/** At the end of a sentence, where there is one. */
function cutTo(text: string, seconds: number): string {
  let at = 0;
  let passed = 0;
  for (const character of text) {
    passed += secondsOfOne(character);
    if (passed > seconds) break;
    at += character.length;
  }
  if (at >= text.length) return text;
  const { sentence, word } = createBoundaries();
  return text.slice(0, sentence(text, at) || word(text, at) || at).trimEnd();
}

function linesOf(blocks: readonly Block[]): readonly string[] {
  return blocks.flatMap((block) => {
    switch (block.type) {
      case "paragraph":
      case "heading":
        return sentence(wordsOf(block.children));
      case "quote":
        return linesOf(block.children);
      case "list":
        return block.items.flatMap(({ children }) => linesOf(children));
      case "code":
      case "table":
      case "rule":
        return [];
    }
  });
}

/** A pause behind a line that has none of its own. */
function sentence(words: string): readonly string[] {
  const line = words.replaceAll(ADDRESS, "").replaceAll(PICTURES, "").replaceAll(/\s+/g, " ").trim();
  if (!/[\p{L}\p{N}]/u.test(line)) return [];
  return [/[\p{P}]$/u.test(line) ? line : `${line}${isSyllable(line.at(-1) ?? "") ? "。" : "."}`];
}

/** Words between back quotes are words of their sentence; what stands alone in a block is code. */
function wordsOf(nodes: readonly Inline[]): string {
  return nodes
    .map((node) => {
      if (node.type === "text" || node.type === "code") return node.text;
      if (node.type === "break") return " ";
      return node.type === "image" ? "" : wordsOf(node.children);
    })
    .join("");
}
