/** HTML for e-mail: nothing runs, nothing is loaded from elsewhere. Its plain text is the other half of the message. */
import type { Block, Inline, Item, Row, Table } from "../tree.ts";
import { escapeAttribute, escapeHtml, languageClass } from "./escape.ts";
import { printPlain } from "./plain.ts";
import type { Printed } from "./printed.ts";

const TAGS = { strong: "strong", emphasis: "em", strike: "s" } as const;

export function printHtml(blocks: readonly Block[]): Printed {
  return { text: html(blocks), plain: printPlain(blocks).plain };
}

function html(blocks: readonly Block[]): string {
  return blocks.map(block).join("\n");
}

function block(one: Block): string {
  switch (one.type) {
    case "paragraph":
      return `<p>${line(one.children)}</p>`;
    case "heading":
      return `<h${one.level}>${line(one.children)}</h${one.level}>`;
    case "code": {
      const name = languageClass(one.lang);
      const attribute = name === undefined ? "" : ` class="${name}"`;
      return `<pre><code${attribute}>${escapeHtml(one.text)}</code></pre>`;
    }
    case "rule":
      return "<hr>";
    case "quote":
      return `<blockquote>\n${html(one.children)}\n</blockquote>`;
    case "list": {
      const items = one.items.map((each) => item(each, one.tight)).join("\n");
      if (!one.ordered) return `<ul>\n${items}\n</ul>`;
      return `<ol${one.start === 1 ? "" : ` start="${one.start}"`}>\n${items}\n</ol>`;
    }
    case "table":
      return table(one);
  }
}

function item({ task, children }: Item, tight: boolean): string {
  const mark = task === undefined ? "" : task ? "☑ " : "☐ ";
  const [first, ...rest] = children;
  if (first?.type !== "paragraph") return `<li>${mark}${html(children)}</li>`;
  const words = mark + line(first.children);
  const after = rest.length === 0 ? "" : `\n${html(rest)}`;
  return `<li>${tight ? words : `<p>${words}</p>`}${after}</li>`;
}

function table({ head, rows, align }: Table): string {
  const cells = (row: Row, tag: "th" | "td"): string =>
    align
      .map((side, column) => {
        const style = side === "none" ? "" : ` style="text-align:${side}"`;
        return `<${tag}${style}>${line(row.cells[column] ?? [])}</${tag}>`;
      })
      .join("");
  const body = rows.map((row) => `<tr>${cells(row, "td")}</tr>`).join("\n");
  return `<table>\n<thead>\n<tr>${cells(head, "th")}</tr>\n</thead>\n<tbody>\n${body}\n</tbody>\n</table>`;
}

function line(nodes: readonly Inline[], inLink = false): string {
  return nodes
    .map((node) => {
      if (node.type === "text") return escapeHtml(node.text);
      if (node.type === "code") return `<code>${escapeHtml(node.text)}</code>`;
      if (node.type === "break") return "<br>\n";
      if (!("tail" in node)) return `<${TAGS[node.type]}>${line(node.children, inLink)}</${TAGS[node.type]}>`;
      const inside = line(node.children, true);
      return inLink ? inside : `<a href="${escapeAttribute(node.url)}" rel="noopener noreferrer">${inside}</a>`;
    })
    .join("");
}
