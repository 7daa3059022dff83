/**
 * Slack's markup. Three signs are escaped, so that no text of anybody opens a mention, a link or a command; a mark cannot be:
 * one that would be read as such is followed by a sign that nobody sees.
 */
import { inlineText, type Block, type Inline, type Link } from "../tree.ts";
import { escapeHtml } from "./escape.ts";
import { printLines, type Style } from "./lines.ts";
import { joined, prefixed, type Printed } from "./printed.ts";
import { alignedTable } from "./table-text.ts";

const MARKS = { strong: "*", emphasis: "_", strike: "~" } as const;
const MARK_SIGNS = "*_~";
const LETTER = /[\p{L}\p{N}]/u;
/** Not seen: a mark beside a letter is one behind it, and a mark before it is none. */
const SPACE = "\u200b";

export function printMrkdwn(blocks: readonly Block[]): Printed {
  const style: Style = {
    rule: "———",
    line: (nodes) => printLine(nodes, undefined),
    heading: ({ children }) => printLine(children, "strong"),
    code: ({ text }) => preformatted(text),
    table: (table) => preformatted(alignedTable(table)),
    quote: (inside) => prefixed(inside, "> ", "> "),
    bullet: "•",
    indentsAll: false,
    tasks: ["☐", "☑"],
  };
  return printLines(blocks, style);
}

/** It ends at the next three backticks, wherever they are; the name of a language would be its first line. */
function preformatted(text: string): Printed {
  const body = text.replaceAll("``", `\`${SPACE}\``);
  return { text: `\`\`\`\n${escapeHtml(body)}\n\`\`\``, plain: body };
}

function printLine(nodes: readonly Inline[], mark: keyof typeof MARKS | undefined): Printed {
  const writer: Writer = { written: [], before: "", open: "", isClosed: false };
  if (mark === undefined) write(nodes, writer);
  else writeMarked(nodes, MARKS[mark], writer);
  return joined(writer.written, "");
}

interface Writer {
  readonly written: Printed[];
  /** The last character; "" at the beginning of a line. */
  before: string;
  /** The marks that are open. */
  open: string;
  /** A mark was closed right before: it is one where no letter follows. */
  isClosed: boolean;
}

function write(nodes: readonly Inline[], writer: Writer): void {
  for (const node of nodes) {
    if (node.type === "text") words(node.text, writer);
    else if (node.type === "break") words("\n", writer);
    else if (node.type === "code") code(node.text, writer);
    else if ("tail" in node) link(node, writer);
    else writeMarked(node.children, MARKS[node.type], writer);
  }
}

/** Marks enclose no blank at their sides, no line break and not themselves: of what does the words are left. */
function writeMarked(nodes: readonly Inline[], mark: string, writer: Writer): void {
  const text = inlineText(nodes);
  if (writer.open.includes(mark) || text === "" || text.trim() !== text || /[\n`]/.test(text) || text.includes(mark))
    return write(nodes, writer);
  open(mark, writer);
  const outer = writer.open;
  writer.open += mark;
  write(nodes, writer);
  writer.open = outer;
  close(mark, writer);
}

function code(text: string, writer: Writer): void {
  if (text.includes("`") || text.trim() === "" || text.includes("\n")) return words(text, writer);
  open("`", writer);
  put({ text: escapeHtml(text), plain: text }, writer);
  close("`", writer);
}

/** Of what it says no mark is read. */
function link({ url, children, tail }: Link, writer: Writer): void {
  const label = inlineText(children).replaceAll("\n", " ").replaceAll("|", "¦");
  // An address with such signs could say that it is a mention; it never ends early either.
  if (!/^(?:https?|mailto):/i.test(url)) return words(`${label}${tail}`, writer);
  const address = escapeHtml(url.replaceAll("|", "%7C").replaceAll("<", "%3C").replaceAll(">", "%3E"));
  const isSame = label === url || label.trim() === "";
  separate(writer);
  put({ text: isSame ? `<${address}>` : `<${address}|${escapeHtml(label)}>`, plain: label }, writer);
}

function open(mark: string, writer: Writer): void {
  separate(writer);
  if (LETTER.test(writer.before)) put({ text: SPACE, plain: "" }, writer);
  put({ text: mark, plain: "" }, writer);
}

function close(mark: string, writer: Writer): void {
  // Behind punctuation a mark is not always read as the end of one.
  if (mark !== "`" && /[^\p{L}\p{N}*_~`]/u.test(writer.before)) put({ text: SPACE, plain: "" }, writer);
  put({ text: mark, plain: "" }, writer);
  writer.isClosed = true;
}

/** Two marks side by side are none. */
function separate(writer: Writer): void {
  if (writer.isClosed) put({ text: SPACE, plain: "" }, writer);
}

function put(printed: Printed, writer: Writer): void {
  writer.written.push(printed);
  writer.before = printed.text.at(-1) ?? writer.before;
  writer.isClosed = false;
}

/** Text of which nothing is read as a mark. */
function words(text: string, writer: Writer): void {
  if (text === "") return;
  if (writer.isClosed && !/^\s/.test(text)) put({ text: SPACE, plain: "" }, writer);
  let safe = "";
  let isStart = writer.before === "" || writer.before === "\n";
  let before = writer.before;
  for (const char of text) {
    const begins = char === "`" || (MARK_SIGNS.includes(char) && !LETTER.test(before));
    safe += (isStart && char === ">" ? SPACE : "") + char + (begins ? SPACE : "");
    before = char;
    isStart = char === "\n";
  }
  writer.written.push({ text: escapeHtml(safe), plain: safe });
  writer.before = before;
  writer.isClosed = false;
}
