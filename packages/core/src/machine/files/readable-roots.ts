// Directories beside the workspace that tools may read and never write: the skills that came with the program.
import { lstatSync } from "node:fs";
import { join, posix } from "node:path";
import { refuse } from "./refusal.ts";
import { type FoundFile, safeFiles, type SafeFiles } from "./safe-files.ts";
import { insideRoot } from "./safe-walk.ts";

export interface ReadableRoot {
  /** Absolute. */
  readonly root: string;
  /**
   * A folder of the workspace in which the folders of `root` appear too: `skills`. One of the workspace with the same name
   * hides it.
   */
  readonly as: string;
}

/** `files`, with absolute paths below a root, and those of the folder it appears in, opened there. */
export function withReadableRoots(files: SafeFiles, roots: readonly ReadableRoot[]): SafeFiles {
  if (roots.length === 0) return files;
  const beside = roots.map((one) => ({
    ...one,
    files: safeFiles({ root: one.root, restrict: true, hardLinks: true }),
  }));
  const at = (path: string): { readonly files: SafeFiles; readonly path: string } | undefined => {
    for (const { root, as, files: place } of beside) {
      const inside = insideRoot(path, [root]);
      if (Array.isArray(inside)) return { files: place, path };
      const shadow = behind(files.root, path, root, as);
      if (shadow !== undefined) return { files: place, path: shadow };
    }
    return undefined;
  };
  return {
    ...files,
    read: async (path) => {
      const place = at(path);
      return place === undefined ? files.read(path) : asOutside(await place.files.read(place.path), place.files.root);
    },
    list: (path) => {
      const place = at(path);
      return place === undefined ? files.list(path) : place.files.list(place.path);
    },
    directory: async (path) => {
      const place = at(path);
      if (place === undefined) return files.directory(path);
      const directory = await place.files.directory(place.path);
      return Object.assign(directory, { shown: join(place.files.root, directory.shown) });
    },
    write: async (path, data, options) => {
      // A new file of the workspace may hide what is behind it; an edit would have to change it.
      const isEdit = options?.unchanged !== undefined;
      if (at(path) !== undefined && (isEdit || insideRoot(path, [files.root]) === "outside"))
        throw refuse("protected", path, files.root);
      await files.write(path, data, options);
    },
  };
}

/** `skills/weather/x` of the workspace → `weather/x` of the root, when only the root has `weather`. */
function behind(workspace: string, path: string, root: string, as: string): string | undefined {
  const inside = insideRoot(path, [workspace]);
  if (inside === "outside") return undefined;
  const [folder, name, ...rest] = posix.normalize(inside === "relative" ? path : inside.join("/")).split("/");
  if (folder !== as || name === undefined || name === "" || exists(join(workspace, as, name))) return undefined;
  return exists(join(root, name)) ? [name, ...rest].join("/") : undefined;
}

function exists(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
}

/** Shown by its absolute path, so that it is not taken for a file of the workspace. */
function asOutside(file: FoundFile, root: string): FoundFile {
  return { ...file, real: join(root, file.real) };
}
