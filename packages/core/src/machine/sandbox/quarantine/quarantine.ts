/** What was kept aside, for the person: to look at, to take back exactly as it was shown, and to remove. */
import { createHash } from "node:crypto";
import fs from "node:fs";
import { basename, dirname, join } from "node:path";
import type { Millis } from "../../../contract/base.ts";
import type { Quarantine, Quarantined, TakenBack } from "../../../contract/quarantine.ts";
import { systemClock } from "../../system/clock.ts";
import { type OpenDirectory, openChild, openDirectory } from "../../files/open-directory.ts";
import { openFile } from "../../files/open-file.ts";
import { errorCode } from "../../files/refusal.ts";
import type { Parent } from "../../files/with-parent.ts";
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
      const { path } = item;
      const putBack = ({ directory: folder, name }: Parent): TakenBack => {
        const to = folder.at(name);
        if (!isFree(to, item.rest)) return { status: "occupied", path };
        place(store.contentOf(item), to);
        store.forget(id);
        return { status: "taken back", path };
      };
      try {
        return inWorkspace(item.workspace, path, putBack, true);
      } catch (error) {
        // A file or a link stands where a folder on the way to its place was.
        if (["ENOTDIR", "ELOOP"].includes(errorCode(error) ?? "")) return { status: "occupied", path };
        throw error;
      }
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

interface Content extends Pick<Quarantined, "text" | "cut"> {
  /** Of a file its bytes; of a folder every name, kind and content in it; of a link its target. */
  readonly sha256: string;
  readonly bytes: number;
}

async function lookInto(folder: OpenDirectory, name: string): Promise<Content> {
  const stats = fs.lstatSync(folder.at(name));
  if (stats.isSymbolicLink()) {
    const target = fs.readlinkSync(folder.at(name));
    return { sha256: createHash("sha256").update(`link ${target}`).digest("hex"), bytes: 0, text: target };
  }
  if (stats.isDirectory()) return folderContent(folder, name);
  if (!stats.isFile()) return { sha256: createHash("sha256").update(`special ${stats.mode}`).digest("hex"), bytes: 0 };
  return fileContent(folder.at(name));
}

/** The names first: what is cut is the end of the texts. */
async function folderContent(parent: OpenDirectory, name: string): Promise<Content> {
  const hash = createHash("sha256");
  const names: string[] = [];
  const texts: string[] = [];
  let room = MAX_SHOWN_CHARS;
  let isCut = false;
  const bytes = await tree(parent, name, "", ({ path, kind, sha256 = "", content }) => {
    hash.update(`${JSON.stringify([path, kind, sha256])}\n`);
    names.push(kind === "link" ? `${path} -> ${sha256}` : path);
    isCut ||= content?.cut === true;
    if (content?.text === undefined) return;
    if (room <= 0) isCut = true;
    else texts.push(`\n${path}:\n${indented(content.text)}`);
    room -= content.text.length;
  });
  return { sha256: hash.digest("hex"), bytes, ...shownOf([...names, ...texts].join("\n"), isCut) };
}

/** So that no line of a file looks like the name of another. */
function indented(text: string): string {
  return text.replace(/\n$/, "").replaceAll(/^/gm, "    ");
}

function shownOf(text: string, isCut: boolean): Pick<Content, "text" | "cut"> {
  return { text: text.slice(0, MAX_SHOWN_CHARS), ...((isCut || text.length > MAX_SHOWN_CHARS) && { cut: true }) };
}

interface Entry {
  readonly path: string;
  readonly kind: "directory" | "link" | "file" | "program" | "special";
  /** Of a file its content, of a link its target. */
  readonly sha256?: string;
  readonly content?: Content;
}

/** In order of names. @returns bytes of all files. */
async function tree(parent: OpenDirectory, name: string, below: string, told: (entry: Entry) => void): Promise<number> {
  using folder = disposable(openChild(parent, name));
  let bytes = 0;
  for (const entry of fs.readdirSync(folder.at(".")).toSorted()) {
    const path = join(below, entry);
    const stats = fs.lstatSync(folder.at(entry));
    if (stats.isDirectory()) {
      told({ path: `${path}/`, kind: "directory" });
      bytes += await tree(folder, entry, path, told);
    } else if (stats.isSymbolicLink()) told({ path, kind: "link", sha256: fs.readlinkSync(folder.at(entry)) });
    else if (stats.isFile()) {
      const content = await fileContent(folder.at(entry));
      const kind = (stats.mode & 0o111) === 0 ? "file" : "program";
      told({ path, kind, sha256: content.sha256, content });
      bytes += content.bytes;
    } else told({ path, kind: "special" });
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
    // UTF-8 has at most four bytes a character.
    if (bytes === 0) start = Buffer.from(memory.subarray(0, Math.min(count, 4 * MAX_SHOWN_CHARS)));
    bytes += count;
    if (count < memory.length) break;
  }
  const found = { sha256: hash.digest("hex"), bytes };
  return start.includes(0) ? found : { ...found, ...shownOf(start.toString("utf8"), bytes > start.length) };
}

function disposable(directory: OpenDirectory): OpenDirectory & Disposable {
  return { ...directory, [Symbol.dispose]: directory.close };
}
