/** The few tags of Telegram. They do not nest as those of HTML do: code is in no other, a quote in no quote. */
import type { Block, Inline, Marked } from "../tree.ts";
import { escapeAttribute, escapeHtml, languageClass } from "./escape.ts";
import { printLines, type Style } from "./lines.ts";
import { joined, wrapped, type Printed } from "./printed.ts";
import { alignedTable } from "./table-text.ts";

const TAGS = { strong: "b", emphasis: "i", strike: "s" } as const;

export function printTelegramHtml(blocks: readonly Block[]): Printed {
  const style: Style = {
    rule: "———",
    line: (nodes) => printRuns(nodes, []),
    heading: ({ children }) => printRuns(children, ["strong"]),
    code: ({ lang, text }) => {
      const name = languageClass(lang);
      const code = name === undefined ? escapeHtml(text) : `<code class="${name}">${escapeHtml(text)}</code>`;
      return { text: `<pre>${code}</pre>`, plain: text };
    },
    table: (table) => {
      const text = alignedTable(table);
      return { text: `<pre>${escapeHtml(text)}</pre>`, plain: text };
    },
    quote: (inside, depth) => (depth === 0 ? wrapped("<blockquote>", inside, "</blockquote>") : quoteInQuote(inside)),
    bullet: "•",
    indentsAll: false,
    tasks: ["☐", "☑"],
  };
  return printLines(blocks, style);
}

/** In words: with the signs of a quote, also before a line that has tags alone. */
function quoteInQuote({ text, plain }: Printed): Printed {
  return { text: `&gt; ${text.replaceAll("\n", "\n&gt; ")}`, plain: `> ${plain.replaceAll("\n", "\n> ")}` };
}

/** Text with all its marks: each has its own tags, so that whatever was nested how is well-formed. */
interface Run {
  readonly text: string;
  readonly marks: readonly Marked["type"][];
  readonly isCode: boolean;
  readonly url: string;
}

function printRuns(nodes: readonly Inline[], marks: readonly Marked["type"][]): Printed {
  const runs: Run[] = [];
  collect(nodes, { text: "", marks, isCode: false, url: "" }, runs);
  return joined(runs.map(printRun), "");
}

function collect(nodes: readonly Inline[], run: Run, into: Run[]): void {
  for (const node of nodes) {
    if (node.type === "text") into.push({ ...run, text: node.text });
    else if (node.type === "code") into.push({ ...run, text: node.text, isCode: true });
    else if (node.type === "break") into.push({ ...run, text: "\n" });
    else if (!("tail" in node)) {
      const marks = run.marks.includes(node.type) ? run.marks : [...run.marks, node.type];
      collect(node.children, { ...run, marks }, into);
    } else collect(node.children, run.url === "" ? { ...run, url: node.url } : run, into);
  }
}

function printRun({ text, marks, isCode, url }: Run): Printed {
  const words = escapeHtml(text);
  if (text.trim() === "") return { text: words, plain: text };
  const link = (inside: string): string => (url === "" ? inside : `<a href="${escapeAttribute(url)}">${inside}</a>`);
  if (isCode) return { text: url === "" ? `<code>${words}</code>` : link(words), plain: text };
  const tags = marks.map((mark) => TAGS[mark]);
  const open = tags.map((tag) => `<${tag}>`).join("");
  const close = tags.map((tag) => `</${tag}>`);
  return { text: open + link(words) + close.reverse().join(""), plain: text };
}
