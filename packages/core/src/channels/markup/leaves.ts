/** The tree as a line of leaves, so that a cut finds its place by halves. */
import { firstWhere } from "./slice.ts";
import { endOf, type Block, type Inline, type Range } from "./tree.ts";

/** A paragraph, a heading, a row, code, a rule. */
export interface Leaf extends Range {
  /** What its offsets count. */
  readonly text: string;
  /** Where the words begin: behind the mark of a task. */
  readonly begin: number;
  readonly isCode: boolean;
  /** What must not stand at the end of a piece: a heading, a header. */
  readonly leads: boolean;
  /** ` (url)` behind the words of links, as places in the text. */
  readonly tails: readonly Range[];
}

export interface Leaves {
  readonly all: readonly Leaf[];
  /** Offsets where a block of the outermost level ends. */
  readonly outer: readonly number[];
  /** The same of every block, item, row and line of code. */
  readonly inner: readonly number[];
}

export function leavesOf(blocks: readonly Block[]): Leaves {
  const all: Leaf[] = [];
  const outer: number[] = [];
  const inner: number[] = [];
  const end = (leaf: Leaf): void => {
    all.push(leaf);
    if (!leaf.leads) inner.push(leaf.to);
  };
  const visit = (block: Block): void => {
    switch (block.type) {
      case "paragraph":
      case "heading":
        return end(leafOf(block, [block.children], block.type === "heading"));
      case "code": {
        for (let at = block.text.indexOf("\n"); at >= 0; at = block.text.indexOf("\n", at + 1))
          if (block.from + at + 1 < block.to) inner.push(block.from + at + 1);
        const { from, to, text } = block;
        return end({ from, to, text, begin: 0, isCode: true, leads: false, tails: [] });
      }
      case "rule":
        return end(leafOf(block, [], false));
      case "quote":
        return block.children.forEach(visit);
      case "list":
        return block.items.forEach((item) => item.children.forEach(visit));
      case "table":
        end(leafOf(block.head, block.head.cells, true));
        return block.rows.forEach((row) => end(leafOf(row, row.cells, false)));
    }
  };
  for (const block of blocks) {
    visit(block);
    if (block.type !== "heading") outer.push(block.to);
  }
  return { all, outer, inner };
}

function leafOf({ from, to }: Range, cells: readonly (readonly Inline[])[], leads: boolean): Leaf {
  const parts: string[] = [];
  const tails: Range[] = [];
  let at = 0;
  const add = (text: string): void => {
    parts.push(text);
    at += text.length;
  };
  const visit = (node: Inline): void => {
    if (node.at > at) add(" ".repeat(node.at - at));
    if (node.type === "text" || node.type === "code") return add(node.text);
    if (node.type === "break") return add("\n");
    node.children.forEach(visit);
    if (!("tail" in node) || node.end === endOf(node.children, node.at)) return;
    tails.push({ from: at, to: node.end });
    add(node.tail);
  };
  for (const cell of cells) cell.forEach(visit);
  return { from, to, text: parts.join(""), begin: cells[0]?.[0]?.at ?? 0, isCode: false, leads, tails };
}

/** The leaf with words on both sides of an offset. */
export function leafAround({ all }: Leaves, offset: number): Leaf | undefined {
  const leaf = all[firstWhere(all, ({ to }) => to > offset)];
  if (leaf === undefined) return undefined;
  const at = offset - leaf.from;
  return at > leaf.begin && at < leaf.text.length ? leaf : undefined;
}

/** The first leaf that has something after an offset. */
export function leafAfter({ all }: Leaves, offset: number): Leaf | undefined {
  const index = firstWhere(all, ({ to }) => to > offset);
  const leaf = all[index];
  if (leaf === undefined) return undefined;
  return offset > leaf.from && offset - leaf.from >= leaf.text.length ? all[index + 1] : leaf;
}

/** The last leaf that is over there, its end. */
export function endBefore({ all }: Leaves, offset: number): number {
  return all[firstWhere(all, ({ to }) => to > offset) - 1]?.to ?? 0;
}

/** The last of rising numbers that is not above; 0 when all are. */
export function lastUpTo(numbers: readonly number[], most: number): number {
  return numbers[firstWhere(numbers, (one) => one > most) - 1] ?? 0;
}
