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

/** White space that tokenx joins with ASCII one beside it. */
const OTHER_SPACE = /[^\S\0-\x7f]/;

/**
 * What tokenx says, without a look at each word by a dozen patterns: most of what is counted is ASCII, where a word is one
 * of few kinds. Words with anything else in them are counted by tokenx, with the space behind them, which looks back.
 */
function countText(text: string): number {
  let total = 0;
  let before = 0; // the last character of the word before
  for (let at = 0; at < text.length;) {
    const kind = kindOf(text.charCodeAt(at));
    let end = at + 1;
    if (kind === SPACE) {
      while (end < text.length && kindOf(text.charCodeAt(end)) === SPACE) end += 1;
      total += spaceTokens(text, at, end, before);
      at = end;
      continue;
    }
    while (end < text.length && kindOf(text.charCodeAt(end)) === kind) end += 1;
    if (kind !== OTHER && (end === text.length || kindOf(text.charCodeAt(end)) !== OTHER)) {
      total += wordTokens(text, at, end, kind);
      before = text.charCodeAt(end - 1);
      at = end;
      continue;
    }
    end = endOfOthers(text, at);
    const rest = text.slice(at, end);
    if (OTHER_SPACE.test(rest)) return estimateTokenCount(text);
    total += estimateTokenCount(rest);
    before = text.charCodeAt(end - 1);
    at = end;
  }
  return total;
}

/** Behind the words that have other characters in them, and the space behind each. */
function endOfOthers(text: string, from: number): number {
  for (let end = from; ;) {
    let isOther = false;
    let next = end;
    for (; next < text.length && kindOf(text.charCodeAt(next)) !== SPACE; next++)
      isOther ||= text.charCodeAt(next) > 127;
    if (!isOther) return end;
    while (next < text.length && kindOf(text.charCodeAt(next)) === SPACE) next += 1;
    end = next;
  }
}

const SPACE = 0;
const WORD = 1;
const PUNCTUATION = 2;
const OTHER = 3;

function kindOf(code: number): number {
  if (code > 127) return OTHER;
  if (code === 32 || (code >= 9 && code <= 13)) return SPACE;
  const isPunctuation =
    (code > 32 && code < 48 && code !== 39) || // the apostrophe is a part of words
    (code > 57 && code < 65) ||
    (code > 90 && code < 97) ||
    (code > 122 && code < 127);
  return isPunctuation ? PUNCTUATION : WORD;
}

/** Of tokenx: indentation and blank lines are one, a line's end is one unless punctuation stands before it. */
function spaceTokens(text: string, from: number, to: number, before: number): number {
  const newline = text.indexOf("\n", from);
  if (newline < 0 || newline >= to) return 0;
  return newline < to - 1 || kindOf(before) !== PUNCTUATION ? 1 : 0;
}

/** Of tokenx: characters a token, of digits, short words, punctuation and all else. */
function wordTokens(text: string, from: number, to: number, kind: number): number {
  const length = to - from;
  if (kind === PUNCTUATION) return length <= 3 ? 1 : Math.ceil(length / 6);
  let digits = 0;
  let small = 0;
  for (let at = from; at < to; at++) {
    const code = text.charCodeAt(at);
    if (code >= 48 && code <= 57) digits += 1;
    else if (code >= 97 && code <= 122) small += 1;
  }
  if (digits === length) return Math.ceil(length / 3);
  return length <= 3 || (length <= 8 && small === length) ? 1 : Math.ceil(length / 7);
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
