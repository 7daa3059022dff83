/** The files of one skill: all of them regular, inside its directory and within bounds; their hash is what is approved. */
import { lstatSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { hasCode, RuntimeError } from "../lib/errors/errors.ts";
import { sha256 } from "../machine/system/hash.ts";
import { safeFiles, type SafeFiles } from "../machine/files/safe-files.ts";

export interface SkillFile {
  /** Relative to the skill, with `/`. */
  readonly path: string;
  readonly bytes: number;
  readonly executable: boolean;
  readonly sha256: string;
}
export interface SkillFiles {
  readonly files: readonly SkillFile[];
  readonly bytes: number;
  /** Of paths, executable bits and contents; not of names and times. */
  readonly hash: string;
  /** SKILL.md, from the same read as its hash. */
  readonly text: string;
}

export const MAX_FILES = 1000;
export const MAX_BYTES: number = 32 * 1024 * 1024;
const MAX_DEPTH = 12;
const MAX_TEXT_BYTES: number = 1024 * 1024;
/** Written by the Finder wherever it looks. */
const IGNORED = new Set([".DS_Store"]);

export interface Bounds {
  readonly files: number;
  readonly bytes: number;
  /** Folders that are left out. */
  readonly without?: readonly string[];
}
type Visit = (path: string, bytes: Buffer) => void;

/**
 * Reads every file of a skill once. @param visit sees each content as it is read.
 * @throws RuntimeError `skill.refused`: a link, a special file, a bound, no SKILL.md.
 */
export async function readSkillFiles(directory: string, signal: AbortSignal, visit?: Visit): Promise<SkillFiles> {
  let text: string | undefined;
  const read = await readFolder(directory, { files: MAX_FILES, bytes: MAX_BYTES }, signal, (path, content) => {
    if (path === "SKILL.md") text = asText(content);
    visit?.(path, content);
  });
  if (text === undefined) throw refused("it has no SKILL.md");
  return { ...read, text };
}

/** Any folder, in the same way. @throws RuntimeError `skill.refused`. */
export async function readFolder(
  directory: string,
  bounds: Bounds,
  signal: AbortSignal,
  visit: Visit,
): Promise<Omit<SkillFiles, "text">> {
  refuseLink(directory);
  const source = safeFiles({ root: directory, restrict: true });
  const files: SkillFile[] = [];
  let bytes = 0;
  for (const path of await pathsIn(source, "", 0, bounds, signal)) {
    signal.throwIfAborted();
    using file = await open(source, path);
    bytes += Number(file.stats.size);
    if (bytes > bounds.bytes) throw refused(`it is over ${bounds.bytes / 1024 / 1024} MB`);
    const content = await file.bytes();
    visit(path, content);
    files.push({ path, bytes: content.length, executable: (file.stats.mode & 0o111n) !== 0n, sha256: sha256(content) });
  }
  return { files, bytes, hash: hashOf(files) };
}

/** Changes when anything in the directory does: cheap enough for every turn. Undefined: not there, or not to be read. */
export function signatureOf(directory: string): string | undefined {
  try {
    const parts: string[] = [];
    const look = (path: string, depth: number): void => {
      if (depth > MAX_DEPTH || parts.length > 2 * MAX_FILES) return; // refused when it is read
      const { dev, ino, size, mtimeNs, ctimeNs, mode } = lstatSync(path, { bigint: true });
      parts.push(`${path} ${dev} ${ino} ${size} ${mtimeNs} ${ctimeNs} ${mode}`);
      if ((mode & 0o170000n) !== 0o040000n) return; // stat(2), S_IFDIR
      for (const name of readdirSync(path).toSorted()) look(join(path, name), depth + 1);
    };
    look(directory, 0);
    return sha256(parts.join("\n"));
  } catch {
    return undefined; // vanished while it was looked at: read again next time
  }
}

/** `read`, in the words of a skill. */
async function open(files: SafeFiles, path: string): ReturnType<SafeFiles["read"]> {
  try {
    return await files.read(path);
  } catch (error) {
    if (hasCode(error, "tool.refused")) throw refused(error.message.replace(/\. Next: .*$/s, ""));
    throw error;
  }
}

/** Every file, in the order of their paths. */
async function pathsIn(
  files: SafeFiles,
  below: string,
  depth: number,
  bounds: Bounds,
  signal: AbortSignal,
): Promise<readonly string[]> {
  if (depth > MAX_DEPTH) throw refused(`its folders are over ${MAX_DEPTH} deep`);
  const paths: string[] = [];
  for await (const entry of files.list(below === "" ? "." : below)) {
    signal.throwIfAborted();
    const path = below === "" ? entry.name : `${below}/${entry.name}`;
    if (IGNORED.has(entry.name) || bounds.without?.includes(entry.name) === true) continue;
    if (entry.kind === "link") throw refused(`${path} is a link`);
    if (entry.kind === "other") throw refused(`${path} is a device, pipe or socket`);
    if (entry.kind === "directory") paths.push(...(await pathsIn(files, path, depth + 1, bounds, signal)));
    else paths.push(path);
    if (paths.length > bounds.files) throw refused(`it has over ${bounds.files} files`);
  }
  return paths.toSorted();
}

function refuseLink(directory: string): void {
  const stats = lstatSync(directory, { throwIfNoEntry: false });
  if (stats?.isSymbolicLink() === true) throw refused("its folder is a link");
  if (stats?.isDirectory() !== true) throw refused("there is no such folder");
}

function asText(content: Buffer): string {
  if (content.length > MAX_TEXT_BYTES) throw refused("its SKILL.md is over 1 MB");
  try {
    // The mark of the byte order stays: the text must equal the file.
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(content);
  } catch {
    throw refused("its SKILL.md is not UTF-8");
  }
}

function hashOf(files: readonly SkillFile[]): string {
  return sha256(
    files.map((file) => `${file.sha256} ${file.executable ? "x" : "-"} ${JSON.stringify(file.path)}\n`).join(""),
  );
}

export function refused(reason: string): RuntimeError {
  return new RuntimeError("skill.refused", reason);
}
