/** Regular files of a tar archive, and nothing else: what an archive could do to a disk is refused before a byte is written. */
import { refused } from "./skill-files.ts";

export interface TarFile {
  /** Relative, with `/`, without `.` and `..`. */
  readonly path: string;
  readonly executable: boolean;
  readonly bytes: Buffer;
}

// ustar, POSIX.1-1988; pax headers, POSIX.1-2001.
const BLOCK = 512;
const NAME = [0, 100] as const;
const MODE = [100, 8] as const;
const SIZE = [124, 12] as const;
const CHECKSUM = [148, 8] as const;
const TYPE = 156;
const MAGIC = [257, 5] as const;
const PREFIX = [345, 155] as const;
const MAX_PATH_CHARS = 500;

/**
 * @param archive Unpacked: the caller bounded its size.
 * @throws RuntimeError `skill.refused`: links, devices, paths that lead out, damage.
 */
export function readTar(archive: Buffer, maxFiles: number): readonly TarFile[] {
  const files: TarFile[] = [];
  const seen = new Set<string>();
  let longName: string | undefined;
  for (let at = 0; at + BLOCK <= archive.length;) {
    const header = archive.subarray(at, at + BLOCK);
    if (header.every((byte) => byte === 0)) break; // the end of the archive
    verify(header);
    const size = number(header, SIZE);
    const start = at + BLOCK;
    const bytes = archive.subarray(start, start + size);
    if (bytes.length !== size) throw refused("the archive is cut off");
    at = start + Math.ceil(size / BLOCK) * BLOCK;
    const type = String.fromCharCode(header[TYPE] ?? 0);
    if (type === "x") longName = paxPath(bytes) ?? longName;
    else if (type === "L") longName = text(bytes);
    else if (type !== "g") {
      const name = longName ?? nameOf(header);
      longName = undefined;
      if (type === "5") continue; // directories are made where a file needs them
      if (type !== "0" && type !== "\0" && type !== "7")
        throw refused(`${shown(name)} in the archive is a link or a special file`);
      const path = plainPath(name);
      if (seen.has(path.toLowerCase())) throw refused(`${shown(path)} is in the archive twice`);
      if (seen.size >= maxFiles) throw refused(`the archive has over ${maxFiles} files`);
      seen.add(path.toLowerCase());
      files.push({ path, executable: (number(header, MODE) & 0o111) !== 0, bytes });
    }
  }
  if (files.length === 0) throw refused("the archive is empty or no tar file");
  return files;
}

/** @throws RuntimeError `skill.refused` for whatever could mean another place than it says. */
export function plainPath(name: string): string {
  const path = name.replace(/^(?:\.\/)+/, "");
  const parts = path.split("/");
  const isPlain =
    path !== "" &&
    path.length <= MAX_PATH_CHARS &&
    !/[\\:\p{Cc}\p{Cf}]/u.test(path) &&
    parts.every((part) => part !== "" && part !== "." && part !== ".." && !/[. ]$/.test(part));
  if (!isPlain) throw refused(`${shown(name)} in the archive is no plain path`);
  return path;
}

/** The sum of the header's bytes with the checksum itself as blanks. */
function verify(header: Buffer): void {
  const [from, length] = CHECKSUM;
  const sum = header.reduce((total, byte, index) => total + (index >= from && index < from + length ? 0x20 : byte), 0);
  if (sum !== number(header, CHECKSUM)) throw refused("the archive is damaged or no tar file");
}

function nameOf(header: Buffer): string {
  const name = text(field(header, NAME));
  const prefix = text(field(header, MAGIC)) === "ustar" ? text(field(header, PREFIX)) : "";
  return prefix === "" ? name : `${prefix}/${name}`;
}

/** `{length} path={value}\n`, the last one counts. */
function paxPath(bytes: Buffer): string | undefined {
  let path: string | undefined;
  for (let at = 0; at < bytes.length;) {
    const space = bytes.indexOf(0x20, at);
    const length = Number(bytes.subarray(at, space).toString("latin1"));
    if (space < 0 || !Number.isSafeInteger(length) || length <= space - at) throw refused("the archive is damaged");
    const [key, value] = splitOnce(bytes.subarray(space + 1, at + length - 1).toString("utf8"));
    if (key === "path") path = value;
    // A size that the header cannot hold is over every bound of ours; links come with their own type.
    if (key === "size") throw refused("the archive holds a file that is too large");
    at += length;
  }
  return path;
}

function splitOnce(text: string): readonly [string, string] {
  const at = text.indexOf("=");
  return at < 0 ? [text, ""] : [text.slice(0, at), text.slice(at + 1)];
}

function field(header: Buffer, [from, length]: readonly [number, number]): Buffer {
  return header.subarray(from, from + length);
}

function text(bytes: Buffer): string {
  const end = bytes.indexOf(0);
  return bytes.subarray(0, end < 0 ? bytes.length : end).toString("utf8");
}

/** Octal digits; the binary form is for files larger than any here. */
function number(header: Buffer, place: readonly [number, number]): number {
  const digits = text(field(header, place)).trim();
  if (!/^[0-7]*$/.test(digits)) throw refused("the archive is damaged or no tar file");
  return digits === "" ? 0 : Number.parseInt(digits, 8);
}

function shown(name: string): string {
  return JSON.stringify(name.slice(0, 200));
}
