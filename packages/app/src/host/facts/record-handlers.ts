/** What a fold does with the records it cares about; the others pass by. */
import type { Commit, JournalRecord } from "@margay/core";

export type RecordHandlers = {
  readonly [Type in JournalRecord["type"]]?: (
    record: Extract<JournalRecord, { readonly type: Type }>,
    commit: Commit,
  ) => void;
};

export function handleRecord(handlers: RecordHandlers, record: JournalRecord, commit: Commit): void {
  const handler = handlers[record.type] as ((record: JournalRecord, commit: Commit) => void) | undefined; // the entry for this type takes this type
  handler?.(record, commit);
}
