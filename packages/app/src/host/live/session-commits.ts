/** The events of a session in use as commits and what is live between them. */
import type { AgentEvent, Commit, JournalRecord, Session } from "@margay/core";
import type { DurableEvent, LiveEvent, Seq } from "@margay/core/internal";

/** Called while the session commits: it must be short, and must not throw. */
export interface Follower {
  commit(commit: Commit): void;
  live?(event: LiveEvent): void;
}

/** @returns the function that ends it. */
export function followCommits(
  session: Pick<Session, "subscribe">,
  follower: Follower,
  failed?: (error: Error) => void,
): () => void {
  let open: { readonly seq: Seq; readonly at: number; readonly records: JournalRecord[] } | undefined;
  const flush = (): void => {
    const commit = open;
    if (commit === undefined) return;
    open = undefined;
    follower.commit(commit);
  };
  return session.subscribe((event: AgentEvent) => {
    if (!isDurable(event)) {
      flush(); // nothing of a commit comes after it
      follower.live?.(event);
      return;
    }
    const { seq, at, ...rest } = event;
    if (open?.seq !== seq) {
      flush();
      open = { seq, at, records: [] };
      queueMicrotask(flush); // the records of a commit are told in one go
    }
    open.records.push(rest as JournalRecord); // a durable event is a record with its place
  }, failed);
}

function isDurable(event: AgentEvent): event is DurableEvent {
  return "seq" in event;
}
