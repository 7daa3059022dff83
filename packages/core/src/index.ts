/** The public surface of `@margay/core`. */
export type { Agent, Approval, SendOptions, Turn, TurnOutcome } from "./contract/agent.ts";
export type { AgentOptions, AgentSettings, Budget } from "./contract/agent-options.ts";
export type { Clock, Json, JsonObject, Logger } from "./contract/base.ts";
export type { InboundMessage, Inbox, MessageBus, OutboundMessage, Outbox } from "./contract/bus.ts";
export type { Channel } from "./contract/channel.ts";
export type { AgentEvent } from "./contract/event.ts";
export type {
  Address,
  AssistantMessage,
  AssistantPart,
  ContentPart,
  Message,
  ModelRef,
  Sender,
  ToolCallPart,
  ToolMessage,
  Usage,
  UserMessage,
} from "./contract/message.ts";
export type { Policy, Verdict } from "./contract/policy.ts";
export type { PluginOptions, ProviderPlugin } from "./bridge/provider-plugin.ts";
export type { ModelEvent, ModelRequest, Provider, Sampling, ToolSpec } from "./contract/provider.ts";
export type { Commit, ErrorInfo, JournalRecord } from "./contract/record.ts";
export type { ContextBuilder } from "./contract/services.ts";
export type { Session, SessionState } from "./contract/session.ts";
export type { SessionStore } from "./contract/store.ts";
export type { Effect, Schema, Tool, ToolContext, ToolRegistry, ToolResult } from "./contract/tool.ts";
export type { ErrorCode } from "./lib/errors/error-codes.ts";
export { ERROR_CODES } from "./lib/errors/error-table.ts";
export { hasCode, RuntimeError } from "./lib/errors/errors.ts";
export { createAgent } from "./create-agent.ts";
export { createAgentLoop } from "./seeds/create-agent-loop.ts";
export type { AgentLoop } from "./seeds/agent-loop.ts";
export { defineTool, toolError } from "./tools/define.ts";
export { createRegistry } from "./tools/registry.ts";
export { createPolicy, type PolicyOptions, type PolicyRule } from "./policy/policy.ts";
export { createCron } from "./schedule/cron.ts";
export { createGreeting } from "./schedule/greeting.ts";
export { createHeartbeat } from "./schedule/heartbeat.ts";
export type { CronService, GreetingService, HeartbeatService } from "./contract/schedule.ts";
export { openSessions } from "./session/sessions.ts";
export { createSessionManager, type SessionManager } from "./seeds/session-manager.ts";
export { createContext } from "./context/context.ts";
export { createSeedContextBuilder } from "./seeds/context-builder.ts";
export { httpProvider } from "./http-provider.ts";
export { withFallback } from "./model/fallback.ts";
export { providerFromChat } from "./seeds/provider-from-chat.ts";
export { languageModel } from "./bridge/language-model.ts";
export type { ModelInfo } from "./model/model-info.ts";
export type { ProviderHost } from "./bridge/plugin-host.ts";
export type { Memory } from "./contract/memory.ts";
export { openMemory } from "./memory/memory.ts";
export {
  createMemoryStore,
  createSkillsLoader,
  createSubagentManager,
  type MemoryStore,
  type SkillsLoader,
  type SubagentManager,
} from "./seeds/stores.ts";
