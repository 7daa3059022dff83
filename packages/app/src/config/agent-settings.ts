/** Configuration → the knobs of the core. */
import type { AgentSettings, ModelRef } from "@margay/core";
import type { Config } from "./config.ts";

export interface SettingsInput {
  readonly config: Config;
  readonly timeZone: string;
  /** Of the model in use, in tokens. */
  readonly contextWindow: number;
}

export function agentSettings({ config, timeZone, contextWindow }: SettingsInput): AgentSettings {
  const { agent, memory, tools, channels } = config;
  return {
    language: config.language,
    timeZone,
    maxIterations: agent.maxIterations,
    maxToolCalls: agent.maxToolCalls,
    limitNotice: agent.limitNotice,
    limitSummary: agent.limitSummary,
    temperature: agent.temperature,
    maxTokens: agent.maxTokens,
    thinking: agent.thinking,
    maxRetries: agent.maxRetries,
    retryDelayMs: agent.retryDelaySeconds * 1000,
    parallelTools: agent.parallelTools,
    steering: agent.steering,
    reflection: agent.reflection,
    concurrency: agent.concurrency,
    replyText: agent.replyText,
    memoryWindow: agent.memoryWindow,
    memoryTrigger: memory.trigger,
    memoryKeep: memory.keep,
    memoryTiming: memory.timing,
    memoryFormat: memory.format,
    memoryModel: memory.model === null ? null : modelRef(memory.model),
    memoryMaxChars: memory.maxChars,
    tokenTrigger: memory.tokenTrigger,
    tokenTarget: memory.tokenTarget,
    maxPending: agent.maxPending,
    maxUnattended: agent.maxUnattended,
    requestAttempts: agent.requestAttempts,
    requestTimeoutMs: agent.requestTimeoutSeconds * 1000,
    idleTimeoutMs: agent.idleTimeoutSeconds * 1000,
    firstTextMs: agent.firstTextSeconds * 1000,
    contextWindow,
    mediaOrder: config.context.mediaOrder,
    toolTimeoutMs: tools.timeoutSeconds * 1000,
    maxResultChars: tools.maxResultChars,
    toolResultChars: config.sessions.toolResultChars,
    approvalTimeoutMs: config.policy.approvalTimeoutSeconds * 1000,
    strictUnattended: config.policy.strictUnattended,
    deliveryRetryMs: channels.retryHours * 3_600_000,
    sendProgress: channels.sendProgress,
    sendToolHints: channels.sendToolHints,
    budgets: config.budgets,
  };
}

/** `provider/model`; the model may hold further slashes. */
export function modelRef(ref: string): ModelRef {
  const slash = ref.indexOf("/");
  return { provider: ref.slice(0, slash), model: ref.slice(slash + 1) };
}
