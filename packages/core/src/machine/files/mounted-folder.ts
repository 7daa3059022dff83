// A folder that lies elsewhere and appears as one of the workspace: read, written and listed there, and nothing of the two is mixed.
import { existsSync } from "node:fs";
import { posix } from "node:path";
import { makeDirectory } from "./files.ts";
import type { OpenDirectory } from "./open-directory.ts";
import { hasCode } from "../../lib/errors/errors.ts";
import { isRecord } from "../../lib/is-record.ts";
import { isRefusal, type Refusal, refuse } from "./refusal.ts";
import { safeFiles, type SafeFiles } from "./safe-files.ts";
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

export function mountedFiles(files: SafeFiles, mount: FolderMount): MountedFiles {
  const { root, as, protect, isThere } = mount;
  const folder = safeFiles({ root, restrict: true, protect });
  /** Undefined: not in the folder. */
  const at = (path: string): string | undefined => {
    const inside = isThere() ? insideMount(path, files.root, as) : undefined;
    if (inside !== undefined && !existsSync(root)) makeDirectory(root);
    return inside === "" ? "." : inside;
  };
  const shown = (inside: string): string => (inside === "" || inside === "." ? as : `${as}/${inside}`);
  const directory = async (inside: string, path: string): Promise<ShownDirectory> => {
    const found = await worded(path, files.root, () => folder.directory(inside));
    return Object.assign(found, { shown: shown(found.shown) });
  };
  return {
    ...files,
    read: async (path) => {
      const inside = at(path);
      if (inside !== undefined) {
        const found = await worded(path, files.root, () => folder.read(inside));
        return { ...found, real: shown(found.real) };
      }
      const file = await files.read(path);
      try {
        assertApart(file.real, path, files.root, mount);
        return file;
      } catch (error) {
        file[Symbol.dispose]();
        throw error;
      }
    },
    write: (path, data, options = {}) => {
      const inside = at(path);
      const { before, ...rest } = options;
      if (inside !== undefined)
        return worded(path, files.root, () =>
          folder.write(inside, data, {
            ...rest,
            ...(before !== undefined && { before: (real, made) => before(shown(real), made.map(shown)) }),
          }),
        );
      return files.write(path, data, {
        ...rest,
        before: (real, made) => {
          assertApart(real, path, files.root, mount);
          return before?.(real, made);
        },
      });
    },
    list: async function* (path) {
      const inside = at(path);
      if (inside !== undefined) {
        (await directory(inside, path)).close(); // words what is wrong with it
        for await (const entry of folder.list(inside)) if (inside !== "." || entry.name !== OWN) yield entry;
        return;
      }
      const isTop = isThere() && namesIn(path, files.root)?.length === 0;
      for await (const entry of files.list(path)) if (!isTop || entry.name !== as) yield entry;
      if (isTop) yield { name: as, kind: "directory" };
    },
    directory: async (path) => {
      const inside = at(path);
      if (inside !== undefined) return directory(inside, path);
      const found = await files.directory(path);
      try {
        assertApart(found.shown, path, files.root, mount);
        return found;
      } catch (error) {
        found.close();
        throw error;
      }
    },
    beside: async (place) => {
      if ((place !== "" && place !== ".") || at(as) === undefined) return undefined;
      return directory(".", as);
    },
    unsearched: () => (isThere() ? [OWN, as, `${as}/${OWN}`] : [OWN]),
  };
}

/** A link of the workspace leads to no folder that the mount hides. */
function assertApart(real: string, path: string, workspace: string, { as, isThere }: FolderMount): void {
  if (isThere() && (real === as || real.startsWith(`${as}/`))) throw refuse("protected", path, workspace);
}

/** Where the folder lies is told to nobody. */
async function worded<T>(path: string, workspace: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const why = refusalIn(error);
    throw why === undefined ? error : refuse(why, path, workspace);
  }
}

function refusalIn(error: unknown): Refusal | undefined {
  if (!hasCode(error, "tool.refused") || !isRecord(error.details)) return undefined;
  const { why } = error.details;
  return typeof why === "string" && isRefusal(why) ? why : undefined;
}
