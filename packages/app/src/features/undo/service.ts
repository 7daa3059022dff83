/** Taking back what a turn did to the workspace, as commands and the gateway ask for it: by session and number, as JSON. */
import { allOf, firstOf } from "@margay/core/internal";
import type { Commit } from "@margay/core";
import type { Ids, SessionId } from "@margay/core/internal";
import type { Gap, TurnChanges, TurnUndo, UndoItem, UndoPlan } from "@margay/core/internal";
import type { AppAudit } from "../../host/audit-events.ts";

export interface UndoSelection {
  /** Key or id. Absent: the session whose files were changed last. */
  readonly session?: string;
  /** Its number as in `margay explain`, or its id. Absent: the last one that was not taken back. */
  readonly turn?: string;
}

export interface UndoTurn {
  readonly session: string;
  readonly key: string;
  readonly turn: string;
  /** Absent: it is an undo, or its journal is gone. */
  readonly number?: number;
  readonly at: number;
  /** Files, directories and links it changed. */
  readonly changed: number;
  /** The turn that this one took back. */
  readonly undoes?: string;
  /** The undo that took this one back. */
  readonly undone?: string;
  readonly excluded: readonly string[];
  readonly gaps: readonly Gap[];
}

export interface UndoFile {
  readonly path: string;
  readonly action: UndoItem["action"];
  readonly kind: UndoItem["kind"];
  readonly bytes?: number;
  /** Why it is left alone. */
  readonly problem?: string;
  /** It is done all the same with `force`. */
  readonly forceable?: true;
  /** What is there now cannot be kept. */
  readonly final?: true;
  /** It runs when somebody starts it, and what runs is another now. */
  readonly starts?: true;
}
export interface UndoPreview extends Omit<UndoTurn, "changed"> {
  readonly files: readonly UndoFile[];
}
export interface UndoResult {
  /** Names this undo, to take it back. */
  readonly id: string;
  readonly preview: UndoPreview;
  readonly restored: readonly {
    readonly path: string;
    readonly action: UndoItem["action"];
    readonly failed?: string;
  }[];
}
/** `busy`: a command of that turn is running. */
export type NoUndo = "none" | "busy";

export interface WorkspaceUndo {
  /** Newest first. */
  list(session?: string): Promise<readonly UndoTurn[]>;
  preview(selection: UndoSelection): Promise<UndoPreview | NoUndo>;
  apply(selection: UndoSelection & { readonly force?: boolean; readonly by: string }): Promise<UndoResult | NoUndo>;
}

export interface WorkspaceUndoOptions {
  readonly undo: TurnUndo;
  readonly readCommits: (id: SessionId) => AsyncIterable<Commit>;
  readonly audit: Pick<AppAudit, "record">;
  readonly ids: Ids;
}

export function workspaceUndo({ undo, readCommits, audit, ids }: WorkspaceUndoOptions): WorkspaceUndo {
  const factsOf = async (session: string): Promise<SessionFacts> => sessionFacts(readCommits(session as SessionId)); // a name in our own store
  const list = async (wanted?: string): Promise<readonly UndoTurn[]> => {
    const facts = new Map<string, SessionFacts>();
    const turns: UndoTurn[] = [];
    const kept = await undo.list();
    // An id says which session without a look into the journals of the others.
    const isId = kept.some(({ session }) => session === wanted);
    for (const changes of kept) {
      const { session } = changes;
      if (isId && session !== wanted) continue;
      const known = facts.get(session) ?? (await factsOf(session));
      facts.set(session, known);
      if (wanted === undefined || wanted === session || wanted === known.key) turns.push(turnOf(changes, known));
    }
    return turns;
  };
  const find = async ({ session, turn }: UndoSelection): Promise<UndoTurn | undefined> =>
    (await list(session)).find((one) =>
      turn === undefined
        ? one.undone === undefined && one.undoes === undefined && one.changed + one.gaps.length > 0
        : one.turn === turn || String(one.number) === turn,
    );
  return {
    list,
    preview: async (selection) => {
      const found = await find(selection);
      const plan = found && (await undo.plan(found));
      return found === undefined || plan === undefined ? "none" : plan === "busy" ? plan : previewOf(found, plan);
    },
    apply: async ({ force = false, by, ...selection }) => {
      const found = await find(selection);
      if (found === undefined) return "none";
      const { session, key, turn } = found;
      const id = ids.next("undo");
      audit.record("undo.started", { session, key, turn, undo: id, force, by });
      const done = await undo.apply({ session, turn, id, force });
      if (done === undefined) return "none";
      if (done === "busy") return done;
      const failed = done.restored.filter((one) => one.failed !== undefined).length;
      audit.record("undo.finished", { session, undo: id, restored: done.restored.length - failed, failed });
      return { id, preview: previewOf(found, done.plan), restored: done.restored };
    },
  };
}

interface SessionFacts {
  /** The id when the journal is gone. */
  readonly key: string | undefined;
  /** From 1, by id. */
  readonly numbers: ReadonlyMap<string, number>;
}

async function sessionFacts(commits: AsyncIterable<Commit>): Promise<SessionFacts> {
  const numbers = new Map<string, number>();
  let key: string | undefined;
  try {
    for await (const { records } of commits) {
      key = firstOf(records, "session.opened")?.key ?? key;
      for (const { turn } of allOf(records, "turn.started")) numbers.set(turn, numbers.size + 1);
    }
  } catch {
    // Deleted or damaged: its changes are known by their ids all the same.
  }
  return { key, numbers };
}

function turnOf(changes: TurnChanges, { key, numbers }: SessionFacts): UndoTurn {
  const { session, turn, at, undoes, undone, excluded, gaps } = changes;
  const number = numbers.get(turn);
  return {
    session,
    key: key ?? session,
    turn,
    ...(number !== undefined && { number }),
    at,
    changed: changes.changes.length,
    ...(undoes !== undefined && { undoes }),
    ...(undone !== undefined && { undone }),
    excluded,
    gaps,
  };
}

function previewOf({ changed: _, ...turn }: UndoTurn, plan: UndoPlan): UndoPreview {
  return { ...turn, excluded: plan.excluded, gaps: plan.gaps, files: plan.items.map(fileOf) };
}

function fileOf({ path, action, kind, want, problem, final, starts }: UndoItem): UndoFile {
  return {
    path,
    action,
    kind,
    ...(want.kind === "file" && { bytes: want.size }),
    ...(problem !== undefined && { problem: problem.why }),
    ...(problem?.by === "force" && { forceable: true as const }),
    ...(final === true && { final }),
    ...(starts === true && { starts }),
  };
}
