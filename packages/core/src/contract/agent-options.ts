// What an agent is made of.
import type { Clock, Ids, Logger, Millis } from "./base.ts";
import type { InboundMessage } from "./bus.ts";
import type { Channel, ChannelSet, Rate, VoiceOptions } from "./channel.ts";
import type { LabelledFiles, LinkAsked } from "./commands.ts";
import type { Address, ModelRef, Sender } from "./message.ts";
import type { Hooks } from "./plugin.ts";
import type { Memory } from "./memory.ts";
import type { Audience, PersonId } from "./people.ts";
import type { PeopleOptions } from "./room.ts";
import type { SavedRules } from "./grant.ts";
import type { Policy } from "./policy.ts";
import type { Quarantine } from "./quarantine.ts";
import type { StopFlag } from "./schedule.ts";
import type { Provider, Sampling } from "./provider.ts";
import type { SecretGuard } from "./services.ts";
import type { ServerReviews } from "./server-review.ts";
import type { BlobStore, CommitObserver, ContextBuilder } from "./services.ts";
import type { SessionStore, Store } from "./store.ts";
import type { Tool, ToolRegistry } from "./tool.ts";

/** A bound on spending, checked before each model request. */
export interface Budget {
  /**
   * `unattended`: what no person asked for since midnight, jobs, hooks, heartbeat, greeting and work of subagents. `guest`: each
   * conversation in which a guest reads, since midnight; `guests`: all of them. Both hold where nothing is said: 50,000 and 300,000 tokens.
   * `person`: all conversations that one person beside the owner reads, since midnight. `agent`: all that work with one.
   */
  readonly scope: "turn" | "session" | "day" | "month" | "source" | "unattended" | "guest" | "guests" | "person" | "agent";
  /** With scope `source`: the channel it counts (`cli`, `cron`, `telegram`…). */
  readonly source?: string;
  /** With scope `person` and `agent`: whose. */
  readonly person?: PersonId;
  readonly agent?: string;
  /** Whose midnight it is counted from. Absent: `AgentSettings.timeZone`. */
  readonly timeZone?: string;
  readonly tokens?: number;
  readonly usd?: number;
  /** `warn` only logs. Default `stop`. */
  readonly action?: "stop" | "warn";
}

/** The knobs of the loop. Defaults are the `default` column of the contract, section 22. */
export interface AgentSettings {
  readonly language: "en" | "zh-CN";
  readonly timeZone: string;
  /** Responses per turn, 1–500. */
  readonly maxIterations: number;
  /** Executed calls per turn; `"maxIterations"` follows that value. */
  readonly maxToolCalls: number | "maxIterations" | null;
  readonly limitNotice: boolean;
  readonly limitSummary: boolean;
  readonly temperature: number | null;
  readonly maxTokens: number;
  readonly thinking: Sampling["thinking"];
  /** Attempts at a failing `read` or `idempotent` call, in all. */
  readonly maxRetries: number;
  readonly retryDelayMs: Millis;
  readonly parallelTools: boolean;
  readonly steering: boolean;
  readonly reflection: boolean;
  /** Sessions working at once with one provider. */
  readonly concurrency: number;
  readonly replyText: "final" | "all";
  readonly memoryWindow: number;
  readonly memoryTrigger: "reach" | "exceed";
  readonly memoryKeep: number | "half" | "window";
  readonly memoryTiming: "background" | "before-turn";
  readonly memoryFormat: "tool" | "json" | "summary";
  /** Consolidations use this model; null: the agent's. */
  readonly memoryModel: ModelRef | null;
  /** A longer MEMORY.md is shown cut, and consolidations are asked to shorten it. */
  readonly memoryMaxChars: number;
  readonly tokenTrigger: number;
  readonly tokenTarget: number;
  readonly maxPending: number;
  /** Turns in a row that nobody asked for: opened by results of subagents. Later results are shown as they are. */
  readonly maxUnattended: number;
  readonly requestAttempts: number;
  readonly requestTimeoutMs: Millis;
  readonly idleTimeoutMs: Millis;
  /** Until the first words of an answer that a person waits for, over all attempts and models. */
  readonly firstTextMs: Millis;
  readonly contextWindow: number;
  readonly mediaOrder: "media-first" | "text-first";
  readonly toolTimeoutMs: Millis;
  readonly maxResultChars: number;
  /** Cut of tool results in transcripts and in new epochs. */
  readonly toolResultChars: number;
  readonly approvalTimeoutMs: Millis;
  /** Where nobody is there the model gets handles instead of what strangers wrote. */
  readonly strictUnattended: boolean;
  readonly deliveryRetryMs: Millis;
  readonly sendProgress: boolean;
  readonly sendToolHints: boolean;
  readonly budgets: readonly Budget[];
}

export interface AgentOptions {
  /** State: journals, blobs, transcripts, audit. Never inside the workspace. */
  readonly directory: string;
  readonly workspace: string;
  readonly provider: Provider;
  /** Default: the provider's own default model, as `provider.defaultModel` or the id alone. */
  readonly model: ModelRef;
  readonly tools?: readonly Tool[] | ToolRegistry;
  /** Awaited before a session is worked on, with work at hand: tools that have to be fetched first. */
  readonly toolsReady?: (signal: AbortSignal) => Promise<void>;
  readonly context?: ContextBuilder;
  readonly policy?: Policy;
  /** Of plugins: they are told what happens, and may say no. */
  readonly hooks?: Hooks;
  /** A list, or a set that becomes more while the agent runs. */
  readonly channels?: readonly Channel[] | ChannelSet;
  /** Long-term memory: consolidations write it. Without it a compaction only summarizes. */
  readonly memory?: Memory;
  /** Takes what goes to channels that are not in `channels`. Without it such replies wait in the outbox. */
  readonly otherChannels?: Channel;
  readonly settings?: Partial<AgentSettings>;
  readonly observers?: readonly CommitObserver[];
  /** What keeps what is kept, and what several processes share. Default: files of `directory`, and this process alone. Whoever gives it closes it. */
  readonly store?: Store;
  readonly sessions?: SessionStore;
  readonly blobs?: BlobStore;
  readonly clock?: Clock;
  readonly ids?: Ids;
  readonly log?: Logger;
  /** Removes secrets from everything that leaves: results, replies, logs. */
  readonly redact?: (text: string) => string;
  /** The same for what a model says, while it is streamed and in what is kept of it. Default: nothing is held back. */
  readonly secrets?: SecretGuard;
  /** For `/model NAME`: undefined when there is no such model. Default: any `provider/model`. */
  readonly resolveModel?: (name: string) => ModelRef | undefined;
  /** The provider of a model that a session chose for itself; asked once per provider. Default: the agent's own. */
  readonly providerFor?: (model: ModelRef) => Provider | undefined;
  /** Its context window in tokens. Default: `settings.contextWindow`. */
  readonly contextWindowFor?: (model: ModelRef) => number;
  /** What it costs, in US dollars per million tokens. Default: the built-in table. */
  readonly priceFor?: (model: ModelRef) => { readonly input: number; readonly output: number; readonly cacheRead?: number; readonly cacheWrite?: number } | undefined;
  /** Whether a turn with it costs nothing, whichever model answers in the end: a bound in money does not stop it. Default: none is. */
  readonly isFree?: (model: ModelRef) => boolean;
  /** Without it there is no `spawn`. */
  readonly subagents?: SubagentOptions;
  /** Without it everybody who is admitted reads what the operator may. */
  readonly people?: PeopleOptions;
  /** What one person may write on a channel: the rest is taken, told once, and costs nothing. Default: as much as they want. */ readonly flood?: Rate;
  /** Without it voice notes are files like others. */
  readonly voice?: VoiceOptions;
  /** For `/skill NAME`: the skills that can be used now. */
  readonly skillNames?: (signal: AbortSignal) => Promise<readonly string[]>;
  /** For `/persona NAME`. */
  readonly hasPersona?: (name: string) => boolean;
  /** What `/stop all` and `/resume` switch. Without it a stop holds for what is at work only. */
  readonly stopFlag?: StopFlag;
  /** For `/cron`: one line per job of who reads the conversation. */
  readonly jobLines?: (audience: Audience | undefined) => Promise<readonly string[]>;
  /** For `/rules`. */
  readonly savedRules?: Pick<SavedRules, "list" | "remove">;
  /** Files of the workspace that count as strangers' text. */
  readonly labelledFiles?: LabelledFiles;
  /** For `/mcp`: what servers say of themselves, and approving it. */
  readonly serverReviews?: ServerReviews;
  /** What commands left behind and was kept aside. */
  readonly quarantine?: Quarantine;
  /** For `/restart`: ends the process where something starts it again. Absent: nothing does. */
  readonly restart?: () => void;
  /** Who is an operator: approvals, `/stop all`, `/resume`, `/restart`. Default: everyone who is admitted. */
  readonly mayApprove?: (by: Sender, origin: Address) => boolean;
  /** For `/whoami`, in the language of the answers. */
  readonly whoami?: (by: Sender, origin: Address) => string;
  /** For `/link`, in the language of the answers. @returns undefined: others may read along in this chat. */
  readonly link?: (asked: LinkAsked) => Promise<string | undefined>;
  /** The conversation of what is said in a chat, or, without `from`, sent there. Default: one for each chat and thread. */
  readonly sessionOf?: (said: Pick<InboundMessage, "origin"> & Partial<Pick<InboundMessage, "from" | "chat">>) => string;
  /** The private chat of somebody who was admitted: `message` reaches it before it is a conversation. Default: none. */
  readonly isContact?: (channel: string, chat: string) => boolean;
}

/** What children of `spawn` get. */
export interface SubagentOptions {
  /** No `message`, `spawn`, `cron` or `remember` among them. */
  readonly tools: ToolRegistry;
  readonly context: ContextBuilder;
  readonly maxIterations: () => number;
  /** Children at work at once; more wait in a queue. */
  readonly concurrency: () => number;
  readonly timeoutMs: () => Millis;
}
