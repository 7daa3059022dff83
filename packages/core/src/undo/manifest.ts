/** What a turn did to the workspace: one append-only file per turn, a line per fact, written before the change. */
import fs from "node:fs";
import { join } from "node:path";
import type { Millis } from "../contract/base.ts";
import type { Readers } from "../contract/people.ts";
import {
  directorySynced,
  FILE_MODE,
  fileSynced,
  isMissing,
  makeDirectory,
  readIfExists,
} from "../machine/files/files.ts";
import { type FileState, isContinued } from "./file-state.ts";
import type { Slices } from "./slices.ts";

/** Which changes: those of a turn, or of an undo, which has an id as turns have. */
export interface UndoTarget {
  readonly session: string;
  readonly turn: string;
}

export type Line =
  /** First. `undoes`: this is an undo, of that turn. */
  | { readonly begun: Millis; readonly session: string; readonly turn: string; readonly undoes?: string }
  | {
      readonly path: string;
      readonly before: FileState;
      readonly after: FileState;
      /** Turns whose commands ran at the same time: nobody knows who changed it. */
      readonly shared?: readonly string[];
      /** It runs when somebody starts it. */
      readonly starts?: true;
    }
  /** From here on a command may change anything; what is on disk is compared when it ends, or after a crash. */
  | ({ readonly opened: string; readonly excluded: readonly string[] } & Opened)
  | { readonly closed: string }
  | Gap
  | { readonly undone: string; readonly at: Millis };

/** What is known of a command that has not ended, also by a process that finds it after a crash. A later line replaces an earlier one. */
export interface Opened {
  /** It was given by somebody who is not trusted. */
  readonly untrusted: boolean;
  /** Why it is a stranger's otherwise, whatever it reads itself. Absent: for no reason. */
  readonly causes?: readonly string[];
  /** It may reach hosts: which it did only the process knows that runs it. */
  readonly network?: true;
  /** Who may read what it was made of by whoever gave it. */ readonly readers?: readonly Readers[];
}

/**
 * What this turn may have changed without a copy of it being kept: too many entries, a name that is not UTF-8, a copy
 * that failed, a file outside the workspace, a command whose end nobody saw.
 */
export interface Gap {
  readonly gap: "too-many" | "name" | "failed" | "outside" | "cut-off";
  readonly text: string;
}

export interface Change {
  readonly path: string;
  readonly before: FileState;
  /** What the turn left: the last write, or what that found, since what was announced may have been refused or cut off. */
  readonly left: readonly [after: FileState, found: FileState];
  /** Somebody else changed it while the turn went on, or may have. */
  readonly mixed: boolean;
  /** It runs when somebody starts it, and what runs is another now. */
  readonly starts?: true;
}

export interface TurnChanges {
  readonly session: string;
  readonly turn: string;
  readonly at: Millis;
  readonly undoes?: string;
  readonly undone?: string;
  /** By path, in order. */
  readonly changes: readonly Change[];
  /** Directories that no command's changes are known of. */
  readonly excluded: readonly string[];
  readonly gaps: readonly Gap[];
  /** Commands that have not ended, by call. */
  readonly open: ReadonlyMap<string, Opened>;
}

export interface Manifest {
  readonly file: string;
  /** Survives the death of this process; of the machine after `sync`. */
  append(...lines: readonly Line[]): void;
  sync(): Promise<void>;
}

/** More are appended in several goes, with a pause between. */
export const LINES_AT_ONCE = 500;

const NAME = /^[a-z0-9-]{1,80}$/;

/** `{directory}/{session}`. Ids are ours: nothing else becomes a name. */
export function turnsOf(directory: string, session: string): string {
  if (!NAME.test(session)) throw new TypeError(`${session} is no session`);
  return join(directory, session);
}

/**
 * `{directory}/{session}/{turn}.jsonl`.
 * @param named Those whose names this process has brought to the disk, as paths: a folder is synced for what is new in it.
 */
export function manifestOf(directory: string, session: string, turn: string, named: Set<string> = new Set()): Manifest {
  if (!NAME.test(turn)) throw new TypeError(`${session}/${turn} is no turn`);
  const folder = turnsOf(directory, session);
  const file = join(folder, `${turn}.jsonl`);
  return {
    file,
    append: (...lines) => {
      const fd = opened(folder, file);
      try {
        // A line that a crash tore is ended first: what follows is a line of its own.
        const torn = isTorn(fd) ? "\n" : "";
        fs.writeFileSync(fd, torn + lines.map((line) => `${JSON.stringify(line)}\n`).join(""));
      } finally {
        fs.closeSync(fd);
      }
    },
    sync: async () => {
      const folders = named.has(file) ? [] : [folder, directory];
      const fd = fs.openSync(file, "r");
      await Promise.all([fileSynced(fd).finally(() => fs.closeSync(fd)), ...folders.map(directorySynced)]);
      named.add(file);
    },
  };
}

/** @returns undefined when there is no such turn. */
export async function readManifest(file: string, slices: Slices): Promise<TurnChanges | undefined> {
  const changes = new Map<string, Change>();
  const excluded = new Set<string>();
  const gaps = new Map<string, Gap>();
  const open = new Map<string, Opened>();
  let first: Begun | undefined;
  let undone: string | undefined;
  for (const text of (readIfExists(file)?.toString("utf8") ?? "").split("\n")) {
    const wait = slices.pause();
    if (wait !== undefined) await wait;
    const line = parse(text);
    if (line === undefined) continue;
    if ("path" in line) changes.set(line.path, merge(changes.get(line.path), line));
    else if ("opened" in line) {
      const { opened, excluded: folders, ...facts } = line;
      open.set(opened, facts);
      for (const path of folders) excluded.add(path);
    } else if ("closed" in line) open.delete(line.closed);
    else if ("gap" in line) gaps.set(`${line.gap} ${line.text}`, line);
    else if ("undone" in line) undone = line.undone;
    else first ??= line;
  }
  if (first === undefined) return undefined;
  return {
    session: first.session,
    turn: first.turn,
    at: first.begun,
    ...(first.undoes !== undefined && { undoes: first.undoes }),
    ...(undone !== undefined && { undone }),
    changes: [...changes.values()].toSorted((a, b) => (a.path < b.path ? -1 : 1)),
    excluded: [...excluded].toSorted(),
    gaps: [...gaps.values()],
    open,
  };
}

type Begun = Extract<Line, { readonly begun: Millis }>;
type Changed = Extract<Line, { readonly path: string }>;

/** The first state before, the last one after. What the turn left and what it found later must be the same. */
function merge(known: Change | undefined, { path, before, after, shared, starts: isStarted }: Changed): Change {
  const mixed = (shared?.length ?? 0) > 0;
  const left = [after, before] as const;
  const starts = known?.starts === true || isStarted === true ? ({ starts: true } as const) : {};
  if (known === undefined) return { path, before, left, mixed, ...starts };
  // The same comparison again after a crash starts from the first state.
  const goesOn = [...known.left, known.before].some((state) => isContinued(state, before));
  return { path, before: known.before, left, mixed: known.mixed || mixed || !goesOn, ...starts };
}

function parse(text: string): Line | undefined {
  if (text === "") return undefined;
  try {
    return JSON.parse(text) as Line; // written by append()
  } catch {
    return undefined; // torn by a crash: what it announced had not begun
  }
}

function opened(folder: string, file: string): number {
  try {
    return fs.openSync(file, "a+", FILE_MODE);
  } catch (error) {
    if (!isMissing(error)) throw error;
    makeDirectory(folder);
    return fs.openSync(file, "a+", FILE_MODE);
  }
}

/** Whether a crash cut its last line. */
export function endsTorn(file: string): boolean {
  let fd: number;
  try {
    fd = fs.openSync(file, "r");
  } catch {
    return false; // not there yet
  }
  try {
    return isTorn(fd);
  } finally {
    fs.closeSync(fd);
  }
}

function isTorn(fd: number): boolean {
  const { size } = fs.fstatSync(fd);
  if (size === 0) return false;
  const last = Buffer.alloc(1);
  fs.readSync(fd, last, 0, 1, size - 1);
  return last[0] !== 10;
}
