// What is not begun, and why.
import type { ToolResult } from "../../contract/tool.ts";
import { deniedText } from "../../lib/errors/denied-text.ts";
import type { OpenedDirectory } from "../../machine/files/working-directory.ts";
import { toolError } from "../../tools/define.ts";
import { classifyCommand, notAllowedText, type ExecLists } from "./lists.ts";

/** @returns undefined when the lists of the configuration let it run. */
export function refusal(
  command: string,
  lists: ExecLists,
  action: "ask" | "refuse",
  attended: boolean,
): string | undefined {
  const verdict = classifyCommand(command, lists);
  if (verdict.verdict === "not-allowed") return notAllowedText(verdict.segment);
  // Nobody can have approved what nobody was there to approve.
  if (verdict.verdict === "deny-listed" && (action === "refuse" || !attended)) return deniedText(verdict.pattern);
  return undefined;
}

export function directoryError(
  opened: Exclude<OpenedDirectory, { readonly status: "opened" }>,
  path: string,
  workspace: string,
): ToolResult {
  if (opened.status === "missing") return toolError(`${path} does not exist`, "look with list_dir");
  if (opened.status === "outside")
    return toolError(`${path} is outside the workspace`, `use a path inside ${workspace}`);
  return toolError(`${path} is not a directory`, "look with list_dir");
}
