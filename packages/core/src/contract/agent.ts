// What an agent does, and what it is asked for.
import type { CallId, JsonObject, Millis, SessionId, TurnId } from "./base.ts";
import type { Control, MessageBus } from "./bus.ts";
import type { Stopped as StoppedHere } from "./commands.ts";
import type { AgentEvent } from "./event.ts";
import type { Address, AssistantPart, ContentPart, ModelRef, Sender, Usage } from "./message.ts";
import type { Grant } from "./grant.ts";
import type { Provider, ToolSpec, TurnSampling } from "./provider.ts";
import type { EndReason, ErrorInfo } from "./record.ts";
import type { Audience, Readers } from "./people.ts";
import type { BlobStore } from "./services.ts";
import type { SessionStore } from "./store.ts";
import type { ToolRegistry, ToolResult } from "./tool.ts";
import type { AgentSettings } from "./agent-options.ts";

/** What `ask` sends: a system prompt of its own, one message, no history. */
export interface SideRequest {
  /** Names it in the journal: `heartbeat`, `greeting`. */
  readonly purpose: string;
  readonly system: string;
  readonly text: string;
  readonly tools?: readonly ToolSpec[];
  readonly maxOutputTokens: number;
  /** Default: the one of the agent. */
  readonly model?: ModelRef;
  /** Whose conversation it becomes, when nothing was said in it yet. Default: the owner's. */
  readonly audience?: Audience;
}
/** What `countCost` counts: a request to another model than the agent's own, speech to text for example. */
export interface CostEstimate {
  /** Names it in the journal: `transcription`. */
  readonly purpose: string;
  readonly model: ModelRef;
  /** At most, as far as it is known beforehand. */
  readonly tokens: number;
}
export interface WithUsage<Value> {
  readonly value: Value;
  readonly usage: Usage;
}
/** What the emergency stop ended. */
export interface Stopped {
  /** Sessions with a turn, a subagent or waiting messages. */
  readonly turns: number;
  /** Commands that were running. */
  readonly processes: number;
}
export interface TurnOutcome {
  /** What was sent to the person; `""` when nothing was. */
  readonly text: string;
  readonly toolsUsed: readonly string[];
  readonly reason: EndReason;
  readonly usage: Usage;
  readonly error?: ErrorInfo;
}
/** Events of one turn. Not reading them loses nothing: the journal has them. */
export interface Turn extends AsyncIterable<AgentEvent> {
  /** Rejects only when the message was refused or the process is stopping. */
  readonly finished: Promise<TurnOutcome>;
}
export interface SendOptions {
  readonly signal?: AbortSignal;
  readonly origin?: Address;
  readonly from?: Sender;
  readonly attended?: boolean;
  /** Deduplication key; random when absent. */
  readonly key?: string;
  /** For the turn that this message opens. */
  readonly sampling?: TurnSampling;
}

/** A composed agent: what the facade, the CLI, the gateway and the channels talk to. */
export interface Agent extends AsyncDisposable {
  readonly bus: MessageBus;
  readonly sessions: SessionStore;
  readonly blobs: BlobStore;
  readonly tools: ToolRegistry;
  readonly settings: AgentSettings;
  readonly model: ModelRef;
  /** One message in, one turn out. Aborting `signal` stops the turn. */
  send(sessionKey: string, message: string | readonly ContentPart[], options?: SendOptions): Turn;
  /** Approves, denies, stops: acts at once, outside the lane. @returns what was done, for the person. */
  control(sessionKey: string, control: Control, by: Sender): Promise<{ readonly done: boolean } & StoppedHere>;
  /** Takes a waiting message back. @returns false when it does not wait any more. */
  withdraw(sessionKey: string, message: string, by: Sender): Promise<boolean>;
  /**
   * Changes a waiting message where it stands: its words, its files stay; or whether it joins the running turn or begins the next.
   * @returns false when it does not wait any more, or is somebody else's.
   */
  rewrite(sessionKey: string, message: string, change: { readonly text?: string; readonly mode?: "steer" | "queue" }, by: Sender): Promise<boolean>;
  /**
   * One small request beside the conversations: budgets hold, what it cost is counted in that session, nothing enters a context.
   * @returns undefined when no budget has room. @throws RuntimeError as the provider does; nothing is repeated.
   */
  ask(sessionKey: string, request: SideRequest, signal: AbortSignal): Promise<readonly AssistantPart[] | undefined>;
  /**
   * As `ask`, for a request that somebody else makes. `request` gets a signal that the emergency stop aborts too.
   * @returns undefined when no budget has room: nothing was requested. @throws what `request` throws: nothing is counted.
   */
  countCost<Value>(sessionKey: string, estimate: CostEstimate, request: (signal: AbortSignal) => Promise<WithUsage<Value>>, signal: AbortSignal): Promise<WithUsage<Value> | undefined>;
  /** Tokens that budgets hold back for requests under way. */
  readonly reservedTokens: number;
  /** Questions over all sessions that can still be answered. */
  approvals(): Promise<readonly Approval[]>;
  /** Applies from the next turn on. */
  configure(change: { readonly settings?: Partial<AgentSettings>; readonly model?: ModelRef; readonly provider?: Provider }): void;
  /** Validation, policy, retries, audit and history as in a turn; nothing enters a context. @returns the result's text. */
  executeTool(name: string, args: JsonObject, options?: { readonly sessionKey?: string; readonly signal?: AbortSignal }): Promise<string>;
  /** What the `message` tool sends: queued once per reply id, only to chats that have written to us. */
  queue(message: ToolSend): Promise<ToolSent>;
  /** What the `ask_person` tool does. @returns how they are called; undefined: nobody of that name can be asked. */
  askPerson(request: Pick<SpawnRequest, "session" | "call" | "signal"> & { readonly person: string; readonly question: string }): Promise<string | undefined>;
  /** What the `spawn` tool does. */
  spawn(request: SpawnRequest): Promise<ToolResult>;
  /** What the model says about a result that was kept aside. @returns undefined: none is kept under that name; null: no budget. */
  extract(request: ExtractRequest): Promise<string | null | undefined>;
  /** Children at work for a session. */
  subagents(parent: SessionId): readonly SubagentView[];
  /** The emergency stop, as `/stop all`: ends every turn and keeps new ones from beginning until `release`. */
  stopAll(by: Sender): Promise<Stopped>;
  /** Takes the emergency stop back. @returns false when it was not on. */
  release(by: Sender): Promise<boolean>;
  /** Stops one child; its parent is told. @returns false when it does not run. */
  cancelSubagent(key: string): Promise<boolean>;
  /** Lets one session's lane look at its journal again. */
  wake(sessionKey: string): void;
  /** Delivers a waiting reply now, and before it what waits in the same chat, however far their next attempts are. @returns false when it does not wait. */
  hurry(sessionKey: string, reply: string): Promise<boolean>;
  /** Drives every session that is not idle: crash recovery. @returns their keys. */
  resume(): Promise<readonly string[]>;
  /** Hears channels and delivers until aborted; then lets turns in hand reach a commit, at most 15 s. `begun`: what was left goes on. */
  run(signal: AbortSignal, begun?: () => void): Promise<void>;
  /** Resolves when no session works and nothing can be delivered now. */
  idle(): Promise<void>;
}
/** What the `extract` tool asks. */
export interface ExtractRequest {
  readonly session: SessionId;
  /** The call whose result was kept aside. */
  readonly from: CallId;
  readonly question: string;
  readonly signal: AbortSignal;
}
export interface SpawnRequest {
  /** The session whose call it is. */
  readonly session: SessionId;
  readonly call: CallId;
  readonly task: string;
  readonly label: string;
  /** Default: that of the session. */
  readonly agent?: string;
  /** The result itself instead of a note that it was started. */
  readonly wait: boolean;
  readonly signal: AbortSignal;
  /** The chat of the session, when nobody uses the session yet: it is opened. */
  readonly origin?: Address;
}
export interface SubagentView {
  readonly session: SessionId;
  readonly key: string;
  readonly label: string;
  /** What it was told to do. */
  readonly task: string;
  /** Model responses so far. */
  readonly steps: number;
  readonly startedAt: Millis;
}
/** `asked`: whom it belongs to was asked first. `withheld`: it belongs to somebody who cannot be asked. */
export type ToolSent = "queued" | "unknown-chat" | "too-many" | "asked" | "withheld";
/** A message that a tool call sends. `reply` is derived from the call. */
export interface ToolSend {
  readonly session: SessionId;
  readonly call: CallId;
  readonly reply: string;
  readonly origin: Address;
  readonly to: Address;
  readonly parts: readonly ContentPart[];
  /** Who may read its files, which may be in no context. */ readonly readers?: readonly Readers[];
}
export interface Approval {
  readonly session: SessionId;
  readonly sessionKey: string;
  /** Absent: of no turn; `call` is the id of what is asked beside them. */ readonly turn?: TurnId;
  readonly call: CallId;
  readonly name: string;
  readonly prompt: string;
  readonly hash: string;
  readonly expiresAt: Millis;
  /** For how long a yes can hold, and what it covers then. */
  readonly choices: readonly ("once" | "session" | "always")[];
  /** The call runs, and asks for more than it was allowed. */
  readonly during?: true;
  readonly grant?: Grant;
}

/** A conversation that a turn opened, and that ended with it. */
export interface StoppedChild {
  /** The call that started it. */
  readonly call: CallId;
  /** Its name and task. */
  readonly text: string;
}
