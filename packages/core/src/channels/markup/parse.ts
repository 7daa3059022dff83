/** Markdown → tree. HTML stays text; only http, https and mailto are links. Nothing that a person would see is lost. */
import MarkdownIt, { type Token } from "markdown-it";
import cjkFriendly from "markdown-it-cjk-friendly";
import { parseLines, textNode } from "./parse-line.ts";
import { isBlank, type Align, type Block, type Inline, type Item, type Range, type Row } from "./tree.ts";

/** Deeper blocks are not parsed, they are text: nobody reads them, and it bounds what a hostile reply costs. */
const MAX_NESTING = 100;

/** The tokens of a source, read from left to right. */
interface Reader {
  readonly source: string;
  readonly tokens: readonly Token[];
  /** Where each line begins. */
  readonly lines: readonly number[];
  index: number;
}

/** @returns blocks in the order of the source; their ranges do not overlap. */
export function parseMarkup(source: string): readonly Block[] {
  const md = new MarkdownIt({ html: false, linkify: true, typographer: false, maxNesting: MAX_NESTING }).use(
    cjkFriendly,
  );
  md.linkify.set({ fuzzyLink: false, fuzzyEmail: false });
  md.validateLink = (url) => /^(https?:|mailto:)/i.test(url.trim());
  const reader: Reader = { source, tokens: md.parse(source, {}), lines: linesOf(source), index: 0 };
  const blocks = blocksUntil(reader, "");
  // An open fence alone, a definition of a link alone: no words for the parser, but all that was said.
  if (isBlank(blocks) && source.trim() !== "") return [raw(reader, [0, reader.lines.length])];
  return blocks;
}

function linesOf(source: string): readonly number[] {
  const lines = [0];
  for (let at = 0; at < source.length; at++) {
    const char = source.charCodeAt(at);
    if (char === 10 || (char === 13 && source.charCodeAt(at + 1) !== 10)) lines.push(at + 1);
  }
  return lines;
}

function rangeOf({ source, lines }: Reader, map: readonly [number, number] | null): Range {
  const from = lines[map?.[0] ?? 0] ?? source.length;
  return { from, to: lines[map?.[1] ?? lines.length] ?? source.length };
}

/** Blocks up to the token that closes their container, which is taken too. */
function blocksUntil(reader: Reader, close: string): readonly Block[] {
  const blocks: Block[] = [];
  for (;;) {
    const token = reader.tokens[reader.index++];
    if (token === undefined || token.type === close) return blocks;
    const block = blockOf(reader, token);
    if (block !== undefined) blocks.push(block);
  }
}

function blockOf(reader: Reader, token: Token): Block | undefined {
  const range = rangeOf(reader, token.map);
  switch (token.type) {
    case "paragraph_open":
      return { type: "paragraph", ...range, children: lineOf(reader, range) };
    case "heading_open":
      return { type: "heading", level: Number(token.tag.slice(1)), ...range, children: lineOf(reader, range) };
    case "fence":
    case "code_block": {
      const lang = token.info.trim().split(/\s/, 1)[0] ?? "";
      const text = token.content.endsWith("\n") ? token.content.slice(0, -1) : token.content;
      return { type: "code", lang, text, ...range };
    }
    case "hr":
      return { type: "rule", ...range };
    case "blockquote_open": {
      const inside = blocksUntil(reader, "blockquote_close");
      const children = inside.length === 0 && token.level >= MAX_NESTING - 2 ? [raw(reader, token.map)] : inside;
      return children.length === 0 ? undefined : { type: "quote", ...around(children, range), children };
    }
    case "bullet_list_open":
    case "ordered_list_open":
      return listOf(reader, token);
    case "table_open":
      return tableOf(reader, range);
    default:
      return undefined; // what closes a paragraph or a heading
  }
}

/** A container is where its blocks are. */
function around(children: readonly Range[], otherwise: Range): Range {
  return { from: children[0]?.from ?? otherwise.from, to: children.at(-1)?.to ?? otherwise.to };
}

function lineOf(reader: Reader, range: Range): readonly Inline[] {
  const inline = reader.tokens[reader.index++];
  return parseLines([inline?.children ?? []], range.to - range.from)[0] ?? [];
}

function listOf(reader: Reader, token: Token): Block | undefined {
  const ordered = token.type === "ordered_list_open";
  const items: Item[] = [];
  let tight = true;
  for (;;) {
    const open = reader.tokens[reader.index++];
    if (open?.type !== "list_item_open") break;
    const first = reader.index;
    const item = itemOf(reader, open);
    const inside = reader.tokens.slice(first, reader.index).filter(({ level }) => level === open.level + 1);
    if (inside.some(({ type, hidden }) => type === "paragraph_open" && !hidden)) tight = false;
    if (item.children.length > 1 && item.children[0]?.type !== "paragraph") tight = false;
    items.push(item);
  }
  if (items.length === 0) return undefined;
  const start = Number(token.attrGet("start") ?? 1);
  return { type: "list", ordered, start, tight, ...around(items, rangeOf(reader, token.map)), items };
}

function itemOf(reader: Reader, token: Token): Item {
  const inside = blocksUntil(reader, "list_item_close");
  const first = inside[0];
  if (first === undefined) {
    // Each item has something that can be reached by a cut, also when it is empty.
    const line = token.map?.[0] ?? 0;
    const empty: Block = { type: "paragraph", ...rangeOf(reader, [line, line + 1]), children: [] };
    const only = token.level >= MAX_NESTING - 3 ? raw(reader, token.map) : empty;
    return { ...around([only], only), children: [only] };
  }
  const task = first.type === "paragraph" ? taskOf(first.children[0]) : undefined;
  if (first.type !== "paragraph" || task === undefined) return { ...around(inside, first), children: inside };
  const [mark, ...rest] = first.children;
  const words = mark?.type === "text" ? mark.text.slice(4) : "";
  const children = [...(words === "" ? [] : [textNode(words, 4)]), ...rest];
  return { ...around(inside, first), task, children: [{ ...first, children }, ...inside.slice(1)] };
}

/** The mark of a task stays a part of the text that is counted: offsets do not depend on what it is. */
function taskOf(node: Inline | undefined): boolean | undefined {
  if (node?.type !== "text") return undefined;
  const mark = node.text.slice(0, 4);
  if (mark === "[ ] ") return false;
  return mark === "[x] " || mark === "[X] " ? true : undefined;
}

function tableOf(reader: Reader, range: Range): Block | undefined {
  const rows: Row[] = [];
  const align: Align[] = [];
  for (;;) {
    const token = reader.tokens[reader.index++];
    if (token === undefined || token.type === "table_close") break;
    if (token.type === "tr_open") rows.push(rowOf(reader, token, align));
  }
  const [first, ...body] = rows;
  if (first === undefined) return undefined;
  const head = { ...first, to: body[0]?.from ?? range.to }; // the line of dashes belongs to it
  return { type: "table", align, ...around([head, ...body], head), head, rows: body };
}

function rowOf(reader: Reader, { map }: Token, align: Align[]): Row {
  const range = rangeOf(reader, map);
  const cells: (readonly Token[])[] = [];
  for (;;) {
    const token = reader.tokens[reader.index++];
    if (token === undefined || token.type === "tr_close") break;
    if (token.type === "th_open") align.push(alignOf(token.attrGet("style")));
    if (token.type === "inline") cells.push(token.children ?? []);
  }
  return { ...range, cells: parseLines(cells, range.to - range.from) };
}

function alignOf(style: string | number | null): Align {
  if (style === "text-align:left") return "left";
  if (style === "text-align:center") return "center";
  return style === "text-align:right" ? "right" : "none";
}

/** Lines as they were written, without the marks and spaces before the first. */
function raw(reader: Reader, map: readonly [number, number] | null): Block {
  const range = rangeOf(reader, map);
  const text = reader.source.slice(range.from, range.to).trim();
  return { type: "paragraph", ...range, children: text === "" ? [] : [textNode(text, 0)] };
}
