/**
 * What was made beside its place goes there as one: all of it, or nothing. Notes of what is about to move stand in the state
 * directory first. While they are there, everything that moved can be taken back; removing them is what makes it so.
 */
import { existsSync, lstatSync, mkdirSync, readdirSync, readFileSync, renameSync, rmdirSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { readIfExists, replaceFile, syncDirectory } from "@margay/core/internal";

interface Move {
  readonly from: string;
  readonly to: string;
}
interface Notes {
  /** Folders in which things were made: they go in any case. */
  readonly staging: readonly string[];
  readonly moves: readonly Move[];
  /** Folders that were not there, the outermost first. */
  readonly folders: readonly string[];
}
/** A folder that was filled, and the one its content belongs into. Both on one file system. */
export interface Staged {
  readonly folder: string;
  readonly target: string;
}

const NOTES = "import.json";
/** What stood in the place of a file waits beside the file. */
const BEFORE = ".before";

/** From here on whatever is in the folders is removed when this process dies. */
export function noteStaging(home: string, staging: readonly string[]): void {
  writeNotes(home, { staging, moves: [], folders: [] });
}

/** @throws the file system's error; then nothing has moved. */
export function placeAll(home: string, staging: readonly string[], staged: readonly Staged[]): void {
  const moves = staged.flatMap(({ folder, target }) => movesInto(folder, target));
  const notes = { staging, moves, folders: missingFolders(moves) };
  writeNotes(home, notes);
  try {
    for (const folder of notes.folders) mkdirSync(folder, { mode: 0o700 });
    for (const { from, to } of moves) {
      if (existsSync(to)) renameSync(to, from + BEFORE);
      renameSync(from, to);
    }
    for (const folder of new Set([...moves, ...notes.folders.map((to) => ({ to }))].map(({ to }) => dirname(to))))
      syncDirectory(folder);
    rmSync(join(home, NOTES));
  } catch (error) {
    takeBack(home);
    throw error;
  }
  syncDirectory(home);
  for (const folder of staging) rmSync(folder, { recursive: true, force: true });
}

/** Of an import that was interrupted: everything is as it was before it. To be called under the lock. */
export function takeBack(home: string): void {
  const notes = readNotes(home);
  if (notes === undefined) return;
  for (const { from, to } of notes.moves.toReversed()) {
    if (!existsSync(from) && existsSync(to)) renameSync(to, from);
    if (existsSync(from + BEFORE)) renameSync(from + BEFORE, to);
  }
  for (const folder of notes.folders.toReversed()) if (isEmpty(folder)) rmdirSync(folder);
  for (const folder of notes.staging) rmSync(folder, { recursive: true, force: true });
  rmSync(join(home, NOTES));
}

function writeNotes(home: string, notes: Notes): void {
  replaceFile(join(home, NOTES), JSON.stringify(notes));
}

function readNotes(home: string): Notes | undefined {
  const bytes = readIfExists(join(home, NOTES));
  return bytes === undefined ? undefined : (JSON.parse(bytes.toString("utf8")) as Notes); // replaced as a whole by us
}

/** A folder that is not there moves as one. What is there with the same content stays. */
function movesInto(folder: string, target: string): readonly Move[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry): readonly Move[] => {
    const [from, to] = [join(folder, entry.name), join(target, entry.name)];
    const here = lstatSync(to, { throwIfNoEntry: false });
    if (here === undefined) return [{ from, to }];
    if (entry.isDirectory()) return movesInto(from, to);
    return here.isFile() && readFileSync(from).equals(readFileSync(to)) ? [] : [{ from, to }];
  });
}

function missingFolders(moves: readonly Move[]): readonly string[] {
  const missing = new Set<string>();
  const look = (folder: string): void => {
    if (existsSync(folder) || missing.has(folder)) return;
    look(dirname(folder));
    missing.add(folder);
  };
  for (const { to } of moves) look(dirname(to));
  return [...missing];
}

function isEmpty(folder: string): boolean {
  return existsSync(folder) && readdirSync(folder).length === 0;
}
