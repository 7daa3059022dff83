/** Puts a staged skill into the workspace, and takes one out, in one step each. */
import { chmodSync, existsSync, lstatSync, mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { DIRECTORY_MODE } from "../machine/files/files.ts";
import { isSkillName } from "./head.ts";
import { readSkillFiles, refused, type SkillFiles } from "./skill-files.ts";

/**
 * Copies what was approved and nothing else: its hash is checked on the bytes that are written.
 * @throws RuntimeError `skill.refused`: the staged files are not what was approved, or `skills` is a link.
 */
export async function installSkill(
  staged: { readonly name: string; readonly directory: string; readonly hash: string },
  workspace: string,
  signal: AbortSignal,
): Promise<SkillFiles> {
  const folder = skillsFolder(workspace);
  const contents = new Map<string, Buffer>();
  const read = await readSkillFiles(staged.directory, signal, (path, bytes) => contents.set(path, bytes));
  if (read.hash !== staged.hash) throw refused("the files are no longer the ones in the report");
  mkdirSync(folder, { recursive: true, mode: DIRECTORY_MODE });
  const target = join(folder, staged.name);
  const incoming = join(folder, `.${staged.name}.new`);
  const outgoing = join(folder, `.${staged.name}.old`);
  rmSync(incoming, { recursive: true, force: true });
  for (const { path, executable } of read.files) {
    const place = join(incoming, path);
    mkdirSync(dirname(place), { recursive: true, mode: DIRECTORY_MODE });
    writeFileSync(place, contents.get(path) ?? "", { flag: "wx", mode: 0o644 });
    if (executable) chmodSync(place, 0o755);
  }
  rmSync(outgoing, { recursive: true, force: true });
  if (existsSync(target)) renameSync(target, outgoing); // a crash in between leaves both beside it
  renameSync(incoming, target);
  rmSync(outgoing, { recursive: true, force: true });
  return read;
}

/** @returns false when there is none. @throws RuntimeError `skill.refused`. */
export function removeSkill(name: string, workspace: string): boolean {
  if (!isSkillName(name)) return false;
  const target = join(skillsFolder(workspace), name);
  if (lstatSync(target, { throwIfNoEntry: false }) === undefined) return false;
  rmSync(target, { recursive: true, force: true }); // a link is removed, not what it leads to
  return true;
}

function skillsFolder(workspace: string): string {
  const folder = join(workspace, "skills");
  if (lstatSync(folder, { throwIfNoEntry: false })?.isSymbolicLink() === true)
    throw refused("the folder `skills` of the workspace is a link. Replace it by a folder");
  return folder;
}
