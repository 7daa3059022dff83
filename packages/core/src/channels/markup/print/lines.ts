/** The layout of dialects that are lines of text: what stands where, and what is put in front of it. */
import type { Block, Code, Heading, Inline, List, Table } from "../tree.ts";
import { joined, prefixed, same, type Printed } from "./printed.ts";

/** How a dialect says each of them. */
export interface Style {
  readonly rule: string;
  /** In an item, where its mark and a rule would be one rule. Default: the same. */
  readonly ruleInItem?: string;
  readonly line: (nodes: readonly Inline[]) => Printed;
  readonly heading: (heading: Heading) => Printed;
  readonly code: (code: Code) => Printed;
  readonly table: (table: Table) => Printed;
  /** @param depth how many quotes it lies in. */
  readonly quote: (inside: Printed, depth: number) => Printed;
  readonly bullet: string;
  /** An item's code, tables and quotes are moved to the right with its words. */
  readonly indentsAll: boolean;
  /** How far a list in a list stands to the right, at least. Default: as its mark is long. */
  readonly indent?: number;
  readonly tasks: readonly [open: string, done: string];
  /** Where the parser would take two lists for one: the mark of the second. */
  readonly otherMarks?: { readonly bullet: string; readonly number: string };
}

export function printLines(blocks: readonly Block[], style: Style): Printed {
  return printBlocks(blocks, { style, depth: 0, between: "\n\n", first: "", rest: "" });
}

interface Frame {
  readonly style: Style;
  readonly depth: number;
  readonly between: string;
  /** What stands before the first line, a number or a bullet; before the others. */
  readonly first: string;
  readonly rest: string;
}

function printBlocks(blocks: readonly Block[], frame: Frame): Printed {
  let other = false;
  const parts = blocks.map((block, index) => {
    const before = blocks[index - 1];
    const follows = block.type === "list" && before?.type === "list" && before.ordered === block.ordered;
    other = follows && !other;
    const at = index === 0 ? frame : { ...frame, first: frame.rest };
    return block.type === "list" ? printList(block, at, other) : placed(printBlock(block, at), block, at);
  });
  return joined(parts, frame.between);
}

function printBlock(block: Exclude<Block, List>, { style, depth, rest }: Frame): Printed {
  switch (block.type) {
    case "paragraph":
      return style.line(block.children);
    case "heading":
      return style.heading(block);
    case "code":
      return style.code(block);
    case "rule":
      return same(rest === "" ? style.rule : (style.ruleInItem ?? style.rule));
    case "quote": {
      const frame = { style, depth: depth + 1, between: "\n\n", first: "", rest: "" };
      return style.quote(printBlocks(block.children, frame), depth);
    }
    case "table":
      return style.table(block);
  }
}

/** Blanks before code would be a part of it: it stands below the mark of its item. */
function placed(printed: Printed, { type }: Block, { style, first, rest }: Frame): Printed {
  const isFixed = type === "code" || type === "quote" || type === "table";
  if (style.indentsAll || !isFixed) return prefixed(printed, first, rest);
  return first.trim() === "" ? printed : joined([same(first.trimEnd()), printed], "\n");
}

function printList(list: List, frame: Frame, other: boolean): Printed {
  const { style, first, rest } = frame;
  const marks = (other ? style.otherMarks : undefined) ?? { bullet: style.bullet, number: "." };
  const between = list.tight ? "\n" : "\n\n";
  const items = list.items.map(({ task, children }, index) => {
    const mark = `${list.ordered ? `${list.start + index}${marks.number}` : marks.bullet} `;
    const box = task === undefined ? "" : `${style.tasks[task ? 1 : 0]} `;
    const before = index === 0 ? first : rest;
    const wide = mark.padEnd(style.indent ?? 0);
    // A block behind the mark goes on where it began.
    const lead = children[0]?.type === "paragraph" ? mark : wide;
    const inside = { ...frame, between, first: before + lead + box, rest: rest + " ".repeat(wide.length) };
    return printBlocks(children, inside);
  });
  return joined(items, between);
}
