/** A table that scrolls inside itself and can be copied as CSV. */
import type { ComponentChildren, VNode } from "preact";
import { useRef } from "preact/hooks";
import { CopyButton } from "../ui/copy-button.tsx";
import { t } from "./texts.ts";

export function Table({ children }: { children: ComponentChildren }): VNode {
  const table = useRef<HTMLTableElement>(null);
  return (
    <div class="md-table">
      <div class="md-scroll" role="region" aria-label={t("table.region")} tabIndex={0}>
        <table ref={table} dir="auto">
          {children}
        </table>
      </div>
      <div class="md-table-tools">
        <CopyButton label={t("table.copy")} text={() => (table.current ? csv(table.current) : "")} />
      </div>
    </div>
  );
}

function csv(table: HTMLTableElement): string {
  return [...table.rows].map((row) => [...row.cells].map((cell) => quoted(cell.textContent)).join(",")).join("\r\n");
}

function quoted(text: string): string {
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
