/** A part of the tree, with the containers it lies in: what one piece prints. */
import { endOf, type Block, type Inline, type Item, type List, type Range, type Row, type Table } from "./tree.ts";

/**
 * Offsets inside of a leaf count the characters of its text, from the beginning of the leaf.
 * An item that goes on is no item: its blocks stand before the list, so that no number is said twice.
 */
export function sliceBlocks(blocks: readonly Block[], from: number, to: number): readonly Block[] {
  return within(blocks, from, to).flatMap((block) =>
    from <= block.from && to >= block.to ? [block] : sliceBlock(block, from, to),
  );
}

/** Those that have something in a range. */
function within<T extends Range>(nodes: readonly T[], from: number, to: number): readonly T[] {
  const first = firstWhere(nodes, (node) => node.to > from);
  return nodes.slice(
    first,
    firstWhere(nodes, (node) => node.from >= to),
  );
}

/** The index of the first that is so, when all after it are so too; the length when none is. */
export function firstWhere<T>(nodes: readonly T[], isSo: (node: T) => boolean): number {
  let low = 0;
  let high = nodes.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    const node = nodes[middle];
    if (node !== undefined && isSo(node)) high = middle;
    else low = middle + 1;
  }
  return low;
}

function sliceBlock(block: Block, from: number, to: number): readonly Block[] {
  const [start, end] = placesIn(block, from, to);
  switch (block.type) {
    case "paragraph":
    case "heading": {
      const children = sliceLine(block.children, start, end);
      return children.length === 0 ? [] : [{ ...block, children }];
    }
    case "code": {
      // The line break at a cut is said by the end of the piece.
      const isBefore = start > 0 && block.text[start] === "\n" && block.text[start - 1] !== "\n";
      const text = block.text.slice(isBefore ? start + 1 : start, end);
      const isCut = end < block.text.length && text.endsWith("\n");
      return text === "" ? [] : [{ ...block, text: isCut ? text.slice(0, -1) : text }];
    }
    case "rule":
      return from <= block.from ? [block] : [];
    case "quote": {
      const children = sliceBlocks(block.children, from, to);
      return children.length === 0 ? [] : [{ ...block, children }];
    }
    case "list":
      return sliceList(block, from, to);
    case "table":
      return sliceTable(block, from, to);
  }
}

function placesIn(leaf: Range, from: number, to: number): readonly [number, number] {
  return [Math.max(0, from - leaf.from), to >= leaf.to ? Infinity : to - leaf.from];
}

function sliceList(list: List, from: number, to: number): readonly Block[] {
  const index = firstWhere(list.items, (item) => item.to > from);
  const items = within(list.items, from, to);
  const begun = items[0] !== undefined && items[0].from < from ? items[0] : undefined;
  const rest = (begun === undefined ? items : items.slice(1)).map((item): Item => {
    return to >= item.to ? item : { ...item, children: sliceBlocks(item.children, from, to) };
  });
  const start = list.start + index + (begun === undefined ? 0 : 1);
  return [
    ...(begun === undefined ? [] : sliceBlocks(begun.children, from, to)),
    ...(rest.length === 0 ? [] : [{ ...list, start, items: rest }]),
  ];
}

function sliceTable(table: Table, from: number, to: number): readonly Block[] {
  const { head } = table;
  const rows = within(table.rows, from, to)
    .map((row) => sliceRow(row, from, to))
    .filter((row) => row !== undefined);
  if (from <= head.from || from < head.from + widthOf(head)) {
    const part = sliceRow(head, from, to);
    return part === undefined ? [] : [{ ...table, head: part, rows }];
  }
  return rows.length === 0 ? [] : [{ ...table, rows }];
}

/** The row that is left; undefined when its words are over. */
function sliceRow(row: Row, from: number, to: number): Row | undefined {
  if (from <= row.from && to >= row.to) return row;
  const [start, end] = placesIn(row, from, to);
  if (start > 0 && start >= widthOf(row)) return undefined;
  return { ...row, cells: row.cells.map((cell) => sliceLine(cell, start, end)) };
}

function widthOf({ cells }: Row): number {
  return cells.reduce((width, cell) => Math.max(width, endOf(cell, 0)), 0);
}

/** Without the blanks at a cut. */
function sliceLine(nodes: readonly Inline[], start: number, end: number): readonly Inline[] {
  const part = sliceInlines(nodes, start, end);
  const left = start > 0 ? trimStart(part) : part;
  return end < endOf(nodes, 0) ? trimEnd(left) : left;
}

function sliceInlines(nodes: readonly Inline[], start: number, end: number): readonly Inline[] {
  const first = firstWhere(nodes, (node) => node.end > start);
  const last = firstWhere(nodes, (node) => node.at >= end);
  return nodes
    .slice(first, last)
    .flatMap((node) => (start <= node.at && end >= node.end ? [node] : sliceInline(node, start, end)));
}

function sliceInline(node: Inline, start: number, end: number): readonly Inline[] {
  if (node.type === "break") return [node];
  const from = Math.max(start, node.at);
  if (node.type === "text" || node.type === "code") {
    const text = node.text.slice(from - node.at, end === Infinity ? undefined : end - node.at);
    return text === "" ? [] : [{ ...node, text, at: from, end: from + text.length }];
  }
  const children = sliceInlines(node.children, start, end);
  if (!("tail" in node)) return children.length === 0 ? [] : [{ ...node, children }];
  const words = endOf(node.children, node.at);
  const isCounted = node.end > words;
  const isWhole = isCounted ? from < words && end >= node.end : end >= words;
  if (isWhole || !isCounted) return [{ ...node, children, tail: isWhole ? node.tail : "" }];
  // Of an address that is cut, both parts are words.
  const tail = node.tail.slice(Math.max(0, start - words), Math.max(0, end - words));
  const at = Math.max(start, words);
  return [
    ...(children.length === 0 ? [] : [{ ...node, children, end: words, tail: "" }]),
    ...(tail === "" ? [] : [{ type: "text" as const, text: tail, at, end: at + tail.length }]),
  ];
}

function trimStart(nodes: readonly Inline[]): readonly Inline[] {
  const [first, ...rest] = nodes;
  if (first === undefined) return nodes;
  if (first.type === "break") return trimStart(rest);
  if (first.type === "text") {
    const text = first.text.trimStart();
    return text === "" ? trimStart(rest) : [{ ...first, text, at: first.end - text.length }, ...rest];
  }
  if (first.type === "code") return nodes;
  const children = trimStart(first.children);
  const isGone = children.length === 0 && !("tail" in first && first.tail !== "");
  return isGone ? trimStart(rest) : [{ ...first, children }, ...rest];
}

function trimEnd(nodes: readonly Inline[]): readonly Inline[] {
  const rest = nodes.slice(0, -1);
  const last = nodes.at(-1);
  if (last === undefined) return nodes;
  if (last.type === "break") return trimEnd(rest);
  if (last.type === "text") {
    const text = last.text.trimEnd();
    return text === "" ? trimEnd(rest) : [...rest, { ...last, text, end: last.at + text.length }];
  }
  if (last.type === "code") return nodes;
  if ("tail" in last && last.tail !== "") return nodes; // what stands behind the words of a link is no blank
  const children = trimEnd(last.children);
  return children.length === 0 ? trimEnd(rest) : [...rest, { ...last, children }];
}
