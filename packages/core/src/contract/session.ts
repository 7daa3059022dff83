import type { Audience, BoundAgent } from "./people.ts";
import type { CallId, Millis, Seq, SessionId, SessionLimits, TurnId } from "./base.ts";
import type { AgentEvent, LiveEvent } from "./event.ts";
import type { AskedInChat, KnownHandle, QueuedReply, UndeliveredReply } from "./bus.ts";
import type { Address, Finish, Label, LiveMessage, Message, ModelRef, ToolCallPart, ToolMessage, Usage, UserMessage } from "./message.ts";
import type { Grant, Release, SessionGrant } from "./grant.ts";
import type { Prefix, ToolSpec, TurnSampling } from "./provider.ts";
import type { Commit, ErrorInfo, JournalRecord } from "./record.ts";
import type { Effect } from "./tool.ts";

export type CallState =
  | { readonly status: "proposed"; readonly call: ToolCallPart }
  | {
      readonly status: "asked";
      readonly call: ToolCallPart;
      readonly effect: Effect;
      readonly prompt: string;
      readonly hash: string;
      readonly askedAt: Millis;
      readonly expiresAt: Millis;
      readonly grant?: Grant & { readonly always?: true };
      /** Whose word it needs. Absent: the owner's, who reads it here. */
      readonly of?: string;
    }
  /** `hash`: a person allowed exactly this. */
  | { readonly status: "allowed"; readonly call: ToolCallPart; readonly effect: Effect; readonly hash?: string }
  /** The client runs it. */
  | { readonly status: "deferred"; readonly call: ToolCallPart; readonly effect: Effect; readonly deferredAt: Millis; readonly expiresAt: Millis }
  | { readonly status: "denied"; readonly call: ToolCallPart; readonly effect: Effect; readonly reason: string }
  | { readonly status: "started"; readonly call: ToolCallPart; readonly effect: Effect; readonly attempt: number }
  | { readonly status: "retrying"; readonly call: ToolCallPart; readonly effect: Effect; readonly attempt: number; readonly retryAt: Millis; readonly error: ErrorInfo }
  | { readonly status: "finished"; readonly call: ToolCallPart; readonly message: ToolMessage };

/** What a running call asked a person; until it is answered or the turn ends. */
export interface CallQuestion {
  readonly call: CallId;
  readonly name: string;
  readonly about: string;
  readonly prompt: string;
  readonly hash: string;
  readonly askedAt: Millis;
  readonly expiresAt: Millis;
  readonly grant?: Grant & { readonly always?: true };
  /** The call went on without the answer. */
  readonly late?: true;
}

/** `closed`: what a yes brings has happened, or nobody answered. */
export type AskedRelease = Release & { readonly askedAt: Millis; readonly verdict?: "allow" | "deny"; readonly by?: string; readonly closed?: true };
export interface TurnState {
  readonly id: TurnId;
  readonly startedAt: Millis;
  readonly replyTo: Address;
  readonly attended: boolean;
  /** A person started it: what they send meanwhile may be placed before the model. */
  readonly steerable: boolean;
  /** The message that opened it. */
  readonly opening?: string;
  /** What that message asked of the model requests. */
  readonly sampling?: TurnSampling;
  /** In a group: who opened it. */
  readonly speaker?: Audience;
  /** Model responses so far. */
  readonly steps: number;
  /** Calls executed so far in the turn. */
  readonly executed: number;
  /** Requests since the last response, crashed ones included: a message that kills the process is given up on. */
  readonly attempt: number;
  readonly responded: boolean;
  readonly retryAt?: Millis;
  /** The last failure of a request since the last response; final when `retryAt` is absent. */
  readonly error?: ErrorInfo;
  /** What the last response left out. */
  readonly dropped?: "unfinished" | "nameless" | "too-many";
  readonly cancelled: boolean;
  readonly finish?: Finish;
  /** Empty answers in a row, continuations after `length` in a row, nameless calls. */
  readonly empty: number;
  readonly continued: number;
  readonly nameless: number;
  /** Provider refusals for context length that were answered by a compaction. */
  readonly compactions: number;
  /** The extra request of `agent.limitSummary` was made. */
  readonly summarized: boolean;
  /** Whether the last request offered tools: its retry does the same. */
  readonly tools: boolean;
  readonly calls: readonly CallState[];
  /** Asked by calls that run, or that ran. Absent: none. */
  readonly questions?: readonly CallQuestion[];
  /** Each a yes that came when its call had gone on: the next call that asks the same takes it. */
  readonly lateAnswers?: readonly { readonly about: string; readonly hash: string; readonly by: string }[];
  /** All text shown in this turn, one entry per response. */
  readonly texts: readonly string[];
  readonly toolsUsed: readonly string[];
  /** Texts that the `message` tool already sent, by address. */
  readonly sent: readonly { readonly reply: string; readonly to: Address; readonly text: string }[];
  readonly usage: Usage;
  /** Input tokens estimated for the request in flight. */
  readonly estimated: number;
  /** The last calls, as `name input result`, for the notice about repetition. */
  readonly repeats: { readonly key: string; readonly count: number };
}

export interface Waiting {
  readonly message: UserMessage;
  readonly key: string;
  /** Where its answer goes. */
  readonly replyTo: Address;
  readonly attended: boolean;
  readonly mode?: "queue";
  readonly sampling?: TurnSampling;
  /** In a group: whose word it is. */
  readonly speaker?: Audience;
  readonly late?: true;
  readonly joins?: true;
  /** Goes into the context in front of it. */
  readonly heard?: UserMessage;
}
/** Id and name; who came first stands first. */
export type Names = readonly (readonly [id: string, name: string])[];
export interface HeardLine {
  readonly key: string;
  readonly message: UserMessage;
}

/** Immutable; replaced by each commit. Small enough to send to a browser as a snapshot. */
export interface SessionState {
  readonly id: SessionId;
  readonly key: string;
  readonly seq: Seq;
  readonly createdAt: Millis;
  readonly updatedAt: Millis;
  readonly origin: Address;
  /** Absent: the owner alone. */
  readonly audience?: Audience;
  readonly parent?: { readonly session: SessionId; readonly call: CallId; readonly wait?: true };
  /** How many commits a fork copied. What they cost is in `usage` of the original alone. */
  readonly copied?: number;
  readonly prefix?: Prefix;
  /** The model the prefix was frozen for. */
  readonly frozenFor?: ModelRef;
  /** Set by /new and /persona: the next turn opens a new epoch. */
  readonly stale?: "reset";
  readonly model?: ModelRef;
  readonly persona?: string;
  /** What was chosen here, and what it works with. Absent: nothing was, and the home itself. */
  readonly agent?: string;
  readonly bound?: BoundAgent;
  /** Instead of the configured ones, from the next turn on. */
  readonly limits?: SessionLimits;
  /** Tools that the client of this session runs; in the prefix behind ours. */
  readonly clientTools?: readonly ToolSpec[];
  /** What was answered with "in this chat". */
  readonly grants?: readonly SessionGrant[];
  /** What is in the context of the current epoch, in order of commit. */
  readonly messages: readonly Message[];
  /** The join of their labels: what the policy judges by. It falls only when messages leave, or by `context.endorsed`. */
  readonly label: Label;
  /** Received, not yet placed before the model. */
  readonly pending: readonly Waiting[];
  readonly turn?: TurnState;
  /** Asked for by `/skill`: their text goes before the next message. */
  readonly skills?: readonly string[];
  /** Why the last turn left the person without an answer; the next turn starts with a notice. */
  readonly unanswered?: ErrorInfo;
  /** Of a group: how those who spoke are called, by id; the last line that was heard and given to the model; the last error that was said. */
  readonly names?: Names;
  readonly heardTo?: string;
  readonly errorAt?: Millis;
  /** When a person beside the owner, or a guest, was told here that their share of a day is used up. */
  readonly shareToldAt?: Millis;
  /** Of what is kept of a group beside its conversation: the last lines. */
  readonly heard?: readonly HeardLine[];
  readonly outbox: readonly QueuedReply[];
  readonly handles?: readonly KnownHandle[];
  /** The messages on the platform that show the running answer, one below the other. */
  readonly live?: { readonly turn: TurnId; readonly to: Address; readonly messages: readonly LiveMessage[] };
  /** The last ones, also when they are over. Absent: no chat here has buttons. */
  readonly asked?: readonly AskedInChat[];
  /** What somebody else would be told, and was asked here: the last ones, also when they are over. */
  readonly releases?: readonly AskedRelease[];
  /** Rows of ours that wait for the end of the running turn. */
  readonly posted?: readonly Message[];
  /** Replies given up on, newest last, at most 20. */
  readonly undelivered: readonly UndeliveredReply[];
  readonly usage: Usage;
  /** Ratio of reported to estimated input tokens of the last response. */
  readonly tokenFactor: number;
  /** Transcript rows since the last clear, and how many of them are behind the pointer. */
  readonly rows: number;
  readonly consolidated: number;
  /** Clears so far: names the rotated transcripts. */
  readonly cleared: number;
  /** How often rows have left the context: which one an answer of a consolidation belongs to. */
  readonly epoch: number;
  /** Turns since a person or a schedule asked for one; absent: the last one was asked for. */
  readonly chain?: number;
  /** No person opened the last turn: a schedule, a hook or an agent did. */
  readonly unasked?: true;
  /** A consolidation's answer whose rows are still in the context, or that is not yet in the files. */
  readonly answered?: Answered & { readonly written?: true; readonly audience?: Audience };
  /** Rows of cleared contexts that are not in memory yet, oldest first. */
  readonly archive: readonly Archived[];
}

type Answered = Extract<JournalRecord, { type: "memory.answered" }>;

export interface Archived {
  /** Which clear it was. */
  readonly cleared: number;
  readonly messages: readonly Message[];
  /** Who read it. Absent: the owner alone. */
  readonly audience?: Audience;
  readonly answered?: Answered;
}

export interface Session extends AsyncDisposable {
  readonly state: SessionState;
  /** True after a commit failed: nothing more can be committed here until the store has opened the session again. */
  readonly lost: boolean;
  /** Whether a message with this key was ever committed here; for a posted one by its sender's id and its reply. */
  received(channel: string, key: string): boolean;
  /**
   * Stores, then folds; published and resolved when the bytes are on disk. Without records: when those before are.
   * @throws RuntimeError `journal.failed`: nothing more is taken until it is opened again; nothing was published.
   * @throws RuntimeError `session.fenced`: somebody else owns this session now; drop everything and return.
   */
  commit(...records: readonly JournalRecord[]): Promise<SessionState>;
  /**
   * Stores what still holds when it is stored: `make` is asked at once, and again whenever another process wrote first.
   * @param make from what the records will go on from. Undefined: nothing is stored.
   * @returns undefined when nothing was stored. @throws as `commit`.
   */
  commitIf(make: (now: Pick<Session, "state" | "received">) => readonly JournalRecord[] | undefined): Promise<SessionState | undefined>;
  /**
   * Like `commit`, but resolves as soon as the commit survives the death of this process; a later `commit` makes it
   * durable. For facts whose loss with the machine only means doing a repeatable step again. Published when written.
   */
  record(...records: readonly JournalRecord[]): Promise<SessionState>;
  /** Shown in order with the records: never before one that was committed earlier. */
  publish(event: LiveEvent): void;
  /**
   * Synchronous fan-out, in order of commit; returns the function that ends it. A listener must not throw.
   * @param failed told that a commit failed. What was begun goes on when the journal can be written again, and is shown
   * here as before; who can't wait for that ends with this error.
   */
  subscribe(listener: (event: AgentEvent) => void, failed?: (error: Error) => void): () => void;
  /** Every durable event after `after`, then what follows (live deltas included), until aborted. @throws as `commit`. */
  events(after: Seq, signal: AbortSignal): AsyncIterable<AgentEvent>;
  /** Takes what other processes have written. Resolves when it was shown. @throws as `commit`. */
  catchUp(): Promise<void>;
  /** All commits, from the journal. */
  history(): AsyncIterable<Commit>;
}
