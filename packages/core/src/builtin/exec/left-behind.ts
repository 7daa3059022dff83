/** What a result says of files that a command left for later. */
import type { ToolResult } from "../../contract/tool.ts";
import type { KeptAside } from "../../machine/sandbox/quarantine/store.ts";
import type { LeftReport } from "../../machine/sandbox/quarantine/keeper.ts";
import { keptAside } from "../../lib/kept-aside.ts";
import { withDetails } from "../../tools/untrusted.ts";

/** So many are named, each kind for itself. */
const MAX_NAMED = 5;
const MAX_PATH_CHARS = 200;

const CONFIG_CLOSED =
  "The configuration of a repository is read-only for this command. Next: use git config, remote, branch, switch, checkout or submodule in the command itself.";

/** What git says where its configuration can't be replaced. */
function speaksOfConfig(result: ToolResult): boolean {
  if (typeof result === "string" || result.isError !== true) return false;
  return result.parts.some(
    (part) =>
      part.type === "text" &&
      /could not (?:write|lock) config file .*: (?:Device or resource busy|Read-only)/.test(part.text),
  );
}

/** @param started Paths of what runs when somebody starts it, and is another now. */
export function withLeftBehind(
  result: ToolResult,
  { kept, stuck, complete }: LeftReport,
  started: readonly string[],
): ToolResult {
  const lines = [
    ...(kept.length === 0
      ? []
      : [`Kept aside: ${list(kept.map(keptText))}. The person can take it back: margay quarantine`]),
    ...(started.length === 0 ? [] : [`Runs when started: ${list(started.map(cut))}.`]),
    ...(stuck.length === 0
      ? []
      : [
          `Error: ${list(stuck.map(cut))} runs by itself and could not be moved away. Next: remove it, no command starts before.`,
        ]),
    ...(complete ? [] : ["Not all folders were looked through for files that run by themselves: there are too many."]),
  ];
  if (speaksOfConfig(result)) lines.push(CONFIG_CLOSED);
  if (lines.length === 0) return result;
  const text = { type: "text", text: lines.join("\n") } as const;
  const { parts, ...rest } = typeof result === "string" ? { parts: [{ type: "text", text: result } as const] } : result;
  const told: ToolResult = { ...rest, parts: [...parts, text] };
  const known = withDetails(told, keptAside(kept));
  return typeof known === "string" || stuck.length === 0 ? known : { ...known, isError: true };
}

function keptText({ path, why }: KeptAside): string {
  const name = path.slice(path.lastIndexOf("/") + 1);
  return why === name ? cut(path) : `${cut(path)} (${why})`;
}

function list(items: readonly string[]): string {
  const more = items.length - MAX_NAMED;
  return more > 0 ? `${items.slice(0, MAX_NAMED).join(", ")} and ${more} more` : items.join(", ");
}

function cut(text: string): string {
  return text.length <= MAX_PATH_CHARS ? text : `…${text.slice(1 - MAX_PATH_CHARS)}`;
}
