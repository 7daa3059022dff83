/** What a reply says, apart from how it is written: the printers print this, and the cutter cuts it. */

/** Offsets into the Markdown source. */
export interface Range {
  readonly from: number;
  readonly to: number;
}

/** Where the text of a node lies in the text of its leaf: a paragraph, a heading, a row of a table. */
interface Place {
  readonly at: number;
  readonly end: number;
}

export interface Text extends Place {
  readonly type: "text";
  readonly text: string;
}

export interface CodeSpan extends Place {
  readonly type: "code";
  readonly text: string;
}

export interface Break extends Place {
  readonly type: "break";
  readonly hard: boolean;
}

export interface Marked extends Place {
  readonly type: "strong" | "emphasis" | "strike";
  readonly children: readonly Inline[];
}

/** `image` has its alt text in `children`; when that is blank, its address. */
export interface Link extends Place {
  readonly type: "link" | "image";
  readonly url: string;
  readonly children: readonly Inline[];
  /** ` (url)`, for where there are no links; "" when the text says the address itself. */
  readonly tail: string;
}

export type Inline = Text | CodeSpan | Break | Marked | Link;

export interface Paragraph extends Range {
  readonly type: "paragraph";
  readonly children: readonly Inline[];
}

export interface Heading extends Range {
  readonly type: "heading";
  readonly level: number;
  readonly children: readonly Inline[];
}

export interface Code extends Range {
  readonly type: "code";
  readonly lang: string;
  /** Without the last line break. */
  readonly text: string;
}

export interface Rule extends Range {
  readonly type: "rule";
}

export interface Quote extends Range {
  readonly type: "quote";
  readonly children: readonly Block[];
}

export interface Item extends Range {
  /** Of a task list: done or not. */
  readonly task?: boolean;
  readonly children: readonly Block[];
}

export interface List extends Range {
  readonly type: "list";
  readonly ordered: boolean;
  readonly start: number;
  /** No blank lines between its items. */
  readonly tight: boolean;
  readonly items: readonly Item[];
}

export type Align = "left" | "center" | "right" | "none";

export interface Row extends Range {
  readonly cells: readonly (readonly Inline[])[];
}

export interface Table extends Range {
  readonly type: "table";
  readonly align: readonly Align[];
  readonly head: Row;
  readonly rows: readonly Row[];
}

export type Block = Paragraph | Heading | Code | Rule | Quote | List | Table;

/** The words of a line; with `tails` also the addresses that they do not say. */
export function inlineText(nodes: readonly Inline[], tails = false): string {
  return nodes
    .map((node) => {
      if (node.type === "text" || node.type === "code") return node.text;
      if (node.type === "break") return "\n";
      const text = inlineText(node.children, tails);
      return tails && "tail" in node ? text + node.tail : text;
    })
    .join("");
}

/** Where the text of a list of nodes ends. */
export function endOf(nodes: readonly Inline[], start: number): number {
  return nodes.at(-1)?.end ?? start;
}

/** Nothing to see: no words, no rule. */
export function isBlank(blocks: readonly Block[]): boolean {
  return blocks.every((block) => {
    switch (block.type) {
      case "paragraph":
      case "heading":
        return isBlankLine(block.children);
      case "code":
        return block.text.trim() === "";
      case "rule":
        return false;
      case "quote":
        return isBlank(block.children);
      case "list":
        return block.items.every((item) => item.task === undefined && isBlank(item.children));
      case "table":
        return [block.head, ...block.rows].every((row) => row.cells.every((cell) => isBlankLine(cell)));
    }
  });
}

function isBlankLine(nodes: readonly Inline[]): boolean {
  return nodes.every((node) => {
    if (node.type === "text" || node.type === "code") return node.text.trim() === "";
    return node.type === "break" || isBlankLine(node.children);
  });
}
