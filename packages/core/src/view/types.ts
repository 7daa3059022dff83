/** What a person sees of a session: items in order, the turn at work, what waits. Plain data; it travels as JSON. */
import type { CallId, Json, Millis, Seq, SessionId, TurnId } from "../contract/base.ts";
import type {
  Address,
  AssistantMessage,
  ContentPart,
  Finish,
  MediaPart,
  ModelRef,
  NoticeMessage,
  Sender,
  TextPart,
  ThinkingPart,
  ToolCallPart,
  ToolMessage,
  Usage,
  UserMessage,
} from "../contract/message.ts";
import type { Audience } from "../contract/people.ts";
import type { Prefix } from "../contract/provider.ts";
import type { ErrorInfo, FreezeCause, JournalRecord } from "../contract/record.ts";
import type { Effect } from "../contract/tool.ts";

/** Stands for something long: beginning and end of it, its size, and where the whole is. */
export type Cut = {
  readonly cut: true;
  /** Of the whole, UTF-8. */
  readonly bytes: number;
  readonly head: string;
  readonly tail: string;
  readonly href: string;
};
/** `cut`: `text` is the head of a longer one. */
export type ItemPart = (TextPart & { readonly cut?: Cut }) | MediaPart;

export type CallStatus =
  | "proposed"
  | "asked"
  | "allowed"
  | "running"
  | "ok"
  | "error"
  | "denied"
  | "interrupted"
  /** Never judged: a limit, a stop, an unknown or unreadable call. */
  | "not-run";

export type ApprovalView = {
  readonly session: SessionId;
  readonly turn: TurnId;
  readonly call: CallId;
  readonly tool: string;
  /** The exact call; invisible characters are written out. */
  readonly display: string;
  readonly input: Json;
  /** What the answer is bound to. */
  readonly hash: string;
  /** What made it ask, in the policy's words. */
  readonly rule: string;
  readonly why: string;
  /** What could go wrong, as codes. */
  readonly risk: readonly string[];
  /** Where a command starts. */
  readonly cwd?: string;
  /** Whose word it needs, where that is not the owner's. */
  readonly of?: Audience;
  /** For how long a yes can hold. */
  readonly choices: readonly ("once" | "session" | "always")[];
  /** What a yes that is remembered covers. */
  readonly rulePreview?: string;
  readonly requestedAt: Millis;
  readonly expiresAt: Millis;
  /** The call runs, and asks for more than it was allowed. */
  readonly during?: true;
  /** The call went on without the answer: a yes counts for the next one that asks the same. */
  readonly late?: true;
  /** Its time was over before anybody answered. */
  readonly expired?: true;
  readonly resolved?: {
    readonly verdict: "allow" | "deny";
    readonly by: string;
    readonly at: Millis;
    readonly reason?: string;
    readonly remember?: "session" | "always";
  };
};

export type CallView = {
  readonly call: CallId;
  readonly session: SessionId;
  readonly turn: TurnId;
  /** Of the response that asked for it. */
  readonly seq: Seq;
  readonly name: string;
  /** Known when it was judged. */
  readonly effect?: Effect;
  readonly status: CallStatus;
  /** One line, at most 160 characters. */
  readonly preview: string;
  /** A `Cut` when it is long. */
  readonly input: Json;
  readonly attempts: number;
  /** Known when one failed and is repeated. */
  readonly maxAttempts?: number;
  readonly startedAt?: Millis;
  /** The next attempt. */
  readonly retryAt?: Millis;
  readonly ms?: number;
  readonly result?: readonly ContentPart[] | Cut;
  readonly details?: Json;
  /** Of the last attempt that failed and is repeated. */
  readonly error?: ErrorInfo;
  /** What came from outside. */
  readonly untrusted?: true;
  readonly approval?: ApprovalView;
};

/** Files are of what a call sent here, or somebody else: a model answers in words. */
export type AssistantItemPart =
  | TextPart
  | MediaPart
  | ThinkingView
  | { readonly type: "call"; readonly call: CallView };
type ThinkingView = Omit<ThinkingPart, "opaque">;

/** `seq.index` of the record that made it. */
export type Item = {
  readonly id: string;
  readonly at: Millis;
  readonly turn?: TurnId;
} & (
  | {
      readonly kind: "user";
      readonly messageId: string;
      readonly key: string;
      readonly from: Sender;
      readonly origin: Address;
      readonly parts: readonly ItemPart[];
      readonly state: "pending" | "placed" | "withdrawn";
      /** The commit that put it into the context: a steered message is shown there and not where it was received. */
      readonly placedAt?: Seq;
      /** `queue`: starts a turn of its own. */
      readonly mode: "steer" | "queue";
      /** A slash command: outside the model's context. */
      readonly command?: true;
    }
  | {
      readonly kind: "assistant";
      readonly model: ModelRef;
      /** The one that was asked, when another answered in its place. */
      readonly asked?: ModelRef;
      readonly parts: readonly AssistantItemPart[];
      readonly finish: Finish;
      readonly usage: Usage;
      /** From request to the end of the response; absent for rows that no request made. */
      readonly ms?: number;
    }
  | { readonly kind: "notice"; readonly notice: NoticeMessage["kind"] | "command"; readonly text: string }
  | { readonly kind: "compaction"; readonly through: Seq; readonly summary: string }
  | { readonly kind: "epoch"; readonly hash: string; readonly because: FreezeCause }
  /** Everything above it has left the context (`/new`). */
  | { readonly kind: "cleared"; readonly by: Sender }
  | {
      readonly kind: "turn-end";
      readonly reason: Extract<JournalRecord, { type: "turn.ended" }>["reason"];
      /** Our last words in it: a limit, an error. */
      readonly notice?: string;
      readonly error?: ErrorInfo;
      readonly steps: number;
      readonly calls: number;
      readonly usage: Usage;
      readonly ms: number;
    }
  | {
      readonly kind: "delivery";
      readonly reply: string;
      readonly to: Address;
      /** `uncertain`: it may have left, and waits for a person. `window`: it waits until its chat writes again. */
      readonly state: "queued" | "uncertain" | "window" | "delivered" | "failed";
      readonly retryAt?: Millis;
      readonly error?: ErrorInfo;
    }
);
export type ItemOf<Kind extends Item["kind"]> = Extract<Item, { kind: Kind }>;

export type TurnView = {
  readonly id: TurnId;
  /** The channel whose message opened it. */
  readonly source: string;
  readonly startedAt: Millis;
  /** Responses so far. */
  readonly step: number;
  /** Calls executed so far. */
  readonly calls: number;
  readonly doing: "request" | "invoke" | "wait" | "sleep" | "judge";
  readonly retryAt?: Millis;
  readonly requestedAt?: Millis;
  readonly model?: ModelRef;
  readonly error?: ErrorInfo;
  readonly stopping?: true;
};

/** A view at one moment: what a browser starts from. */
export type ViewSnapshot = {
  readonly session: SessionId;
  readonly seq: Seq;
  readonly items: readonly Item[];
  readonly turn?: TurnView;
};

type Of<Type extends JournalRecord["type"]> = Extract<JournalRecord, { type: Type }>;
type Shortened = "message.received" | "model.responded" | "tool.finished" | "prefix.frozen";

/** A record as it travels: long things are cut, and what nobody looks at is left out. Every record is one. */
export type WireRecord =
  | Exclude<JournalRecord, { type: Shortened }>
  | (Omit<Of<"message.received">, "message"> & {
      readonly message: Omit<UserMessage, "parts"> & { readonly parts: readonly ItemPart[] };
    })
  | (Omit<Of<"model.responded">, "message"> & {
      readonly message: Omit<AssistantMessage, "parts"> & {
        readonly parts: readonly (TextPart | ThinkingView | Omit<ToolCallPart, "opaque" | "inputText">)[];
      };
    })
  | (Omit<Of<"tool.finished">, "message"> & {
      readonly message: Omit<ToolMessage, "parts"> & { readonly parts: readonly ContentPart[] | Cut };
    })
  | (Omit<Of<"prefix.frozen">, "prefix"> & {
      readonly prefix: Prefix | { readonly hash: string; readonly system: Cut; readonly tools: number };
    });

/** A commit as it travels. A `Commit` is one too. */
export type WireCommit = {
  readonly seq: Seq;
  readonly at: Millis;
  readonly records: readonly WireRecord[];
};

export function isCut(value: unknown): value is Cut {
  return typeof value === "object" && value !== null && "cut" in value && value.cut === true && "href" in value;
}
