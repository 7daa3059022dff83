/** Documents as files of one directory: a name is a path below it, so that a person finds, reads and repairs them. */
import { lstatSync, readdirSync, rmSync, statSync, type Stats } from "node:fs";
import { dirname, join } from "node:path";
import type { Doc, Docs } from "../../contract/store.ts";
import { RuntimeError } from "../../lib/errors/errors.ts";
import { sha256 } from "../system/hash.ts";
import { awaitTurn } from "./exclusive.ts";
import { isMissing, makeDirectory, readIfExists, replaceFile, syncDirectory } from "./files.ts";
import { errorCode } from "./refusal.ts";
import { watchEntries } from "./watch-entries.ts";

/** For how long one process lets others finish their changes: each takes milliseconds. */
const PATIENCE_MS = 10_000;
/** Longer than two writes have the same time: 10 ms where the clock of files is that of the scheduler. */
const SETTLED_MS = 100;
/** Documents that are not read again while they look the same. */
const REMEMBERED = 200;
/** Beside the lock of the home, and left out of backups as that is. */
const TURNS = "lock.docs";
/** Nothing hidden, which temporary files are, and no way out of the directory. */
const NAME = /^(?:[^./\\\0][^/\\\0]*\/)*[^./\\\0][^/\\\0]*$/;

/**
 * Touches nothing before it is asked. A revision is made of the content, so that it also tells what an editor wrote from what was read.
 * @param directory Private, and everything that is written there.
 */
export function openFileDocs(directory: string): Docs {
  return docsIn(directory, (change) => awaitTurn(join(directory, TURNS), PATIENCE_MS, change));
}

/** Of a folder in which nobody else works: no turns are taken, and nothing of it is left. */
export function openOwnDocs(directory: string): Docs {
  return docsIn(directory, async (change) => change());
}

function docsIn(directory: string, inTurn: (change: () => void) => Promise<void>): Docs {
  const known = new Map<string, Known>();
  const pathOf = (name: string): string => {
    if (!NAME.test(name)) throw new TypeError(`${name} is no name of a document`);
    return join(directory, name);
  };
  const change = (name: string, ifRev: number, make: (path: string) => void): Promise<void> => {
    const path = pathOf(name);
    return inTurn(() => {
      const doc = lookAt(path)?.doc;
      if ((doc?.rev ?? 0) !== ifRev) throw conflict(name);
      make(path);
    });
  };
  return {
    peek: (name) => {
      const path = pathOf(name);
      const found = lookAt(path, known.get(name));
      known.delete(name); // the last that was asked for is the last to be forgotten
      if (found === undefined) return undefined;
      known.set(name, found);
      const [oldest = name] = known.keys();
      if (known.size > REMEMBERED) known.delete(oldest);
      return found.doc;
    },
    read: async (name) => lookAt(pathOf(name))?.doc,
    write: async (name, body, ifRev) => {
      await change(name, ifRev, (path) => {
        makeDirectory(dirname(path));
        replaceFile(path, body);
      });
      return revOf(body);
    },
    remove: async (name, ifRev) => {
      await change(name, ifRev, (path) => {
        if (ifRev === 0) throw conflict(name);
        rmSync(path, { force: true });
        syncDirectory(dirname(path));
      });
    },
    list: async (prefix) => listIn(directory, prefix),
    watch: (prefix, changed) => {
      const [folder] = partsOf(prefix);
      makeDirectory(join(directory, folder));
      return watchEntries(join(directory, folder), (entry) => {
        const names = entry === undefined ? listIn(directory, prefix) : [`${folder}${entry}`];
        for (const name of names) if (name.startsWith(prefix) && NAME.test(name)) changed(name);
        if (entry === undefined && names.length === 0) changed(prefix);
      });
    },
  };
}

/** A document as it was found, and what told it from others then. */
interface Known {
  readonly doc: Doc;
  /** Undefined: it had been written a moment before, and may be again without looking different. */
  readonly stamp: string | undefined;
}

/** @param before What looks as it did then is not read again: it is asked for in each step of a turn. */
function lookAt(path: string, before?: Known): Known | undefined {
  const stats = statsOf(path);
  if (stats === undefined) return undefined;
  const { ino, size, mtimeMs, ctimeMs } = stats;
  const stamp = `${ino} ${size} ${mtimeMs} ${ctimeMs}`;
  if (before?.stamp === stamp) return before;
  const body = readIfExists(path)?.toString("utf8");
  if (body === undefined) return undefined;
  const at = Math.floor(mtimeMs);
  const same = before?.doc.body === body && before.doc.at === at ? before.doc : undefined;
  const isSettled = Date.now() - Math.max(mtimeMs, ctimeMs) > SETTLED_MS;
  return { doc: same ?? docOf(body, at), stamp: isSettled ? stamp : undefined };
}

/** Undefined: there is none. A link is what it leads to; one that cannot be followed is something that cannot be read. */
function statsOf(path: string): Stats | undefined {
  const own = ownStats(path);
  if (own?.isSymbolicLink() !== true) return own;
  try {
    return statSync(path);
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}

function ownStats(path: string): Stats | undefined {
  try {
    // Of many there is none: an error costs twenty times a look.
    return lstatSync(path, { throwIfNoEntry: false });
  } catch (error) {
    // Below something that is no folder there is none either: who writes it hears why.
    if (isMissing(error) || errorCode(error) === "ENOTDIR") return undefined;
    throw error;
  }
}

/** The revision is worked out when somebody wants to write. */
function docOf(body: string, at: number): Doc {
  return {
    body,
    at,
    get rev() {
      return revOf(body);
    },
  };
}

/** 52 bits of its hash, which a number holds; never that of none. */
function revOf(body: string): number {
  return Number.parseInt(sha256(body).slice(0, 13), 16) || 1;
}

function listIn(directory: string, prefix: string): readonly string[] {
  const [folder] = partsOf(prefix);
  const path = join(directory, folder);
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory() !== true) return [];
  return readdirSync(path, { withFileTypes: true })
    .filter((entry) => !entry.isDirectory())
    .map((entry) => `${folder}${entry.name}`)
    .filter((name) => name.startsWith(prefix) && NAME.test(name))
    .toSorted();
}

/** The folder, with its slash, and what is behind it. */
function partsOf(prefix: string): readonly [folder: string, start: string] {
  const end = prefix.lastIndexOf("/") + 1;
  const folder = prefix.slice(0, end);
  if (folder !== "" && !NAME.test(folder.slice(0, -1))) throw new TypeError(`${prefix} begins no name of a document`);
  return [folder, prefix.slice(end)];
}

function conflict(name: string): RuntimeError {
  return new RuntimeError("doc.conflict", `${name} was changed by somebody else at this moment. Look at it again.`, {
    retryable: true,
    details: { name },
  });
}
