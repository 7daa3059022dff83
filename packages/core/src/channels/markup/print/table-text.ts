/** A table as lines of text. */
import { inlineText, type Align, type Table } from "../tree.ts";

/** One long cell must not push the others out of sight. */
const MAX_WIDTH = 32;
const WIDE =
  /^[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Emoji_Presentation}\uff01-\uff60]$/u;
const NARROW = /^[\p{M}\u200b-\u200d\u2060]$/u;

/** In columns, for a font whose characters are equally wide. */
export function alignedTable(table: Table): string {
  const rows = cellsOf(table);
  const widths = table.align.map((_, column) =>
    Math.max(3, ...rows.map((cells) => Math.min(MAX_WIDTH, widthOf(cells[column] ?? "")))),
  );
  const lines = rows.map((cells) =>
    widths.map((width, column) => padded(cells[column] ?? "", width, table.align[column] ?? "none")).join(" | "),
  );
  const [head, ...body] = lines.map((line) => line.trimEnd());
  return [head, widths.map((width) => "-".repeat(width)).join("-+-"), ...body].join("\n");
}

/** For any font. */
export function looseTable(table: Table): string {
  return cellsOf(table)
    .map((cells) => cells.join(" | ").trim())
    .join("\n");
}

function cellsOf({ head, rows, align }: Table): readonly (readonly string[])[] {
  return [head, ...rows].map(({ cells }) => align.map((_, column) => inlineText(cells[column] ?? [], true)));
}

function padded(text: string, width: number, align: Align): string {
  const room = Math.max(0, width - widthOf(text));
  const left = align === "right" ? room : align === "center" ? room >> 1 : 0;
  return " ".repeat(left) + text + " ".repeat(room - left);
}

function widthOf(text: string): number {
  let width = 0;
  for (const char of text) width += NARROW.test(char) ? 0 : WIDE.test(char) ? 2 : 1;
  return width;
}
