/**
 * What a terminal and the process that holds the lock say to each other over the control door: one line of JSON each way.
 * Both belong to one person; a field that an older one does not know is left alone.
 */
import type {
  Agent,
  Commit,
  ContentPart,
  InboundMessage,
  ModelRef,
  OutboundMessage,
  SendOptions,
  SessionState,
  SessionStore,
  TurnOutcome,
} from "@margay/core";
import type { Accepted, LiveEvent } from "@margay/core/internal";

/** Sub-protocol of the upgrade. */
export const TERMINAL_PROTOCOL = "margay-terminal";

/** Of the process that answers. */
export interface About {
  readonly practice: boolean;
  readonly model: ModelRef;
  readonly contextWindow: number;
  /** Nothing becomes due until somebody says `/resume`. */
  readonly held: boolean;
}

/** What a terminal may ask, and what it is answered. */
export interface TerminalCalls {
  /** Replies to the chats of the conversations opened here come to this terminal, those that waited first. */
  readonly attach: { readonly input: object; readonly answer: About };
  /** From the state that is answered on, every commit and live event follows. */
  readonly open: { readonly input: { readonly key: string; readonly chat: string }; readonly answer: SessionState };
  /** All commits so far come as `past` before the answer. */
  readonly history: { readonly input: { readonly key: string }; readonly answer: null };
  readonly close: { readonly input: { readonly key: string }; readonly answer: null };
  readonly list: { readonly input: object; readonly answer: Awaited<ReturnType<SessionStore["list"]>> };
  readonly accept: { readonly input: InboundMessage; readonly answer: Accepted };
  /** Answered when the turn has ended. */
  readonly send: { readonly input: Sending; readonly answer: TurnOutcome };
  readonly control: {
    readonly input: { readonly key: string; readonly control: Parameters<Agent["control"]>[1] };
    readonly answer: Awaited<ReturnType<Agent["control"]>>;
  };
  /** Takes a message back that waits; `false`: it does not wait any more. */
  readonly withdraw: { readonly input: { readonly key: string; readonly id: string }; readonly answer: boolean };
  /** Changes a message that waits; `false`: it does not wait any more. */
  readonly rewrite: {
    readonly input: { readonly key: string; readonly id: string; readonly change: Parameters<Agent["rewrite"]>[2] };
    readonly answer: boolean;
  };
  /** How many subagents of the conversation work. */
  readonly subagents: { readonly input: { readonly key: string }; readonly answer: number };
  /** Answered when nothing of the conversation goes on, its subagents included. */
  readonly settled: { readonly input: { readonly key: string }; readonly answer: null };
  /** A picture, in base64. */
  readonly put: { readonly input: { readonly bytes: string }; readonly answer: Blob };
  /** What a command asks: its answer is what the operation of that name returns. */
  readonly operation: { readonly input: { readonly name: string; readonly input: unknown }; readonly answer: unknown };
  /** The reply is on the screen. */
  readonly shown: { readonly input: { readonly reply: string }; readonly answer: null };
}

export type TerminalCall = keyof TerminalCalls;

type Blob = Awaited<ReturnType<Agent["blobs"]["put"]>>;

/** One message, as `agent.send` takes it. */
export interface Sending extends Pick<SendOptions, "origin" | "from" | "attended" | "key"> {
  readonly session: string;
  readonly parts: readonly ContentPart[];
  /** For its turn alone. */
  readonly model?: string;
}

export interface Asked {
  readonly id: number;
  readonly call: TerminalCall;
  readonly input: unknown;
}

export type TerminalFrame =
  | { readonly type: "answer"; readonly id: number; readonly answer: unknown }
  | { readonly type: "refused"; readonly id: number; readonly code: string; readonly message: string }
  | { readonly type: "commit"; readonly key: string; readonly commit: Commit }
  | { readonly type: "live"; readonly key: string; readonly event: LiveEvent }
  | { readonly type: "past"; readonly id: number; readonly commits: readonly Commit[] }
  /** A commit failed. */
  | { readonly type: "failed"; readonly key: string; readonly message: string }
  | { readonly type: "reply"; readonly message: OutboundMessage; readonly alone: boolean }
  | { readonly type: "about"; readonly about: About };
