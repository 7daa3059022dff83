// The audit log: a hash-chained view over all journals, one line per tool call and per ended turn.
import { join } from "node:path";
import type { Clock, JsonObject, Logger, Millis, SessionId } from "../contract/base.ts";
import type { ToolStatus } from "../contract/message.ts";
import type { Commit } from "../contract/record.ts";
import type { CommitObserver } from "../contract/services.ts";
import type { SessionState } from "../contract/session.ts";
import { hasCode, messageOf } from "../lib/errors/errors.ts";
import { endOfTick } from "../machine/files/files.ts";
import { startTimer } from "../machine/system/clock.ts";
import { sha256 } from "../machine/system/hash.ts";
import { createFactFold, type Decision, type FactFold, type KnownFacts } from "../facts/turn-facts.ts";
import { parseSealed, type Head, type Sealed } from "./chain.ts";
import { auditedEvent, auditedFact, type AuditEntry, type EntryOptions, type Source } from "./entry.ts";
import { anchoredIn, isEmptyLog, logFiles, newestTime, readText } from "./log-files.ts";
import type { Owed } from "./owed.ts";
import { verifyAudit, type AuditReport } from "./verify.ts";
import { openWriter, type Pending, type Writer } from "./writer.ts";

export interface AuditOptions {
  /** `audit` in the state directory. */
  readonly directory: string;
  readonly clock: Pick<Clock, "now">;
  readonly redact: (text: string) => string;
  /** Instead of the key file. */
  readonly key?: Uint8Array;
  readonly log?: Logger;
  /** Whether something was done that must be in the log: where there is none, it was taken away. */
  readonly expected?: () => boolean;
  /** Told whenever a log is opened to be written: from then on its absence says something, without a conversation too. */
  readonly begun?: () => void;
  /** What happened after this time, as others know it: the log must have it. */
  readonly owed?: (since: Millis) => Promise<Owed | undefined>;
}
export interface AuditFilter {
  readonly session?: SessionId;
  readonly kind?: AuditEntry["kind"];
  readonly tool?: string;
  readonly status?: ToolStatus;
  readonly from?: Millis;
  readonly to?: Millis;
  readonly decision?: Decision["decision"];
  /** Who decided. */
  readonly by?: string;
  /** Only entries with a smaller number: the next page. */
  readonly before?: number;
  /** Default 100. */
  readonly limit?: number;
}
/** There is no method that changes or removes a line. `Name`: of the events that a program records. */
export interface Audit<Name extends string = string> extends CommitObserver, AsyncDisposable {
  /** Makes a log where there is none. Before the first commit: from then on its absence says something. */
  begin(): Promise<void>;
  /** Something outside the sessions, such as a refused login. */
  record(name: Name, data: JsonObject): void;
  /** Newest first. */
  list(filter?: AuditFilter): Promise<readonly Sealed[]>;
  /** @param known A head that was noted elsewhere: a log that was put back to an earlier state no longer has it. */
  verify(known?: Head): Promise<AuditReport>;
}

/** Lines are vouched for by the anchored head after this long at the latest. */
const ANCHOR_MS = 1_000;

/** Commits reach the disk and this log in about the order of their times; clocks are corrected by seconds. */
const SLACK_MS = 60_000;

/** Lines made and written between two turns of the event loop. */
const BATCH = 200;
/** What waits of a long journal that is read is not kept until all of it is. */
const MANY = 1000;

/** Times that others may have written in between. */
const MAX_REOPENED = 3;

interface AuditState {
  readonly options: AuditOptions;
  readonly entryOptions: EntryOptions;
  readonly folds: Map<SessionId, FactFold>;
  queue: Pending[];
  /** Whether the head is to be anchored after this batch: at the end of turns, not after each call. */
  due: boolean;
  unanchored: boolean;
  writer: Promise<Writer> | undefined;
  running: Promise<void> | undefined;
  failure: Error | undefined;
  later: Disposable | undefined;
}

/** Beside a snapshot of its session. */
interface Kept {
  readonly facts: KnownFacts | undefined;
  /** So many lines were in the log. */
  readonly anchored: number;
}

/** Reads nothing before the first record. Writes behind the turn, never in it. */
export function openAudit(options: AuditOptions): Audit {
  const { directory, clock } = options;
  const audit: AuditState = {
    options,
    entryOptions: { redact: options.redact, hash: sha256 },
    folds: new Map(),
    queue: [],
    due: false,
    unanchored: false,
    writer: undefined,
    running: undefined,
    failure: undefined,
    later: undefined,
  };
  return {
    begin: async () => {
      if (await isEmptyLog(directory)) await writeNow(audit);
    },
    observe: (state, commit, replayed) => observe(audit, state, commit, replayed),
    flush: () => flush(audit),
    continues: {
      name: "audit",
      keep: (id): Kept => ({ facts: audit.folds.get(id)?.known(), anchored: anchoredIn(directory) }),
      resume: (state, kept) => {
        const { facts, anchored } = kept as Kept; // as `keep` gave it
        // A log that was taken away, or put back, gets again what the journals hold of it.
        if (facts === undefined || anchoredIn(directory) < anchored) return false;
        audit.folds.set(state.id, createFactFold(facts));
        return true;
      },
    },
    record: (name, data) => {
      const entry = auditedEvent(name, data, clock.now(), audit.entryOptions);
      audit.queue.push({ source: undefined, make: () => entry });
      audit.due = true;
      wake(audit);
    },
    list: (filter = {}) => listAudit(directory, filter),
    // A log that cannot be read is told of when something is written to it. Where there is none, nothing is made up for.
    reached: async () => ((await newestTime(directory).catch(() => undefined)) ?? Number.POSITIVE_INFINITY) - SLACK_MS,
    verify: async (known) => {
      await flush(audit);
      return verifyAudit(directory, {
        ...(options.key !== undefined && { key: options.key }),
        ...(known && { known }),
        ...(options.expected !== undefined && { expected: options.expected }),
        ...(options.owed !== undefined && { owed: options.owed }),
      });
    },
    [Symbol.asyncDispose]: async () => {
      try {
        await flush(audit);
      } finally {
        audit.later?.[Symbol.dispose]();
        await (await audit.writer)?.close();
        audit.writer = undefined;
      }
    },
  };
}

function observe(audit: AuditState, state: SessionState, commit: Commit, replayed: boolean): void {
  const { folds, queue, entryOptions } = audit;
  const known = folds.get(state.id);
  // A session opened again is read from its first commit: what was folded before is folded anew.
  const fold = known === undefined || commit.seq === 1 ? createFactFold() : known;
  folds.set(state.id, fold);
  fold.apply(commit).forEach((fact, index) => {
    const source: Source = {
      session: state.id,
      sessionKey: fold.key,
      ...(fold.parent !== undefined && { parent: fold.parent.session }),
      seq: commit.seq,
      index,
      at: commit.at,
    };
    // What another person said and was told is theirs: the log has what was done, decided and spent.
    const options = fold.isPrivate && fact.kind !== "event" ? { ...entryOptions, redact: () => "" } : entryOptions;
    queue.push({ source, make: () => auditedFact(fact, source, options) });
    if (fact.kind !== "call") audit.due = true;
    // What is read at open is written later, with the next live record or a second after: opening a session must
    // not wait for this log, and what a crash kept out of it must not be looked for in vain until somebody writes.
    if (replayed && queue.length < MANY) anchorLater(audit);
    else wake(audit);
  });
}

async function flush(audit: AuditState): Promise<void> {
  if (audit.queue.length > 0 || audit.running !== undefined || audit.unanchored) await writeNow(audit);
  else if (audit.failure !== undefined) throw audit.failure;
}

async function writeNow(audit: AuditState): Promise<void> {
  audit.due = true;
  wake(audit);
  await audit.running;
  if (audit.failure !== undefined) throw audit.failure;
}

function wake(audit: AuditState): void {
  audit.running ??= drain(audit);
}

/** In the midst of a long turn too: what was written a second ago cannot be cut off unnoticed. */
function anchorLater(audit: AuditState): void {
  audit.later ??= startTimer(ANCHOR_MS, () => {
    audit.later = undefined;
    audit.due = true;
    wake(audit);
  });
}

async function drain(audit: AuditState): Promise<void> {
  await endOfTick(); // the commit that woke us goes first, and with it the next request to the model
  try {
    await writeQueue(audit);
    audit.failure = undefined;
  } catch (error) {
    // Nothing is lost: the queue is kept, and the journals hold all of it for the next start.
    audit.failure = error instanceof Error ? error : new Error(messageOf(error));
    audit.writer = undefined;
    audit.options.log?.error("audit.failed", { error: messageOf(error) });
  } finally {
    audit.running = undefined;
  }
}

async function writeQueue(audit: AuditState): Promise<void> {
  audit.writer ??= openWriter(audit.options);
  let open = await audit.writer;
  let again = MAX_REOPENED;
  do {
    const batch = audit.queue.slice(0, BATCH);
    audit.queue = audit.queue.slice(BATCH);
    try {
      await open.write(batch);
    } catch (error) {
      audit.queue = [...batch, ...audit.queue];
      if (!hasCode(error, "state.locked") || again-- === 0) throw error;
      audit.writer = openWriter({ ...audit.options, reached: open.head }); // somebody else wrote: this goes on from there
      open = await audit.writer;
      continue;
    }
    audit.unanchored = true;
    if (!audit.due) {
      anchorLater(audit);
      continue;
    }
    audit.due = false;
    audit.later?.[Symbol.dispose]();
    audit.later = undefined;
    await open.anchor();
    audit.unanchored = false;
  } while (audit.queue.length > 0 || audit.due);
}

async function listAudit(directory: string, filter: AuditFilter): Promise<readonly Sealed[]> {
  const limit = filter.limit ?? 100;
  const found: Sealed[] = [];
  for (const file of (await logFiles(directory)).toReversed()) {
    for (const line of ((await readText(join(directory, file))) ?? "").split("\n").toReversed()) {
      if (found.length >= limit) return found;
      const sealed = parseSealed(line) as Sealed | undefined; // the lines are ours; verify() tells when they are not
      if (sealed !== undefined && matches(sealed, filter)) found.push(sealed);
    }
  }
  return found;
}

function matches(entry: Sealed, filter: AuditFilter): boolean {
  const tool = entry.kind === "call" ? entry.tool : undefined;
  const status = entry.kind === "call" ? entry.status : undefined;
  return (
    (filter.kind === undefined || entry.kind === filter.kind) &&
    (filter.session === undefined || entry.session === filter.session) &&
    (filter.tool === undefined || tool === filter.tool) &&
    (filter.status === undefined || status === filter.status) &&
    (filter.decision === undefined || (entry.kind === "call" && entry.decision === filter.decision)) &&
    (filter.by === undefined || (entry.kind === "call" && entry.by === filter.by)) &&
    (filter.before === undefined || entry.n < filter.before) &&
    (filter.from === undefined || entry.at >= filter.from) &&
    (filter.to === undefined || entry.at <= filter.to)
  );
}
