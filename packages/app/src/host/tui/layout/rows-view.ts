/** The rows of the conversation. They never change in place, so each is rendered once per width; but what runs has a time beside it. */
import type { Component } from "@earendil-works/pi-tui";
import type { Shown } from "../conversation.ts";
import type { Row } from "../rows.ts";
import { fit, type Kit, type Unfolded } from "./kit.ts";
import { renderRow } from "./render-row.ts";
import { inSteps, type Steps } from "./steps.ts";

interface Rows {
  readonly shown: Shown;
  readonly unfolded: Unfolded;
  readonly now: number;
}

interface Kept {
  readonly width: number;
  readonly unfolded: Unfolded;
  readonly lines: readonly string[];
}

export interface RowsView extends Component {
  /** Lines of the last drawing. */
  height(): number;
}

export function rowsView(state: () => Rows, kit: Kit): RowsView {
  let cache = new WeakMap<Row | Steps, Kept>();
  const steps = new WeakMap<Row, Steps>();
  let height = 0;
  return {
    height: () => height,
    render(width) {
      const { shown, unfolded, now } = state();
      const all: string[] = [];
      const rows = unfolded.tools ? shown.rows : inSteps(shown.rows, steps);
      rows.forEach((row, index) => {
        const before = rows[index - 1];
        if (before === undefined || !isCard(before) || !isCard(row)) all.push(""); // cards stand together
        const kept = cache.get(row);
        const isKept = kept?.width === width && kept.unfolded === unfolded && !goesOn(row);
        const lines = isKept
          ? kept.lines
          : renderRow(row, width, unfolded, kit, now).map((line) => fit(line, width, kit));
        cache.set(row, { width, unfolded, lines });
        all.push(...lines);
      });
      height = all.length;
      return [...all, ""];
    },
    invalidate() {
      cache = new WeakMap();
    },
  };
}

function isCard({ kind }: Row | Steps): boolean {
  return kind === "tool" || kind === "steps";
}

function goesOn(row: Row | Steps): boolean {
  return row.kind === "tool" && row.status === "running";
}
