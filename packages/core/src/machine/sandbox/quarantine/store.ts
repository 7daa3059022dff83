/**
 * What commands left behind that runs by itself, kept aside for a person: `quarantine/ID/` of the state directory holds the thing
 * itself and a line about it. Where the workspace is on another file system it stays beside its place under a name that nothing obeys.
 */
import { randomBytes } from "node:crypto";
import fs, { constants } from "node:fs";
import { dirname, join, relative } from "node:path";
import type { Json, Millis } from "../../../contract/base.ts";
import { messageOf } from "../../../lib/errors/errors.ts";
import { makeDirectory, readIfExists, replaceFile } from "../../files/files.ts";
import { CREATE_FLAGS } from "../../files/open-directory.ts";
import { errorCode } from "../../files/refusal.ts";
import { openParent, type Parent } from "../../files/with-parent.ts";
import type { LeftBehind } from "./entries.ts";

/** Something kept aside. */
export interface KeptAside {
  readonly id: string;
  readonly workspace: string;
  /** Where it was, below the workspace. */
  readonly path: string;
  readonly why: string;
  readonly kind: "file" | "directory" | "link";
  readonly at: Millis;
  /** What stays in its place. */
  readonly rest?: string;
  /** It lies there, below the workspace, and not in the state directory. */
  readonly beside?: string;
}

/** What could not even be renamed: it is still where it was. */
export interface StuckThere {
  readonly path: string;
  readonly reason: string;
}

export interface QuarantineStore {
  /** Moves it away. @throws nothing. */
  keep(workspace: string, found: LeftBehind): KeptAside | StuckThere | undefined;
  /** Oldest first. */
  list(): readonly KeptAside[];
  /** Where its content lies. */
  contentOf(item: KeptAside): string;
  /** Removes what is known of it; its content has gone. */
  forget(id: string): void;
  /** Removes it with its content. */
  remove(item: KeptAside): void;
}

/** Nobody asks for it after that. */
const KEPT_DAYS = 30;
const DAY_MS = 86_400_000;
const ABOUT = "about.json";
const CONTENT = "content";

/** Where things are kept, and the time by which they grow old. */
interface Shelf {
  readonly directory: string;
  readonly now: () => Millis;
}

export function openQuarantineStore(directory: string, now: () => Millis): QuarantineStore {
  const shelf: Shelf = { directory, now };
  return {
    list: () => list(shelf),
    contentOf: ({ id, workspace, beside }) =>
      beside === undefined ? join(placeOf(shelf, id), CONTENT) : join(workspace, beside),
    remove: (item) => remove(shelf, item),
    forget: (id) => fs.rmSync(placeOf(shelf, id), { recursive: true, force: true }),
    keep: (workspace, found) => {
      const path = relative(workspace, found.path);
      try {
        return inWorkspace(workspace, path, (parent) => keep(shelf, parent, workspace, path, found));
      } catch (error) {
        const code = errorCode(error);
        if (code === "ENOENT" || code === "ENOTDIR" || code === "ELOOP") return undefined; // it went, or it lies elsewhere by now
        return { path, reason: code ?? messageOf(error) };
      }
    },
  };
}

function placeOf({ directory }: Shelf, id: string): string {
  return join(directory, id);
}

function list(shelf: Shelf): readonly KeptAside[] {
  const { directory, now } = shelf;
  const items = namesIn(directory).flatMap((id) => aboutOf(join(placeOf(shelf, id), ABOUT)) ?? []);
  const old = items.filter(({ at }) => now() - at > KEPT_DAYS * DAY_MS);
  for (const item of old) remove(shelf, item);
  return items.filter((item) => !old.includes(item)).toSorted((one, other) => one.at - other.at);
}

function remove(shelf: Shelf, item: KeptAside): void {
  if (item.beside !== undefined)
    inWorkspace(item.workspace, item.beside, ({ directory: folder, name }) =>
      fs.rmSync(folder.at(name), { recursive: true, force: true }),
    );
  fs.rmSync(placeOf(shelf, item.id), { recursive: true, force: true });
}

function keep(shelf: Shelf, parent: Parent, workspace: string, path: string, found: LeftBehind): KeptAside | undefined {
  const from = parent.directory.at(parent.name);
  const stats = fs.lstatSync(from, { throwIfNoEntry: false });
  const id = randomBytes(4).toString("hex");
  const about: KeptAside = {
    id,
    workspace,
    path,
    why: found.why,
    kind: stats?.isSymbolicLink() === true ? "link" : stats?.isDirectory() === true ? "directory" : "file",
    at: shelf.now(),
    ...(found.rest !== undefined && { rest: found.rest }),
  };
  if (stats !== undefined) {
    const beside = move(shelf, parent, about);
    if (beside !== undefined) note(shelf, { ...about, beside: join(dirname(path), beside) });
  }
  if (found.link !== undefined) fs.symlinkSync(found.link, from);
  if (found.rest !== undefined && stats !== undefined) putRest(from, found.rest, stats);
  return stats === undefined ? undefined : (aboutOf(join(placeOf(shelf, id), ABOUT)) ?? about);
}

/** @returns the name beside its own that it has now; undefined: it is in the state directory. */
function move(shelf: Shelf, parent: Parent, about: KeptAside): string | undefined {
  const from = parent.directory.at(parent.name);
  const place = placeOf(shelf, about.id);
  const beside = `${parent.name}.refused-${about.id}`;
  try {
    makeDirectory(place);
    note(shelf, about); // before: what is in the state directory is never nameless
    rename(parent, join(place, CONTENT));
    return undefined;
  } catch (error) {
    if (errorCode(error) === "ENOENT" && fs.lstatSync(from, { throwIfNoEntry: false }) === undefined) {
      fs.rmSync(place, { recursive: true, force: true });
      throw error;
    }
    rename(parent, parent.directory.at(beside));
    return beside;
  }
}

function note(shelf: Shelf, about: KeptAside): void {
  try {
    replaceFile(join(placeOf(shelf, about.id), ABOUT), `${JSON.stringify({ version: 1, ...about })}\n`);
  } catch (error) {
    if (about.beside === undefined) throw error;
    // The disk is full: its name says what it is.
  }
}

/** A folder that is closed to us although it is ours is opened first. */
function rename({ directory, name }: Parent, to: string): void {
  const from = directory.at(name);
  try {
    fs.renameSync(from, to);
  } catch (error) {
    if (errorCode(error) !== "EACCES") throw error;
    open(directory.at("."));
    if (fs.lstatSync(from).isDirectory()) open(from);
    fs.renameSync(from, to);
  }
}

function open(folder: string): void {
  const fd = fs.openSync(folder, constants.O_RDONLY | (constants.O_DIRECTORY ?? 0) | (constants.O_NOFOLLOW ?? 0));
  try {
    fs.fchmodSync(fd, fs.fstatSync(fd).mode | 0o700);
  } finally {
    fs.closeSync(fd);
  }
}

/** As the file that was there: its owner goes on to write it. */
function putRest(path: string, text: string, { mode, uid, gid }: fs.Stats): void {
  const fd = fs.openSync(path, CREATE_FLAGS, mode & 0o777);
  try {
    fs.writeSync(fd, text);
    if (process.getuid?.() === 0) fs.fchownSync(fd, uid, gid);
  } finally {
    fs.closeSync(fd);
  }
}

/** @throws the file system's error, as `openParent`. */
export function inWorkspace<T>(workspace: string, path: string, work: (parent: Parent) => T, create = false): T {
  const parent = openParent(workspace, path, create);
  try {
    return work(parent);
  } finally {
    parent.directory.close();
  }
}

function aboutOf(path: string): KeptAside | undefined {
  try {
    const value = JSON.parse(readIfExists(path)?.toString("utf8") ?? "null") as Json;
    if (typeof value !== "object" || value === null || !("workspace" in value)) return undefined;
    return value as unknown as KeptAside; // written above, in a directory no tool can reach
  } catch {
    return undefined; // torn by a crash: its content was not moved yet
  }
}

function namesIn(directory: string): readonly string[] {
  try {
    return fs.readdirSync(directory);
  } catch {
    return []; // nothing was kept yet
  }
}
