/** Items → what is drawn, one row each: days apart, bookkeeping left out, long runs of finished calls folded. */
import { type Item } from "@margay/core/state";
import { callsOf, type ItemOf } from "@margay/core/internal/state";
import { dayNumber } from "../../texts/format.ts";
import type { Outgoing } from "../../store/outgoing.ts";
import type { Overlay } from "../../store/overlay.ts";
import { isForeign } from "../../wire.ts";

export type Row =
  | { readonly kind: "day"; readonly key: string; readonly at: number }
  | { readonly kind: "new"; readonly key: string }
  | {
      readonly kind: "assistant";
      readonly key: string;
      readonly item: ItemOf<"assistant">;
      /** Of its turn, when this is the turn's last answer. */
      readonly end: ItemOf<"turn-end"> | undefined;
      readonly first: boolean;
    }
  | { readonly kind: "calls"; readonly key: string; readonly items: readonly ItemOf<"assistant">[] }
  | { readonly kind: "item"; readonly key: string; readonly item: Exclude<Item, { kind: "assistant" }> }
  | { readonly kind: "outgoing"; readonly key: string; readonly message: Outgoing }
  | { readonly kind: "live"; readonly key: string; readonly overlay: Overlay; readonly first: boolean }
  | { readonly kind: "status"; readonly key: string };

const FOLD_FROM = 3;
/** Notes of the runtime to the model that tell a person nothing. */
const QUIET = new Set(["clock", "runtime", "reflection"]);

export interface RowSource {
  readonly items: readonly Item[];
  /** The running turn: its calls are not folded. */
  readonly turn: string | undefined;
  /** The last seq that was read before this visit. */
  readonly seen: number | undefined;
  readonly keyOf: (item: Item) => string;
}

export function rowsOf({ items, turn, seen, keyOf }: RowSource): readonly Row[] {
  const ends = new Map(items.flatMap((item) => (item.kind === "turn-end" ? [[item.turn ?? "", item] as const] : [])));
  const lastOf = new Map<string, string>();
  for (const item of items) if (item.kind === "assistant" && item.turn !== undefined) lastOf.set(item.turn, item.id);
  const rows: Row[] = [];
  const thisDay = dayNumber(Date.now());
  let day: number | undefined;
  let marked = seen === undefined;
  let before: Item | undefined;
  for (const item of items) {
    if (!isShown(item, turn)) continue;
    const today = dayNumber(item.at);
    if (day !== today && !(day === undefined && today === thisDay))
      rows.push({ kind: "day", key: `day:${String(today)}`, at: item.at });
    day = today;
    if (!marked && Number.parseInt(item.id, 10) > (seen ?? 0) && item.kind === "assistant") {
      if (before !== undefined) rows.push({ kind: "new", key: "new" });
      marked = true;
    }
    if (item.kind === "assistant") {
      const end = item.turn !== undefined && lastOf.get(item.turn) === item.id ? ends.get(item.turn) : undefined;
      const first = before?.kind !== "assistant" || before.turn !== item.turn;
      rows.push({ kind: "assistant", key: keyOf(item), item, end, first });
    } else rows.push({ kind: "item", key: item.id, item });
    before = item;
  }
  return folded(rows, turn);
}

/** What was sent and not confirmed: below the answer that is being written, which does not know of it. */
export function outgoingRows(outgoing: readonly Outgoing[]): readonly Row[] {
  return outgoing.map((message) => ({ kind: "outgoing", key: `out:${message.key}`, message }));
}

function isShown(item: Item, turn: string | undefined): boolean {
  switch (item.kind) {
    case "epoch":
      return item.because !== "opened";
    case "notice":
      return !QUIET.has(item.notice);
    case "turn-end":
      return item.reason !== "done";
    case "delivery":
      return isForeign(item.to);
    case "user":
      // What waits while a turn runs is listed above the composer.
      return !(item.state === "pending" && turn !== undefined);
    case "assistant":
      return item.parts.length > 0 || item.finish !== "stop";
    case "compaction":
    case "cleared":
      return true;
  }
}

/** Three or more answers in a row that are nothing but finished calls become one line. */
function folded(rows: readonly Row[], turn: string | undefined): readonly Row[] {
  const result: Row[] = [];
  let run: Extract<Row, { kind: "assistant" }>[] = [];
  const close = (): void => {
    const calls = run.reduce((sum, { item }) => sum + callsOf(item).length, 0);
    const [first] = run;
    if (first && calls >= FOLD_FROM)
      result.push({ kind: "calls", key: `calls:${first.key}`, items: run.map(({ item }) => item) });
    else result.push(...run);
    run = [];
  };
  for (const row of rows) {
    const quiet =
      row.kind === "assistant" &&
      row.item.turn !== turn &&
      row.end === undefined &&
      row.item.parts.every((part) => part.type === "call" && part.call.status === "ok" && part.call.name !== "spawn");
    if (quiet) run.push(row);
    else {
      close();
      result.push(row);
    }
  }
  close();
  return result;
}

const LINE_PX = 26;
const LINE_CHARS = 85;

/** A row's height before it was ever drawn: near enough that the scroll bar does not jump. */
export function estimateOf(row: Row | undefined): number {
  switch (row?.kind) {
    case "assistant": {
      const text = row.item.parts.reduce((sum, part) => sum + (part.type === "text" ? heightOf(part.text) : 48), 0);
      return text + (row.end ? 60 : 16);
    }
    case "item":
      return row.item.kind === "user"
        ? 72 + row.item.parts.reduce((sum, part) => sum + (part.type === "text" ? heightOf(part.text) : 80), 0)
        : 48;
    case "outgoing":
      return 96;
    case "live":
      return 80;
    case "day":
    case "new":
    case "calls":
    case "status":
    case undefined:
      return 48;
  }
}

function heightOf(text: string): number {
  const lines = text.split("\n").reduce((sum, line) => sum + Math.max(1, Math.ceil(line.length / LINE_CHARS)), 0);
  return Math.min(lines, 400) * LINE_PX;
}
