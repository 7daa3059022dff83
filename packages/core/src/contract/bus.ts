import type { Audience, SpokenTo } from "./people.ts";
import type { CallId, Millis, Seq, SessionId } from "./base.ts";
import type { SessionGrant } from "./grant.ts";
import type { Address, ContentPart, LiveMessage, Marks, ReplyHandle, Sender, SentFile, SentPiece } from "./message.ts";
import type { TurnSampling } from "./provider.ts";
import type { ErrorInfo, JournalRecord, ReplyKind, ReplyQuestion } from "./record.ts";

/** A person pressed a button or typed a control word, instead of talking. Acts outside the lane, at once. `words`: said in place of what was shown. */
export type Control =
  | { readonly type: "allow" | "deny"; readonly call: CallId; readonly hash?: string; readonly reason?: string; readonly remember?: "session" | "always"; readonly words?: string }
  | { readonly type: "stop"; readonly withdraw: boolean }
  /** A tool of the client has ended there. */
  | { readonly type: "result"; readonly call: CallId; readonly parts: readonly ContentPart[]; readonly isError?: boolean };

/** `own`: we wrote it. `text`: all of it, or what they chose of it; absent: the platform does not say it. `files`: as those of a message. */
export interface Quote {
  readonly key: string;
  readonly from: Sender;
  readonly own: boolean;
  readonly text?: string;
  readonly files?: readonly SentFile[];
}

export interface InboundMessage {
  /** The sender's identity for this message. A conversation accepts the same channel and key once, ever. */
  readonly key: string;
  /**
   * The key is the platform's own: it is accepted once, whatever conversation it is mapped to, and also after that was
   * removed. What channels receive is marked so.
   */
  readonly fromPlatform?: true;
  readonly origin: Address;
  readonly from: Sender;
  readonly parts: readonly ContentPart[];
  /** Fetched when it is accepted, and only when it is for us. The turn that answers it waits for them. */
  readonly files?: readonly SentFile[];
  /** Default: `channel:chat` or `channel:chat:thread`. */
  readonly sessionKey?: string;
  /** Whether a person can answer an approval there. Default: `from.kind === "person"`. */
  readonly attended?: boolean;
  readonly control?: Control;
  /** Where the answer goes. Default: `origin`. */
  readonly replyTo?: Address;
  /** It starts a turn of its own: a running one sees neither it nor what comes after it. */
  readonly mode?: "queue";
  /** For the turn that this message opens. */
  readonly sampling?: TurnSampling;
  /** What is known about its text. Default: an operator's word is trusted, others' and every attachment are not. */
  readonly marks?: Marks;
  /**
   * `private`: between the sender and us alone; only there may a stranger be answered, with a pairing code. Absent: the platform
   * does not say it, and others may read along.
   */
  readonly chat?: "private" | "group";
  /** What the platform calls a group; for who looks after it, never for a model. */
  readonly title?: string;
  /** What an answer to it needs. Where `can.window` is set and it is absent: nothing but the time. */
  readonly handle?: ReplyHandle;
  /** In a group: how the platform says that we are meant, or that somebody else is. Default: that it is said to all. */
  readonly addressed?: "named" | "reply" | "command" | "other";
  /** The platform's time. Default: now. */
  readonly sentAt?: Millis;
  /** Who reads the conversation from now on, `owner` for the owner alone, when no person sent this. Default: who reads it. */
  readonly audience?: Audience;
  /** The agent that the conversation works with from now on, null for the one that its bindings give. Default: no change. */
  readonly agent?: string | null;
  /** The message that it answers. */
  readonly quotes?: Quote;
  /** Ids of people whose names it does not say: who sends it, who wrote what it answers, and whom it mentions as `@ID`. They are looked up when it is accepted. */
  readonly unnamed?: readonly string[];
  /** Key of the one in whose place it stands: that was only heard, and this one is for us. */
  readonly edits?: string;
  readonly allows?: SessionGrant;
}
export interface OutboundMessage {
  readonly reply: string;
  readonly to: Address;
  readonly kind: ReplyKind;
  readonly parts: readonly ContentPart[];
  /** For `bus.send`: nobody asked for it in this chat. It becomes a row there too, once per `reply`. */
  readonly from?: Sender;
  /** Of the context it was made in. */
  readonly marks?: Marks;
  /** Without a sound, where the platform can. */ readonly silent?: true;
}
export type Accepted =
  | { readonly status: "accepted"; readonly session: SessionId; readonly sessionKey: string; readonly seq: Seq; readonly message: string }
  | { readonly status: "duplicate" }
  /** Taken, and not to be answered. `heard`: kept for those who are in the group. */
  | { readonly status: "ignored"; readonly why: "heard" | "not-addressed" | "late" | "seen" | "flood" }
  | {
      readonly status: "refused";
      readonly reason: string;
      /** What the channel may tell the sender. */
      readonly answer?: string;
      /** It may be sent again: when there is room, or when the emergency stop is taken back. */
      readonly until?: "room" | "release";
    };

/** The one door in: channels, cron, heartbeat, subagents, CLI and gateway. Resolves when the message can't be lost. */
export interface Inbox {
  accept(message: InboundMessage): Promise<Accepted>;
}
/** What who pressed is told, in private where the platform can. */
export interface Pressed {
  readonly status: "done" | "already" | "not-yours" | "expired" | "unknown";
  readonly text: string;
}
/** Of a message: the key of the one that was changed, and of this change. `media`: its text alone was, and its files stay. */
export type Edited = InboundMessage & { readonly edits: string; readonly media?: "kept" };
/** `of`: the id that `send` gave. `emoji`: absent for one that a platform or a person has made. */
export type Reaction = Pick<InboundMessage, "from" | "origin"> & { readonly of: string; readonly emoji?: string };
/** What a channel has of us. */
export interface ChannelInbox extends Inbox {
  /**
   * Its author has changed a message: it stands for `edits` from now on. One that waits is replaced; one that was heard, too, or taken
   * for us when it now says so. What the model has seen stays: `ignored`, `seen`.
   */
  edited(change: Edited): Promise<Accepted | { readonly status: "replaced" }>;
  /** A message was taken back. `from`: who says so, where only its author may; else the platform has seen to it. */
  removed(change: Pick<InboundMessage, "origin"> & { readonly of: string; readonly from?: Sender }): Promise<"withdrawn" | "ignored">;
  /** `key`: the platform's, of this press; delivered again it is `already`. `origin`: the chat that the button stands in. */
  press(press: Pick<InboundMessage, "key" | "from" | "origin"> & { readonly token: string }): Promise<Pressed>;
  /** To a message of anybody. It answers no question; `ignored`: it was none of ours. */
  reacted(reaction: Reaction): Promise<"counted" | "told" | "ignored">;
  /**
   * A message of ours that was taken did not arrive, as its platform says now. `reason`: anybody's words. `ignored`: it is no piece
   * of what was sent last, or that is known already.
   */
  undelivered(lost: Pick<OutboundMessage, "reply" | "to"> & { readonly reason: string }): Promise<"noted" | "ignored">;
  /**
   * Whether somebody may write there, and in a group whether what they say is for us. Asked before files are fetched, with the text
   * so far: of a stranger, and of what is only heard, none are.
   */
  admits(message: Pick<InboundMessage, "from" | "origin" | "chat"> & Partial<InboundMessage>): Promise<boolean>;
}
/** The one door out. Resolves when queued durably; delivery is retried until it succeeds or expires. */
export interface Outbox {
  send(sessionKey: string, message: OutboundMessage): Promise<void>;
}
export interface MessageBus extends Inbox, Outbox {}

/** What was said to somebody, until it is delivered or given up on. */
export interface QueuedReply {
  readonly reply: string;
  readonly to: Address;
  readonly kind: ReplyKind;
  readonly parts: readonly ContentPart[];
  readonly marks?: Marks;
  readonly queuedAt: Millis;
  readonly attempt: number;
  readonly retryAt?: Millis;
  /** The pieces that left: how many, where the last one ends in the text, and their ids. */
  readonly left?: LeftPieces;
  /** The piece that may have left: where it lies in the text. */
  readonly leaving?: LeavingPiece;
  /** It waits, and not for a time. `uncertain`: it may have left, and a person says what becomes of it. `window`: for the next message of its chat. `digest`: it is one of many questions, and is asked when its turn comes. */
  readonly held?: "uncertain" | "window" | "digest";
  readonly silent?: true;
  /** So often it was taken and did not arrive. */
  readonly again?: number;
  /** The message that it answers. */
  readonly answers?: string;
  /** What has shown it so far: each piece takes the place of one. */
  readonly live?: readonly LiveMessage[];
  /** Attempts that ended with a bug of the channel, and with a refusal by the platform itself. */
  readonly bugs?: number;
  readonly refusals?: number;
  readonly question?: ReplyQuestion;
  readonly voice?: SpokenTo;
}
/** Stands in a chat with buttons: to find it when one is pressed, and to change its message when it is over. */
export interface AskedInChat extends ReplyQuestion, Pick<QueuedReply, "reply" | "to" | "parts"> {
  /** The piece with the buttons, and the platform's id. */
  readonly last?: NonNullable<QueuedReply["leaving"]> & { readonly id?: string };
  readonly answered?: Pick<Extract<JournalRecord, { type: "approval.resolved" }>, "verdict" | "by" | "remember"> & { readonly at: Millis };
  /** Of a digest: the reply of the question that was asked last. */ readonly next?: string;
}
/** Of the last messages: what replies may leave with. */
export interface KnownHandle extends ReplyHandle {
  /** Of its message. */
  readonly id: string;
  readonly from: Address;
  readonly used: number;
}
export interface LeavingPiece extends SentPiece {
  /** When it was to leave for the first time. */
  readonly since?: Millis;
  /** `none`: it is still here. `accepted`: a person knows that it may be shown twice. Absent: it may have left. */
  readonly doubt?: "none" | "accepted";
  /** It may have left in an attempt before this one. */
  readonly before?: true;
}
export interface LeftPieces {
  readonly piece: number;
  readonly to: number;
  readonly ids: readonly string[];
}
export interface UndeliveredReply {
  readonly reply: string;
  readonly to: Address;
  readonly error: ErrorInfo;
  /** What of it has left: sent again, it goes on behind that. */
  readonly left?: LeftPieces;
}
