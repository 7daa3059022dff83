/** `@margay/core/builtin`: tools that touch the machine. */
export { execTool, type ExecOptions } from "./builtin/exec.ts";
export { fileTools, type FileToolsOptions } from "./builtin/file-tools.ts";
/** What the policy asks about: give it to `createPolicy` with the workspace and the state directory. */
export { classifyPath, type PathClass } from "./lib/classify-path.ts";
