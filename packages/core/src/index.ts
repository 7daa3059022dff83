/** The public surface of `@margay/core`. */
export type {
  Agent,
  AgentOptions,
  AgentSettings,
  Approval,
  Budget,
  SendOptions,
  ToolSend,
  Turn,
  Stopped,
  TurnOutcome,
} from "./contract/agent.ts";
export type { Quarantine, Quarantined, Removed, TakenBack } from "./contract/quarantine.ts";
export type { EndorsedFile, LabelledFile, LabelledFiles } from "./contract/commands.ts";
export type {
  CallId,
  Clock,
  Ids,
  Json,
  JsonObject,
  Logger,
  Millis,
  Seq,
  SessionId,
  SessionLimits,
  TurnId,
} from "./contract/base.ts";
export type {
  Accepted,
  Channel,
  Control,
  InboundMessage,
  Inbox,
  MessageBus,
  OutboundMessage,
  Outbox,
} from "./contract/bus.ts";
export type { AgentEvent, DurableEvent, LiveEvent } from "./contract/event.ts";
export type {
  Address,
  AssistantMessage,
  AssistantPart,
  BlobRef,
  ContentPart,
  Finish,
  MediaPart,
  Message,
  ModelRef,
  NoticeMessage,
  Sender,
  TextPart,
  ToolCallPart,
  ToolMessage,
  Usage,
  UserMessage,
} from "./contract/message.ts";
export type { Grant, SavedRule, SavedRules } from "./contract/grant.ts";
export type { Admission, JudgeContext, Policy, Verdict } from "./contract/policy.ts";
export type { PluginOptions, ProviderPlugin } from "./contract/plugin.ts";
export type {
  ModelEvent,
  ModelRequest,
  Prefix,
  Provider,
  Sampling,
  ToolSpec,
  TurnSampling,
} from "./contract/provider.ts";
export type { Commit, EndReason, ErrorInfo, JournalRecord, ReplyKind } from "./contract/record.ts";
export type { BlobStore, CommitObserver, ContextBuilder, Section } from "./contract/services.ts";
export type { RedactedText, SecretGuard } from "./contract/secrets.ts";
export type {
  GoneSession,
  Session,
  SessionState,
  SessionStore,
  SessionSummary,
  SpentRequest,
} from "./contract/session.ts";
export type {
  ReviewedServer,
  ServerReview,
  ServerReviews,
  ServerStanding,
  TextChange,
  ToolChange,
} from "./contract/server-review.ts";
export type { Effect, Schema, Tool, ToolContext, ToolRegistry, ToolResult } from "./contract/tool.ts";
export { ERROR_CODES, type ErrorCode } from "./lib/error-codes.ts";
export { hasCode, messageOf, RuntimeError, toErrorInfo } from "./lib/errors.ts";
export { diskError } from "./lib/disk-error.ts";
export { createRedactor, type Redactor } from "./lib/secrets/redact.ts";
export { systemClock } from "./machine/system/clock.ts";
export {
  endOfTick,
  isMissing,
  makeDirectory,
  openAppend,
  readIfExists,
  replaceFile,
  syncDirectory,
  type AppendFile,
} from "./machine/files/files.ts";
export { keepHeapSmall } from "./machine/system/heap.ts";
export { systemIds } from "./machine/system/ids.ts";
export { systemTimeZone } from "./machine/system/time-zone.ts";
export { isInside } from "./machine/files/paths.ts";
export { ellipsis } from "./lib/text.ts";
export { lockDirectory, lockOwner, type DirectoryLock } from "./machine/system/lock.ts";
export { takeTurns } from "./machine/files/exclusive.ts";
export { watchEntries } from "./machine/files/watch-entries.ts";
export { jsonLog, silentLog, type LogLevel } from "./machine/system/log.ts";
export { createAgent } from "./create-agent.ts";
export { createAgentLoop, loopOver, type AgentLoopOptions, type LoopOverOptions } from "./seeds/create-agent-loop.ts";
export { outboundQueue, type OutboundQueue } from "./seeds/outbound-queue.ts";
export type { AgentLoop, DirectOptions, MessageOptions, PriorMessage, SeedInbound } from "./seeds/agent-loop.ts";
export type { SeedOutbound } from "./seeds/outbound-queue.ts";
export { asUntrusted } from "./tools/untrusted.ts";
export { neutral } from "./lib/neutral.ts";
export { defineTool, toolError, toSchema, validateParams } from "./tools/define.ts";
export { createRegistry, type MutableRegistry } from "./tools/registry.ts";
export { explain, stepText, type Explained } from "./explain.ts";
export { grantKey } from "./lib/grant-key.ts";
export { createPolicy, type PolicyOptions, type PolicyRule } from "./policy/policy.ts";
export { atRest, isAtRest, whenState } from "./session/at-rest.ts";
export { DEFAULT_SETTINGS } from "./loop/settings.ts";
export { OUR_NAMES, parseCommand, unknownCommand } from "./control/commands.ts";
export { sessionKeyOf } from "./lib/session-key.ts";
export { keepRunning } from "./loop/keep-running.ts";
export { retryAfter } from "./lib/retry-after.ts";
export { connectionCode } from "./lib/connection-failure.ts";
export { random } from "./machine/system/ids.ts";
export { ChannelFault, type FaultOptions } from "./lib/channel-fault.ts";
export { createCron, type Cron, type CronOptions, type CronSettings } from "./schedule/cron.ts";
export { readJobs } from "./schedule/job-store.ts";
export { loadCalendar, type Calendar } from "./schedule/calendar.ts";
export { jobFrom, type ValidateOptions } from "./schedule/validate.ts";
export { createGreeting, type Greeting, type GreetingOptions, type GreetingSettings } from "./schedule/greeting.ts";
export { parseQuietHours, type QuietHours } from "./schedule/greeting-slots.ts";
export {
  createHeartbeat,
  type Heartbeat,
  type HeartbeatOptions,
  type HeartbeatSettings,
} from "./schedule/heartbeat.ts";
export { afterUncleanStart, NO_STARTS, type StartNotes } from "./schedule/unclean-starts.ts";
export { createLastActive, type LastActive, type LastActiveOptions, type LastWord } from "./schedule/last-active.ts";
export { jobLine, nextText, runText, timeText, triggerText, zoneOf } from "./schedule/words.ts";
export type {
  BegunRun,
  CronService,
  GreetingOutcome,
  GreetingPreview,
  GreetingView,
  GreetingService,
  HeartbeatOutcome,
  HeartbeatService,
  Job,
  JobMode,
  JobRequest,
  JobRun,
  JobView,
  Misfire,
  SchedulePause,
  SkippedRuns,
  Trigger,
  ScheduleTarget,
} from "./contract/schedule.ts";
export { goneSessions, openSessions, type CachedSessions, type SessionsOptions } from "./session/sessions.ts";
export type { CommitTimer } from "./session/session.ts";
export {
  createSessionManager,
  type SeedSession,
  type SessionManager,
  type SessionManagerOptions,
} from "./seeds/session-manager.ts";
export { openJournalDirectory, type JournalDirectory } from "./journal/directory.ts";
export type { Cached } from "./journal/journal-cache.ts";
export { openBlobs } from "./journal/blobs.ts";
export { visible } from "./lib/visible.ts";
export { toolHint } from "./lib/tool-hint.ts";
export { openAudit, type Audit, type AuditFilter, type AuditOptions } from "./audit/audit.ts";
export { OWN_AUDIT_EVENTS } from "./facts/turn-facts.ts";
export { newestFact, type Owed } from "./audit/owed.ts";
export { createTokenCounter, type TokenCounter } from "./context/tokens.ts";
export { formatZoned, parseZoned, zonedClock, type ZonedTime } from "./lib/zoned-time.ts";
export { emptyState, fold } from "./session/reduce.ts";
export { createContext, createGuestContext, type ContextOptions } from "./context/context.ts";
export { createSeedContextBuilder, type SeedContextBuilder, type SeedContextOptions } from "./seeds/context-builder.ts";
export { createPromptHash, project } from "./context/project.ts";
export { environment, readTextFile } from "./machine/system/environment.ts";
export { sha256 } from "./machine/system/hash.ts";
export { addUsage, NO_USAGE, perQuarter, spendingOf, usageOf } from "./lib/usage.ts";
export { isEgressEntry } from "./machine/egress/hosts.ts";
export { isRepositoryEntry } from "./lib/git-repository.ts";
export { httpFetch, type HttpFetchOptions } from "./machine/http/http-fetch.ts";
export { chatBody } from "./model/chat-body.ts";
export { withFallback, type FallbackModel, type FallbackProvider } from "./model/fallback.ts";
export {
  providerFromChat,
  type ChatFunction,
  type ChatMessage,
  type ChatOptions,
  type ChatResponse,
  type ChatTool,
  type ChatToolCall,
} from "./seeds/provider-from-chat.ts";
export { isOfKey, withKeys } from "./model/keys.ts";
export { languageModel, type LanguageModelOptions, type ModelSource } from "./bridge/language-model.ts";
export type { ModelInfo, Price } from "./model/model-info.ts";
export { costOf, DEFAULT_MODEL, modelInfo } from "./model/models.ts";
export {
  isProviderPlugin,
  pluginProvider,
  type PluginProviderOptions,
  type ProviderHost,
} from "./bridge/plugin-host.ts";
export type { Quirks, ThinkingStyle, WireKind } from "./model/quirks.ts";
export {
  transcribe,
  type Recording,
  type TranscribeOptions,
  type Transcription,
  type TranscriptionSource,
} from "./bridge/transcription.ts";
export { createActivity, withWatchdog, type Activity, type Timeouts } from "./model/watchdog.ts";
export { createSplicer, type Splicer } from "./model/wire/splice.ts";
export { wireFetch, type WireOptions } from "./model/wires.ts";
export { raceAbort, untilAborted } from "./lib/abort.ts";
export { asyncQueue, type AsyncQueue } from "./lib/async-queue.ts";
export { nearest } from "./lib/nearest.ts";
export { renderTranscripts, type TranscriptFile } from "./transcript/format.ts";
export { parseTranscript, type ImportedTranscript } from "./transcript/import.ts";
export { transcriptObserver, type TranscriptOptions } from "./transcript/observer.ts";
export type { Persona } from "./personas/persona.ts";
export { personaPresets, personaText } from "./personas/personas.ts";
export type { Memory, Recall, Recalled } from "./contract/memory.ts";
export type { Notification, NotificationKind, Notifications } from "./contract/notification.ts";
export { openNotifications, type NotificationsOptions } from "./journal/notifications.ts";
export { openMemory, type MemoryOptions } from "./memory/memory.ts";
export { openRecall, type RecallOptions } from "./memory/recall.ts";
export {
  createMemoryStore,
  createSkillsLoader,
  createSubagentManager,
  type MemoryStore,
  type SkillsLoader,
  type SubagentManager,
} from "./seeds/stores.ts";
