/** Consolidations in the state: which rows an answer is about, and what becomes of it when they leave the context. */
import type { TurnId } from "../contract/base.ts";
import type { Audience } from "../contract/people.ts";
import type { JournalRecord } from "../contract/record.ts";
import type { SessionState } from "../contract/session.ts";

type About<T extends JournalRecord["type"]> = Extract<JournalRecord, { type: T }>;

export function remember(
  state: SessionState,
  record: About<"memory.answered" | "memory.written" | "memory.archived">,
): SessionState {
  switch (record.type) {
    case "memory.answered": {
      if (record.gone === undefined)
        return {
          ...state,
          archive: state.archive.map((item) => (item.cleared === record.epoch ? { ...item, answered: record } : item)),
        };
      // An answer about a context that is gone is void: its rows were archived with the rest.
      return record.epoch === state.epoch ? { ...state, answered: { ...record, ...readBy(state) } } : state;
    }
    case "memory.written":
      if (state.answered?.epoch !== record.epoch) return state;
      return record.epoch === state.epoch
        ? { ...state, answered: { ...state.answered, written: true } }
        : withoutAnswer(state);
    case "memory.archived":
      return { ...state, archive: state.archive.filter((item) => item.cleared !== record.cleared) };
  }
}

/** When every row stays, an answer keeps its place: the rows it counts are the same ones in another form. */
export function afterCut(state: SessionState, rows: number, kept: SessionState["messages"]): SessionState {
  if (rows === 0 && kept.length === state.messages.length) return state;
  return { ...withoutAnswer(state), epoch: state.epoch + 1 };
}

/**
 * What was answered about is not archived again: an answer that is not in the files yet stays until it is.
 * Nothing is archived for somebody who keeps no memory, or from a context that holds no row.
 */
export function afterClear(state: SessionState, archive: boolean): SessionState {
  const { answered } = state;
  const head = answered !== undefined && answered.turn === undefined && answered.epoch === state.epoch;
  // A list of its own: the one of a replay grows in place.
  const messages = [...state.messages].slice(head ? answered.gone : 0);
  const rows = messages.some((message) => message.role !== "notice");
  const next = { ...state, epoch: state.epoch + 1 };
  return {
    ...(answered !== undefined && (answered.written === true || answered.turn !== undefined)
      ? withoutAnswer(next)
      : next),
    archive:
      archive && rows ? [...state.archive, { cleared: state.cleared + 1, messages, ...readBy(state) }] : state.archive,
  };
}

/** An answer about rows in the middle of a context has no use when its turn ended without the compaction. */
export function withoutAnswerOf(state: SessionState, turn: TurnId): SessionState {
  return state.answered?.turn === turn ? withoutAnswer(state) : state;
}

/** It goes into the memory of who read it, whoever reads by then. */
function readBy({ audience }: SessionState): { readonly audience?: Audience } {
  return audience === undefined ? {} : { audience };
}

function withoutAnswer(state: SessionState): SessionState {
  const { answered: _answered, ...rest } = state;
  return rest;
}
