/** `@margay/core/builtin`: tools that touch the machine. */
/** What a call depends on beside its arguments: give it to the policy with the call. */
export { surroundingsOf } from "./builtin/exec/scripts.ts";
export { execTool, type ExecOptions } from "./builtin/exec/exec.ts";
export { fileTools, type FileToolsOptions } from "./builtin/files/file-tools.ts";
export { createCommandLabels, type CommandLabels } from "./labels/command-labels.ts";
export { keepsAccessTimes } from "./labels/handled-files.ts";
export { createFileEndorsement } from "./labels/endorse-files.ts";
export { openUnknownRepositories, type UnknownRepositories } from "./labels/unknown-repositories.ts";
export { openFileLabels, type FileLabels } from "./labels/file-labels.ts";
/** What turns overwrote in the workspace, and the way back. Give it to `execTool` and, as `beforeWrite`, to `fileTools`. */
export { openUndo, type Undo, type UndoOptions, type UndoRequest, type Undone } from "./undo/undo.ts";
export type { UndoItem, UndoPlan, UndoProblem } from "./undo/plan.ts";
export type { Restored } from "./undo/restore.ts";
export type { Gap, TurnChanges, UndoTarget } from "./undo/manifest.ts";
/** What the policy asks about: give it to `createPolicy` with the workspace and the state directory. */
export { classifyPath, type PathClass } from "./lib/path-class.ts";
/** For `messageTool`: the view of the workspace that the file tools have. */
export { safeFiles, type SafeFiles, type SafeFilesOptions } from "./machine/files/safe-files.ts";
export { cronTool, type CronToolOptions } from "./schedule/cron-tool.ts";
export { messageTool, type MessageOptions } from "./builtin/message.ts";
export { searchHosts, webSearchTool, type SearchEngine, type WebSearchOptions } from "./builtin/web/web-search.ts";
export { webFetchTool, type WebFetchOptions } from "./builtin/web/web-fetch.ts";
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
export { openSandbox } from "./machine/sandbox/open-sandbox.ts";
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
export { spawnTool } from "./subagents/spawn-tool.ts";
export { recallTool } from "./memory/recall-tool.ts";
export { rememberTool } from "./memory/remember-tool.ts";
export { useSkillTool, type SkillLookup, type UsableSkill } from "./skills/use-skill-tool.ts";
export type { ReadableRoot } from "./machine/files/readable-roots.ts";
/** Skills: what there is, what the operator approved, what comes from outside. */
export { openSkills, type Skill, type Skills, type SkillsOptions, type SkillStatus } from "./skills/skills.ts";
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
