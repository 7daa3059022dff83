/** The resolved configuration: every key has its value. The shape follows `config.json`. */
import type { Budget, Json, PolicyRule } from "@margay/core";
import type { ProfileName } from "./kinds.ts";

export interface ProviderConfig {
  readonly apiKey?: string;
  readonly apiKeys?: readonly string[];
  readonly baseUrl?: string;
  readonly api?: "anthropic" | "openai-chat" | "openai-responses" | "google";
  readonly headers?: Readonly<Record<string, string>>;
  readonly options?: Readonly<Record<string, string>>;
}
export interface ChannelConfig {
  readonly enabled: boolean;
  readonly allowFrom: readonly string[];
  readonly token?: string;
  readonly secret?: string;
  readonly baseUrl?: string;
  readonly options?: Readonly<Record<string, Json>>;
}
export interface McpServerConfig {
  readonly command?: string;
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly url?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly enabledTools: readonly string[];
  readonly disabled: boolean;
  readonly sandbox: boolean;
  readonly network: readonly string[];
  readonly writable: readonly string[];
}
export interface HookConfig {
  readonly scheme:
    | "standard"
    | "github"
    | "slack"
    | {
        readonly header: string;
        readonly algorithm: "hmac-sha256";
        readonly encoding: "hex" | "base64";
        readonly prefix?: string;
        readonly timestampHeader?: string;
        readonly idHeader?: string;
      };
  readonly secret?: string;
  readonly session: string;
  readonly prompt: string;
  readonly deliver: readonly string[];
  readonly filter?: string;
  readonly budgetUsdPerDay?: number;
}
export interface Config {
  readonly profile: ProfileName;
  readonly language: "en" | "zh-CN";
  /** `system` or an IANA name. */
  readonly timeZone: string;
  readonly workspace: string;
  readonly model: string | null;
  readonly fallbackModels: readonly string[];
  readonly providers: Readonly<Record<string, ProviderConfig>>;
  readonly models: Readonly<Record<string, { readonly contextWindow?: number }>>;
  readonly agent: {
    readonly maxIterations: number;
    readonly maxToolCalls: number | "maxIterations" | null;
    readonly limitNotice: boolean;
    readonly limitSummary: boolean;
    readonly temperature: number | null;
    readonly maxTokens: number;
    readonly thinking: "off" | "low" | "medium" | "high";
    readonly maxRetries: number;
    readonly retryDelaySeconds: number;
    readonly parallelTools: boolean;
    readonly steering: boolean;
    readonly reflection: boolean;
    readonly concurrency: number;
    readonly replyText: "final" | "all";
    readonly memoryWindow: number;
    readonly maxPending: number;
    readonly maxUnattended: number;
    readonly requestAttempts: number;
    readonly requestTimeoutSeconds: number;
    readonly idleTimeoutSeconds: number;
    readonly firstTextSeconds: number;
    /** `provider/model`; null: there is no speech to text. */
    readonly transcriptionModel: string | null;
  };
  readonly memory: {
    readonly trigger: "reach" | "exceed";
    readonly tokenTrigger: number;
    readonly tokenTarget: number;
    readonly keep: number | "half" | "window";
    readonly timing: "background" | "before-turn";
    readonly format: "tool" | "json" | "summary";
    readonly inject: boolean;
    readonly maxChars: number;
    readonly model: string | null;
  };
  readonly context: { readonly mediaOrder: "media-first" | "text-first" };
  readonly sessions: { readonly toolResultChars: number };
  readonly tools: {
    readonly restrictToWorkspace: boolean;
    readonly maxResultChars: number;
    readonly timeoutSeconds: number;
    readonly exec: {
      readonly enabled: boolean;
      readonly timeoutSeconds: number;
      readonly maxOutputChars: number;
      readonly pathAppend: string;
      readonly env: readonly string[];
      readonly denyPatterns: readonly string[];
      readonly allowPatterns: readonly string[];
      readonly denyAction: "ask" | "refuse";
      readonly sandbox: "required" | "srt" | "none";
      readonly network: readonly (string | { readonly host: string; readonly trusted?: boolean })[];
      readonly dependencies: "loaded" | "untrusted";
      /** Absent: nothing of it is set. */
      readonly git?: { readonly name?: string; readonly email?: string };
    };
    readonly undo: {
      readonly maxMegabytes: number;
      readonly maxFileMegabytes: number;
      readonly keepTurns: number;
      readonly keepDays: number;
      readonly exclude: readonly string[];
    };
    readonly webSearch: {
      readonly engine: "auto" | "brave" | "tavily" | "searxng" | "duckduckgo";
      readonly apiKey?: string;
      readonly baseUrl?: string;
      readonly count: number;
    };
    readonly webFetch: { readonly maxChars: number; readonly allowHosts: readonly string[] };
  };
  readonly subagents: { readonly maxIterations: number; readonly concurrency: number; readonly timeoutSeconds: number };
  readonly skills: { readonly disabled: readonly string[] };
  readonly mcpServers: Readonly<Record<string, McpServerConfig>>;
  readonly mcp: { readonly connectTimeoutSeconds: number; readonly callTimeoutSeconds: number };
  readonly heartbeat: {
    readonly enabled: boolean;
    readonly intervalMinutes: number;
    /** `last`, `web`, or `channel:chat`. */
    readonly target: string;
  };
  readonly greeting: {
    readonly enabled: boolean;
    readonly idleHours: number;
    readonly maxPerDay: number;
    readonly quietHours: string;
    /** As that of the heartbeat; null: `last`. */
    readonly target: string | null;
  };
  readonly cron: {
    readonly enabled: boolean;
    readonly misfire: "skip" | "latest_once" | "all";
    readonly maxCatchUp: number;
    readonly concurrency: number;
    readonly jobTimeoutSeconds: number;
  };
  readonly persona: {
    readonly name: string;
    readonly userName: string | null;
    readonly userAddress: string | null;
    readonly preset: string | null;
    readonly custom: string | null;
  };
  readonly channels: { readonly sendProgress: boolean; readonly sendToolHints: boolean; readonly retryHours: number };
  /** `channels.{id}`, apart from the three settings that hold for all of them. */
  readonly channelsById: Readonly<Record<string, ChannelConfig>>;
  readonly gateway: {
    readonly host: string;
    readonly port: number;
    readonly publicUrl: string | null;
    readonly seedView: boolean;
    readonly allowedHosts: readonly string[];
    readonly allowedOrigins: readonly string[];
    readonly tls: { readonly cert: string; readonly key: string } | null;
    readonly allowPlainHttp: boolean;
    readonly token?: string;
    readonly trustedProxies: readonly string[];
    readonly proxyAuth: {
      readonly peers: readonly string[];
      readonly header: string;
      readonly users: readonly string[];
    } | null;
    readonly auth: {
      readonly idleMs: number | null;
      readonly maxMs: number | null;
      readonly passwordFile: string | null;
    };
    readonly shutdownMs: number;
    readonly limits: {
      readonly bodyBytes: number;
      readonly apiBodyBytes: number;
      readonly uploadBytes: number;
      readonly connections: number;
      readonly sockets: number;
      readonly socketsPerCredential: number;
      readonly streams: number;
      readonly requestsPerMinute: number;
      readonly sendsPerMinute: number;
      readonly anonymousPerMinute: number;
    };
    readonly api: {
      readonly userSession: "match" | "continue";
      readonly ephemeralHours: number;
      readonly clientTools: boolean;
      readonly text: "all" | "final";
      readonly reasoning: boolean;
      readonly corsOrigins: readonly string[];
    };
    readonly hooks: Readonly<Record<string, HookConfig>>;
  };
  readonly policy: {
    readonly rules: readonly PolicyRule[];
    readonly approvalTimeoutSeconds: number;
    readonly strictUnattended: boolean;
    readonly ownRepositories: readonly string[];
  };
  readonly budgets: readonly Budget[];
  readonly log: { readonly level: "debug" | "info" | "warn" | "error" };
}
