/** Which version of the records a journal has, and older ones → current. Pure; journals of every release are fixtures. */
import type { Commit, JournalRecord } from "../contract/record.ts";
import type { Journals } from "../contract/store.ts";
import { RuntimeError } from "../lib/errors/errors.ts";

/** Raised with every change of the records that the margay before it could not read. */
export const JOURNAL_VERSION = 4;
/** The margay that this is: what a reader too old for its journals is told to install. */
export const RELEASE = "0.1.0";

/** What stands before the first record of a version in a journal that was begun by an older one. */
export const RAISED: JournalRecord = { type: "journal.raised", version: JOURNAL_VERSION, by: RELEASE };

/** The version that the last of these records has; 0 without any that says so. */
export function versionOf(commits: readonly Commit[]): number {
  let version = 0;
  for (const { records } of commits) for (const record of records) version = stampOf(record)?.version ?? version;
  return version;
}

/**
 * For the commits of one journal, in order: what an older margay wrote comes out as this one would have written it.
 * @param before As of `versionOf`: that of what stands in front of them.
 * @throws RuntimeError `journal.version` for a newer version and for a record that is not known here.
 */
export function upgrader(before = 0): (commit: Commit) => Commit {
  let stamp: Stamp = { version: before };
  return (commit) => {
    for (const record of commit.records) {
      stamp = stampOf(record) ?? stamp;
      const { version = 0 } = stamp;
      if (version > JOURNAL_VERSION) throw tooNew(`has version ${version}, and this margay`, stamp);
      // A key of the table is asked for by a name that somebody else wrote: `toString` is none.
      if (!Object.hasOwn(KNOWN, record.type))
        throw tooNew(`holds a record ${JSON.stringify(String(record.type).slice(0, 64))}, and this margay`, stamp);
    }
    return (stamp.version ?? 0) < 2 ? { ...commit, records: commit.records.map(fromVersion1) } : commit;
  };
}

/** Whatever keeps them: what is read of them is as this margay would have written it. */
export function upgrading<Store extends Journals>(journals: Store): Store {
  return {
    ...journals,
    open: async (id, known) => {
      const journal = await journals.open(id, known);
      const { after } = journal;
      return {
        ...journal,
        takeOpened: () => journal.takeOpened().map(upgrader(after > 0 ? known?.version : 0)),
        reopen: async () => (await journal.reopen()).map(upgrader()),
        read: (from) => upgraded(journal.read(from)),
      };
    },
    read: (id, after, ended) => upgraded(journals.read(id, after, ended)),
  };
}

/** All of them through one `upgrader`: records of an older version tell themselves apart, whatever stands in front of them. */
async function* upgraded(commits: AsyncIterable<Commit>): AsyncIterable<Commit> {
  const upgrade = upgrader();
  for await (const commit of commits) yield upgrade(commit);
}

interface Stamp {
  readonly version?: number;
  readonly by?: string;
}

function stampOf(record: JournalRecord): Stamp | undefined {
  return record.type === "session.opened" || record.type === "journal.raised" ? record : undefined;
}

function tooNew(what: string, { by }: Stamp): RuntimeError {
  const install = by === undefined || by === RELEASE ? "a newer margay" : `margay ${by.slice(0, 64)} or newer`;
  return new RuntimeError(
    "journal.version",
    `This journal ${what} reads up to ${JOURNAL_VERSION}. Install ${install}.`,
  );
}

/** Replies had one id, of their last piece, and their failures were not told apart. */
function fromVersion1(record: JournalRecord): JournalRecord {
  if (record.type === "reply.delivered" && "platformId" in record) {
    const { platformId, ...rest } = record;
    return { ...rest, ids: [String(platformId)] };
  }
  if (record.type === "reply.failed" && !("kind" in record)) {
    const old = record as Omit<Extract<JournalRecord, { type: "reply.failed" }>, "kind" | "sent">; // version 1
    return { ...old, kind: old.retryAt === undefined ? "refused" : "again", sent: "maybe" };
  }
  return record;
}

/** Every type of record there is: one that is missing here does not compile. */
const KNOWN: Readonly<Record<JournalRecord["type"], true>> = {
  "session.opened": true,
  "journal.raised": true,
  "audience.set": true,
  "agent.bound": true,
  "prefix.frozen": true,
  "message.received": true,
  "message.heard": true,
  "voice.transcribed": true,
  "media.fetched": true,
  "message.edited": true,
  "messages.withdrawn": true,
  "messages.placed": true,
  "context.endorsed": true,
  "command.handled": true,
  "control.handled": true,
  "notice.added": true,
  "skill.requested": true,
  "turn.started": true,
  "model.requested": true,
  "model.responded": true,
  "model.failed": true,
  "call.judged": true,
  "approval.resolved": true,
  "call.asked": true,
  "question.closed": true,
  "release.asked": true,
  "release.answered": true,
  "release.closed": true,
  "call.deferred": true,
  "tool.started": true,
  "tool.failed": true,
  "tool.finished": true,
  "turn.cancelled": true,
  "turn.ended": true,
  "reply.queued": true,
  "reply.live": true,
  "reply.held": true,
  "handle.received": true,
  "reply.sending": true,
  "reply.sent": true,
  "reply.delivered": true,
  "reply.failed": true,
  "message.posted": true,
  "usage.counted": true,
  "history.compacted": true,
  "memory.answered": true,
  "memory.written": true,
  "memory.archived": true,
  "session.cleared": true,
  "history.imported": true,
  "session.configured": true,
};
