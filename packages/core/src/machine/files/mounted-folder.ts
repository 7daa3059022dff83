// A folder that lies elsewhere and appears as one of the workspace: read, written and listed there, and nothing of the two is mixed.
import { existsSync } from "node:fs";
import { posix } from "node:path";
import { makeDirectory } from "./files.ts";
import type { OpenDirectory } from "./open-directory.ts";
import { hasCode } from "../../lib/errors/errors.ts";
import { isRecord } from "../../lib/is-record.ts";
import { isRefusal, type Refusal, refuse } from "./refusal.ts";
import { type Entry, type FoundFile, safeFiles, type SafeFiles, type WriteOptions } from "./safe-files.ts";
import { insideRoot, split } from "./safe-walk.ts";

export interface FolderMount {
  /** Absolute; made at first use. */
  readonly root: string;
  /** Its name in the workspace. What the workspace itself has under that name is out of reach, also by a link. */
  readonly as: string;
  /** Absolute directories that are never opened. The folder may lie in one of them. */
  readonly protect: readonly string[];
  /** False: there is no such folder for now, and the workspace is as it is. */
  readonly isThere: () => boolean;
}

/** Files of the workspace, and of the folder as a part of it. */
export interface MountedFiles extends SafeFiles {
  /** The folder held open, where a search of the directory that is shown so is to go on in it. Close it after use. */
  beside(shown: string): Promise<ShownDirectory | undefined>;
  /** Paths, as they are shown, of directories that no search goes into. */
  unsearched(): readonly string[];
}

type ShownDirectory = OpenDirectory & { readonly shown: string };

/** Of the folder: what margay itself keeps in one, see safe-replace.ts. */
const OWN = ".margay";

/**
 * By the text of a path alone, so that who judges a call and who performs it say the same.
 * @returns the path in the folder, empty for the folder itself; undefined: it leads elsewhere.
 */
export function insideMount(path: string, workspace: string, as: string): string | undefined {
  const [folder, ...rest] = namesIn(path, workspace) ?? [];
  return folder === as ? rest.join("/") : undefined;
}

/** Undefined: it leads out of the workspace. */
function namesIn(path: string, workspace: string): readonly string[] | undefined {
  const inside = insideRoot(path, [workspace]);
  if (inside === "outside") return undefined;
  const names = posix.normalize((inside === "relative" ? split(path) : inside).join("/")).split("/");
  return names.filter((name) => name !== "" && name !== ".");
}

/** The workspace and the folder, each by itself. */
interface Both {
  readonly files: SafeFiles;
  readonly folder: SafeFiles;
  readonly mount: FolderMount;
}

export function mountedFiles(files: SafeFiles, mount: FolderMount): MountedFiles {
  const { root, as, protect, isThere } = mount;
  const both: Both = { files, mount, folder: safeFiles({ root, restrict: true, protect }) };
  return {
    ...files,
    read: (path) => read(both, path),
    write: (path, data, options = {}) => write(both, path, data, options),
    list: (path) => list(both, path),
    directory: (path) => directory(both, path),
    beside: async (place) => ((place !== "" && place !== ".") || !isThere() ? undefined : directory(both, as)),
    unsearched: () => (isThere() ? [OWN, as, `${as}/${OWN}`] : [OWN]),
  };
}

/** The path in the folder; undefined: not there. */
function pathIn({ files, mount: { root, as, isThere } }: Both, path: string): string | undefined {
  const inside = isThere() ? insideMount(path, files.root, as) : undefined;
  if (inside !== undefined && !existsSync(root)) makeDirectory(root);
  return inside === "" ? "." : inside;
}

function shownIn({ mount: { as } }: Both, inside: string): string {
  return inside === "" || inside === "." ? as : `${as}/${inside}`;
}

/** What was found in the workspace is not shown as if it were the folder's. */
function assertApart({ files, mount: { as, isThere } }: Both, real: string, path: string): void {
  if (isThere() && (real === as || real.startsWith(`${as}/`))) throw refuse("protected", path, files.root);
}

/** Where the folder lies is told to nobody. */
async function worded<T>({ files }: Both, path: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const why = refusalIn(error);
    throw why === undefined ? error : refuse(why, path, files.root);
  }
}

async function read(both: Both, path: string): Promise<FoundFile> {
  const inside = pathIn(both, path);
  if (inside !== undefined) {
    const found = await worded(both, path, () => both.folder.read(inside));
    return { ...found, real: shownIn(both, found.real) };
  }
  const file = await both.files.read(path);
  try {
    assertApart(both, file.real, path);
    return file;
  } catch (error) {
    file[Symbol.dispose]();
    throw error;
  }
}

async function write(both: Both, path: string, data: Uint8Array, options: WriteOptions): Promise<void> {
  const inside = pathIn(both, path);
  const { before, ...rest } = options;
  if (inside === undefined)
    return both.files.write(path, data, {
      ...rest,
      before: (real, made) => {
        assertApart(both, real, path);
        return before?.(real, made);
      },
    });
  const shown = (real: string): string => shownIn(both, real);
  return worded(both, path, () =>
    both.folder.write(inside, data, {
      ...rest,
      ...(before !== undefined && { before: (real, made) => before(shown(real), made.map(shown)) }),
    }),
  );
}

async function* list(both: Both, path: string): AsyncIterable<Entry> {
  const { files, folder, mount } = both;
  const inside = pathIn(both, path);
  if (inside !== undefined) {
    (await directory(both, path)).close(); // words what is wrong with it
    for await (const entry of folder.list(inside)) if (inside !== "." || entry.name !== OWN) yield entry;
    return;
  }
  const isTop = mount.isThere() && namesIn(path, files.root)?.length === 0;
  for await (const entry of files.list(path)) if (!isTop || entry.name !== mount.as) yield entry;
  if (isTop) yield { name: mount.as, kind: "directory" };
}

async function directory(both: Both, path: string): Promise<ShownDirectory> {
  const inside = pathIn(both, path);
  if (inside !== undefined) {
    const found = await worded(both, path, () => both.folder.directory(inside));
    return Object.assign(found, { shown: shownIn(both, found.shown) });
  }
  const found = await both.files.directory(path);
  try {
    assertApart(both, found.shown, path);
    return found;
  } catch (error) {
    found.close();
    throw error;
  }
}

function refusalIn(error: unknown): Refusal | undefined {
  if (!hasCode(error, "tool.refused") || !isRecord(error.details)) return undefined;
  const { why } = error.details;
  return typeof why === "string" && isRefusal(why) ? why : undefined;
}
