/** What the program alone needs of core: in the workspace, not in the published package. */
export type { Stopped } from "./contract/agent.ts";
export type { Quarantine, Quarantined, Removed, TakenBack } from "./contract/quarantine.ts";
export type { EndorsedFile, LabelledFile, LabelledFiles } from "./contract/commands.ts";
export { readerAt, withheld } from "./people/readers.ts";
export { readersTo } from "./lib/audience.ts";
export type { CallId, Ids, Millis, Seq, SessionId, SessionLimits, TurnId } from "./contract/base.ts";
export type { Accepted } from "./contract/bus.ts";
export type { ChannelCan, ChannelHook, ChannelPlugin, ChannelSet } from "./contract/channel.ts";
export {
  channelShelf,
  type ChannelShelf,
  claimChannelFolder,
  openChannelFolder,
  removeChannelFolder,
} from "./channels/state.ts";
export { secondsOf } from "./lib/voice/seconds.ts";
export type { Speaker, Transcriber, VoiceOptions } from "./contract/channel.ts";
export { commandList } from "./channels/commands/command-list.ts";
export { keepNames } from "./channels/names/kept-names.ts";
export { registering } from "./channels/commands/registering.ts";
export { commandTexts } from "./control/command-texts.ts";
export { channelHost, type ChannelChange, type ChannelHostOptions } from "./channels/host.ts";
export { answerCall, type ChannelHooks, createChannelHooks, hookBytes } from "./channels/hooks.ts";
export { check } from "./tools/check.ts";
export { checkBundle } from "./machine/plugins/check-bundle.ts";
export { fault } from "./machine/plugins/fault.ts";
export { type HostCall, type PluginProcess, startPlugin } from "./machine/plugins/plugin-process.ts";
export type { Reach } from "./contract/tool.ts";
export type { HookAnswer, HookPoint } from "./hooks/hook-plugin.ts";
export type { Hooks, HooksSaid } from "./contract/plugin.ts";
export { readersIn } from "./builtin/files/file-tools.ts";
export { isSensitivePath } from "./lib/paths/sensitive-path.ts";
export type { Readers } from "./contract/people.ts";
export { parseJson } from "./lib/parse-json.ts";
export type { DurableEvent, LiveEvent } from "./contract/event.ts";
export type { Finish, MediaPart } from "./contract/message.ts";
export type { Grant, SavedRule, SavedRules, Share, Shares } from "./contract/grant.ts";
export type { Admission, JudgeContext } from "./contract/policy.ts";
export type { Prefix, TurnSampling } from "./contract/provider.ts";
export type { EndReason } from "./contract/record.ts";
export type { BlobStore, CommitObserver } from "./contract/services.ts";
export type { GoneSession, SpentRequest } from "./contract/spending.ts";
export type { ServerReview, ServerReviews, ServerStanding, TextChange, ToolChange } from "./contract/server-review.ts";
export { messageOf, toErrorInfo } from "./lib/errors/errors.ts";
export { diskError } from "./lib/errors/disk-error.ts";
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
export { toBase64 } from "./lib/media/base64.ts";
export { ellipsis, fenced, isEmoji, shownText, textOf } from "./lib/text.ts";
export { lockDirectory, lockOwner } from "./machine/system/lock.ts";
export { openFileDocs, openOwnDocs } from "./machine/files/file-docs.ts";
export { changeDoc, keepAside, parsedDoc } from "./lib/async/change-doc.ts";
export type { Doc, Docs } from "./contract/store.ts";
export { jsonLog, silentLog } from "./machine/system/log.ts";
export { loopOver, type AgentLoopOptions } from "./seeds/create-agent-loop.ts";
export { outboundQueue } from "./seeds/outbound-queue.ts";
export { asUntrusted } from "./tools/untrusted.ts";
export { neutral } from "./lib/neutral.ts";
export { toSchema } from "./tools/define.ts";
export { explain, stepText, type Explained } from "./explain.ts";
export { grantKey } from "./lib/grant-key.ts";
export { untilIdle, isIdle, whenState } from "./session/idle.ts";
export { isOfTurn, messageTurn, type MessageTurn } from "./session/message-turn.ts";
export { COMMAND_NAMES, OUR_NAMES, parseCommand, unknownCommand } from "./control/commands.ts";
export { addressIn, addressText, isBegunBy, isTemporary, sessionKeyOf, TEMPORARY } from "./lib/session-key.ts";
export { keepRunning } from "./channels/keep-running.ts";
export { retryAfter } from "./lib/errors/retry-after.ts";
export { connectionCode } from "./lib/errors/connection-failure.ts";
export { random } from "./machine/system/ids.ts";
export { ChannelFault } from "./lib/errors/channel-fault.ts";
export { MAX_JOBS_OF_PERSON } from "./schedule/cron-tool.ts";
export { nextCheckAt } from "./schedule/heartbeat.ts";
export { isNothing } from "./schedule/run-job.ts";
export { readJobs } from "./schedule/job-store.ts";
export { loadCalendar, type Calendar } from "./schedule/calendar.ts";
export { jobFrom } from "./schedule/validate.ts";
export { parseQuietHours, quietUntil } from "./schedule/greeting-slots.ts";
export { afterUncleanStart, NO_STARTS, type StartNotes } from "./schedule/unclean-starts.ts";
export { createLastActive } from "./schedule/last-active.ts";
export { jobLine, timeText, zoneOf } from "./schedule/words.ts";
export type {
  Job,
  JobRequest,
  JobRun,
  JobView,
  Misfire,
  StopFlag,
  SkippedRuns,
  Trigger,
  ScheduleTarget,
} from "./contract/schedule.ts";
export { type CachedSessions } from "./session/sessions.ts";
export type { CommitTimer } from "./session/ledger.ts";
export { openJournalDirectory } from "./journal/directory.ts";
export { journalsOf, openFileStore } from "./file-store.ts";
export type { Blobs, Cached, JournalCache, Journals, Store } from "./contract/store.ts";
export { openBlobs } from "./journal/blobs.ts";
export { visible } from "./lib/visible.ts";
export { openAudit, type Audit, type AuditOptions } from "./audit/audit.ts";
export { OWN_AUDIT_EVENTS } from "./facts/turn-facts.ts";
export { followOtherTurns, type OtherTurns } from "./facts/other-turns.ts";
export { newestFact, type Owed } from "./audit/owed.ts";
export { createTokenCounter, type TokenCounter } from "./context/tokens.ts";
export { formatZoned, parseZoned, zonedClock } from "./lib/zoned-time.ts";
export { emptyState, fold } from "./session/reduce.ts";
export { createGroupContext, createGuestContext, type ContextOptions } from "./context/context.ts";
export { project } from "./context/project.ts";
export { environment, readTextFile } from "./machine/system/environment.ts";
export { sha256 } from "./machine/system/hash.ts";
export { addUsage, NO_USAGE } from "./lib/usage.ts";
export { estimatedUsage } from "./model/usage.ts";
export { STOPPED } from "./loop/plan-calls.ts";
export { spendingOf } from "./session/spending.ts";
export { allOf, byKind, bySomeKind, firstOf, type KindTable, type OfKind, type SomeKinds } from "./lib/by-kind.ts";
export { createCacheFold, type CacheMiss } from "./facts/cache-misses.ts";
export { bareLine, createLineFold, type WrittenLine } from "./facts/memory-lines.ts";
export { marksOf } from "./lib/labels.ts";
export { excerpt, SUMMARIZES, SUMMARY_TOKENS, toSummarize } from "./memory/summarize.ts";
export { emptySummary, isAside, sourceOf, SOURCES, takeCommit, type Summary } from "./facts/session-summary.ts";
export { createTurnFold, type FoundTurn, type Relayed } from "./facts/turns.ts";
export { isEgressEntry } from "./machine/egress/hosts.ts";
export { isRepositoryEntry } from "./lib/paths/git-repository.ts";
export { httpFetch } from "./machine/http/http-fetch.ts";
export { isOfKey } from "./model/keys.ts";
export { costOf, modelInfo } from "./model/models.ts";
export { isProviderPlugin, pluginProvider } from "./bridge/plugin-host.ts";
export type { Quirks, WireKind } from "./model/quirks.ts";
export { fromHttp, toFailure } from "./model/failures.ts";
export type { Timeouts } from "./model/watchdog.ts";
export { raceAbort, untilAborted } from "./lib/async/abort.ts";
export { asyncQueue } from "./lib/async/async-queue.ts";
export { isRecord } from "./lib/is-record.ts";
export { never } from "./lib/async/never.ts";
export { nearest } from "./lib/nearest.ts";
export {
  fill,
  speaker,
  type Catalog,
  type Needed,
  type Placeholders,
  type Say,
  type Texts,
  type Values,
} from "./lib/texts.ts";
export { renderTranscripts } from "./transcript/format.ts";
export { parseTranscript, type ImportedTranscript } from "./transcript/import.ts";
export { transcriptObserver } from "./transcript/observer.ts";
export type { Persona } from "./personas/persona.ts";
export { personaPresets, personaText } from "./personas/personas.ts";
export type { Recall, Recalled } from "./contract/memory.ts";
export type { Audience, GroupManners, PersonId, Role } from "./contract/people.ts";
export { gate, type Gate } from "./people/gate.ts";
export { createSerial, type Serial } from "./lib/async/serial.ts";
export { agentsIn, groupOf, isGroup, isPerson, MAIN } from "./lib/audience.ts";
export {
  bindingOf,
  coversReader,
  fitsPattern,
  formOf,
  type Binding,
  type Bindings,
  type Bound,
} from "./people/agent-binding.ts";
export { mayAnswer, mayCommand } from "./control/who-may.ts";
export { isUnused } from "./session/is-unused.ts";
export type { BoundAgent } from "./contract/people.ts";
export type { PeopleOptions, Room } from "./contract/room.ts";
export type { Notifications } from "./contract/notification.ts";
export { openNotifications } from "./audit/notifications.ts";
export { openRecall } from "./memory/recall.ts";
/** What a call depends on beside its arguments: give it to the policy with the call. */
export { callFilesOf } from "./builtin/exec/scripts.ts";
export { createCommandLabels, type CommandLabels } from "./labels/command-labels.ts";
export { createFileEndorsement } from "./labels/endorse-files.ts";
export { openUnknownRepositories, type UnknownRepositories } from "./labels/unknown-repositories.ts";
export { openFileLabels, type FileLabels } from "./labels/file-labels.ts";
export type { Undo } from "./undo/undo.ts";
export type { UndoItem, UndoPlan } from "./undo/plan.ts";
export type { Gap, TurnChanges } from "./undo/manifest.ts";
/** What the policy asks about: give it to `createPolicy` with the workspace and the state directory. */
export { classifyPath } from "./lib/paths/path-class.ts";
/** For `messageTool`: the view of the workspace that the file tools have. */
export { insideMount } from "./machine/files/mounted-folder.ts";
export { openFileWriters } from "./labels/file-writers.ts";
export { type TurnUndo, withFolder } from "./undo/with-folder.ts";
export { HOUSEHOLD } from "./people/readers.ts";
export { safeFiles, type SafeFiles } from "./machine/files/safe-files.ts";
export { searchHosts } from "./builtin/web/web-search.ts";
/** The one way to a URL that a model, a page or a chat platform names. */
export { isAddress, isPublicAddress } from "./machine/http/addresses.ts";
export { createSafeFetch, type SafeFetch } from "./machine/http/safe-fetch.ts";
/** The way out of the sandbox. */
export { egressName, entryFor, isTrusted, notPublic } from "./machine/egress/hosts.ts";
export { isListedRepository } from "./lib/paths/git-repository.ts";
export type { GitAnswer, GitDoorOptions, GitWish } from "./machine/egress/git-door.ts";
export { gitOutside, type GitIdentity } from "./machine/egress/git-outside.ts";
export type { EgressAttempt } from "./machine/egress/proxy.ts";
export { openEgressDoor, removeDeadDoors } from "./machine/egress/door.ts";
export { type CallDoor, type ExecEgress } from "./builtin/exec/network.ts";
/** What the policy asks about a command: the verdict of the lists, and the exact texts of a refusal. */
export { classifyCommand, compileLists } from "./builtin/exec/lists.ts";
export { withLeftBehind } from "./builtin/exec/left-behind.ts";
export { extractTool } from "./extraction/extract-tool.ts";
/** What confines commands and MCP servers; `openSandbox` costs nothing until the first one. */
/** Programs that margay itself starts, never from the workspace. */
export { findProgram } from "./machine/sandbox/find-program.ts";
export { openQuarantine } from "./machine/sandbox/quarantine/quarantine.ts";
export type { KeptAside } from "./machine/sandbox/quarantine/store.ts";
export type { LeftReport } from "./machine/sandbox/quarantine/keeper.ts";
export {
  type LeftWatch,
  type Sandbox,
  type SandboxHold,
  type SandboxOptions,
  type SandboxStatus,
} from "./machine/sandbox/sandbox.ts";
export type { Skill, Skills } from "./skills/skills.ts";
export type { SkillFacts } from "./skills/requirements.ts";
export { approvalOf, changesSince, readApprovals, writeApproval, type SkillApproval } from "./skills/approvals.ts";
export { installSkill, removeSkill } from "./skills/install.ts";
export type { SkillFiles } from "./skills/skill-files.ts";
export { reportSkill, type SkillReport } from "./skills/report.ts";
export { stageSkills, type Staged, type StagedSkill } from "./skills/stage.ts";
/** The environment that `exec` gives to commands: what requirements are checked against. */
export { commandEnvironment } from "./builtin/exec/environment.ts";
/** The first line of what strangers wrote. */
export { UNTRUSTED_MARK } from "./tools/untrusted.ts";
export { keepsAccessTimes } from "./labels/handled-files.ts";
export { askPersonTool } from "./builtin/ask-person.ts";
