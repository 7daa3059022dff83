// Where a file system keeps no access times: what a command did not name it does not see, and so has not read.
import { join } from "node:path";
import type { ToolResult } from "../contract/tool.ts";
import type { Hidden } from "../machine/sandbox/masks.ts";
import { identityOf, isBelow } from "../machine/sandbox/mounts.ts";
import { statsAt } from "./content.ts";
import type { FileLabels } from "./file-labels.ts";
import { gitPlace } from "./git-places.ts";

interface Place {
  readonly workspace: string;
  readonly labels: Pick<FileLabels, "byNames" | "byPath">;
}

/** What a command saw of strangers' files, where no read leaves a trace. Absolute paths. */
export interface CommandView {
  /** What it did not see. */
  readonly hidden: readonly Hidden[];
  /** What it named: it counts as read. */
  readonly shown: readonly string[];
}

/**
 * Where no read leaves a trace: whether there is a stranger's file that a command may have read without naming it. What git keeps
 * of one is known again by its text.
 */
export function mayHaveRead(
  { workspace, labels }: Place,
  paths: readonly string[],
  { hidden, shown }: CommandView,
): boolean {
  // What was put in the place of a hidden one was seen.
  const same = hidden.filter(({ path, identity }) => identityOf(path) === identity).map(({ path }) => path);
  const known = new Set([...same, ...shown]);
  return paths.some((path) => {
    if (isBelow(join(workspace, path), known)) return false;
    const git = gitPlace(path);
    if (git !== undefined && !labels.byPath(git.repository)) return false;
    return labels.byNames(path) || statsAt(workspace, path) !== undefined;
  });
}

/** So many are named of what was hidden. */
const NAMES_TOLD = 3;

/** A command that failed for want of a file must not look for the cause elsewhere. */
export function withHidden(result: ToolResult, hidden: readonly string[]): ToolResult {
  if (hidden.length === 0 || typeof result === "string" || result.isError !== true) return result;
  const names = `${hidden.slice(0, NAMES_TOLD).join(", ")}${hidden.length > NAMES_TOLD ? ", …" : ""}`;
  const text = `Hidden from this command, for strangers had a hand in it: ${names}. Next: name in the command what it shall read.`;
  return { ...result, parts: [...result.parts, { type: "text", text } as const] };
}
