// What an agent keeps and shares, whatever keeps it: files of one process, or a database of several.
import type { Millis, Seq, SessionId } from "./base.ts";
import type { Address } from "./message.ts";
import type { Audience } from "./people.ts";
import type { Commit, ErrorInfo } from "./record.ts";
import type { BlobStore } from "./services.ts";
import type { Session, SessionState } from "./session.ts";
import type { GoneSession, Ledger, SpentRequest } from "./spending.ts";

export interface SessionSummary {
  readonly id: SessionId;
  readonly key: string;
  readonly createdAt: Millis;
  readonly updatedAt: Millis;
  /** First user line, cut at 60 characters. */
  readonly title: string;
  readonly rows: number;
  /** No turn is open, no message waits, no reply is undelivered, nothing is left for memory; absent: look. */
  readonly settled?: true;
  /** Persons beside the owner, and groups, who read it, also earlier. Absent: none. */
  readonly persons?: readonly Audience[];
  /** Why it can't be opened; its key is unknown then, and `""`. */
  readonly fault?: ErrorInfo;
}
export interface SessionStore extends AsyncDisposable {
  /** Opens or creates. Equal keys give the same object while it is in use. */
  open(key: string, origin: Address, parent?: NonNullable<SessionState["parent"]>): Promise<Session>;
  /** @returns undefined when no session has this key. */
  find(key: string): Promise<Session | undefined>;
  /** What is known of a session without opening it. Absent: nothing is. */
  peek?(key: string): SessionState | undefined;
  list(): Promise<readonly SessionSummary[]>;
  /** Copies the journal up to `seq`; waiting approvals, pending messages and open calls are left out. */
  fork(key: string, newKey: string, seq?: Seq): Promise<Session>;
  remove(key: string): Promise<boolean>;
  /** Keys of those that an earlier process may have left something to do, as far as is known without looking at each. Absent, or undefined: `list` says it. */
  left?(): readonly string[] | undefined;
  /** What removed sessions had spent: budgets and usage never fall. Absent: it is not kept. */
  gone?(): Promise<readonly GoneSession[]>;
}

/** `behind`: another wrote first, up to `head`, and nothing was stored. `fenced`: the session is another's to drive. */
export type Appended = { readonly status: "ok" } | { readonly status: "behind"; readonly head: Seq } | { readonly status: "fenced" };

/** What follows from the state behind a commit: a store that is asked by it keeps it with the commit. */
export interface About {
  readonly summary: SessionSummary;
  /** When the session is to be looked at, with nothing written to it meanwhile. */
  readonly wakeAt?: Millis;
  /** The channels that its replies wait for. */
  readonly deliver: readonly string[];
  /** What its requests cost. */
  readonly spent: readonly SpentRequest[];
}

/** Behind one commit of a journal. */
export interface Place {
  readonly seq: Seq;
  readonly bytes: number;
  /** Of what stands in front of it: a journal that was put back, cut or replaced is another there. */
  readonly hash: string;
}

/** What a session has come to: a cache, never the truth. */
export interface Snapshot {
  readonly place: Place;
  /** Of the journal, there. */
  readonly version: number;
  readonly state: SessionState;
  /** Of what was received. */
  readonly keys: readonly string[];
  /** What observers have made of its commits, by their names. */
  readonly kept: Readonly<Record<string, unknown>>;
  /** Of what it is kept in, when it was read. */
  readonly size?: number;
}

/** One session's append-only log, open for whoever commits to it. With files a line per commit; with a database a row. */
export interface Journal extends AsyncDisposable {
  readonly id: SessionId;
  /** The opened commits are those behind this one: 0, unless it was opened from a place on that is one of this journal. */
  readonly after: Seq;
  /** Commits that were there when it was opened. Emptied by the first call. */
  takeOpened(): readonly Commit[];
  /**
   * `ok`: they are durable. The next call may come when `written` was called, and not before. Each commit is stored whole or not at all;
   * of several, a crash may leave the first.
   * @param expected The last commit that is known here. @param about Asked at most once, by a store that keeps it.
   * @param written Called once, before it resolves, when the commits survive the death of this process and all that is written later
   * implies them: a file is written but not yet synced. Not called when nothing was stored.
   * @throws RuntimeError `journal.failed`: nobody knows what was stored.
   */
  append(expected: Seq, commits: readonly Commit[], about: () => About, written: () => void): Promise<Appended>;
  /** In order, those behind `after`. @throws RuntimeError `journal.damaged`; `journal.failed` when it can't be read now. */
  read(after?: Seq): AsyncIterable<Commit>;
  /** Goes on after a failed append. @returns all commits; none when it is gone. @throws RuntimeError `journal.failed`, `journal.damaged`. */
  reopen(): Promise<readonly Commit[]>;
  /** Keeps what is stored now under another name, in the place of what was kept there: for whoever goes back to the margay that wrote it. */
  preserve?(name: string): void;
  /** How long it is now, in bytes. */
  size(): number;
  /** Behind its last commit; undefined when it failed or is shorter. @throws what the system says. */
  place(): Place | undefined;
  /** Gives up what is held open as soon as nothing is being written; later appends take it for their own time. */
  release(): void;
}

/** What was made of a journal, on this node: lost or old, it costs a reading. */
export interface Cached<Value> {
  /** As `Journals.stamps` gives it. */ readonly stamp: string;
  readonly value: Value;
}
export interface JournalCache<Value> {
  load(): Promise<Map<SessionId, Cached<Value>>>;
  /** Replaces what was kept. Values must survive JSON. */
  save(entries: Iterable<readonly [SessionId, Cached<Value>]>): Promise<void>;
}

/** The journals of all sessions. */
export interface Journals {
  /** @param known Read from there on, when it is a place of this journal: `after` says whether it was. */
  open(id: SessionId, known?: Pick<Snapshot, "place" | "version">): Promise<Journal>;
  /** @throws RuntimeError `journal.failed` when nobody can say. */
  has(id: SessionId): Promise<boolean>;
  /** In order, those behind `after`. @param ended Told the place behind the last one, by a store that has such. @throws as the same of a journal. */
  read(id: SessionId, after?: Seq, ended?: (place: Place) => void): AsyncIterable<Commit>;
  /** It takes more than one turn of the event loop to be read. Absent: none does. */
  isLong?(id: SessionId): boolean;
  /** @throws RuntimeError `journal.failed`. */
  list(): Promise<readonly SessionId[]>;
  /** As `About` said last. Absent: nothing is kept beside the commits, and who wants to know reads them. */
  summaries?(): Promise<readonly SessionSummary[]>;
  /** All of them, each with what changes with its commits; empty for one that cannot be looked at. Nothing is read, and thousands hold nobody up. */
  stamps(): AsyncIterable<readonly [id: SessionId, stamp: string]>;
  /** The stamp when `seq` is the last commit, else undefined: for who knows the commits and not the journal. */
  stampAt(id: SessionId, seq: number): Promise<string | undefined>;
  /** On this node. @param version changes with the shape or the meaning of the values. */
  cache<Value>(name: string, version: string): JournalCache<Value>;
  /** A whole journal at once: nobody ever sees a part of it. @throws RuntimeError `session.exists`; `journal.failed`. */
  create(id: SessionId, key: string, commits: readonly Commit[], about: () => About): Promise<void>;
  /**
   * With everything that is kept of it, but what it had spent: money does not come back with what it was spent on.
   * @param spent Asked by a store that knows it from the commits alone. @returns false when there is none.
   */
  remove(id: SessionId, spent: () => Promise<GoneSession | undefined>): Promise<boolean>;
  /** What removed sessions had spent. @throws RuntimeError `journal.damaged`: nobody knows how much. */
  gone(): Promise<readonly GoneSession[]>;
  /** Of one that did not get its first commit: nothing else is kept of it. */
  discard(id: SessionId): Promise<void>;
  /** What was kept of it last. It may be of another journal: `open` tells. */
  snapshot(id: SessionId): Promise<Snapshot | undefined>;
  /** @returns how large it is; undefined when it was not kept, for the journal is another by now. @throws what the system says. */
  keep(id: SessionId, snapshot: Snapshot): Promise<number | undefined>;
  /** @throws RuntimeError `journal.failed` when nothing can be stored just now. */
  prove(): Promise<void>;
  /** Absent: the summaries say it. */
  readonly left?: Left;
}

/** Which conversations may have something left to do, so that a start looks at these before all others. Lost or wrong, those are found later. */
export interface Left {
  /** Their keys; undefined: nobody knows, or they are so many that all may be looked at. */
  read(): readonly string[] | undefined;
  /** Before its first line in this process. It costs nothing the second time. */
  note(key: string): void;
  /** All others have nothing to do. */
  write(keys: Iterable<string>): void;
}

/** A document as it was read. */
export interface Doc {
  readonly body: string;
  /** What a write must name: of another body it is another one. */
  readonly rev: number;
  /** When it was written last. */
  readonly at: Millis;
}

/**
 * Small shared documents by name, such as `channels/pairing.json`: read whole, written whole, each write a revision. What stands in
 * them is the business of whoever keeps them. `changeDoc` changes one that others change too.
 */
export interface Docs {
  /** As this process knows it, without waiting: a file as it is now, a row as it was last told of. Undefined: there is none of that name. */
  peek(name: string): Doc | undefined;
  /** As it is. */
  read(name: string): Promise<Doc | undefined>;
  /** `ifRev` 0: it must not exist. Resolves with the new revision when it is durable. @throws RuntimeError `doc.conflict`. */
  write(name: string, body: string, ifRev: number): Promise<number>;
  /** @throws RuntimeError `doc.conflict`: also when there is none. */
  remove(name: string, ifRev: number): Promise<void>;
  /** Those that begin so, with no slash behind it, sorted. */
  list(prefix: string): Promise<readonly string[]>;
  /** Told of those that `list` names, whoever changed them, and once too often rather than not: look whether it is news. */
  watch(prefix: string, changed: (name: string) => void): Disposable;
}

/** Bytes by their content. */
export interface Blobs extends BlobStore {
  /** When it was put last, also when it was there already. */
  list(): Promise<readonly { readonly sha256: string; readonly bytes: number; readonly putAt: Millis }[]>;
  /** @param before Only when it was not put since then. @returns whether it is gone by this. */
  remove(sha256: string, before?: Millis): Promise<boolean>;
}

/** What processes of one store tell each other. It never carries a fact: whoever hears it looks. A lost one costs a second. */
export interface Bus {
  publish(topic: string, text: string): void;
  subscribe(topic: string, take: (text: string) => void): Disposable;
}

/** Which messages of a platform were accepted, whatever conversation they went to and whether it is still there. */
export interface Keys {
  /** @returns `taken`, or the conversation that may have it, or undefined: it is new. */
  find(channel: string, key: string): KnownKey | undefined | Promise<KnownKey | undefined>;
  /** Before the message is stored. Resolves when it is durable. */
  intend(channel: string, key: string, session: string): Promise<void>;
  /** It is stored. */
  taken(channel: string, key: string): void;
}
export type KnownKey = "taken" | { readonly session: string };

/** Who looks at which session. */
export interface Work {
  /** Somebody has to look at it, now or then; the earliest time wins. */
  wake(key: string, at?: Millis): void;
  /** From now on this process is given sessions; one that is its already is given again when it was woken. */
  take(look: (claim: Claim) => void): Disposable;
}
export interface Claim {
  readonly key: string;
  /** Aborts when the session is another's: what was begun is dropped, and nothing more of it can be stored. */
  readonly lost: AbortSignal;
  /**
   * Gives it back, unless something was committed behind `head`: then it stays ours and is looked at again.
   * @param next When somebody has to look at it, with nothing written to it meanwhile.
   */
  end(head: Seq, next?: Millis): Promise<"ended" | "again">;
}

/** What only one process may do: hold the connection of a channel, run what is scheduled. */
export interface Leases {
  /** Resolves when it is ours, with what aborts when it no longer is. Given back when `signal` aborts. @throws `signal.reason`. */
  hold(name: string, signal: AbortSignal): Promise<AbortSignal>;
}

/** What keeps all that is kept, and what the processes that use it share. */
export interface Store extends AsyncDisposable {
  readonly journals: Journals;
  readonly blobs: Blobs;
  readonly keys: Keys;
  /** Absent, as every part from here on: of this process, which is the only one. It drives every session in its own lanes, … */
  readonly work?: Work;
  /** … holds whatever there is to hold, … */
  readonly leases?: Leases;
  /** … has nobody to tell, … */
  readonly bus?: Bus;
  /** … counts what its journals say was spent, … */
  readonly ledger?: Ledger;
  /** … keeps small documents as files, … */
  readonly docs?: Docs;
  /** … and has its own clock: due times and expiry are compared with this one. */
  readonly now?: () => Millis;
}
