/** One item of the view → what the terminal draws of it. Nothing here knows a terminal. Pure. */
import { shownText } from "@margay/core/internal";
import type { Json, ToolMessage } from "@margay/core";
import type { Item } from "@margay/core/state";
import type { CallId } from "@margay/core/internal";
import { callsOf, isCut, keptAsideOf, labelledFilesOf, type CallView, type ItemOf } from "@margay/core/internal/state";

export type CardStatus = "proposed" | "asking" | "running" | "retrying" | ToolMessage["status"];
export type Row =
  | { readonly kind: "user"; readonly text: string; readonly name?: string }
  | { readonly kind: "assistant"; readonly text: string; readonly live: boolean; readonly cut: boolean }
  | { readonly kind: "thinking"; readonly text: string; readonly live: boolean }
  | {
      readonly kind: "tool";
      readonly name: string;
      readonly input: Json;
      readonly status: CardStatus;
      /** What it prints while it runs. */
      readonly progress: string;
      readonly result: string;
      /** Of what runs. */
      readonly startedAt?: number;
      readonly durationMs?: number;
    }
  /** At the end of a turn: so many files became a stranger's in it. */
  | { readonly kind: "labelled"; readonly count: number }
  /** At the end of a turn: so many things that run by themselves were kept aside in it. */
  | { readonly kind: "quarantined"; readonly count: number }
  | { readonly kind: "note"; readonly tone: "info" | "error" | "answer"; readonly text: string };
export type Note = Extract<Row, { kind: "note" | "user" }>;

export interface RowContext {
  /** What a running call printed so far. */
  readonly output: (call: CallId) => string;
  /** All that the view holds: the end of a turn tells of its calls. */
  readonly items: readonly Item[];
}

export function rowsOf(item: Item, context: RowContext): readonly Row[] {
  switch (item.kind) {
    case "user":
      return item.state === "withdrawn" ? [] : [userRow(item)];
    case "assistant":
      return answerRows(item, context);
    case "notice": // what else is told to the model is no news for the person
      return item.notice === "command" ? [{ kind: "note", tone: "answer", text: item.text }] : [];
    case "turn-end":
      return endRows(item, context);
    case "compaction":
    case "epoch":
    case "cleared":
    case "delivery":
      return [];
  }
}

export function isRunning({ status, retryAt }: CallView): boolean {
  return status === "running" && retryAt === undefined;
}

function userRow({ parts, from }: ItemOf<"user">): Row {
  return { kind: "user", text: shownText(parts), ...(from.kind !== "person" && { name: from.name ?? from.id }) };
}

function answerRows({ parts, finish }: ItemOf<"assistant">, { output }: RowContext): readonly Row[] {
  const cut = finish === "cancelled" || finish === "cut";
  return parts.flatMap((part): readonly Row[] => {
    if (part.type === "call") return [cardOf(part.call, output(part.call.call))];
    if (part.type === "media") return [{ kind: "assistant", text: shownText([part]), live: false, cut: false }];
    if (part.text.trim() === "") return [];
    return part.type === "text"
      ? [{ kind: "assistant", text: part.text, live: false, cut }]
      : [{ kind: "thinking", text: part.text, live: false }];
  });
}

function cardOf(call: CallView, progress: string): Row {
  return {
    kind: "tool",
    name: call.name,
    input: call.input,
    status: statusOf(call),
    progress,
    result: resultOf(call),
    ...(call.startedAt !== undefined && { startedAt: call.startedAt }),
    ...(call.ms !== undefined && { durationMs: call.ms }),
  };
}

function statusOf({ status, retryAt }: CallView): CardStatus {
  switch (status) {
    case "asked":
      return "asking";
    case "allowed":
      return "proposed";
    case "running":
      return retryAt === undefined ? "running" : "retrying";
    case "not-run":
      return "denied";
    case "proposed":
    case "ok":
    case "error":
    case "denied":
    case "interrupted":
      return status;
  }
}

function resultOf({ result, retryAt, error }: CallView): string {
  if (result === undefined) return retryAt === undefined ? "" : (error?.message ?? "");
  return isCut(result) ? result.head : shownText(result);
}

/** What its calls left is said once, and last what went wrong. */
function endRows({ turn, reason, notice }: ItemOf<"turn-end">, { items }: RowContext): readonly Row[] {
  const calls = items.flatMap((item) => (item.kind === "assistant" && item.turn === turn ? callsOf(item) : []));
  const sum = (count: (details: Json | undefined) => number): number =>
    calls.reduce((total, { details }) => total + count(details), 0);
  const counts = [
    { kind: "quarantined", count: sum((details) => keptAsideOf(details).count) },
    { kind: "labelled", count: sum(labelledFilesOf) },
  ] as const;
  const tone = reason === "failed" || reason === "budget" ? "error" : "info";
  return [
    ...counts.filter(({ count }) => count > 0),
    ...(notice === undefined ? [] : [{ kind: "note", tone, text: notice } as const]),
  ];
}
