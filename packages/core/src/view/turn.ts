/** The turn of a view: what it is doing now. */
import type { ModelRef } from "../contract/message.ts";
import { callsOf, type ItemStore } from "./store.ts";
import type { CallView, TurnView } from "./types.ts";

interface WithTurn {
  readonly store: ItemStore;
  turn: TurnView | undefined;
}

/** @param gone what it does not have any more. */
export function onTurn(state: WithTurn, change: Partial<TurnView>, ...gone: readonly (keyof TurnView)[]): void {
  if (state.turn === undefined) return;
  const next = { ...state.turn, ...change };
  for (const name of gone) delete next[name];
  state.turn = next;
}

/** After a call changed. */
export function settle(state: WithTurn): void {
  const { store, turn } = state;
  if (turn === undefined) return;
  const last = store.items.findLast((item) => item.kind === "assistant" && item.turn === turn.id);
  onTurn(state, { doing: doingOf(last?.kind === "assistant" ? callsOf(last) : []) });
}

export function isOther(one: ModelRef, other: ModelRef): boolean {
  return one.provider !== other.provider || one.model !== other.model;
}

function doingOf(calls: readonly CallView[]): TurnView["doing"] {
  if (calls.some(({ status, retryAt }) => status === "running" && retryAt === undefined)) return "invoke";
  if (calls.some(({ retryAt }) => retryAt !== undefined)) return "sleep";
  return calls.some(({ status }) => status === "asked") ? "wait" : "judge";
}
