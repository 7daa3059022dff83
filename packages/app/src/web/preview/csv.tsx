/** Comma- or tab-separated values as a table (RFC 4180: quotes, doubled quotes, breaks inside them). */
import type { VNode } from "preact";
import { visible } from "../markdown/visible-text.tsx";
import { number } from "../texts/index.ts";
import { t } from "./texts.ts";

/** More rows than these are counted, and not drawn. */
const MAX_ROWS = 1_000;
const MAX_COLUMNS = 100;

export function CsvTable({ text, tab }: { readonly text: string; readonly tab: boolean }): VNode {
  const rows = parseCsv(text, tab ? "\t" : separatorOf(text));
  const [head = [], ...body] = rows;
  const shown = body.slice(0, MAX_ROWS);
  return (
    <div class="preview-sheet" role="region" aria-label={t("table")} tabIndex={0}>
      <table>
        <thead>
          <tr>
            {head.slice(0, MAX_COLUMNS).map((cell, index) => (
              <th key={index} scope="col" dir="auto">
                {visible(cell)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {shown.map((row, index) => (
            <tr key={index}>
              {row.slice(0, MAX_COLUMNS).map((cell, at) => (
                <td key={at} dir="auto" class={isNumber(cell) ? "num" : undefined}>
                  {visible(cell)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
      <p class="muted small">
        {body.length > shown.length
          ? t("rows.more", { shown: number(shown.length), all: number(body.length) })
          : t("rows", { n: body.length })}
      </p>
    </div>
  );
}

function isNumber(cell: string): boolean {
  return /^[-+]?[\d.,\s]*\d\s*%?$/.test(cell.trim()) && cell.trim() !== "";
}

/** What of the first line parts more: many programs write semicolons where commas are in numbers. */
function separatorOf(text: string): string {
  const line = text.slice(0, text.search(/\r?\n|$/));
  const count = (char: string): number => line.split(char).length;
  return count(";") > count(",") ? ";" : ",";
}

export function parseCsv(text: string, separator: string): readonly (readonly string[])[] {
  const rows: string[][] = [];
  let row: string[] = [];
  let cell = "";
  let quoted = false;
  const endRow = (): void => {
    row.push(cell);
    cell = "";
    if (row.length > 1 || row[0] !== "") rows.push(row); // an empty line is none
    row = [];
  };
  const source = text.replace(/^\uFEFF/, "");
  for (let at = 0; at < source.length; at += 1) {
    const char = source[at];
    if (quoted && char === '"' && source[at + 1] === '"') {
      cell += '"';
      at += 1;
    } else if (char === '"' && (quoted || cell === "")) quoted = !quoted;
    else if (quoted) cell += char ?? "";
    else if (char === separator) {
      row.push(cell);
      cell = "";
    } else if (char === "\n") endRow();
    else if (char !== "\r") cell += char ?? "";
  }
  if (cell !== "" || row.length > 0) endRow();
  return rows;
}
