/**
 * Keeps what a turn overwrites in the workspace, and gives it back. Before a file tool writes, that file is kept; before
 * a command, which may touch anything, everything that is new or changed since the last look.
 */
import { isAbsolute } from "node:path";
import type { Clock, Logger } from "../contract/base.ts";
import type { ToolContext, Write } from "../contract/tool.ts";
import { messageOf } from "../lib/errors/errors.ts";
import { sha256 } from "../machine/system/hash.ts";
import type { CommandLabels } from "../labels/command-labels.ts";
import { createAttribution } from "./attribution.ts";
import { type CommandLooks, commandLooks, targetOf } from "./command-looks.ts";
import { type Copies, openCopies, turnsIn } from "./copies.ts";
import { stateAt } from "./entry.ts";
import { ABSENT, type FileState, sameState } from "./file-state.ts";
import { type Line, LINES_AT_ONCE, manifestOf, readManifest, type TurnChanges, type UndoTarget } from "./manifest.ts";
import type { OpenCommand } from "./open-commands.ts";
import { planOf, type UndoPlan } from "./plan.ts";
import { type Limits, turnFiles } from "./prune.ts";
import { restoreAll, type Restored } from "./restore.ts";
import { createSlices } from "./slices.ts";

export interface UndoOptions extends Limits {
  /** `undo` in the state directory: out of reach of every tool. */
  readonly directory: string;
  readonly workspace: string;
  /** Absolute paths that are never opened. */
  readonly protect?: readonly string[];
  /** `tools.undo.maxFileMegabytes`, in bytes. */
  readonly maxFileBytes: number;
  /** `tools.undo.exclude`: names of directories that are not looked into. */
  readonly exclude: readonly string[];
  /** Default 200,000. */
  readonly maxEntries?: number;
  readonly clock: Pick<Clock, "now" | "monotonic">;
  readonly log: Pick<Logger, "warn">;
  /** What commands handle, and what they leave. Without it nothing they do is labelled. */
  readonly labels?: CommandLabels;
}

export interface UndoRequest extends UndoTarget {
  /** Of the undo itself, to take it back. */
  readonly id: string;
  /** Also what somebody else changed since. */
  readonly force?: boolean;
}
export interface Undone {
  readonly plan: UndoPlan;
  readonly restored: readonly Restored[];
}

export interface Undo extends CommandLooks {
  /** Before a file tool writes. Does not throw. */
  writing(write: Write, context: ToolContext): Promise<void>;
  /** Before margay itself writes a file of the workspace, as its memory: no command did that, and no undo takes it back. Does not throw. */
  writingItself(write: Omit<Write, "part">): Promise<void>;
  /** Newest first. */
  list(session?: string): Promise<readonly TurnChanges[]>;
  /** @returns undefined when nothing is known of that turn; `busy` when a command of it is running. */
  plan(target: UndoTarget): Promise<UndoPlan | "busy" | undefined>;
  /** Restores what the plan says, as it is by then. */
  apply(request: UndoRequest): Promise<Undone | "busy" | undefined>;
}

/** Opens nothing before it is first needed. */
export function openUndo(options: UndoOptions): Undo {
  const { directory, workspace, clock, log, maxBytes, labels } = options;
  const turns = turnsIn(directory);
  const { look, announce, opening, takeStarted, recall, lastOf } = createAttribution(options);
  let opened: Promise<Copies> | undefined;
  let tail: Promise<unknown> = Promise.resolve();

  /** One at a time: a look at the workspace while another one is written down would know neither. */
  const serial = <T>(work: () => Promise<T>): Promise<T> => {
    const done = tail.then(work, work);
    tail = done.catch(() => undefined); // whoever asked is told
    return done;
  };
  const copiesOf = (): Promise<Copies> => {
    opened ??= openCopies(options).then((copies) => {
      recall(copies);
      return copies;
    });
    opened.catch(() => (opened = undefined)); // tried again at the next write
    return opened;
  };
  const planOfTurn = (copies: Copies, changes: TurnChanges): Promise<UndoPlan> =>
    planOf(changes, { ...options, store: copies.store, slices: createSlices(clock) });
  /** Nobody will say any more when they ended: all that happened up to now is theirs. */
  const closeLeft = async (copies: Copies, of: (command: OpenCommand) => boolean): Promise<void> => {
    const left = copies.open.all().filter((command) => !copies.open.isRunning(command) && of(command));
    if (left.length === 0) return;
    // Whoever worked here after the crash is not told apart from them.
    const { gaps } = await look(copies, false, { cause: ["a crash"] });
    for (const command of left) {
      const cutOff: Line = { gap: "cut-off", text: "a command was cut off" };
      manifestOf(turns, command.session, command.turn).append(...gaps, cutOff);
      copies.open.close(command);
    }
  };
  /** What is written next is no command's; what is there by now is theirs, while some run. */
  const apart = async (
    copies: Copies,
    by: UndoTarget,
    { real, data, made }: Omit<Write, "part">,
    [before, after]: readonly [FileState, FileState],
  ): Promise<void> => {
    const { store, open } = copies;
    const last = lastOf(copies, real);
    if (!sameState(last, before))
      for (const one of open.all())
        manifestOf(turns, one.session, one.turn).append({ path: real, before: last, after: before });
    announce(copies, by, real, before, after);
    for (const path of made) announce(copies, by, path, ABSENT, DIRECTORY);
    if (open.all().length === 0) return;
    if (await copies.room(data.length)) store.put(data);
    await store.sync();
  };
  /** What is known of a turn whose commands have ended. */
  const settled = async (copies: Copies, target: UndoTarget): Promise<TurnChanges | "busy" | undefined> => {
    const isIts = (one: OpenCommand): boolean => one.session === target.session && one.turn === target.turn;
    if (copies.open.all().some((one) => isIts(one) && copies.open.isRunning(one))) return "busy";
    await closeLeft(copies, isIts);
    return await readManifest(manifestOf(turns, target.session, target.turn).file, createSlices(clock));
  };
  /** Nothing that is kept here is worth a failed turn. */
  const guarded = async (
    turn: UndoTarget,
    signal: AbortSignal | undefined,
    work: () => Promise<void>,
  ): Promise<void> => {
    try {
      await serial(work);
    } catch (error) {
      signal?.throwIfAborted();
      log.warn("undo.failed", { message: messageOf(error) });
      try {
        manifestOf(turns, turn.session, turn.turn).append(
          { begun: clock.now(), session: turn.session, turn: turn.turn },
          { gap: "failed", text: messageOf(error) },
        );
      } catch {
        // The disk that refused the copy refuses this too; the log has it.
      }
    }
  };

  return {
    ...commandLooks({ turns, clock, maxBytes, labels, look, opening, takeStarted, copiesOf, guarded, closeLeft }),
    writing: ({ real, data, made }, context) => {
      const target = targetOf(context);
      if (maxBytes === 0) return Promise.resolve();
      return guarded(target, undefined, async () => {
        const copies = await copiesOf();
        const { store } = copies;
        const manifest = await copies.begin(target);
        if (isAbsolute(real)) {
          manifest.append({ gap: "outside", text: real });
          return;
        }
        const before = await copies.keepAt(real);
        await store.sync(); // before anything on disk names it
        const after = stateOf(data);
        await apart(copies, target, { real, data, made }, [before, after]);
        const lines = made.map((path): Line => ({ path, before: ABSENT, after: DIRECTORY }));
        manifest.append(...lines, { path: real, before, after });
        store.unpin();
        await manifest.sync();
      });
    },
    writingItself: async (write) => {
      try {
        await serial(async () => {
          const copies = await copiesOf();
          const before =
            copies.open.all().length > 0
              ? await copies.keepAt(write.real)
              : await stateAt(workspace, write.real, options.maxFileBytes);
          await copies.store.sync();
          await apart(copies, MARGAY, write, [before, stateOf(write.data)]);
          copies.store.unpin();
        });
      } catch (error) {
        log.warn("undo.failed", { message: messageOf(error) });
      }
    },
    list: (session) =>
      serial(async () => {
        await closeLeft(await copiesOf(), (command) => session === undefined || command.session === session);
        // Looked at for the labels alone: there is nothing to take back.
        if (maxBytes === 0) return [];
        const slices = createSlices(clock);
        const found: TurnChanges[] = [];
        for (const { file } of turnFiles(turns, session)) {
          const changes = await readManifest(file, slices);
          if (changes !== undefined) found.push(changes);
        }
        return found.toSorted((a, b) => b.at - a.at);
      }),
    plan: (target) =>
      serial(async () => {
        const copies = await copiesOf();
        const changes = await settled(copies, target);
        return changes === undefined || changes === "busy" ? changes : await planOfTurn(copies, changes);
      }),
    apply: ({ id, force = false, ...target }) =>
      serial(async () => {
        const copies = await copiesOf();
        const { store, open } = copies;
        const changes = await settled(copies, target);
        if (changes === undefined || changes === "busy") return changes;
        const plan = await planOfTurn(copies, changes);
        const chosen = plan.items.filter(({ problem }) => problem === undefined || (problem.by === "force" && force));
        // The way back first: what is there now is kept, and which files it is about is on disk.
        const undoing = { session: target.session, turn: id };
        const manifest = await copies.begin(undoing, target.turn);
        const slices = createSlices(clock);
        const lines: Line[] = [];
        for (const { path, want } of chosen) {
          const wait = slices.pause();
          if (wait !== undefined) await wait;
          const before = await copies.keepAt(path);
          lines.push({ path, before, after: want });
          if (lines.length === LINES_AT_ONCE) {
            await store.sync();
            manifest.append(...lines.splice(0));
          }
          if (open.all().length > 0) announce(copies, undoing, path, before, want);
        }
        await store.sync();
        manifest.append(...lines);
        store.unpin();
        await manifest.sync();
        const restored = await restoreAll(workspace, chosen, store, options.maxFileBytes, slices);
        if (restored.every(({ failed }) => failed === undefined) && chosen.length === plan.items.length)
          manifestOf(turns, target.session, target.turn).append({ undone: id, at: clock.now() });
        return { plan, restored };
      }),
  };
}

const DIRECTORY: FileState = { kind: "directory" };
/** Not a turn: what margay writes of its own. */
const MARGAY: UndoTarget = { session: "margay", turn: "itself" };

function stateOf(data: Uint8Array): FileState {
  return { kind: "file", size: data.length, sha256: sha256(data) };
}
