/** `@margay/core/builtin`: tools that touch the machine. */
export { execTool } from "./builtin/exec/exec.ts";
export { fileTools } from "./builtin/files/file-tools.ts";
/** What turns overwrote in the workspace, and the way back. Give it to `execTool` and, as `beforeWrite`, to `fileTools`. */
export { openUndo } from "./undo/undo.ts";
export { cronTool } from "./schedule/cron-tool.ts";
export { messageTool } from "./builtin/message.ts";
export { webSearchTool } from "./builtin/web/web-search.ts";
export { webFetchTool } from "./builtin/web/web-fetch.ts";
export { openSandbox } from "./machine/sandbox/open-sandbox.ts";
export { spawnTool } from "./subagents/spawn-tool.ts";
export { recallTool } from "./memory/recall-tool.ts";
export { rememberTool } from "./memory/remember-tool.ts";
export { useSkillTool } from "./skills/use-skill-tool.ts";
/** Skills: what there is, what the operator approved, what comes from outside. */
export { openSkills } from "./skills/skills.ts";
