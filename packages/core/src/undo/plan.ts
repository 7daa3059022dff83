/** What an undo would do, file by file: nothing is touched here. */
import type { ContentStore } from "./content-store.ts";
import { stateAt } from "./entry.ts";
import { type FileState, type Lost, sameContent, sameState } from "./file-state.ts";
import type { Slices } from "./slices.ts";
import type { Change, Gap, TurnChanges } from "./manifest.ts";

export interface UndoItem {
  readonly path: string;
  /** `mode`: only the permission bits. */
  readonly action: "restore" | "recreate" | "delete" | "mode";
  readonly kind: "file" | "directory" | "link" | "special";
  readonly want: FileState;
  /** Absent: it will be done. */
  readonly problem?: UndoProblem;
  /** What is there now is too large to be kept: this cannot be taken back. */
  readonly final?: true;
  /** It runs when somebody starts it, and what runs is another now. */
  readonly starts?: true;
}
/** `force`: done when the operator insists. `never`: there is nothing to restore from. */
export type UndoProblem =
  /** `changed`: somebody changed it since; `mixed`: somebody else changed it while the turn went on, or may have. */
  { readonly by: "force"; readonly why: "changed" | "mixed" } | { readonly by: "never"; readonly why: Lost };

export interface UndoPlan {
  readonly items: readonly UndoItem[];
  /** Directories that were not looked into. */
  readonly excluded: readonly string[];
  /** What else is not known. */
  readonly gaps: readonly Gap[];
}

export async function planOf(
  turn: TurnChanges,
  {
    workspace,
    maxFileBytes,
    store,
    slices,
  }: {
    readonly workspace: string;
    readonly maxFileBytes: number;
    readonly store: ContentStore;
    readonly slices: Slices;
  },
): Promise<UndoPlan> {
  const items: UndoItem[] = [];
  for (const change of turn.changes) {
    const wait = slices.pause();
    if (wait !== undefined) await wait;
    const now = await stateAt(workspace, change.path, maxFileBytes);
    const item = itemOf(change, now, store);
    if (item !== undefined) items.push({ ...item, ...(change.starts === true && { starts: true }) });
  }
  return { items, excluded: turn.excluded, gaps: turn.gaps };
}

/** @returns undefined when it is as it was. */
function itemOf({ path, before, left, mixed }: Change, now: FileState, store: ContentStore): UndoItem | undefined {
  if (sameState(now, before)) return undefined;
  const problem = problemOf(before, left, now, mixed, store);
  const what = before.kind === "absent" ? now.kind : before.kind;
  return {
    path,
    action: actionOf(before, now),
    kind: what === "absent" ? "file" : what,
    want: before,
    ...(problem !== undefined && { problem }),
    ...(now.kind === "special" || (now.kind === "file" && now.lost !== undefined) ? { final: true as const } : {}),
  };
}

function actionOf(before: FileState, now: FileState): UndoItem["action"] {
  if (before.kind === "absent") return "delete";
  if (now.kind === "absent") return "recreate";
  if (before.kind === "directory" && now.kind === "directory") return "mode";
  return before.kind === "file" && now.kind === "file" && sameContent(before, now) ? "mode" : "restore";
}

function problemOf(
  before: FileState,
  left: Change["left"],
  now: FileState,
  mixed: boolean,
  store: ContentStore,
): UndoProblem | undefined {
  if (before.kind === "special") return { by: "never", why: "special" };
  if (before.kind === "directory" && before.lost !== undefined && now.kind !== "directory")
    return { by: "never", why: before.lost };
  if (before.kind === "file" && !(now.kind === "file" && sameContent(before, now))) {
    if (before.lost !== undefined) return { by: "never", why: before.lost };
    if (before.sha256 === undefined || !store.has(before.sha256)) return { by: "never", why: "missing" };
  }
  if (mixed) return { by: "force", why: "mixed" };
  return left.some((state) => sameState(now, state)) ? undefined : { by: "force", why: "changed" };
}
