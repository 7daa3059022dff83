/** What of a session's journal a copy under another key begins with. */
import type { Seq, SessionId } from "../contract/base.ts";
import type { Commit } from "../contract/record.ts";
import type { SessionState } from "../contract/session.ts";
import { JOURNAL_VERSION, RELEASE, versionOf } from "../journal/upgrade.ts";
import { GrowingList } from "../lib/async/growing-list.ts";
import { emptyState, fold } from "./reduce.ts";

/** Whole turns only: what waits, is asked or is running stays with the original. */
export function forkable(commits: readonly Commit[], key: string, from: SessionId): readonly Commit[] {
  let state: SessionState = { ...emptyState("fork" as SessionId), messages: new GrowingList() }; // only to see where a turn is open
  let whole = 0;
  commits.forEach((commit, index) => {
    state = fold(state, commit);
    if (state.turn === undefined && state.pending.length === 0) whole = index + 1;
  });
  const version = Math.max(JOURNAL_VERSION, versionOf(commits));
  return commits.slice(0, whole).map((commit, index) => ({
    ...commit,
    seq: (index + 1) as Seq, // consecutive
    records: commit.records
      .filter(
        // What is delivered there is not delivered here. The copy is of this version from its beginning.
        ({ type }) => !type.startsWith("reply.") && type !== "journal.raised",
      )
      .map((record) =>
        record.type === "session.opened"
          ? { ...record, version, by: RELEASE, key, forked: { from, commits: whole } }
          : record,
      ),
  }));
}
