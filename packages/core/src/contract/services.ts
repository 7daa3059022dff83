import type { Millis, Seq, SessionId } from "./base.ts";
import type { BlobRef, Message, NoticeMessage, UserMessage } from "./message.ts";
import type { Prefix } from "./provider.ts";
import type { Commit } from "./record.ts";
import type { SessionState } from "./session.ts";

/** Text that grows, without secrets: what may be the beginning of one is held back until it is whole. */
export interface RedactedText {
  /** @returns what can be shown now. */
  push(text: string): string;
  /** @returns what was held back. */
  end(): string;
}

export interface SecretGuard {
  /** By value only: arguments of a call stay what the model wrote, as nothing in them is ours but a known value. */
  redactKnown(text: string): string;
  /** One for each text that grows. */
  stream(): RedactedText;
}

/** Content-addressed bytes: given to providers (to send media) and to invoke (to store long results). */
export interface BlobStore {
  put(bytes: Uint8Array): Promise<BlobRef>;
  /** Without holding all of it in memory. Absent: it cannot. @throws what the stream throws: nothing is kept then. */ putStream?(bytes: AsyncIterable<Uint8Array>): Promise<BlobRef>;
  /** The first `bytes` of an open file, or all that is there, likewise. Absent: it cannot. @param file As OpenFile reads. */
  putFile?(file: { read(memory: Uint8Array, position: number): Promise<number> }, bytes: number): Promise<BlobRef>;
  /** @throws RuntimeError `blob.missing`. */
  read(ref: BlobRef): Promise<Uint8Array>;
  /** Bytes that are read when somebody takes them, each time anew. Absent: it cannot. @throws RuntimeError `blob.missing`. */ open?(ref: BlobRef): Promise<Blob>;
}

/** What a journal stores: commits of a session, or another store's own kind. */
export interface JournalLine {
  readonly seq: Seq;
  readonly at: Millis;
}

/** One part of the system prompt. Blank or undefined: left out. */
export interface Section {
  readonly id: string;
  render(state: SessionState, signal: AbortSignal): Promise<string | undefined>;
}
export interface ContextBuilder {
  /** Only when an epoch opens. Reads files; the result is journaled, so it is read once. */
  freeze(state: SessionState, signal: AbortSignal): Promise<Prefix>;
  /**
   * What changed since the prefix froze, clock notice last. Journaled before it is used.
   * @param frozen The prefix, when it froze just now: what it was made of is not looked at again.
   */
  notices(state: SessionState, signal: AbortSignal, frozen?: Prefix): Promise<readonly NoticeMessage[]>;
  /** What goes directly before messages that are placed now: the skills they name. Journaled with the placement. */
  before?(state: SessionState, placed: readonly UserMessage[], signal: AbortSignal): Promise<readonly NoticeMessage[]>;
  /** Pure: equal state, equal bytes. */
  project(state: SessionState): readonly Message[];
}

/** Told of every commit of every session, after it is durable: audit log, transcript view, usage index. */
export interface CommitObserver {
  /** Commits read at open, to catch up after a crash; then each new one. Must not throw. */
  observe(state: SessionState, commit: Commit, replayed: boolean): void;
  /** A session is opened, from a snapshot or a long journal while others are at work: from `begun` on the commits shown are a part of it, and a file made of them would be one too. `failed`: they are void. */
  replay?(session: SessionId, at: "begun" | "done" | "failed"): void;
  /** Resolves when everything observed so far is on disk. */
  flush(): Promise<void>;
  /** What was committed before then is kept. Later sessions are opened at the next start: a crash may have come between. */
  reached?(): Promise<Millis>;
  /** How it goes on behind commits that it is not shown again. Absent: it is shown all of them at each open. */
  readonly continues?: {
    readonly name: string;
    /** After `flush`: what it has made of a session's commits so far. Must survive JSON; whoever changes it raises the format of snapshots. */
    keep(session: SessionId): unknown;
    /** @param state Behind those commits. @returns false when it has to be shown all of them; it may be also when another says so. */
    resume(state: SessionState, kept: unknown): boolean;
  };
}
