/** Words alone: text messages, IRC without colors, the other half of an e-mail. */
import { inlineText, type Block } from "../tree.ts";
import { printLines, type Style } from "./lines.ts";
import { prefixed, same, type Printed } from "./printed.ts";
import { looseTable } from "./table-text.ts";

export function printPlain(blocks: readonly Block[]): Printed {
  const style: Style = {
    rule: "———",
    line: (nodes) => same(inlineText(nodes, true)),
    heading: ({ children }) => same(inlineText(children, true)),
    code: ({ text }) => same(text),
    table: (table) => same(looseTable(table)),
    quote: (inside) => prefixed(inside, "> ", "> "),
    bullet: "-",
    indentsAll: false,
    tasks: ["[ ]", "[x]"],
  };
  return printLines(blocks, style);
}
