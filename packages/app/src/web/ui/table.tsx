/**
 * A table with a caption, sortable columns and rows that can be opened. In a narrow column each row is a card; the roles are
 * written out because what is no longer displayed as a table loses them.
 */
import type { ComponentChildren } from "preact";
import { useMemo, useState } from "preact/hooks";
import { c } from "../texts/panels-common.ts";
import { locale } from "../texts/panels.ts";

export interface Column<Row> {
  readonly id: string;
  readonly title: string;
  readonly cell: (row: Row) => ComponentChildren;
  /** Makes the column sortable; undefined values go last. */
  readonly sort?: (row: Row) => string | number | undefined;
  readonly align?: "end";
  readonly mono?: boolean;
  /** Prose: it may take several lines. */
  readonly wrap?: boolean;
}

interface Props<Row> {
  readonly caption: string;
  readonly columns: readonly Column<Row>[];
  readonly rows: readonly Row[];
  readonly rowKey: (row: Row) => string;
  /** The caption is for screen readers only when a heading says the same. */
  readonly captionShown?: boolean;
  readonly start?: { readonly column: string; readonly down: boolean };
  /** What a row opens, drawn below it. */
  readonly detail?: ((row: Row) => ComponentChildren) | undefined;
  readonly foot?: ComponentChildren;
}

export function Table<Row>({ caption, columns, rows, rowKey, captionShown = false, start, detail, foot }: Props<Row>) {
  const [order, setOrder] = useState(start);
  const [open, setOpen] = useState<string | undefined>(undefined);
  const sorted = useMemo(() => inOrder(rows, columns, order), [rows, columns, order]);
  return (
    <div class="p-table" role="region" aria-label={caption} tabIndex={0}>
      <table role="table">
        <caption class={captionShown ? undefined : "visually-hidden"}>{caption}</caption>
        <thead role="rowgroup">
          <tr role="row">
            {columns.map((column) => (
              <th
                key={column.id}
                scope="col"
                role="columnheader"
                class={column.align === "end" ? "p-end" : undefined}
                aria-sort={direction(column, order)}
              >
                {column.sort === undefined ? (
                  column.title
                ) : (
                  <button
                    type="button"
                    class="p-sort"
                    title={c("sortBy", { column: column.title })}
                    onClick={() => setOrder({ column: column.id, down: order?.column === column.id && !order.down })}
                  >
                    {column.title}
                    <span aria-hidden="true">{order?.column === column.id ? (order.down ? " ↓" : " ↑") : ""}</span>
                  </button>
                )}
              </th>
            ))}
            {detail !== undefined && (
              <th scope="col" role="columnheader">
                <span class="visually-hidden">{c("details")}</span>
              </th>
            )}
          </tr>
        </thead>
        <tbody role="rowgroup">
          {sorted.map((row) => {
            const key = rowKey(row);
            return [
              <tr key={key} role="row">
                {columns.map((column) => (
                  <td key={column.id} role="cell" data-label={column.title} class={cellClass(column)}>
                    {column.cell(row)}
                  </td>
                ))}
                {detail !== undefined && (
                  <td role="cell" class="p-end">
                    <button
                      type="button"
                      class="button quiet small"
                      aria-expanded={open === key}
                      onClick={() => setOpen(open === key ? undefined : key)}
                    >
                      {open === key ? c("close") : c("details")}
                    </button>
                  </td>
                )}
              </tr>,
              detail !== undefined && open === key && (
                <tr key={`${key} detail`} role="row" class="p-detail">
                  <td role="cell" colSpan={columns.length + 1}>
                    {detail(row)}
                  </td>
                </tr>
              ),
            ];
          })}
        </tbody>
        {foot !== undefined && <tfoot>{foot}</tfoot>}
      </table>
    </div>
  );
}

function cellClass<Row>(column: Column<Row>): string | undefined {
  const names = [
    column.align === "end" && "p-end",
    column.mono === true && "p-mono",
    column.wrap === true && "p-wrap",
  ].filter(Boolean);
  return names.length === 0 ? undefined : names.join(" ");
}

function direction<Row>(column: Column<Row>, order: Props<Row>["start"]): "ascending" | "descending" | undefined {
  if (order?.column !== column.id) return undefined;
  return order.down ? "descending" : "ascending";
}

function inOrder<Row>(
  rows: readonly Row[],
  columns: readonly Column<Row>[],
  order: Props<Row>["start"],
): readonly Row[] {
  const by = columns.find((column) => column.id === order?.column)?.sort;
  if (by === undefined || order === undefined) return rows;
  const collator = new Intl.Collator(locale(), { numeric: true });
  const sign = order.down ? -1 : 1;
  return rows.toSorted((a, b) => {
    const left = by(a);
    const right = by(b);
    if (left === undefined || right === undefined) return Number(left === undefined) - Number(right === undefined);
    if (typeof left === "number" && typeof right === "number") return sign * (left - right);
    return sign * collator.compare(String(left), String(right));
  });
}
