/** Files of the workspace that strangers had a hand in, shown to a person and vouched for by them: by content, not by name. */
import type { EndorsedFile, LabelledFile } from "../contract/commands.ts";
import { openFile } from "../machine/files/open-file.ts";
import { fileHash, sha256 } from "../machine/system/hash.ts";
import { type FileLabels, MAX_COMPARED_BYTES } from "./file-labels.ts";
import { withParent } from "../machine/files/with-parent.ts";

/** As `LabelledFiles`, without a word of who vouches. */
export interface FileEndorsement {
  list(paths?: readonly string[]): Promise<readonly LabelledFile[]>;
  endorse(shown: readonly Pick<LabelledFile, "path" | "sha256">[]): Promise<readonly EndorsedFile[]>;
  disown(paths: readonly string[]): readonly EndorsedFile[];
}

export function createFileEndorsement(workspace: string, labels: FileLabels): FileEndorsement {
  const describe = async (path: string): Promise<LabelledFile | undefined> => {
    const { cause, at } = labels.labelOf(path) ?? {};
    const { from, whose } = labels.originOf(path) ?? {};
    const known = {
      ...(cause !== undefined && { cause }),
      ...(at !== undefined && { at }),
      ...(from !== undefined && whose === "unknown" && { origin: from }),
    };
    const found = await foundAt(workspace, path);
    if (found === "directory") return { path: `${path}/`, ...known };
    return found === undefined ? undefined : { path, ...known, bytes: found.bytes, sha256: found.sha256 };
  };
  return {
    list: async (paths = []) => {
      const wanted = paths.map((path) => path.replace(/^\.\//, "").replace(/\/+$/, ""));
      const isWanted = (path: string): boolean =>
        wanted.length === 0 || wanted.some((one) => one === "." || path === one || path.startsWith(`${one}/`));
      // What lies in a tree is a stranger's as the tree is: it has no label of its own.
      const isAround = (tree: string): boolean => isWanted(tree) || wanted.some((one) => one.startsWith(`${tree}/`));
      const all = new Set([
        ...[...labels.paths(), ...labels.names()].filter(isWanted),
        ...labels.trees().filter(isAround),
      ]);
      const found: LabelledFile[] = [];
      for (const path of [...all].toSorted()) {
        const file = await describe(path);
        if (file !== undefined) found.push(file);
      }
      return found;
    },
    disown: (paths) =>
      paths.map((path) => {
        const repository = path.replace(/\/$/, "");
        const { from, whose } = labels.originOf(repository) ?? {};
        if (from === undefined || whose !== "unknown" || !labels.byPath(repository)) return { path, status: "unknown" };
        labels.addOrigin(repository, from, "stranger");
        return { path, status: "disowned" };
      }),
    endorse: async (shown) => {
      const done: EndorsedFile[] = [];
      for (const { path, sha256: hash } of shown) {
        const name = path.replace(/\/$/, "");
        const isKnown = labels.labelOf(name) !== undefined || labels.byNames(name);
        const found = isKnown ? await foundAt(workspace, name) : undefined;
        if (found === undefined) done.push({ path, status: "unknown" });
        else if (found === "directory") {
          labels.endorse(name);
          done.push({ path, status: "endorsed" });
        } else if (found.sha256 !== hash) done.push({ path, status: "changed" });
        else {
          labels.endorse(name, found.data);
          done.push({ path, status: "endorsed" });
        }
      }
      return done;
    },
  };
}

interface Found {
  readonly bytes: number;
  readonly sha256: string;
  /** Absent: no content of that size is compared. */
  readonly data?: Buffer;
}

async function foundAt(workspace: string, path: string): Promise<Found | "directory" | undefined> {
  if (path === ".") return "directory";
  try {
    return await withParent(workspace, path, async ({ directory, name }) => {
      using file = openFile(directory.at(name));
      const { stats } = file;
      if (stats.isDirectory()) return "directory" as const;
      if (!stats.isFile()) return undefined;
      if (stats.size <= BigInt(MAX_COMPARED_BYTES)) {
        const data = await file.bytes();
        return { bytes: data.length, sha256: sha256(data), data };
      }
      const { hash, size } = await fileHash(file);
      return { bytes: size, sha256: hash };
    });
  } catch {
    return undefined; // gone, a link, or it may not be read
  }
}
