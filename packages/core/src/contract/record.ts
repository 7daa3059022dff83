import type { Audience, BoundAgent, SpokenTo } from "./people.ts";
import type { CallId, Json, JsonObject, Millis, Seq, SessionId, SessionLimits, TurnId } from "./base.ts";
import type { Address, AssistantMessage, ContentPart, KeptRows, Marks, Message, ModelRef, NoticeMessage, ReplyHandle, Sender, SentPiece, ToolMessage, Usage, UserMessage } from "./message.ts";
import type { Answered, Grant, Release, ReleaseAnswer, SessionGrant } from "./grant.ts";
import type { Prefix, ToolSpec, TurnSampling } from "./provider.ts";
import type { Effect } from "./tool.ts";

/** An error as data: what the journal, the wire and the UI see. */
export interface ErrorInfo {
  readonly code: string;
  readonly message: string;
  readonly retryable: boolean;
  readonly details?: Json;
}
export type EndReason = "done" | "limit" | "cancelled" | "failed" | "budget";
/**
 * Why something of a platform failed. `again`: a later attempt may cure it. `slow-down`: wait as asked; no attempt.
 * `refused`: never to be taken. `gone`: nor is anything else of this chat. `markup`: it cannot read our markup; the same goes
 * as plain text. `window`: it takes nothing until the chat writes again. `auth`: the login is over. `config`: a setting is wrong.
 */
export type ChannelFaultKind = "again" | "slow-down" | "refused" | "gone" | "markup" | "window" | "auth" | "config";
/** Why a reply did not leave; see `ChannelFault`. `fault`: a bug of the channel. `dropped`: by a person. */
export type DeliveryFault = ChannelFaultKind | "fault" | "dropped";
export type ReplyKind = "reply" | "error" | "progress" | "approval" | "message" | "command";
/** A button below a question. `token`: 22 characters, which the platform hands back when it is pressed. */
export interface AnswerButton {
  readonly token: string;
  readonly label: string;
  readonly style: "allow" | "deny" | "plain";
  readonly verdict: "allow" | "deny";
  readonly remember?: "session" | "always";
}
/** The question that a reply puts into a chat with buttons. */
export interface ReplyQuestion {
  readonly call: CallId;
  readonly hash: string;
  readonly expiresAt: Millis;
  readonly actions: readonly AnswerButton[];
}
export type FreezeCause = "opened" | "reset" | "compacted" | "tools" | "model" | "agent";

/** Durable facts: noun.verb, past tense. Session state is a fold over these and nothing else. */
export type JournalRecord =
  /** `forked`: the first `commits` commits were copied from another session; audit and tool history have them there. */
  | {
      readonly type: "session.opened";
      /** Of the records; 1 had no `by`. */ readonly version: number;
      /** The margay that wrote it. */
      readonly by?: string;
      readonly key: string;
      readonly origin: Address;
      /** `wait`: the call returns the result itself. */
      readonly parent?: { readonly session: SessionId; readonly call: CallId; readonly wait?: true };
      readonly forked?: { readonly from: SessionId; readonly commits: number };
    }
  /** Who reads here from now on, `owner` for the owner alone: what was made for one is never shown to the other. */
  | { readonly type: "audience.set"; readonly audience: Audience }
  /** What it works with from the next turn on; absent before: the home itself, `main`. */
  | ({ readonly type: "agent.bound" } & BoundAgent)
  /** A newer margay goes on from here: an older one may not know what follows. What came before was copied beside it. */
  | { readonly type: "journal.raised"; readonly version: number; readonly by: string }
  | { readonly type: "prefix.frozen"; readonly prefix: Prefix; readonly because: FreezeCause; readonly model: ModelRef }
  /** `attended`: a person can answer an approval in this chat. */
  | {
      readonly type: "message.received";
      readonly key: string;
      readonly origin: Address;
      /** Where the answer goes when it is not `origin`. */
      readonly replyTo?: Address;
      readonly attended: boolean;
      /** It starts a turn of its own, also when steering is on. */
      readonly mode?: "queue";
      readonly message: UserMessage;
      readonly sampling?: TurnSampling;
      /** In a group: whose word it is, and so who pays for the turn that it opens. */
      readonly speaker?: Audience;
      /** It waited on its platform: one turn answers all that did. */
      readonly late?: true;
      /** Of the same sender as the one before it, a moment later: one turn answers both. */
      readonly joins?: true;
      /** A yes that came when its turn had gone on without: its call may be made now, once. */
      readonly allows?: SessionGrant;
      /** What was said in the group before it, and not to us, and what it answers: goes into the context in front of it. `last`: key of the last line. */
      readonly heard?: { readonly last?: string; readonly message: UserMessage };
    }
  /** With a message or before a command: what replies may leave with. `id`: of the message. */
  | { readonly type: "handle.received"; readonly id: string; readonly from: Address; readonly handle: ReplyHandle }
  /** Said in a group, and not to us: no part of any context. */
  | { readonly type: "message.heard"; readonly key: string; readonly channel: string; readonly message: UserMessage }
  /** A text part more of a waiting message: what is said in its next voice note, or why that is not known. */
  | { readonly type: "voice.transcribed"; readonly message: string; readonly text: string; readonly model?: ModelRef; readonly usage?: Usage }
  /** A waiting message has one of its files, or a line that says why not. `first`: in front of its text. */
  | { readonly type: "media.fetched"; readonly message: string; readonly file: string; readonly part: ContentPart; readonly first?: true }
  /** A waiting message, or a line that was heard, as its author has changed it. Without parts: taken back. `mode`: when it is seen from now on. */
  | { readonly type: "message.edited"; readonly message: UserMessage; readonly mode?: "steer" | "queue" }
  /** Waiting messages taken back, by /stop or where they were written. */
  | { readonly type: "messages.withdrawn"; readonly ids: readonly string[]; readonly by: Sender }
  /** Into the context without a request: the turn ended before one could be sent. */
  | { readonly type: "messages.placed"; readonly ids: readonly string[] }
  /** The operator vouches for all that is in the context now: what was untrusted in it counts as trusted. */
  | { readonly type: "context.endorsed"; readonly by: Sender }
  /** A slash command and its answer: outside the model's context. */
  | { readonly type: "command.handled"; readonly key: string; readonly text: string; readonly by: Sender }
  /** A button was pressed, with what it did in the same commit: the same press, delivered again, does nothing. */
  | { readonly type: "control.handled"; readonly key: string; readonly control: "allow" | "deny" | "stop" | "result"; readonly by: Sender }
  | { readonly type: "notice.added"; readonly notice: NoticeMessage }
  /** `/skill NAME`: its text goes before the next message. */
  | { readonly type: "skill.requested"; readonly name: string; readonly by: Sender }
  /** `message`: the received message that the turn answers; none when a tool is called directly. */
  | { readonly type: "turn.started"; readonly turn: TurnId; readonly replyTo: Address; readonly attended: boolean; readonly message?: string }
  /**
   * Intent. `placed` moves received messages into the context, so steering has one defined position.
   * `promptHash` is the hash of what `project(state)` yields after this commit. `estimated`: input tokens, for budgets and for the correction by what is reported.
   */
  | {
      readonly type: "model.requested";
      readonly turn: TurnId;
      readonly attempt: number;
      readonly model: ModelRef;
      readonly placed: readonly string[];
      readonly promptHash: string;
      readonly estimated: number;
      readonly tools: boolean;
      readonly closing?: true;
    }
  | { readonly type: "model.responded"; readonly turn: TurnId; readonly message: AssistantMessage; readonly dropped?: "unfinished" | "nameless" | "too-many" }
  /** `retryAt` absent: final. `usage`: what the failed request cost, when the provider said so. */
  | { readonly type: "model.failed"; readonly turn: TurnId; readonly error: ErrorInfo; readonly retryAt?: Millis; readonly usage?: Usage }
  /** The policy's one answer per call. `rule` names what decided. */
  | {
      readonly type: "call.judged";
      readonly turn: TurnId;
      readonly call: CallId;
      readonly effect: Effect;
      readonly verdict: "allow" | "deny" | "ask";
      readonly rule: string;
      readonly reason?: string;
      /** Of the context that the call was proposed in; absent when nothing is known against it. */
      readonly marks?: Marks;
      readonly prompt?: string;
      /** What an answer is bound to; with `allow`: what an earlier answer covers. The call starts only as long as it holds. */
      readonly hash?: string;
      readonly expiresAt?: Millis;
      /** Who made the rule that allows it; with `ask`: whose word it needs, where that is not the owner in a chat of theirs. */
      readonly by?: string;
      readonly cwd?: string;
      readonly risks?: readonly string[];
      /** What a yes can be remembered for, and whether also for other conversations. */
      readonly grant?: Grant & { readonly always?: true };
    }
  | {
      readonly type: "approval.resolved";
      readonly turn: TurnId;
      readonly call: CallId;
      readonly verdict: "allow" | "deny";
      readonly by: string;
      readonly reason?: string;
      readonly remember?: "session" | "always";
      /** Of the question that a running call asked: such a call asks more than one. */
      readonly hash?: string;
    }
  /**
   * A running call needs a person's word to go on: a host that it wants to reach. `about` says what for, and is equal for equal
   * questions; `hash` is this question's own, and `prompt` what is shown.
   */
  | {
      readonly type: "call.asked";
      readonly turn: TurnId;
      readonly call: CallId;
      readonly rule: string;
      readonly about: string;
      readonly prompt: string;
      readonly hash: string;
      readonly expiresAt: Millis;
      readonly reason?: string;
      readonly risks?: readonly string[];
      readonly grant?: Grant & { readonly always?: true };
    }
  /** `late`: nobody answered in time and the call went on without; a yes counts for the next one that asks the same. `used`: `call` took such a yes. */
  | { readonly type: "question.closed"; readonly turn: TurnId; readonly call: CallId; readonly hash: string; readonly because: "late" | "used" }
  /** What belongs to who reads here would be told to somebody else: asked of them, beside the turns. */
  | ({ readonly type: "release.asked" } & Release)
  | ({ readonly type: "release.answered"; readonly release: string; readonly hash: string } & ReleaseAnswer)
  /** `sent`: it stands in the other chat; `asked`: its next owner was asked; `over`: nobody answered; `void`: somebody else reads there by now, or its call is gone. `answer`: of a call, wherever it was given. */
  | { readonly type: "release.closed"; readonly release: string; readonly because: "sent" | "asked" | "over" | "void" | "answered"; readonly answer?: Answered }
  /** A tool of the client: it runs there, and its result comes back as a `tool.finished`, or not in time. */
  | { readonly type: "call.deferred"; readonly turn: TurnId; readonly call: CallId; readonly name: string; readonly expiresAt: Millis }
  /** Intent: from here on the effect may have happened. `attempt` from 1. */
  | { readonly type: "tool.started"; readonly turn: TurnId; readonly call: CallId; readonly name: string; readonly attempt: number; readonly effect: Effect }
  /** An attempt that will be repeated at `retryAt`. Only `read` and `idempotent` calls. `maxAttempts`: of how many at most. */
  | { readonly type: "tool.failed"; readonly turn: TurnId; readonly call: CallId; readonly attempt: number; readonly maxAttempts?: number; readonly error: ErrorInfo; readonly retryAt: Millis }
  | { readonly type: "tool.finished"; readonly turn: TurnId; readonly message: ToolMessage; readonly durationMs: number; readonly attempts: number; readonly details?: Json }
  | { readonly type: "turn.cancelled"; readonly turn: TurnId; readonly by: Sender }
  /** `text`: what the person was told. `notice`: its last part when it is ours and not the model's. */
  | {
      readonly type: "turn.ended";
      readonly turn: TurnId;
      readonly reason: EndReason;
      readonly text: string;
      readonly notice?: string;
      readonly error?: ErrorInfo;
      readonly durationMs: number;
      readonly usage: Usage;
    }
  | {
      readonly type: "reply.queued";
      readonly reply: string;
      readonly to: Address;
      readonly kind: ReplyKind;
      readonly parts: readonly ContentPart[];
      readonly call?: CallId;
      readonly marks?: Marks;
      readonly question?: ReplyQuestion;
      /** Id of the message that it answers. */ readonly answers?: string;
      /** Without a sound. */ readonly silent?: true;
      /** So often it did not arrive: the keys of its pieces are others each time. */ readonly again?: number;
      /** It answers somebody who wrote by voice: a voice note goes behind its text. */ readonly voice?: SpokenTo;
    }
  /** Intent: from here on this piece may have left. `from`, `to`: where it lies in the text; `attempt` from 1; `sound`: the text aloud, made once. */
  | ({ readonly type: "reply.sending"; readonly reply: string; readonly attempt: number; readonly handle?: string } & SentPiece)
  /** The piece has left. `id`: the platform's, when it has one. */
  | { readonly type: "reply.sent"; readonly reply: string; readonly piece: number; readonly id?: string }
  /** Not to leave by itself: it may be there already, its chat has to write first, or a digest speaks of it. Without `why`: a person wants it sent all the same. `handle`: the platform takes nothing with it any more. */
  | { readonly type: "reply.held"; readonly reply: string; readonly why?: "uncertain" | "window" | "digest"; readonly handle?: string }
  /** A message on the platform shows what the running turn says: the piece of its reply is written into it. `key`: intent, it may be there from here on. Without both: neither it nor those after it do any more. */
  | { readonly type: "reply.live"; readonly turn: TurnId; readonly to: Address; readonly piece?: number; readonly key?: string; readonly id?: string }
  /** `ids`: of all pieces that the platform has one for. */
  | { readonly type: "reply.delivered"; readonly reply: string; readonly ids?: readonly string[] }
  /**
   * A text of ours that nobody asked for in this chat (a job's result, a greeting): a row before the person's answer to
   * it. Once per sender and `reply`, which is also the id of its `reply.queued`. It waits for the end of a running turn.
   */
  | { readonly type: "message.posted"; readonly reply: string; readonly from: Sender; readonly text: string; readonly marks?: Marks }
  /** A request beside the conversation (heartbeat, greeting): it counts against the budgets, nothing enters the context. `speaker`: in a group, for whom; else for who opened the turn. */
  | { readonly type: "usage.counted"; readonly purpose: string; readonly model: ModelRef; readonly usage: Usage; readonly speaker?: Audience }
  /**
   * `retryAt` absent: given up. `sent`: whether the piece may have left all the same. `answered`: the platform itself
   * refused it, and not something on the way there.
   */
  | {
      readonly type: "reply.failed";
      readonly reply: string;
      readonly piece?: number;
      readonly kind: DeliveryFault;
      readonly sent: "no" | "maybe";
      readonly answered?: true;
      readonly error: ErrorInfo;
      readonly attempt: number;
      readonly retryAt?: Millis;
    }
  /** A new epoch with less in it. `kept`: the rows that stay, by their places, or as the new epoch replays them. `rows`: transcript rows now behind the pointer. */
  | { readonly type: "history.compacted"; readonly rows: number; readonly kept: readonly (Message | KeptRows)[]; readonly usage: Usage; readonly fallback: boolean }
  /**
   * What a consolidation answered, journaled before any file is written. `expected`: hash of the MEMORY.md it saw.
   * `gone`: how many messages at the head of the context of `epoch` it covers; absent for the rows of a cleared session.
   * `turn`: asked in the middle of it, about rows that are no head; void when the turn ends without the compaction.
   * `asLine`: `history` is a line of MEMORY.md and no entry of HISTORY.md.
   */
  | {
      readonly type: "memory.answered";
      readonly epoch: number;
      readonly gone?: number;
      readonly turn?: TurnId;
      readonly asLine?: true;
      readonly rows: number;
      readonly memory?: string;
      readonly history: string;
      readonly expected: string;
      readonly usage: Usage;
      readonly at: Millis;
      readonly fallback: boolean;
    }
  /** The answer about the head of a context is in the files; the context itself is cut when the next turn opens. */
  | { readonly type: "memory.written"; readonly epoch: number }
  /** The answer for the rows of a cleared session is in the files. */
  | { readonly type: "memory.archived"; readonly cleared: number }
  /** `/new`: the context is empty again; the transcript rotates. */
  | { readonly type: "session.cleared"; readonly by: Sender; /** The rows go to memory. */ readonly archive?: boolean }
  /**
   * Rows from a transcript or from an embedder; only into a session without rows. `messages`: what enters the context.
   * `transcript`: all rows as the file had them, so that the view shows them unchanged; absent: the rows of `messages`.
   */
  | { readonly type: "history.imported"; readonly messages: readonly Message[]; readonly rows: number; readonly consolidated: number; readonly transcript?: readonly JsonObject[] }
  /** Settings of this session alone; `null` takes the override back. */
  | {
      readonly type: "session.configured";
      readonly agent?: string | null;
      readonly model?: ModelRef | null;
      readonly persona?: string | null;
      readonly clientTools?: readonly ToolSpec[] | null;
      readonly limits?: SessionLimits | null;
      readonly reset: boolean;
    };

/** One journal line: all of it is stored or none. */
export interface Commit {
  readonly seq: Seq;
  readonly at: Millis;
  readonly records: readonly JournalRecord[];
}
