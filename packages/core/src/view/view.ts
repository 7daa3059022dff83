/** Commits → what a person sees. One pure rule for the server and the browser; grows by a commit at a time. */
import type { Seq, SessionId } from "../contract/base.ts";
import { bySomeKind } from "../lib/by-kind.ts";
import { RECORDS, type ViewState } from "./records.ts";
import { createItemStore } from "./store.ts";
import type { ApprovalView, Item, ItemOf, TurnView, ViewSnapshot, WireCommit } from "./types.ts";

/** Items are replaced, never changed: equal objects are equal to the eye. */
export interface SessionView {
  readonly session: SessionId;
  readonly seq: Seq;
  readonly items: readonly Item[];
  readonly turn: TurnView | undefined;
  /** User items that the model has not seen yet. */
  readonly pending: readonly ItemOf<"user">[];
  /** Calls that wait for a person. */
  readonly approvals: readonly ApprovalView[];
  /** Commits must come in order; one that was applied already changes nothing. @returns the items that are new or other. */
  apply(commit: WireCommit): readonly Item[];
  /** Where an item stands; undefined when the view does not hold it. */
  indexOf(id: string): number | undefined;
  /** The last `limit` items. */
  snapshot(limit?: number): ViewSnapshot;
}

/** @param from a snapshot of a view: what comes after it is applied; items before its first are not known here. */
export function createView(session: SessionId, from?: Omit<ViewSnapshot, "session">): SessionView {
  const store = createItemStore(from?.items ?? []);
  const { items } = store;
  const state: ViewState = { session, store, turn: from?.turn };
  let seq = from?.seq ?? (0 as Seq); // before the first commit
  return {
    session,
    get seq() {
      return seq;
    },
    get items() {
      return items;
    },
    get turn() {
      return state.turn;
    },
    get pending() {
      return store.pending;
    },
    get approvals() {
      return store.approvals;
    },
    apply: (commit) => {
      if (commit.seq <= seq) return [];
      const { at } = commit;
      commit.records.forEach((record, number) =>
        bySomeKind(RECORDS, record, state, { id: `${commit.seq}.${number}`, at, seq: commit.seq }),
      );
      ({ seq } = commit);
      return store.takeTouched();
    },
    indexOf: store.indexOf,
    snapshot: (limit = items.length) => ({
      session,
      seq,
      items: limit >= items.length ? [...items] : items.slice(items.length - limit),
      ...(state.turn !== undefined && { turn: state.turn }),
    }),
  };
}
