import { endOf, type Block, type Inline } from "../../../src/channels/markup/tree.ts";

/** All that blocks say, without blanks. Headers of tables are written in `H`, and left out: they may stand in each piece. */
export function wordsOf(blocks: readonly Block[]): string {
  return blocks.map(ofBlock).join("").replaceAll(/[\sH]/g, "");
}

function ofBlock(block: Block): string {
  switch (block.type) {
    case "paragraph":
    case "heading":
      return lineOf(block.children);
    case "code":
      return block.text;
    case "rule":
      return "";
    case "quote":
      return wordsOf(block.children);
    case "list":
      return block.items.map((item) => wordsOf(item.children)).join("");
    case "table":
      return [block.head, ...block.rows].flatMap(({ cells }) => cells.map((cell) => lineOf(cell))).join("");
  }
}

/** With the addresses that have a place: one that stands elsewhere, and is longer than its line, goes when there is no room. */
function lineOf(nodes: readonly Inline[]): string {
  return nodes
    .map((node) => {
      if (node.type === "text" || node.type === "code") return node.text;
      if (node.type === "break") return "\n";
      const isCounted = "tail" in node && node.end > endOf(node.children, node.at);
      return lineOf(node.children) + (isCounted ? node.tail : "");
    })
    .join("");
}
