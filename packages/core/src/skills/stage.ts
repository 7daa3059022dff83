/** Brings a folder, an archive or an npm package into a directory of its own, where it is looked at before it is used. */
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { messageOf } from "../lib/errors/errors.ts";
import { DIRECTORY_MODE, makeDirectory } from "../machine/files/files.ts";
import { isSkillName } from "./head.ts";
import { type ParsedText, parseSkillText } from "./frontmatter.ts";
import { packPackage } from "./npm-pack.ts";
import { MAX_BYTES, MAX_FILES, readFolder, refused } from "./skill-files.ts";
import { readTar, type TarFile } from "./archive.ts";

export interface StageOptions {
  /** What the operator typed: a folder, `*.tgz`, `*.tar.gz`, `*.tar`, or `package[@version]`. */
  readonly source: string;
  readonly currentDirectory: string;
  /** A private directory for what is staged. */
  readonly staging: string;
  /** For npm: PATH, HOME, proxies. */
  readonly environment: Readonly<Record<string, string | undefined>>;
}
export interface StagedSkill {
  /** The name it will have: of its frontmatter when that is valid, else of its folder. */
  readonly name: string;
  readonly directory: string;
}
export interface Staged extends Disposable {
  /** Where it came from, for the record. */
  readonly source: string;
  /** Sorted by name. */
  readonly skills: readonly StagedSkill[];
}

/** An archive of text may unpack to this much; skills are bounded again one by one. */
const MAX_PACKED_BYTES: number = 2 * MAX_BYTES;
const MAX_UNPACKED_BYTES: number = 4 * MAX_BYTES;
const MAX_ARCHIVE_FILES: number = 10 * MAX_FILES;

/**
 * Nothing of it is run. Dispose removes it again.
 * @throws RuntimeError `skill.refused`: not found, links and special files, bounds, no skill in it.
 */
export async function stageSkills(options: StageOptions, signal: AbortSignal): Promise<Staged> {
  makeDirectory(options.staging);
  const directory = mkdtempSync(join(options.staging, "new-"));
  try {
    const { files, source, name } = await collect(options, directory, signal);
    const content = join(directory, "content");
    for (const file of files) place(content, file);
    const skills = await skillsIn(content, files, name);
    return { source, skills, [Symbol.dispose]: () => rmSync(directory, { recursive: true, force: true }) };
  } catch (error) {
    rmSync(directory, { recursive: true, force: true });
    throw error;
  }
}

interface Collected {
  readonly files: readonly TarFile[];
  readonly source: string;
  /** Of the skill at the top, when it does not say so itself. */
  readonly name: string;
}

async function collect(options: StageOptions, directory: string, signal: AbortSignal): Promise<Collected> {
  const { source } = options;
  const path = resolve(options.currentDirectory, source);
  const stats = statSync(path, { throwIfNoEntry: false });
  if (stats?.isDirectory() === true)
    return { files: await folderFiles(path, signal), source: path, name: basename(path) };
  if (stats?.isFile() === true)
    return { files: archiveFiles(path), source: path, name: basename(path).replace(/\.(?:tgz|tar(?:\.gz)?)$/, "") };
  if (/^[./~]|\.(?:tgz|tar|gz|zip)$/.test(source)) throw refused(`${source} does not exist`);
  const packed = await packPackage(source, join(directory, "packed"), options.environment, signal);
  return { files: archiveFiles(packed.path), source: `npm:${packed.id}`, name: packed.name.replace(/^.*\//, "") };
}

/** A folder is copied too: what was looked at must not change before it is used. */
async function folderFiles(path: string, signal: AbortSignal): Promise<readonly TarFile[]> {
  const contents = new Map<string, Buffer>();
  const bounds = { files: MAX_ARCHIVE_FILES, bytes: MAX_UNPACKED_BYTES, without: [".git"] };
  const { files } = await readFolder(path, bounds, signal, (name, bytes) => contents.set(name, bytes));
  return files.map((file) => ({
    path: file.path,
    executable: file.executable,
    bytes: contents.get(file.path) ?? Buffer.alloc(0),
  }));
}

/** Without the one folder that most archives put around everything. */
function archiveFiles(path: string): readonly TarFile[] {
  if (statSync(path).size > MAX_PACKED_BYTES)
    throw refused(`${basename(path)} is over ${MAX_PACKED_BYTES / 1024 / 1024} MB`);
  const files = readTar(unpacked(readFileSync(path)), MAX_ARCHIVE_FILES);
  const [top = ""] = files[0]?.path.split("/") ?? [];
  const isWrapped = files.every((file) => file.path.startsWith(`${top}/`));
  return isWrapped ? files.map((file) => ({ ...file, path: file.path.slice(top.length + 1) })) : files;
}

function unpacked(bytes: Buffer): Buffer {
  if (bytes[0] === 0x50 && bytes[1] === 0x4b) throw refused("zip archives are not read. Unpack it and give the folder");
  if (bytes[0] !== 0x1f || bytes[1] !== 0x8b) return bytes; // RFC 1952, gzip
  const { gunzipSync } = process.getBuiltinModule("node:zlib"); // at first use
  try {
    return gunzipSync(bytes, { maxOutputLength: MAX_UNPACKED_BYTES });
  } catch (error) {
    throw refused(`the archive cannot be unpacked (${messageOf(error)})`);
  }
}

function place(root: string, { path, bytes, executable }: TarFile): void {
  const target = join(root, path);
  try {
    mkdirSync(dirname(target), { recursive: true, mode: DIRECTORY_MODE });
    writeFileSync(target, bytes, { flag: "wx", mode: 0o644 });
  } catch (error) {
    throw refused(`${JSON.stringify(path)} cannot be written (${messageOf(error)})`); // a file and a folder of one name
  }
  if (executable) chmodSync(target, 0o755);
}

/** Folders with a SKILL.md; one inside another belongs to the outer skill. */
async function skillsIn(content: string, files: readonly TarFile[], name: string): Promise<readonly StagedSkill[]> {
  const tops = files
    .filter((file) => file.path === "SKILL.md" || file.path.endsWith("/SKILL.md"))
    .map((file) => file.path.slice(0, -"SKILL.md".length))
    .toSorted();
  const outer = tops.filter((top) => !tops.some((other) => other !== top && top.startsWith(other)));
  if (outer.length === 0) throw refused("there is no SKILL.md in it");
  const skills = await Promise.all(
    outer.map(async (top): Promise<StagedSkill> => {
      const directory = join(content, top);
      const folder = top === "" ? name : basename(directory);
      return {
        name: nameOf(await parseSkillText(readFileSync(join(directory, "SKILL.md"), "utf8")), folder),
        directory,
      };
    }),
  );
  const twice = skills.find((skill, index) => skills.findIndex((other) => other.name === skill.name) !== index);
  if (twice !== undefined) throw refused(`it holds two skills named ${twice.name}`);
  return skills.toSorted((a, b) => (a.name < b.name ? -1 : 1));
}

function nameOf(parsed: ParsedText, folder: string): string {
  const own = parsed.ok ? parsed.fields["name"] : undefined;
  if (typeof own === "string" && isSkillName(own)) return own;
  if (isSkillName(folder)) return folder;
  throw refused(`${JSON.stringify(folder.slice(0, 100))} is no name for a skill`);
}
