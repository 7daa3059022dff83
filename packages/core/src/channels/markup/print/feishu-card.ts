/** The Markdown of cards of Feishu and Lark: signs that are text are said by their number, as a backslash is none of its signs. */
import type { Block, Code, Inline, Link, Row, Table } from "../tree.ts";
import { printLines, type Style } from "./lines.ts";
import { joined, prefixed, wrapped, type Printed } from "./printed.ts";
import { alignedTable } from "./table-text.ts";

const MARKS = { strong: "**", emphasis: "*", strike: "~~" } as const;
/** A card with more is refused as a whole (11310): from how many on, Feishu does not say. */
const TABLES_OF_A_CARD = 3;
/** Not seen, no blank. */
const JOINER = "\u2060";

export function printFeishuCard(blocks: readonly Block[]): Printed {
  // In a list or a quote the client draws none.
  const drawn = new Set(blocks.filter(({ type }) => type === "table").slice(0, TABLES_OF_A_CARD));
  const style: Style = {
    rule: "---",
    ruleInItem: "———",
    line: (nodes) => printInlines(nodes, true),
    // The first ones are larger than anything else in a chat.
    heading: ({ level, children }) => {
      const { text, plain } = printInlines(children, false);
      return { text: `${level < 3 ? "####" : "#####"} ${oneLine(text)}`.trimEnd(), plain: oneLine(plain) };
    },
    code: fenced,
    table: (table) => (drawn.has(table) ? printTable(table) : fenced({ lang: "", text: alignedTable(table) })),
    quote: (inside) => prefixed(inside, "> ", "> "),
    bullet: "-",
    indentsAll: true,
    indent: 4,
    tasks: ["☐", "☑"],
    otherMarks: { bullet: "*", number: ")" },
  };
  return printLines(blocks, style);
}

function oneLine(text: string): string {
  return text.replaceAll("\n", " ");
}

function fenced({ lang, text }: Pick<Code, "lang" | "text">): Printed {
  const safe = quiet(text);
  const longest = Math.max(2, ...[...safe.matchAll(/`+/g)].map(([run]) => run.length));
  const fence = "`".repeat(longest + 1);
  return { text: `${fence}${/^[\w+#.-]*$/.test(lang) ? lang : ""}\n${safe}\n${fence}`, plain: safe };
}

function printTable({ head, rows, align }: Table): Printed {
  const row = ({ cells }: Row): Printed => {
    const printed = align.map((_, column) => cellOf(cells[column] ?? []));
    return wrapped("| ", joined(printed, " | "), " |");
  };
  const dashes = align.map((side) => ({ none: "---", left: ":--", right: "--:", center: ":-:" })[side]);
  return joined([row(head), { text: `| ${dashes.join(" | ")} |`, plain: "" }, ...rows.map(row)], "\n");
}

/** What is left of them stands in code. */
function cellOf(nodes: readonly Inline[]): Printed {
  const { text, plain } = printInlines(nodes, false);
  return { text: oneLine(text).replaceAll("|", "\\|"), plain: oneLine(plain) };
}

/** @param isStart At the beginning of a line a sign may be the mark of a block. */
function printInlines(nodes: readonly Inline[], isStart: boolean): Printed {
  let starts = isStart;
  const parts = nodes.map((node) => {
    const part = printInline(node, starts);
    starts = node.type === "break";
    return part;
  });
  return joined(parts, "");
}

function printInline(node: Inline, isStart: boolean): Printed {
  switch (node.type) {
    case "text": {
      const plain = quiet(node.text);
      return { text: numbered(plain, isStart), plain };
    }
    case "code":
      return codeSpan(quiet(node.text));
    case "break":
      return { text: "\n", plain: "\n" };
    case "link":
    case "image":
      return printLink(node);
    case "strong":
    case "emphasis":
    case "strike": {
      const mark = MARKS[node.type];
      return wrapped(mark, printInlines(node.children, false), mark);
    }
  }
}

function codeSpan(plain: string): Printed {
  const longest = Math.max(0, ...[...plain.matchAll(/`+/g)].map(([run]) => run.length));
  const fence = "`".repeat(longest + 1);
  const isPadded = plain.startsWith("`") || plain.endsWith("`") || (plain.startsWith(" ") && plain.trim() !== "");
  return { text: isPadded ? `${fence} ${plain} ${fence}` : fence + plain + fence, plain };
}

/** The client opens addresses of the web alone, and a picture would have to be uploaded. */
function printLink({ children, url, tail }: Link): Printed {
  const words = printInlines(withoutLinks(children), false);
  if (!/^https?:\/\//i.test(url)) return joined([words, { text: numbered(tail, false), plain: tail }], "");
  const address = url.replaceAll(/[()|<>]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`);
  return { text: `[${words.text}](${address})`, plain: words.plain };
}

function withoutLinks(nodes: readonly Inline[]): readonly Inline[] {
  return nodes.flatMap((node): readonly Inline[] => {
    if (node.type === "text" || node.type === "code" || node.type === "break") return [node];
    return "tail" in node ? withoutLinks(node.children) : [{ ...node, children: withoutLinks(node.children) }];
  });
}

/** What calls people in a card calls nobody, wherever it is read. */
function quiet(text: string): string {
  return text.replace(/<(?=at\b)/gi, `<${JOINER}`);
}

function numbered(text: string, isStart: boolean): string {
  // Of an entity, and of the name of a picture, the first sign is enough.
  const safe = text.replaceAll(/[\\`*_~<>[\]|$]|&(?=#?\w+;)|:(?=[A-Za-z]\w*:)/g, numberOf);
  return isStart ? safe.replace(/^[#+=-]|(?<=^\d{1,9})[.)]/, numberOf) : safe;
}

function numberOf(sign: string): string {
  return `&#${sign.charCodeAt(0)};`;
}
