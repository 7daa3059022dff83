/** One line per session, read from its journal when that has changed: thousands that are idle cost a look at each file. */
import type { SessionId } from "../contract/base.ts";
import type { Audience } from "../contract/people.ts";
import type { Commit } from "../contract/record.ts";
import type { CommitObserver } from "../contract/services.ts";
import type { SessionState } from "../contract/session.ts";
import type { About, Cached, JournalCache, Journals, SessionSummary } from "../contract/store.ts";
import { toErrorInfo } from "../lib/errors/errors.ts";
import { ellipsis } from "../lib/text.ts";
import { isTemporary } from "../lib/session-key.ts";
import { GrowingList } from "../lib/async/growing-list.ts";
import { aboutOf } from "./about.ts";
import { isSettled } from "./left-to-do.ts";
import { emptyState, fold } from "./reduce.ts";
import { isGroup, isPerson } from "../lib/audience.ts";

export interface Summaries {
  /** As the journals are now, the latest first. */
  list(): Promise<readonly SessionSummary[]>;
  /** Keeps up with the sessions that are in use, so that the next process needs not read them. */
  readonly observer: CommitObserver;
  /** What a store keeps beside commits, whose observers were told of what stands in front of them. @param after Where it is known already. */
  about(before: SessionState, commits: readonly Commit[], after?: SessionState): About;
  /** For the next process, when nothing is written any more. */
  save(): Promise<void>;
  /** Keys of those that have something to do. @param before As of the last process. */
  left(before: readonly string[] | undefined): readonly string[] | undefined;
}

/** Changes when `fold` gives other summaries, or `SessionSummary` other fields. */
const VERSION = "1";
/** Fewer read again than this are not worth a writing. */
const MIN_CHANGED = 50;
const TITLE_CHARS = 60;

interface InUse {
  readonly summary: SessionSummary;
  readonly seq: number;
}

export function createSummaries(journals: Journals): Summaries {
  const inUse = new Map<SessionId, InUse>();
  let cache: JournalCache<SessionSummary> | undefined;
  let known = new Map<SessionId, Cached<SessionSummary>>();
  let last: Promise<unknown> = Promise.resolve();
  let changed = 0;

  const look = async (id: SessionId, stamp: string): Promise<SessionSummary> => {
    const before = known.get(id);
    if (before !== undefined && before.stamp === stamp) return before.value;
    // Read after its stamp was taken: what is appended meanwhile makes it another one.
    const summary = await read(id, journals).catch((error: unknown) => unreadable(id, error));
    changed += 1;
    if (summary.fault === undefined) known.set(id, { stamp, value: summary });
    else known.delete(id);
    return summary;
  };

  const keep = async (): Promise<void> => {
    if (cache === undefined || changed === 0) return;
    changed = 0;
    await cache.save([...known].filter(([, { value }]) => !isTemporary(value.key))).catch(() => {}); // a full disk: the next start reads the journals
  };

  const refresh = async (): Promise<readonly SessionSummary[]> => {
    const kept = await journals.summaries?.();
    if (kept !== undefined) return latestFirst(kept);
    if (cache === undefined) {
      cache = journals.cache<SessionSummary>("summaries", VERSION);
      known = await cache.load().catch(() => new Map<SessionId, Cached<SessionSummary>>());
    }
    const summaries: SessionSummary[] = [];
    for await (const [id, stamp] of journals.stamps()) summaries.push(await look(id, stamp));
    if (known.size > summaries.length) {
      const there = new Set(summaries.map(({ id }) => id));
      for (const id of known.keys()) if (!there.has(id)) known.delete(id);
    }
    if (changed > Math.max(MIN_CHANGED, summaries.length / 10)) await keep();
    return latestFirst(summaries);
  };

  /** Of a session whose commits up to these were seen. Its key may have begun anew: then nothing of the one before counts. */
  const summaryNow = (state: SessionState, commits: readonly Commit[]): SessionSummary =>
    summaryOf(state, commits.reduce(toldBy, commits[0]?.seq === 1 ? UNTOLD : (inUse.get(state.id)?.summary ?? UNTOLD)));

  return {
    about: (before, commits, after = commits.reduce(fold, before)) =>
      aboutOf(before, commits, after, summaryNow(after, commits)),
    // One after the other: the second finds what the first has read.
    list: () => {
      const listed = last.then(refresh);
      last = listed.catch(() => {});
      return listed;
    },
    observer: observerOf(inUse, summaryNow),
    save: async () => {
      await last;
      if (cache === undefined) return; // nobody asked for the list in this process
      for (const [id, { summary, seq }] of inUse) {
        const stamp = await journals.stampAt(id, seq);
        if (stamp === undefined || known.get(id)?.stamp === stamp) continue;
        known.set(id, { stamp, value: summary });
        changed += 1;
      }
      await keep();
    },
    left: (before) => {
      const all = cache === undefined ? before?.map((key) => ({ key })) : [...known.values()].map(({ value }) => value);
      return all === undefined ? undefined : unsettled([...all, ...[...inUse.values()].map(({ summary }) => summary)]);
    },
  };
}

function latestFirst(summaries: readonly SessionSummary[]): readonly SessionSummary[] {
  return summaries.toSorted((a, b) => b.updatedAt - a.updatedAt);
}

function observerOf(
  inUse: Map<SessionId, InUse>,
  summaryNow: (state: SessionState, commits: readonly Commit[]) => SessionSummary,
): CommitObserver {
  return {
    observe: (state, commit) => inUse.set(state.id, { summary: summaryNow(state, [commit]), seq: commit.seq }),
    replay: (id, at) => void (at === "failed" && inUse.delete(id)),
    flush: () => Promise.resolve(),
    continues: {
      name: "summaries",
      keep: (id) => inUse.get(id)?.summary,
      resume: (state, kept) => {
        inUse.set(state.id, { summary: summaryOf(state, kept as SessionSummary), seq: state.seq }); // as `keep` gave it
        return true;
      },
    },
  };
}

/** Keys; of one that is there twice the last one holds. */
function unsettled(all: readonly Pick<SessionSummary, "key" | "settled">[]): readonly string[] {
  const isOver = new Map(all.map(({ key, settled = false }) => [key, settled]));
  return [...isOver].flatMap(([key, over]) => (over || key === "" || isTemporary(key) ? [] : [key]));
}

async function read(id: SessionId, journals: Journals): Promise<SessionSummary> {
  let state: SessionState = { ...emptyState(id), messages: new GrowingList() };
  let told = UNTOLD;
  for await (const commit of journals.read(id)) {
    state = fold(state, commit);
    told = toldBy(told, commit);
  }
  return summaryOf(state, told);
}

interface Told {
  readonly title: string;
  readonly persons?: readonly Audience[] | undefined;
}
const UNTOLD: Told = { title: "" };

function toldBy({ title, persons }: Told, { records }: Commit): Told {
  return { title: title === "" ? firstLine(records) : title, persons: personsIn(records, persons) };
}

function summaryOf(state: SessionState, { title, persons }: Told): SessionSummary {
  const { id, key, createdAt, updatedAt, rows } = state;
  return {
    id,
    key,
    createdAt,
    updatedAt,
    title,
    rows,
    ...(isSettled(state) && { settled: true }),
    ...(persons !== undefined && { persons }),
  };
}

function personsIn(
  records: Commit["records"],
  before: readonly Audience[] | undefined,
): readonly Audience[] | undefined {
  const more = records.flatMap((record) =>
    record.type === "audience.set" && (isPerson(record.audience) || isGroup(record.audience)) ? [record.audience] : [],
  );
  return more.length === 0 ? before : [...new Set([...(before ?? []), ...more])].toSorted();
}

/** One damaged journal must not hide the others: it is listed with what is wrong with it. */
function unreadable(id: SessionId, error: unknown): SessionSummary {
  return { id, key: "", createdAt: 0, updatedAt: 0, title: "", rows: 0, fault: toErrorInfo(error) };
}

function firstLine(records: Commit["records"]): string {
  for (const record of records) {
    const messages =
      record.type === "message.received" ? [record.message] : record.type === "history.imported" ? record.messages : [];
    if (record.type === "voice.transcribed") return ellipsis(record.text.trim(), TITLE_CHARS);
    for (const message of messages) {
      if (message.role !== "user") continue;
      const text = message.parts.map((part) => (part.type === "text" ? part.text : "")).join(" ");
      const line = text.trim().split("\n")[0]?.trim() ?? "";
      if (line !== "") return ellipsis(line, TITLE_CHARS);
    }
  }
  return "";
}
