/** What was kept aside, for the person: to look at, to take back exactly as it was shown, and to remove. */
import { createHash } from "node:crypto";
import fs from "node:fs";
import { basename, dirname, join } from "node:path";
import type { Millis } from "../../contract/base.ts";
import type { Quarantine, Quarantined, TakenBack } from "../../contract/quarantine.ts";
import { systemClock } from "../../platform/clock.ts";
import { type OpenDirectory, openChild, openDirectory } from "../../platform/open-directory.ts";
import { openFile } from "../../platform/open-file.ts";
import { errorCode } from "../../platform/refusal.ts";
import { inWorkspace, type KeptAside, openQuarantineStore } from "./store.ts";

/** Of a text, or of a list of files, so much is shown. */
const MAX_SHOWN_CHARS = 20_000;
const CHUNK_BYTES = 1024 * 1024;

/** @param directory `quarantine` of the state directory. */
export function openQuarantine(directory: string, now: () => Millis = systemClock().now): Quarantine {
  const store = openQuarantineStore(directory, now);
  const find = (id: string): KeptAside | undefined => store.list().find((item) => item.id === id);
  const contentIn = async <T>(
    item: KeptAside,
    work: (folder: OpenDirectory, name: string) => Promise<T>,
  ): Promise<T> => {
    const path = store.contentOf(item);
    using folder = disposable(openDirectory(fs.realpathSync.native(dirname(path))));
    return await work(folder, basename(path));
  };
  const shown = async (item: KeptAside): Promise<Quarantined | undefined> => {
    try {
      const found = await contentIn(item, lookInto);
      const { id, path, why, kind, at } = item;
      return { id, path, why, kind, at, ...found };
    } catch (error) {
      if (errorCode(error) !== "ENOENT") throw error;
      store.forget(item.id); // a person has removed it
      return undefined;
    }
  };
  return {
    list: async () => {
      const items: Quarantined[] = [];
      for (const item of store.list()) {
        const one = await shown(item);
        if (one !== undefined) items.push(one);
      }
      return items;
    },
    takeBack: async (id, sha256): Promise<TakenBack> => {
      const item = find(id);
      const current = item === undefined ? undefined : await shown(item);
      if (item === undefined || current === undefined) return { status: "unknown" };
      if (current.sha256 !== sha256) return { status: "changed" };
      return inWorkspace(
        item.workspace,
        item.path,
        ({ directory: folder, name }): TakenBack => {
          const to = folder.at(name);
          if (!isFree(to, item.rest)) return { status: "occupied", path: item.path };
          place(store.contentOf(item), to);
          store.forget(id);
          return { status: "taken back", path: item.path };
        },
        true,
      );
    },
    remove: (id) => {
      const item = find(id);
      if (item === undefined) return Promise.resolve({ status: "unknown" });
      store.remove(item);
      return Promise.resolve({ status: "removed", path: item.path });
    },
  };
}

/** Nothing is there, or what we left there. */
function isFree(path: string, rest: string | undefined): boolean {
  const stats = fs.lstatSync(path, { throwIfNoEntry: false });
  if (stats === undefined) return true;
  return rest !== undefined && stats.isFile() && fs.readFileSync(path, "utf8") === rest;
}

function place(from: string, to: string): void {
  try {
    fs.renameSync(from, to);
  } catch (error) {
    if (errorCode(error) !== "EXDEV") throw error;
    fs.cpSync(from, to, { recursive: true, verbatimSymlinks: true, preserveTimestamps: true });
    fs.rmSync(from, { recursive: true, force: true });
  }
}

interface Content {
  /** Of a file its bytes; of a folder every name, kind and content in it; of a link its target. */
  readonly sha256: string;
  readonly bytes: number;
  /** A text, the names in a folder, or the target of a link; cut. Absent: it is no text. */
  readonly text?: string;
}

async function lookInto(folder: OpenDirectory, name: string): Promise<Content> {
  const stats = fs.lstatSync(folder.at(name));
  if (stats.isSymbolicLink()) {
    const target = fs.readlinkSync(folder.at(name));
    return { sha256: createHash("sha256").update(`link ${target}`).digest("hex"), bytes: 0, text: target };
  }
  if (stats.isDirectory()) {
    const hash = createHash("sha256");
    const names: string[] = [];
    const bytes = await tree(folder, name, "", (path, kind, sha256) => {
      names.push(path);
      hash.update(`${JSON.stringify([path, kind, sha256])}\n`);
    });
    return { sha256: hash.digest("hex"), bytes, text: names.join("\n").slice(0, MAX_SHOWN_CHARS) };
  }
  if (!stats.isFile()) return { sha256: createHash("sha256").update(`special ${stats.mode}`).digest("hex"), bytes: 0 };
  return fileContent(folder.at(name));
}

/** In order of names. @returns bytes of all files. */
async function tree(
  parent: OpenDirectory,
  name: string,
  below: string,
  told: (path: string, kind: string, sha256: string) => void,
): Promise<number> {
  using folder = disposable(openChild(parent, name));
  let bytes = 0;
  for (const entry of fs.readdirSync(folder.at(".")).toSorted()) {
    const path = join(below, entry);
    const stats = fs.lstatSync(folder.at(entry));
    if (stats.isDirectory()) {
      told(`${path}/`, "directory", "");
      bytes += await tree(folder, entry, path, told);
    } else if (stats.isSymbolicLink()) told(path, "link", fs.readlinkSync(folder.at(entry)));
    else if (stats.isFile()) {
      const content = await fileContent(folder.at(entry));
      told(path, (stats.mode & 0o111) === 0 ? "file" : "program", content.sha256);
      bytes += content.bytes;
    } else told(path, "special", "");
  }
  return bytes;
}

async function fileContent(path: string): Promise<Content> {
  using file = openFile(path);
  const hash = createHash("sha256");
  const memory = Buffer.allocUnsafe(CHUNK_BYTES);
  let bytes = 0;
  let start = Buffer.alloc(0);
  for (;;) {
    const count = await file.read(memory, bytes);
    hash.update(memory.subarray(0, count));
    if (bytes === 0) start = Buffer.from(memory.subarray(0, Math.min(count, 4 * MAX_SHOWN_CHARS)));
    bytes += count;
    if (count < memory.length) break;
  }
  const text = start.includes(0) ? undefined : start.toString("utf8").slice(0, MAX_SHOWN_CHARS);
  return { sha256: hash.digest("hex"), bytes, ...(text !== undefined && { text }) };
}

function disposable(directory: OpenDirectory): OpenDirectory & Disposable {
  return { ...directory, [Symbol.dispose]: directory.close };
}
