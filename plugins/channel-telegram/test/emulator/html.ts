// The HTML of Telegram: refuses what Telegram refuses, with its words and its offsets in bytes.

import type { MessageEntity } from "grammy/types";

import { badRequest } from "./refusal.ts";

/** Text without markup, and where the markup was, in UTF-16 units. */
export interface Parsed {
  readonly text: string;
  readonly entities: readonly MessageEntity[];
}

interface Open {
  readonly tag: string;
  readonly argument: string;
  readonly offset: number;
}

/** What the parser has read and made. */
interface State {
  readonly source: string;
  readonly open: Open[];
  readonly entities: MessageEntity[];
  at: number;
  text: string;
}

const PLAIN = new Map<string, "bold" | "italic" | "underline" | "strikethrough" | "spoiler">([
  ["b", "bold"],
  ["strong", "bold"],
  ["i", "italic"],
  ["em", "italic"],
  ["u", "underline"],
  ["ins", "underline"],
  ["s", "strikethrough"],
  ["strike", "strikethrough"],
  ["del", "strikethrough"],
  ["tg-spoiler", "spoiler"],
  ["span", "spoiler"],
]);
const OTHERS = new Set(["a", "code", "pre", "blockquote", "tg-emoji", "tg-time"]);
const NAMED = new Map([
  ["lt", "<"],
  ["gt", ">"],
  ["amp", "&"],
  ["quot", '"'],
]);

/** @throws Refusal `can't parse entities: …` */
export function parseHtml(
  source: string,
  knownUser: (id: number) => MessageEntity.TextMentionMessageEntity["user"] | undefined,
): Parsed {
  const state: State = { source, open: [], entities: [], at: 0, text: "" };
  while (state.at < source.length) {
    const c = source.charAt(state.at);
    if (c === "<") readTag(state, knownUser);
    else if (c === "&") state.text += decoded(state);
    else {
      state.text += c;
      state.at++;
    }
  }
  const left = state.open.at(-1);
  if (left !== undefined) throw wrong(`can't find end tag corresponding to start tag "${left.tag}"`);
  if (!state.text.isWellFormed()) throw badRequest("can't parse entities: Text contains invalid Unicode characters");
  return { text: state.text, entities: apart(state.entities) };
}

function wrong(text: string): Error {
  return badRequest(`can't parse entities: ${text.charAt(0).toUpperCase()}${text.slice(1)}`);
}

/** Telegram counts bytes. */
function bytesBefore({ source }: State, at: number): number {
  return Buffer.byteLength(source.slice(0, at));
}

/** A character reference at the cursor, or the `&` itself when it is none. The semicolon may be missing. */
function decoded(state: State): string {
  const found = /^&(?:#x([0-9a-f]*)|#([0-9]*)|([a-z]+))(;?)/i.exec(state.source.slice(state.at, state.at + 64));
  const [whole = "&", hex, decimal, name, semicolon = ""] = found ?? [];
  const code = hex !== undefined ? Number.parseInt(hex || "0", 16) : Number.parseInt(decimal || "0", 10);
  const isNumber = name === undefined && whole.length - semicolon.length < 10 && code > 0 && code < 0x10ffff;
  const text = name !== undefined ? NAMED.get(name) : isNumber ? String.fromCodePoint(code) : undefined;
  state.at += text === undefined ? 1 : whole.length;
  return text ?? "&";
}

function readTag(state: State, knownUser: Parameters<typeof parseHtml>[1]): void {
  const begin = state.at;
  if (state.source.charAt(begin + 1) === "/") closeTag(state, begin, knownUser);
  else openTag(state, begin);
}

function isSpace(c: string): boolean {
  return c !== "" && " \t\r\n\v\0".includes(c);
}

function skipSpace(state: State): void {
  while (isSpace(state.source.charAt(state.at))) state.at++;
}

function name(state: State, stop: RegExp): string {
  const from = state.at;
  while (state.at < state.source.length && !stop.test(state.source.charAt(state.at))) state.at++;
  return state.source.slice(from, state.at);
}

function openTag(state: State, begin: number): void {
  const where = bytesBefore(state, begin);
  state.at = begin + 1;
  const tag = name(state, /[\s>]/).toLowerCase();
  if (state.at >= state.source.length) throw wrong(`unclosed start tag at byte offset ${where}`);
  if (!PLAIN.has(tag) && !OTHERS.has(tag)) throw wrong(`unsupported start tag "${tag}" at byte offset ${where}`);
  let argument = "";
  for (;;) {
    skipSpace(state);
    if (state.source.charAt(state.at) === ">") break;
    const attribute = readAttribute(state, tag, where);
    argument = argumentOf(tag, attribute.name, attribute.value) ?? argument;
  }
  state.at++;
  if (tag === "span" && argument !== "spoiler")
    throw wrong(`tag "span" must have class "tg-spoiler" at byte offset ${where}`);
  state.open.push({ tag, argument, offset: state.text.length });
}

function readAttribute(state: State, tag: string, where: number): { readonly name: string; readonly value?: string } {
  const key = name(state, /[\s=>/"']/);
  if (key === "") throw wrong(`empty attribute name in the tag "${tag}" at byte offset ${where}`);
  skipSpace(state);
  const unclosed = (): Error => wrong(`unclosed start tag "${tag}" at byte offset ${where}`);
  if (state.at >= state.source.length) throw unclosed();
  if (state.source.charAt(state.at) !== "=") return { name: key };
  state.at++;
  skipSpace(state);
  if (state.at >= state.source.length) throw unclosed();
  const quote = state.source.charAt(state.at);
  const value = quote === '"' || quote === "'" ? quoted(state, quote) : token(state);
  if (state.at >= state.source.length) throw wrong(`unclosed start tag at byte offset ${where}`);
  return { name: key, value };
}

function token(state: State): string {
  const begin = state.at;
  const value = name(state, /[^A-Za-z0-9.-]/).toLowerCase();
  if (!/[\s>]|^$/.test(state.source.charAt(state.at)))
    throw wrong(`unexpected end of name token at byte offset ${bytesBefore(state, begin)}`);
  return value;
}

function quoted(state: State, quote: string): string {
  state.at++;
  let value = "";
  while (state.at < state.source.length && state.source.charAt(state.at) !== quote)
    if (state.source.charAt(state.at) === "&") value += decoded(state);
    else value += state.source.charAt(state.at++);
  state.at++;
  return value;
}

/** What of an attribute Telegram keeps. */
function argumentOf(tag: string, key: string, value: string | undefined): string | undefined {
  if (tag === "blockquote" && key === "expandable") return "expandable";
  if (value === undefined) return undefined;
  if (tag === "a" && key === "href") return value;
  if (tag === "code" && key === "class" && value.startsWith("language-")) return value.slice(9);
  if (tag === "span" && key === "class" && value.startsWith("tg-")) return value.slice(3);
  return tag === "tg-emoji" && key === "emoji-id" ? value : undefined;
}

function closeTag(state: State, begin: number, knownUser: Parameters<typeof parseHtml>[1]): void {
  const where = bytesBefore(state, begin);
  const open = state.open.pop();
  if (open === undefined) throw wrong(`unexpected end tag at byte offset ${where}`);
  state.at = begin + 2;
  const tag = name(state, /[\s>]/).toLowerCase();
  skipSpace(state);
  if (state.source.charAt(state.at) !== ">") throw wrong(`unclosed end tag at byte offset ${where}`);
  state.at++;
  if (tag !== "" && tag !== open.tag)
    throw wrong(`unmatched end tag at byte offset ${where}, expected "</${open.tag}>", found "</${tag}>"`);
  const length = state.text.length - open.offset;
  if (length > 0) addEntity(state, open, length, knownUser);
}

function addEntity(
  state: State,
  { tag, argument, offset }: Open,
  length: number,
  knownUser: Parameters<typeof parseHtml>[1],
): void {
  const span = { offset, length };
  const plain = PLAIN.get(tag);
  const last = state.entities.at(-1);
  const same = last !== undefined && last.offset === offset && last.length === length;
  if (plain !== undefined) state.entities.push({ type: plain, ...span });
  else if (tag === "blockquote")
    state.entities.push({ type: argument === "" ? "blockquote" : "expandable_blockquote", ...span });
  else if (tag === "a") addLink(state, argument || state.text.slice(offset), span, knownUser);
  else if (tag === "code") {
    if (same && last.type === "pre" && argument !== "")
      state.entities.splice(-1, 1, { type: "pre", ...span, language: argument });
    else state.entities.push({ type: "code", ...span, ...(argument !== "" && { language: argument }) });
  } else if (tag === "pre") {
    const language = same && last.type === "code" && "language" in last ? String(last.language) : undefined;
    if (language !== undefined) state.entities.pop();
    state.entities.push({ type: "pre", ...span, ...(language !== undefined && { language }) });
  } else if (tag === "tg-emoji") {
    if (!/^\d+$/.test(argument)) throw wrong("invalid custom emoji identifier specified");
    state.entities.push({ type: "custom_emoji", ...span, custom_emoji_id: argument });
  }
}

function addLink(
  state: State,
  href: string,
  span: { offset: number; length: number },
  knownUser: Parameters<typeof parseHtml>[1],
): void {
  const id = /^tg:\/\/user\?id=(\d+)$/.exec(href)?.[1];
  const user = id === undefined ? undefined : knownUser(Number(id));
  if (user !== undefined) state.entities.push({ type: "text_mention", ...span, user });
  const url = id === undefined ? checkedLink(href) : undefined;
  if (url !== undefined) state.entities.push({ type: "text_link", ...span, url });
}

/** A link Telegram does not understand is text without a link; it is no error. */
function checkedLink(href: string): string | undefined {
  const whole = /^[a-z][a-z0-9+.-]*:/i.test(href) ? href : `http://${href}`;
  if (!URL.canParse(whole)) return undefined;
  const url = new URL(whole);
  if (["tg:", "ton:", "tonsite:"].includes(url.protocol)) return whole;
  return ["http:", "https:"].includes(url.protocol) && url.hostname.includes(".") ? url.href : undefined;
}

/** In `code` and `pre` there is nothing else: what surrounds them is cut around them. A language of `code` alone is lost. */
function apart(entities: readonly MessageEntity[]): readonly MessageEntity[] {
  const solid = entities.filter(({ type }) => type === "code" || type === "pre");
  const plain = new Set<string>(PLAIN.values());
  const result: MessageEntity[] = [];
  for (const entity of entities) {
    if (entity.type === "code") result.push({ type: "code", offset: entity.offset, length: entity.length });
    else if (!plain.has(entity.type)) result.push(entity);
    else result.push(...around(entity, solid));
  }
  return result.toSorted((a, b) => a.offset - b.offset || b.length - a.length);
}

function around(entity: MessageEntity, solid: readonly MessageEntity[]): MessageEntity[] {
  let pieces = [{ from: entity.offset, to: entity.offset + entity.length }];
  for (const { offset, length } of solid)
    pieces = pieces
      .flatMap(({ from, to }) => [
        { from, to: Math.min(to, offset) },
        { from: Math.max(from, offset + length), to },
      ])
      .filter(({ from, to }) => from < to);
  return pieces.map(({ from, to }) => ({ ...entity, offset: from, length: to - from }));
}
