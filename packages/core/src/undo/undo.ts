/**
 * Keeps what a turn overwrites in the workspace, and gives it back. Before a file tool writes, that file is kept; before
 * a command, which may touch anything, everything that is new or changed since the last look.
 */
import { isAbsolute } from "node:path";
import type { Clock, Logger } from "../contract/base.ts";
import type { ToolContext, Write } from "../contract/tool.ts";
import { createSerial } from "../lib/async/serial.ts";
import { messageOf } from "../lib/errors/errors.ts";
import type { CommandLabels } from "../labels/command-labels.ts";
import { type Attribution, createAttribution } from "./attribution.ts";
import { type CommandLooks, commandLooks, targetOf } from "./command-looks.ts";
import { type Copies, openCopies, turnsIn } from "./copies.ts";
import { stateAt, stateOf } from "./entry.ts";
import { ABSENT, type FileState, sameState } from "./file-state.ts";
import { type Line, LINES_AT_ONCE, manifestOf, readManifest, type TurnChanges, type UndoTarget } from "./manifest.ts";
import type { OpenCommand } from "./open-commands.ts";
import { planOf, type UndoPlan } from "./plan.ts";
import { type Limits, turnFiles } from "./prune.ts";
import { restoreAll, type Restored } from "./restore.ts";
import { createSlices, type Slices } from "./slices.ts";

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
  /** Of a conversation that is gone for good: nothing of it can be taken back. */
  forget(session: string): Promise<void>;
  /** Restores what the plan says, as it is by then. */
  apply(request: UndoRequest): Promise<Undone | "busy" | undefined>;
}

interface UndoState {
  readonly options: UndoOptions;
  readonly turns: string;
  readonly attribution: Attribution;
  /** One at a time: a look at the workspace while another one is written down would know neither. */
  readonly serial: <T>(work: () => Promise<T>) => Promise<T>;
  opened: Promise<Copies> | undefined;
}

/** Opens nothing before it is first needed. */
export function openUndo(options: UndoOptions): Undo {
  const { clock, labels, maxBytes } = options;
  const attribution = createAttribution(options);
  const serial = createSerial();
  const undo: UndoState = {
    options,
    turns: turnsIn(options.directory),
    attribution,
    serial: (work) => serial(options.directory, work),
    opened: undefined,
  };
  return {
    ...commandLooks({
      ...attribution,
      turns: undo.turns,
      clock,
      maxBytes,
      labels,
      copiesOf: () => copiesOf(undo),
      guarded: (turn, signal, work) => guarded(undo, turn, signal, work),
      closeLeft: (copies, of) => closeLeft(undo, copies, of),
    }),
    writing: (write, context) => keepBefore(undo, write, targetOf(context)),
    writingItself: (write) => writingItself(undo, write),
    list: (session) => undo.serial(() => list(undo, session)),
    plan: (target) =>
      undo.serial(async () => {
        const copies = await copiesOf(undo);
        const changes = await settled(undo, copies, target);
        return changes === undefined || changes === "busy" ? changes : await planOfTurn(undo, copies, changes);
      }),
    apply: (request) => undo.serial(() => apply(undo, request)),
    forget: (session) => undo.serial(async () => (await copiesOf(undo)).forget(session)),
  };
}

function copiesOf(undo: UndoState): Promise<Copies> {
  undo.opened ??= openCopies(undo.options).then((copies) => {
    undo.attribution.recall(copies);
    return copies;
  });
  undo.opened.catch(() => (undo.opened = undefined)); // tried again at the next write
  return undo.opened;
}

/** Nothing that is kept here is worth a failed turn. */
async function guarded(
  { options: { clock, log }, turns, serial }: UndoState,
  { session, turn }: UndoTarget,
  signal: AbortSignal | undefined,
  work: () => Promise<void>,
): Promise<void> {
  try {
    await serial(work);
  } catch (error) {
    signal?.throwIfAborted();
    log.warn("undo.failed", { message: messageOf(error) });
    try {
      manifestOf(turns, session, turn).append(
        { begun: clock.now(), session, turn },
        { gap: "failed", text: messageOf(error) },
      );
    } catch {
      // The disk that refused the copy refuses this too; the log has it.
    }
  }
}

/** Before a file tool writes. */
function keepBefore(undo: UndoState, { real, data, made }: Write, target: UndoTarget): Promise<void> {
  if (undo.options.maxBytes === 0) return Promise.resolve();
  return guarded(undo, target, undefined, async () => {
    const copies = await copiesOf(undo);
    const { store } = copies;
    const manifest = await copies.begin(target);
    if (isAbsolute(real)) {
      manifest.append({ gap: "outside", text: real });
      return;
    }
    const before = await copies.keepAt(real);
    if (before.kind === "directory") return; // no file takes its place: refused, it has no part in what becomes of it
    await store.sync(); // before anything on disk names it
    const after = stateOf(data);
    await apart(undo, copies, target, { real, data, made }, [before, after]);
    const lines = made.map((path): Line => ({ path, before: ABSENT, after: DIRECTORY }));
    manifest.append(...lines, { path: real, before, after });
    store.unpin();
    await manifest.sync();
  });
}

async function writingItself(undo: UndoState, write: Omit<Write, "part">): Promise<void> {
  const { workspace, maxFileBytes, log } = undo.options;
  try {
    await undo.serial(async () => {
      const copies = await copiesOf(undo);
      const before =
        copies.open.all().length > 0
          ? await copies.keepAt(write.real)
          : await stateAt(workspace, write.real, maxFileBytes);
      await copies.store.sync();
      await apart(undo, copies, MARGAY, write, [before, stateOf(write.data)]);
      copies.store.unpin();
    });
  } catch (error) {
    log.warn("undo.failed", { message: messageOf(error) });
  }
}

/** What is written next is no command's; what is there by now is theirs, while some run. */
async function apart(
  { attribution: { announce, lastOf }, turns }: UndoState,
  copies: Copies,
  by: UndoTarget,
  { real, data, made }: Omit<Write, "part">,
  [before, after]: readonly [FileState, FileState],
): Promise<void> {
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
}

/** Nobody will say any more when they ended: all that happened up to now is theirs. */
async function closeLeft(
  { attribution, turns }: UndoState,
  copies: Copies,
  of: (command: OpenCommand) => boolean,
): Promise<void> {
  const left = copies.open.all().filter((command) => !copies.open.isRunning(command) && of(command));
  if (left.length === 0) return;
  // Whoever worked here after the crash is not told apart from them.
  const { gaps } = await attribution.look(copies, false, { cause: ["a crash"] });
  for (const command of left) {
    const cutOff: Line = { gap: "cut-off", text: "a command was cut off" };
    manifestOf(turns, command.session, command.turn).append(...gaps, cutOff);
    copies.open.close(command);
  }
}

async function list(undo: UndoState, session: string | undefined): Promise<readonly TurnChanges[]> {
  const { clock, maxBytes } = undo.options;
  await closeLeft(undo, await copiesOf(undo), (command) => session === undefined || command.session === session);
  // Looked at for the labels alone: there is nothing to take back.
  if (maxBytes === 0) return [];
  const slices = createSlices(clock);
  const found: TurnChanges[] = [];
  for (const { file } of turnFiles(undo.turns, session)) {
    const changes = await readManifest(file, slices);
    if (changes !== undefined) found.push(changes);
  }
  return found.toSorted((a, b) => b.at - a.at);
}

/** What is known of a turn whose commands have ended. */
async function settled(undo: UndoState, copies: Copies, target: UndoTarget): Promise<TurnChanges | "busy" | undefined> {
  const isIts = (one: OpenCommand): boolean => one.session === target.session && one.turn === target.turn;
  if (copies.open.all().some((one) => isIts(one) && copies.open.isRunning(one))) return "busy";
  await closeLeft(undo, copies, isIts);
  const { file } = manifestOf(undo.turns, target.session, target.turn);
  return await readManifest(file, createSlices(undo.options.clock));
}

function planOfTurn({ options }: UndoState, { store }: Copies, changes: TurnChanges): Promise<UndoPlan> {
  return planOf(changes, { ...options, store, slices: createSlices(options.clock) });
}

async function apply(
  undo: UndoState,
  { id, force = false, ...target }: UndoRequest,
): Promise<Undone | "busy" | undefined> {
  const { clock, workspace, maxFileBytes } = undo.options;
  const copies = await copiesOf(undo);
  const changes = await settled(undo, copies, target);
  if (changes === undefined || changes === "busy") return changes;
  const plan = await planOfTurn(undo, copies, changes);
  const chosen = plan.items.filter(({ problem }) => problem === undefined || (problem.by === "force" && force));
  // The way back first: what is there now is kept, and which files it is about is on disk.
  const slices = createSlices(clock);
  await keepWayBack(undo, copies, { session: target.session, turn: id, of: target.turn }, chosen, slices);
  const restored = await restoreAll(workspace, chosen, copies.store, maxFileBytes, slices);
  if (restored.every(({ failed }) => failed === undefined) && chosen.length === plan.items.length)
    manifestOf(undo.turns, target.session, target.turn).append({ undone: id, at: clock.now() });
  return { plan, restored };
}

async function keepWayBack(
  { attribution }: UndoState,
  copies: Copies,
  { of, ...undoing }: UndoTarget & { readonly of: string },
  chosen: UndoPlan["items"],
  slices: Slices,
): Promise<void> {
  const { store, open } = copies;
  const manifest = await copies.begin(undoing, of);
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
    if (open.all().length > 0) attribution.announce(copies, undoing, path, before, want);
  }
  await store.sync();
  manifest.append(...lines);
  store.unpin();
  await manifest.sync();
}

const DIRECTORY: FileState = { kind: "directory" };
/** Not a turn: what margay writes of its own. */
const MARGAY: UndoTarget = { session: "margay", turn: "itself" };
