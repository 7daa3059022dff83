// How large a prompt is before the provider has counted it.
import { estimateTokenCount } from "tokenx";
import type { AssistantPart, ContentPart, Message } from "../contract/message.ts";
import type { Prefix } from "../contract/provider.ts";
import { growingReduce } from "../lib/async/growing-list.ts";

/** Role, separators and call framing of one message; OpenAI's own counting recipe adds 3 to 4. */
const PER_MESSAGE = 4;
const PER_CALL = 12;
/** A tool definition's frame on the wire: type, function, name and schema keys. */
const PER_TOOL = 12;
/** A 1,092 × 1,092 image costs about 1,600 tokens at Anthropic and 765 to 1,105 at OpenAI; the larger is the safe side. */
const PER_IMAGE = 1_600;

export interface TokenCounter {
  text(text: string): number;
  /** Counted once per message object: messages are immutable. */
  message(message: Message): number;
  /** System prompt and tool definitions, counted once per prefix object. */
  prefix(prefix: Prefix): number;
  /**
   * All of a request, corrected by what the provider reported for earlier ones.
   * @param factor `state.tokenFactor`: reported ÷ estimated input tokens.
   */
  request(prefix: Prefix | undefined, messages: readonly Message[], factor: number): number;
  /** The same of messages whose tokens are added up already. */
  total(prefix: Prefix | undefined, tokens: number, factor: number): number;
  /** Characters that counting it reads: none when it was counted before. */
  unread(message: Message): number;
  /** Counts the new ones at the end ahead of `request`, in slices. Undefined: they are few. */
  ahead(messages: readonly Message[], pause: () => Promise<void>): Promise<void> | undefined;
}

/** Read between two turns of the event loop: a few milliseconds. */
export const SLICE_CHARS = 32_768;

export function createTokenCounter(): TokenCounter {
  const messages = new WeakMap<Message, number>();
  const prefixes = new WeakMap<Prefix, number>();
  const message = (item: Message): number => remembered(messages, item, countMessage);
  const history = growingReduce<Message, number>((total, next) => total + message(next), 0);
  const prefix = (item: Prefix): number => item.tokens ?? remembered(prefixes, item, countPrefix);
  const total: TokenCounter["total"] = (item, tokens, factor) =>
    Math.ceil(
      (tokens + (item === undefined ? 0 : prefix(item))) * (Number.isFinite(factor) && factor > 0 ? factor : 1),
    );
  const unread = (item: Message): number => (messages.has(item) ? 0 : charsOf(item));
  const count = async (list: readonly Message[], from: number, pause: () => Promise<void>): Promise<void> => {
    let chars = 0;
    for (let at = from; at < list.length; at++) {
      const item = list[at]!;
      const length = unread(item);
      chars += length;
      if (length > 2 * SLICE_CHARS) messages.set(item, await countInPieces(item, pause));
      else message(item);
      if (chars < SLICE_CHARS) continue;
      chars = 0;
      await pause();
    }
  };
  return {
    text: countText,
    message,
    prefix,
    request: (item, list, factor) => total(item, history(list), factor),
    total,
    unread,
    ahead: (list, pause) => {
      let chars = 0;
      let from = list.length;
      for (; from > 0 && !messages.has(list[from - 1]!); from--) chars += charsOf(list[from - 1]!);
      return chars < SLICE_CHARS ? undefined : count(list, from, pause);
    },
  };
}

function countText(text: string): number {
  return text === "" ? 0 : estimateTokenCount(text);
}

/** As `countMessage`, give or take a token where two pieces meet. */
async function countInPieces(message: Message, pause: () => Promise<void>): Promise<number> {
  const parts = message.role === "notice" ? [{ type: "text", text: message.text } as const] : message.parts;
  let total = PER_MESSAGE;
  for (const part of parts) {
    if (part.type !== "text") total += countPart(part);
    else
      for (let at = 0; at < part.text.length; at += SLICE_CHARS) {
        total += countText(part.text.slice(at, at + SLICE_CHARS));
        await pause();
      }
  }
  return total;
}

function countMessage(message: Message): number {
  if (message.role === "notice") return PER_MESSAGE + countText(message.text);
  const parts: readonly (ContentPart | AssistantPart)[] = message.parts;
  return parts.reduce((total, part) => total + countPart(part), PER_MESSAGE);
}

function charsOf(message: Message): number {
  if (message.role === "notice") return message.text.length;
  const parts: readonly (ContentPart | AssistantPart)[] = message.parts;
  return parts.reduce((chars, part) => chars + ("text" in part ? part.text.length : 0), 100);
}

function countPart(part: ContentPart | AssistantPart): number {
  switch (part.type) {
    case "text":
      return countText(part.text);
    case "media":
      return PER_IMAGE;
    case "thinking":
      return countText(part.text) + (part.opaque === undefined ? 0 : countText(JSON.stringify(part.opaque)));
    case "tool-call":
      return PER_CALL + countText(part.name) + countText(part.inputText ?? JSON.stringify(part.input));
  }
}

export function countPrefix(prefix: Pick<Prefix, "system" | "tools">): number {
  const tools = prefix.tools.map(
    (tool) =>
      PER_TOOL + countText(tool.name) + countText(tool.description) + countText(JSON.stringify(tool.inputSchema)),
  );
  return PER_MESSAGE + countText(prefix.system) + tools.reduce((total, tokens) => total + tokens, 0);
}

function remembered<Key extends object>(counts: WeakMap<Key, number>, key: Key, count: (key: Key) => number): number {
  const known = counts.get(key);
  if (known !== undefined) return known;
  const tokens = count(key);
  counts.set(key, tokens);
  return tokens;
}
