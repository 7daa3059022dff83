/** What the loop needs from the outside: one interface for each kind of step. */
import type { AgentSettings } from "../contract/agent-options.ts";
import type { Clock, Ids, JsonObject, Logger } from "../contract/base.ts";
import type { Address, ContentPart, ModelRef, ToolCallPart, Usage } from "../contract/message.ts";
import type { Audience, BoundAgent, Said } from "../contract/people.ts";
import type { Hooks } from "../contract/plugin.ts";
import type { Memory } from "../contract/memory.ts";
import type { CallFiles, Grant } from "../contract/grant.ts";
import type { Policy } from "../contract/policy.ts";
import type { JournalRecord, ReplyQuestion } from "../contract/record.ts";
import type { Provider } from "../contract/provider.ts";
import type { SecretGuard } from "../contract/services.ts";
import type { BlobStore, ContextBuilder } from "../contract/services.ts";
import type { Session, SessionState } from "../contract/session.ts";
import type { ToolRegistry } from "../contract/tool.ts";
import type { TokenCounter } from "../context/tokens.ts";
import type { Bounds } from "../tools/invoke.ts";
import type { BudgetLedger } from "./spending/budget.ts";
import type { FirstWords } from "./waiting/first-words.ts";
import type { Step } from "./step.ts";
import type { Stopwatch } from "./waiting/stopwatch.ts";

/** Consolidations of a session: beside its lane or in it, one at a time. */
export interface Consolidations {
  /** Starts one beside the lane, when there is something to do. */
  wake(sessionKey: string): void;
  /** Does `work` while none runs beside the lane: what runs is stopped at its next commit and goes on later. */
  instead<T>(sessionKey: string, work: () => Promise<T>): Promise<T>;
  /** Rows that are not due too, as far as they may leave the context (`/compact`). */
  wakeAll(sessionKey: string): void;
}

/** Keeps a stranger's text out of a run that nobody attends. */
export interface Extraction {
  /** The tool whose results are the way around. */
  readonly tool: string;
  /** @param parts without secrets. @returns what the model gets instead, and where the text is. */
  keepAside(
    call: Pick<ToolCallPart, "name" | "callId">,
    parts: readonly ContentPart[],
  ): Promise<{ readonly parts: readonly ContentPart[]; readonly details: JsonObject }>;
}

/** A new epoch with less in it. */
export type Compact = (
  because: Extract<Step, { do: "compact" }>["because"],
  session: Session,
  deps: LoopDeps,
  model: ModelRef,
  signal: AbortSignal,
) => Promise<void>;

/** What every step may ask. */
interface StepDeps {
  /** Absent: nobody approved a plugin that has one. */
  readonly hooks?: Hooks;
  readonly settings: AgentSettings;
  readonly clock: Clock;
  readonly log: Logger;
  /** Removes secrets from results before they are journaled. */
  readonly redact: (text: string) => string;
  /** The same for what the model says. */
  readonly secrets: SecretGuard;
  /** Lets everything else have its turn. */
  readonly pause: () => Promise<void>;
}

/** For a request to the model. */
export interface ModelDeps extends StepDeps {
  /** Read anew by each turn: changes apply from the next turn on. */
  readonly provider: (model: ModelRef) => Provider;
  readonly model: ModelRef;
  /** What the turn works with; absent: the home itself. */
  readonly agent?: BoundAgent;
  /** US dollars; undefined when the price is not known. */
  readonly costOf: (model: ModelRef, usage: Usage) => number | undefined;
  /** Nothing that it answers is paid. */
  readonly isFree: (model: ModelRef) => boolean;
  readonly context: ContextBuilder;
  readonly blobs: BlobStore;
  readonly budget: BudgetLedger;
  readonly firstWords: FirstWords;
  readonly promptHash: (state: SessionState) => string;
  /** Estimated prompt tokens of a state. Pure. */
  readonly size: (state: SessionState) => number;
  readonly counter: Pick<TokenCounter, "message" | "unread" | "total" | "ahead">;
  /** Uniform in [0, 1), for jitter. */
  readonly random: () => number;
}

/** For calls of tools. */
export interface ToolDeps extends StepDeps {
  readonly tools: ToolRegistry;
  readonly policy: Policy;
  /** What a call depends on beside its arguments, as it is now. */
  readonly callFiles: (tool: string, input: unknown) => CallFiles;
  /** SHA-256 in hex. */
  readonly hash: (text: string) => string;
  readonly ids: Ids;
  /** Of a question that is put into that chat. Undefined: its platform has none. */
  readonly buttons: (
    to: Address,
    question: Omit<ReplyQuestion, "actions"> & { readonly grant?: Grant; readonly lasting?: boolean },
  ) => ReplyQuestion | undefined;
  readonly bounds: Bounds;
  readonly extraction: Extraction;
  readonly workspace: string;
}

/** For what a turn begins with, and for what leaves its context. */
export interface ContextDeps extends StepDeps {
  readonly context: ContextBuilder;
  readonly memory: Memory | undefined;
  /** That of a conversation which somebody else read then. */
  readonly memoryOf: (audience: Audience | undefined) => Memory | undefined;
  /** Whether rows that are due are consolidated beside the lane. */
  readonly behind: boolean;
  readonly consolidations: Consolidations;
  readonly compact: Compact;
}

/** For the beginning, the end and the pace of turns. */
export interface TurnDeps extends StepDeps {
  readonly ids: Ids;
  /** How long turns take. */
  readonly stopwatch: Stopwatch;
  readonly firstWords: FirstWords;
  /** Whether the emergency stop is on. */
  readonly stopped: () => boolean;
  /** Of the end of a turn whose answer is not for who reads the conversation: whom it belongs to is asked. Undefined: it is said as it is. */
  readonly instead: (state: SessionState, end: readonly JournalRecord[]) => Promise<Said> | undefined;
  /** Tokens; `settings.contextWindow` is that of `model`. */
  readonly windowOf: (model: ModelRef) => number;
  /** Writes down the voice notes of what waits. @returns undefined: there is none. */
  readonly hear?: (session: Session, signal: AbortSignal) => Promise<void> | undefined;
  /** Awaited before a session is worked on: tools that have to be fetched first. */
  readonly toolsReady?: (signal: AbortSignal) => Promise<void>;
}

export interface LoopDeps extends ModelDeps, ToolDeps, ContextDeps, TurnDeps {}
