/** Markdown again, for platforms that read it: what was text for the parser is text for theirs. */
import type { Block, Code, Inline, Link, Row, Table } from "../tree.ts";
import { printLines, type Style } from "./lines.ts";
import { joined, prefixed, wrapped, type Printed } from "./printed.ts";
import { alignedTable } from "./table-text.ts";

const MARKS = { strong: "**", emphasis: "*", strike: "~~" } as const;
const ZERO_WIDTH = "\u200b";

export interface MarkdownOptions {
  /** `code`: in columns, where the platform has no tables. */
  readonly tables?: "table" | "code";
  /** Text may call people. */
  readonly mentions?: boolean;
}

export function printMarkdown(
  blocks: readonly Block[],
  { tables = "table", mentions = false }: MarkdownOptions = {},
): Printed {
  const line = (nodes: readonly Inline[]): Printed => printInlines(nodes, { mentions, isStart: true });
  const style: Style = {
    rule: "***",
    line,
    heading: ({ level, children }) => {
      const { text, plain } = line(children);
      return { text: `${"#".repeat(level)} ${closed(oneLine(text))}`.trimEnd(), plain: oneLine(plain) };
    },
    code: fenced,
    table: (table) =>
      tables === "code" ? fenced({ lang: "", text: alignedTable(table) }) : printTable(table, mentions),
    quote: (inside) => prefixed(inside, "> ", "> "),
    bullet: "-",
    indentsAll: true,
    tasks: ["[ ]", "[x]"],
    otherMarks: { bullet: "*", number: ")" },
  };
  return printLines(blocks, style);
}

function oneLine(text: string): string {
  return text.replaceAll("\n", " ");
}

/** Signs at the end of a heading would belong to its mark. */
function closed(text: string): string {
  return text.replace(/(?<= )#+$/, (signs) => `\\${signs}`);
}

function fenced({ lang, text }: Pick<Code, "lang" | "text">): Printed {
  const fence = "`".repeat(Math.max(3, longestRun(text) + 1));
  const info = lang.includes("`") ? "" : lang;
  return { text: `${fence}${info}\n${text}\n${fence}`, plain: text };
}

/** Of backticks. */
function longestRun(text: string): number {
  let longest = 0;
  let run = 0;
  for (const char of text) {
    run = char === "`" ? run + 1 : 0;
    longest = Math.max(longest, run);
  }
  return longest;
}

function printTable({ head, rows, align }: Table, mentions: boolean): Printed {
  const row = ({ cells }: Row): Printed =>
    wrapped(
      "| ",
      joined(
        align.map((_, column) => cellOf(cells[column] ?? [], mentions)),
        " | ",
      ),
      " |",
    );
  const dashes = align.map((side) =>
    side === "none" ? "---" : side === "left" ? ":--" : side === "right" ? "--:" : ":-:",
  );
  return joined([row(head), { text: `| ${dashes.join(" | ")} |`, plain: "" }, ...rows.map(row)], "\n");
}

/** What is in code or an address is no end of a cell either. */
function cellOf(nodes: readonly Inline[], mentions: boolean): Printed {
  const { text, plain } = printInlines(nodes, { mentions, isStart: false });
  return { text: text.replaceAll("\\|", "|").replaceAll("|", "\\|"), plain };
}

interface LineOptions {
  readonly mentions: boolean;
  /** At the beginning of a line a sign may be the mark of a block. */
  readonly isStart: boolean;
  /** Between marks, which an address would take for a part of itself. */
  readonly isMarked?: boolean;
}

function printInlines(nodes: readonly Inline[], options: LineOptions): Printed {
  let { isStart } = options;
  const parts = nodes.map((node, index) => {
    const part = printInline(
      node,
      { ...options, isStart },
      { before: nodes[index - 1], after: nodes.slice(index + 1) },
    );
    isStart = node.type === "break";
    return part;
  });
  return joined(parts, "");
}

/** What stands on both sides of a node. */
interface Beside {
  readonly before: Inline | undefined;
  readonly after: readonly Inline[];
}

function printInline(node: Inline, options: LineOptions, beside: Beside): Printed {
  switch (node.type) {
    case "text": {
      const plain = options.mentions ? node.text : disarmed(node.text);
      return { text: escaped(plain, options.isStart), plain };
    }
    case "code":
      return { text: codeSpan(node.text), plain: node.text };
    case "break":
      return { text: node.hard ? "  \n" : "\n", plain: "\n" };
    case "link":
    case "image":
      return printLink(node, options, beside);
    case "strong":
    case "emphasis":
    case "strike": {
      const mark = MARKS[node.type];
      return wrapped(mark, printInlines(node.children, { ...options, isStart: false, isMarked: true }), mark);
    }
  }
}

function codeSpan(text: string): string {
  const fence = "`".repeat(longestRun(text) + 1);
  const isPadded = text.startsWith("`") || text.endsWith("`") || (text.startsWith(" ") && text.trim() !== "");
  return isPadded ? `${fence} ${text} ${fence}` : fence + text + fence;
}

/** An image would be loaded from elsewhere: a link to it. */
function printLink(node: Link, options: LineOptions, beside: Beside): Printed {
  const only = node.children.length === 1 ? node.children[0] : undefined;
  if (only?.type === "text" && only.text === node.url)
    return {
      text: options.isMarked !== true && isAlone(node.url, beside) ? node.url : `<${node.url}>`,
      plain: node.url,
    };
  const words = printInlines(withoutLinks(node.children), { ...options, isStart: false });
  const url = node.url.replaceAll("(", "%28").replaceAll(")", "%29").replaceAll("|", "%7C");
  return { text: `[${words.text}](${url})`, plain: words.plain };
}

/** A bare address is found again where it began and ended. */
function isAlone(url: string, { before, after: [next, ...others] }: Beside): boolean {
  const begins =
    before === undefined || before.type === "break" || (before.type === "text" && /[\s(]$/.test(before.text));
  if (!begins || /[*~[\]`\\]/.test(url)) return false;
  if (next === undefined || next.type === "break") return true;
  if (next.type !== "text") return false;
  return /^[.,;:!?)]*\s/.test(next.text) || (others.length === 0 && /^[.,;:!?)]*$/.test(next.text));
}

function withoutLinks(nodes: readonly Inline[]): readonly Inline[] {
  return nodes.flatMap((node): readonly Inline[] => {
    if (node.type === "text" || node.type === "code" || node.type === "break") return [node];
    return "tail" in node ? withoutLinks(node.children) : [{ ...node, children: withoutLinks(node.children) }];
  });
}

/** Text that names people calls nobody. */
function disarmed(text: string): string {
  return text.replace(/@(?=everyone|here|(?:channel|all)\b)/gi, `@${ZERO_WIDTH}`).replaceAll("<@", `<@${ZERO_WIDTH}`);
}

function escaped(text: string, isStart: boolean): string {
  let out = "";
  for (let at = 0; at < text.length; at++) {
    const char = text.charAt(at);
    out += "\\`*[]<|~".includes(char) || isMark(text, at) ? `\\${char}` : char;
  }
  return isStart ? escapeStart(out) : out;
}

function isMark(text: string, at: number): boolean {
  const char = text.charAt(at);
  if (char === "_") return !(isWord(text.charAt(at - 1)) && isWord(text.charAt(at + 1)));
  return char === "&" && /^&(?:#|\w)\w*;/.test(text.slice(at, at + 40));
}

function isWord(char: string): boolean {
  return /^[\p{L}\p{N}]$/u.test(char);
}

function escapeStart(line: string): string {
  const first = line.charAt(0);
  if ("#>+-=".includes(first) && first !== "") return `\\${line}`;
  const digits = /^\d{1,9}(?=[.)])/.exec(line)?.[0];
  return digits === undefined ? line : `${digits}\\${line.slice(digits.length)}`;
}
