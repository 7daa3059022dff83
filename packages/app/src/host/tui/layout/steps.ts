/** Calls that went well, one after the other, as one line: what was read and done, and how long it took. */
import type { Row } from "../rows.ts";

export type Card = Extract<Row, { kind: "tool" }>;

export interface Steps {
  readonly kind: "steps";
  readonly cards: readonly Card[];
}

/** Rows with runs of finished calls in one. What was edited stands for itself, and so does what nothing follows yet. */
export function inSteps(rows: readonly Row[], known: WeakMap<Row, Steps>): readonly (Row | Steps)[] {
  const shown: (Row | Steps)[] = [];
  let run: Card[] = [];
  const end = (): void => {
    const [first] = run;
    if (first === undefined || run.length < 2) shown.push(...run);
    else shown.push(stepsOf(first, run, known));
    run = [];
  };
  for (const row of rows) {
    if (row.kind === "tool" && row.status === "ok" && !isEdit(row)) {
      run.push(row);
      continue;
    }
    // Another card does not yet say that the work is over.
    if (row.kind === "tool") shown.push(...run.splice(0));
    else end();
    shown.push(row);
  }
  return [...shown, ...run];
}

function isEdit({ name }: Card): boolean {
  return name === "edit_file";
}

/** The same object for the same calls: it is drawn once. */
function stepsOf(first: Card, cards: readonly Card[], known: WeakMap<Row, Steps>): Steps {
  const before = known.get(first);
  if (before?.cards.length === cards.length && before.cards.every((card, index) => card === cards[index]))
    return before;
  const steps: Steps = { kind: "steps", cards };
  known.set(first, steps);
  return steps;
}
