/** What stands at one place of the workspace, reached without following any link. */
import { closeSync, constants, fchmodSync, fstatSync, lstatSync, openSync, readlinkSync } from "node:fs";
import { identity, isStillAt, READ_FLAGS } from "../machine/files/open-directory.ts";
import { errorCode } from "../machine/files/refusal.ts";
import { type OpenFile, openFile } from "../machine/files/open-file.ts";
import { WalkRefused } from "../machine/files/safe-walk.ts";
import { type Parent, withParent } from "../machine/files/with-parent.ts";
import { fileHash, sha256 } from "../machine/system/hash.ts";
import { ABSENT, type FileState, type Lost, modeOf, stampOf } from "./file-state.ts";

/** What is made of a content that may be kept: the file is open, so that what is looked at is what is taken. */
export type Take = (file: OpenFile) => Promise<{ readonly sha256: string; readonly lost?: Lost }>;

const onlyHash: Take = async (file) => ({ sha256: (await fileHash(file)).hash });

/** What stands there now, with the hash of its content up to `maxBytes`. Never throws for what is not there. */
export async function stateAt(root: string, path: string, maxBytes: number, take: Take = onlyHash): Promise<FileState> {
  try {
    return await withParent(root, path, (parent) => look(parent, maxBytes, take));
  } catch (error) {
    // A link or a file stands where a directory was: below it there is nothing of the workspace.
    if (["ENOENT", "ENOTDIR", "ELOOP", "EACCES"].includes(errorCode(error) ?? "")) return ABSENT;
    throw error;
  }
}

async function look({ directory, name }: Parent, maxBytes: number, take: Take): Promise<FileState> {
  const stats = lstatSync(directory.at(name), { bigint: true, throwIfNoEntry: false });
  if (stats === undefined) return ABSENT;
  if (stats.isSymbolicLink()) return { kind: "link", target: readlinkSync(directory.at(name)) };
  if (stats.isDirectory()) return { kind: "directory", mode: modeOf(stats) };
  if (!stats.isFile()) return { kind: "special" };
  const known = { kind: "file", size: Number(stats.size), mode: modeOf(stats), stamp: stampOf(stats) } as const;
  if (stats.size > BigInt(maxBytes)) return { ...known, lost: "large" };
  try {
    using file = openFile(directory.at(name));
    directory.verify({ name, identity: identity(file.stats) });
    // A pipe to wait for, or the second name of something outside, may have come since it was looked at.
    if (identity(file.stats) !== identity(stats) || !isStillAt(directory.at(name), file.stats))
      return { ...known, lost: "unreadable" };
    if (file.stats.nlink > 1n) return { ...known, sha256: (await fileHash(file)).hash, lost: "linked" };
    return { ...known, ...(await take(file)) };
  } catch (error) {
    if (errorCode(error) === "EACCES") return { ...known, lost: "unreadable" };
    throw error;
  }
}

/** Through a descriptor: whatever takes its name meanwhile keeps its own. */
export function changeMode({ directory, name }: Parent, mode: number): void {
  const path = directory.at(name);
  const kind = lstatSync(path).isDirectory() ? (constants.O_DIRECTORY ?? 0) : 0;
  const fd = openSync(path, READ_FLAGS | kind);
  try {
    // The mode belongs to every name of a file, also to one outside.
    const stats = fstatSync(fd, { bigint: true });
    if (!stats.isDirectory() && (stats.nlink > 1n || !isStillAt(path, stats))) throw new WalkRefused("linked");
    fchmodSync(fd, mode);
  } finally {
    closeSync(fd);
  }
}

/** Of a file with this content. */
export function stateOf(data: Uint8Array): FileState {
  return { kind: "file", size: data.length, sha256: sha256(data) };
}
