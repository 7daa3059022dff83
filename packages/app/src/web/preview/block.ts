/** A block of an answer, found again by what is in it: the address of its preview can be loaded anew and kept. */
import { signal } from "@preact/signals";
import { createParser } from "../markdown/parser.ts";
import { openPanel } from "../lib/route.ts";
import type { Chat } from "../store/chat-state.ts";

export interface Block {
  readonly language: string;
  readonly code: string;
}

/** Opened on this page: at hand, also when it is of another conversation than the one in the address. */
const opened = signal<{ readonly key: string; readonly block: Block } | undefined>(undefined);

export function openBlock(block: Block): void {
  const key = keyOf(block);
  opened.value = { key, block };
  openPanel(`preview/block/${key}`);
}

/** Of the loaded part of the chat, the newest first. */
export function blockOf(chat: Chat | undefined, key: string): Block | undefined {
  if (opened.value?.key === key) return opened.value.block;
  const parse = createParser();
  for (const item of (chat?.items.value ?? []).toReversed()) {
    if (item.kind !== "assistant" && item.kind !== "user") continue;
    for (const part of item.parts) {
      if (part.type !== "text" || !/```|~~~/.test(part.text)) continue;
      for (const { type, content, info } of parse(part.text, {})) {
        const block = { language: languageIn(info), code: content };
        if (type === "fence" && keyOf(block) === key) return block;
      }
    }
  }
  return undefined;
}

export function languageIn(info: string): string {
  return info.trim().split(/[\s{]/)[0] ?? "";
}

/** FNV-1a: it tells the blocks of one chat apart, and nothing depends on more. */
function keyOf({ language, code }: Block): string {
  let hash = 0x811c9dc5;
  for (const char of `${language}\n${code}`) hash = Math.imul(hash ^ (char.codePointAt(0) ?? 0), 0x01000193) >>> 0;
  return hash.toString(16).padStart(8, "0");
}
