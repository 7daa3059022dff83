import type { CallId, Json, Millis } from "./base.ts";
import type { Readers } from "./people.ts";

/** Bytes live in the blob store; the journal stays small and greppable. */
export interface BlobRef {
  readonly sha256: string;
  readonly bytes: number;
}

/** `transcript`: what is said in a voice note of the same message; the first note has the first. */
export type TextPart = { readonly type: "text"; readonly text: string; readonly transcript?: true };
export type MediaPart = {
  readonly type: "media";
  readonly mediaType: string;
  readonly blob: BlobRef;
  readonly name?: string;
  /** Its platform calls it a voice note: it was spoken as a message. */
  readonly voice?: true;
  /** Of the {@link SentFile} that it was. */ readonly file?: string;
};
/** A file of a message that still lies on its platform. `file`: its name among those of the message, also after an edit. `locator`: what `fetchMedia` finds it by. */
export interface SentFile extends Pick<MediaPart, "voice"> {
  readonly file: string;
  readonly name: string;
  readonly locator: Json;
  /** Both as the platform says it. */ readonly mediaType?: string;
  readonly bytes?: number;
}
/** `opaque`: provider state (signature, encrypted reasoning), returned verbatim and only to that provider. */
export type ThinkingPart = { readonly type: "thinking"; readonly text: string; readonly opaque?: Json };
export type ToolCallPart = {
  readonly type: "tool-call";
  readonly callId: CallId;
  readonly name: string;
  /** The parsed arguments; `{}` when `inputText` is not a JSON object. */
  readonly input: Json;
  /** The model's exact argument text when it differs from JSON.stringify(input), or is not a JSON object. Re-sent verbatim. */
  readonly inputText?: string;
  readonly opaque?: Json;
};
export type ContentPart = TextPart | MediaPart;
export type AssistantPart = TextPart | ThinkingPart | ToolCallPart;

/** Where a message came from or goes to. `thread` only where the platform has threads. */
export interface Address {
  readonly channel: string;
  readonly chat: string;
  readonly thread?: string;
}
/** `agent`: another part of the runtime (a subagent's result). `schedule`: cron, heartbeat, greeting. */
/** What an answer to a message needs of its platform, and for a while: a reply token, a request id. `uses`: for so many messages. */
export interface ReplyHandle {
  readonly data: Json;
  readonly expiresAt?: Millis;
  readonly uses?: number;
  /** Of its message, which an answer may be shown to answer. */ readonly key?: string;
}
/** One that shows a running answer. `key`: that it is sent with; without `id` it may have left, and nobody knows its id. */
export type LiveMessage = { readonly key?: string; readonly id?: string; readonly since: Millis };
/** One message on the platform: where it lies in the text of its reply. `sound`: the text aloud, made once. */
export interface SentPiece {
  readonly piece: number;
  readonly from: number;
  readonly to: number;
  readonly sound?: MediaPart;
}
export interface Sender {
  readonly id: string;
  readonly name?: string;
  readonly kind: "person" | "agent" | "schedule";
  /** Another program, which the platform counts among its bots. */
  readonly bot?: true;
}
export interface ModelRef {
  readonly provider: string;
  readonly model: string;
}
/** Rows of the context that was, from one place in it to before another, or to its end. `chars`: results longer than that are cut, and pictures named. */
export interface KeptRows {
  readonly places: readonly [from: number, to?: number];
  readonly chars?: number;
}
/** Tokens. `cacheRead` and `cacheWrite` are included in `input`. `costUsd` is absent when the price is unknown. */
export interface Usage {
  readonly input: number;
  readonly output: number;
  readonly cacheRead: number;
  readonly cacheWrite: number;
  readonly costUsd?: number;
  /** True when the provider reported nothing and these are our estimate. */
  readonly estimated?: boolean;
}

/**
 * How a response ended. `cancelled`: stopped by a person after text was shown. `cut`: the stream broke after text was
 * shown; the part that was shown stays. Tool calls are kept only with `stop` and `tool-calls`.
 */
export type Finish = "stop" | "tool-calls" | "length" | "refusal" | "cancelled" | "cut";

/**
 * `untrusted`: written by somebody who may not steer the agent. `sensitive`: keys, and what the operator counts among
 * them; `personal`: the rest of what is theirs.
 */
export interface Label {
  readonly integrity: "trusted" | "untrusted";
  readonly confidentiality: "public" | "personal" | "sensitive";
  /** What came from where others read than here. Absent: nothing did. At most 64, sorted, distinct. */
  readonly readers?: readonly Readers[];
}
/** A label as a message carries it: absent means trusted, public, and for who reads the conversation. */
export interface Marks extends Pick<Label, "readers"> {
  readonly integrity?: "untrusted";
  readonly confidentiality?: "personal" | "sensitive";
}

export type UserMessage = Marks & {
  readonly role: "user";
  readonly id: string;
  readonly at: Millis;
  readonly from: Sender;
  readonly parts: readonly ContentPart[];
  /** On their way: it waits for them. */ readonly files?: readonly SentFile[];
  /** Whose names are looked up, and on which channel: it waits for them, for a moment. */ readonly unnamed?: { readonly origin: Address; readonly ids: readonly string[] };
};
/** Its marks are those of the context it was written in. */
export type AssistantMessage = Marks & {
  readonly role: "assistant";
  readonly at: Millis;
  readonly model: ModelRef;
  readonly parts: readonly AssistantPart[];
  readonly finish: Finish;
  readonly usage: Usage;
};
/** `denied`: not executed (policy, person, limit, stop). `interrupted`: may or may not have taken effect. */
export type ToolStatus = "ok" | "error" | "denied" | "interrupted";
export type ToolMessage = Marks & {
  readonly role: "tool";
  readonly at: Millis;
  readonly callId: CallId;
  readonly name: string;
  readonly parts: readonly ContentPart[];
  readonly status: ToolStatus;
};
/** Written by the runtime, not by a person. Appended, so that the prefix never has to change. */
export type NoticeMessage = Marks & {
  readonly role: "notice";
  readonly at: Millis;
  readonly kind: "clock" | "memory" | "skills" | "files" | "summary" | "reflection" | "runtime";
  readonly text: string;
  /** The skill whose instructions these are. */
  readonly skill?: string;
};
export type Message = UserMessage | AssistantMessage | ToolMessage | NoticeMessage;
