/** What the program alone needs of core: in the workspace, not in the published package. */
export type { ToolSend, Stopped } from "./contract/agent.ts";
export type { Quarantine, Quarantined, Removed, TakenBack } from "./contract/quarantine.ts";
export type { EndorsedFile, LabelledFile, LabelledFiles } from "./contract/commands.ts";
export type { CallId, Ids, Millis, Seq, SessionId, SessionLimits, TurnId } from "./contract/base.ts";
export type { Accepted, Control } from "./contract/bus.ts";
export type { DurableEvent, LiveEvent } from "./contract/event.ts";
export type { BlobRef, Finish, MediaPart, NoticeMessage, TextPart } from "./contract/message.ts";
export type { Grant, SavedRule, SavedRules } from "./contract/grant.ts";
export type { Admission, JudgeContext } from "./contract/policy.ts";
export type { Prefix, TurnSampling } from "./contract/provider.ts";
export type { EndReason, ReplyKind } from "./contract/record.ts";
export type { BlobStore, CommitObserver, Section } from "./contract/services.ts";
export type { RedactedText, SecretGuard } from "./contract/secrets.ts";
export type { GoneSession, SessionSummary, SpentRequest } from "./contract/session.ts";
export type {
  ReviewedServer,
  ServerReview,
  ServerReviews,
  ServerStanding,
  TextChange,
  ToolChange,
} from "./contract/server-review.ts";
export { messageOf, toErrorInfo } from "./lib/errors.ts";
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
export { loopOver, type AgentLoopOptions, type LoopOverOptions } from "./seeds/create-agent-loop.ts";
export { outboundQueue, type OutboundQueue } from "./seeds/outbound-queue.ts";
export type { DirectOptions, MessageOptions, PriorMessage, SeedInbound } from "./seeds/agent-loop.ts";
export type { SeedOutbound } from "./seeds/outbound-queue.ts";
export { asUntrusted } from "./tools/untrusted.ts";
export { neutral } from "./lib/neutral.ts";
export { toSchema, validateParams } from "./tools/define.ts";
export type { MutableRegistry } from "./tools/registry.ts";
export { explain, stepText, type Explained } from "./explain.ts";
export { grantKey } from "./lib/grant-key.ts";
export { atRest, isAtRest, whenState } from "./session/at-rest.ts";
export { DEFAULT_SETTINGS } from "./loop/settings.ts";
export { OUR_NAMES, parseCommand, unknownCommand } from "./control/commands.ts";
export { sessionKeyOf } from "./lib/session-key.ts";
export { keepRunning } from "./loop/keep-running.ts";
export { retryAfter } from "./lib/retry-after.ts";
export { connectionCode } from "./lib/connection-failure.ts";
export { random } from "./machine/system/ids.ts";
export { ChannelFault, type FaultOptions } from "./lib/channel-fault.ts";
export type { Cron, CronOptions, CronSettings } from "./schedule/cron.ts";
export { readJobs } from "./schedule/job-store.ts";
export { loadCalendar, type Calendar } from "./schedule/calendar.ts";
export { jobFrom, type ValidateOptions } from "./schedule/validate.ts";
export type { Greeting, GreetingOptions, GreetingSettings } from "./schedule/greeting.ts";
export { parseQuietHours, type QuietHours } from "./schedule/greeting-slots.ts";
export type { Heartbeat, HeartbeatOptions, HeartbeatSettings } from "./schedule/heartbeat.ts";
export { afterUncleanStart, NO_STARTS, type StartNotes } from "./schedule/unclean-starts.ts";
export { createLastActive, type LastActive, type LastActiveOptions, type LastWord } from "./schedule/last-active.ts";
export { jobLine, nextText, runText, timeText, triggerText, zoneOf } from "./schedule/words.ts";
export type {
  BegunRun,
  GreetingOutcome,
  GreetingPreview,
  GreetingView,
  HeartbeatOutcome,
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
export { goneSessions, type CachedSessions, type SessionsOptions } from "./session/sessions.ts";
export type { CommitTimer } from "./session/session.ts";
export type { SeedSession, SessionManagerOptions } from "./seeds/session-manager.ts";
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
export { createGuestContext, type ContextOptions } from "./context/context.ts";
export type { SeedContextBuilder, SeedContextOptions } from "./seeds/context-builder.ts";
export { createPromptHash, project } from "./context/project.ts";
export { environment, readTextFile } from "./machine/system/environment.ts";
export { sha256 } from "./machine/system/hash.ts";
export { addUsage, NO_USAGE, perQuarter, spendingOf, usageOf } from "./lib/usage.ts";
export { isEgressEntry } from "./machine/egress/hosts.ts";
export { isRepositoryEntry } from "./lib/git-repository.ts";
export { httpFetch, type HttpFetchOptions } from "./machine/http/http-fetch.ts";
export { chatBody } from "./model/chat-body.ts";
export type { FallbackModel, FallbackProvider } from "./model/fallback.ts";
export type { ChatMessage, ChatOptions, ChatResponse, ChatTool, ChatToolCall } from "./seeds/provider-from-chat.ts";
export { isOfKey, withKeys } from "./model/keys.ts";
export type { LanguageModelOptions } from "./bridge/language-model.ts";
export type { Price } from "./model/model-info.ts";
export { costOf, DEFAULT_MODEL, modelInfo } from "./model/models.ts";
export { isProviderPlugin, pluginProvider, type PluginProviderOptions } from "./bridge/plugin-host.ts";
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
export type { Recall, Recalled } from "./contract/memory.ts";
export type { Notification, NotificationKind, Notifications } from "./contract/notification.ts";
export { openNotifications, type NotificationsOptions } from "./journal/notifications.ts";
export type { MemoryOptions } from "./memory/memory.ts";
export { openRecall, type RecallOptions } from "./memory/recall.ts";
/** What a call depends on beside its arguments: give it to the policy with the call. */
export { surroundingsOf } from "./builtin/exec/scripts.ts";
export type { ExecOptions } from "./builtin/exec/exec.ts";
export type { FileToolsOptions } from "./builtin/files/file-tools.ts";
export { createCommandLabels, type CommandLabels } from "./labels/command-labels.ts";
export { keepsAccessTimes } from "./labels/handled-files.ts";
export { createFileEndorsement } from "./labels/endorse-files.ts";
export { openUnknownRepositories, type UnknownRepositories } from "./labels/unknown-repositories.ts";
export { openFileLabels, type FileLabels } from "./labels/file-labels.ts";
export type { Undo, UndoOptions, UndoRequest, Undone } from "./undo/undo.ts";
export type { UndoItem, UndoPlan, UndoProblem } from "./undo/plan.ts";
export type { Restored } from "./undo/restore.ts";
export type { Gap, TurnChanges, UndoTarget } from "./undo/manifest.ts";
/** What the policy asks about: give it to `createPolicy` with the workspace and the state directory. */
export { classifyPath, type PathClass } from "./lib/path-class.ts";
/** For `messageTool`: the view of the workspace that the file tools have. */
export { safeFiles, type SafeFiles, type SafeFilesOptions } from "./machine/files/safe-files.ts";
export type { CronToolOptions } from "./schedule/cron-tool.ts";
export { searchHosts, type SearchEngine, type WebSearchOptions } from "./builtin/web/web-search.ts";
export type { WebFetchOptions } from "./builtin/web/web-fetch.ts";
/** The one way to a URL that a model, a page or a chat platform names. */
export { isAddress, isPublicAddress } from "./machine/http/addresses.ts";
export { createSafeFetch, type SafeFetch, type SafeFetchOptions, type SafeResult } from "./machine/http/safe-fetch.ts";
/** The way out of the sandbox. */
export { entryFor, isTrusted, notPublic } from "./machine/egress/hosts.ts";
export { isListedRepository } from "./lib/git-repository.ts";
export type { GitAnswer, GitDoorOptions, GitWish } from "./machine/egress/git-door.ts";
export { gitOutside, type GitIdentity, type GitOutside, type GitOutsideOptions } from "./machine/egress/git-outside.ts";
export type { EgressAttempt, EgressProxyOptions, EgressTraffic } from "./machine/egress/proxy.ts";
export { openEgressDoor, removeDeadDoors, type EgressDoor, type EgressDoorOptions } from "./machine/egress/door.ts";
export { NETWORK_RULE, type CallDoor, type ExecEgress } from "./builtin/exec/network.ts";
/** What the policy asks about a command: the verdict of the lists, and the exact texts of a refusal. */
export {
  classifyCommand,
  compileLists,
  hasDynamicHead,
  notAllowedText,
  type ExecLists,
  type ExecVerdict,
} from "./builtin/exec/lists.ts";
export { withLeftBehind } from "./builtin/exec/left-behind.ts";
export { extractTool } from "./extraction/extract-tool.ts";
/** What confines commands and MCP servers; `openSandbox` costs nothing until the first one. */
/** Programs that margay itself starts, never from the workspace. */
export { findProgram, type FoundProgram } from "./machine/sandbox/find-program.ts";
export { openQuarantine } from "./machine/sandbox/quarantine/quarantine.ts";
export type { KeptAside } from "./machine/sandbox/quarantine/store.ts";
export type { LeftReport } from "./machine/sandbox/quarantine/keeper.ts";
export {
  EGRESS_SOCKET,
  type ConfinedCommand,
  type LeftWatch,
  type Sandbox,
  type SandboxFault,
  type SandboxHold,
  type SandboxKind,
  type SandboxOptions,
  type SandboxRequest,
  type SandboxStatus,
} from "./machine/sandbox/sandbox.ts";
export type { SkillLookup, UsableSkill } from "./skills/use-skill-tool.ts";
export type { ReadableRoot } from "./machine/files/readable-roots.ts";
export type { Skill, Skills, SkillsOptions, SkillStatus } from "./skills/skills.ts";
export type { SkillFacts } from "./skills/requirements.ts";
export { approvalOf, changesSince, readApprovals, writeApproval, type SkillApproval } from "./skills/approvals.ts";
export { installSkill, removeSkill } from "./skills/install.ts";
export type { SkillFiles } from "./skills/skill-files.ts";
export { reportSkill, type SkillReport } from "./skills/report.ts";
export { stageSkills, type StageOptions, type Staged, type StagedSkill } from "./skills/stage.ts";
/** The environment that `exec` gives to commands: what requirements are checked against. */
export { commandEnvironment } from "./builtin/exec/environment.ts";
/** The first line of what strangers wrote. */
export { UNTRUSTED_MARK } from "./tools/untrusted.ts";
