/** XMPP message styling. Nothing can be escaped there: a mark that would not be read as one is left out, and a word that would be is broken. */
import { inlineText, type Block, type Inline } from "../tree.ts";
import { printLines, type Style } from "./lines.ts";
import { joined, prefixed, same, type Printed } from "./printed.ts";
import { alignedTable } from "./table-text.ts";

const MARKS = { strong: "*", emphasis: "_", strike: "~" } as const;
const ALL = "*_~`";
/** Not seen, no blank: what begins after it begins no mark. */
const JOINER = "\u2060";

export function printXep0393(blocks: readonly Block[]): Printed {
  const style: Style = {
    rule: "———",
    line: (nodes) => printLine(nodes, undefined),
    heading: ({ children }) => printLine(children, "strong"),
    code: ({ lang, text }) => preformatted(text, lang),
    table: (table) => preformatted(alignedTable(table), ""),
    quote: (inside) => prefixed(inside, "> ", "> "),
    bullet: "•",
    indentsAll: false,
    tasks: ["☐", "☑"],
  };
  return printLines(blocks, style);
}

/** It ends at the first line that is three backticks, whatever it was opened with. */
function preformatted(text: string, lang: string): Printed {
  const lines = text.split("\n").map((line) => (line.trim() === "```" ? JOINER + line : line));
  const body = lines.join("\n");
  return { text: `\`\`\`${lang}\n${body}\n\`\`\``, plain: body };
}

function printLine(nodes: readonly Inline[], mark: keyof typeof MARKS | undefined): Printed {
  const written: Printed[] = [];
  const writer: Writer = { written, before: "", open: "" };
  if (mark === undefined) write(nodes, writer);
  else writeMarked(nodes, MARKS[mark], writer);
  return joined(written, "");
}

interface Writer {
  readonly written: Printed[];
  /** The last character; "" at the beginning of a line. */
  before: string;
  /** The marks that are open. */
  open: string;
}

function write(nodes: readonly Inline[], writer: Writer): void {
  for (const node of nodes) {
    if (node.type === "text") words(node.text, writer);
    else if (node.type === "break") words("\n", writer);
    else if (node.type === "code") {
      if (canMark(node.text, "`", writer)) put({ text: `\`${node.text}\``, plain: node.text }, writer);
      else words(node.text, writer);
    } else if ("tail" in node) {
      write(node.children, writer);
      words(node.tail, writer);
    } else writeMarked(node.children, MARKS[node.type], writer);
  }
}

function writeMarked(nodes: readonly Inline[], mark: string, writer: Writer): void {
  if (!canMark(inlineText(nodes, true), mark, writer)) return write(nodes, writer);
  put({ text: mark, plain: "" }, writer);
  const outer = writer.open;
  writer.open += mark;
  write(nodes, writer);
  writer.open = outer;
  put({ text: mark, plain: "" }, writer);
}

/** A mark stands behind a blank or another mark, encloses no blank at its sides, no line break and not itself. */
function canMark(text: string, mark: string, { before, open }: Writer): boolean {
  if (open.includes(mark) || (before.trim() !== "" && !open.endsWith(before))) return false;
  return text !== "" && text.trim() === text && !text.includes("\n") && !text.includes(mark);
}

function put(printed: Printed, writer: Writer): void {
  writer.written.push(printed);
  writer.before = printed.text.at(-1) ?? writer.before;
}

/** Text of which nothing is read as a mark. */
function words(text: string, writer: Writer): void {
  let safe = "";
  for (const char of text) {
    const isStart = writer.before === "" || writer.before === "\n";
    const begins = ALL.includes(char) && (writer.before.trim() === "" || ALL.includes(writer.before));
    safe += begins || (isStart && char === ">") ? JOINER + char : char;
    writer.before = char;
  }
  writer.written.push(same(safe));
}
