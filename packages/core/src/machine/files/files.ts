/** Files that must survive a crash: synced appends and atomic replacement. */
import * as fs from "node:fs";
import { open } from "node:fs/promises";
import { dirname, join } from "node:path";
import { promisify } from "node:util";

const fdatasync = promisify<number, void>((fd, done) => fs.fdatasync(fd, (error) => done(error)));

/** Owner only: state directories and files are private. */
export const DIRECTORY_MODE = 0o700;
export const FILE_MODE = 0o600;

/** What was written to an open file is on disk, and with it all that is known of the file. */
export const fileSynced: (fd: number) => Promise<void> = promisify<number, void>((fd, done) =>
  fs.fsync(fd, (error) => done(error)),
);

const HOUR_MS = 3_600_000;

/** Resolves when this turn of the event loop has done its work: what it wrote can share one sync. */
export function endOfTick(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

/** An append-only file whose handle can be dropped while idle. */
export interface AppendFile {
  /** Hands the bytes to the system: from here on they survive the death of this process. @throws the file system's error. */
  write(data: Uint8Array): void;
  /** Resolves when everything written before is on disk: it survives the death of the machine. */
  sync(): Promise<void>;
  /** Closes the handle; the next write opens it again. */
  release(): void;
}

/** After an error nobody knows what the file holds: the caller must stop appending. */
export function openAppend(path: string): AppendFile {
  let fd: number | undefined;
  /** The name of a new file is durable only when its directory is. */
  let isNamed = true;
  return {
    write: (data) => {
      if (fd === undefined) {
        if (!fs.existsSync(path)) isNamed = false;
        fd = fs.openSync(path, "a", FILE_MODE);
      }
      let offset = 0;
      while (offset < data.length) offset += fs.writeSync(fd, data, offset);
    },
    sync: async () => {
      if (fd === undefined) return;
      if (isNamed) return fdatasync(fd);
      const both = await Promise.allSettled([fdatasync(fd), directorySynced(dirname(path))]);
      for (const one of both) if (one.status === "rejected") throw one.reason;
      isNamed = true;
    },
    release: () => {
      if (fd !== undefined) fs.closeSync(fd);
      fd = undefined;
    },
  };
}

/** As `syncDirectory`, while others work. */
export async function directorySynced(path: string): Promise<void> {
  if (process.platform === "win32") return;
  const fd = fs.openSync(path, "r");
  try {
    await fileSynced(fd);
  } finally {
    fs.closeSync(fd);
  }
}

/** As if it had been written within the hour. One that was stays as it is: what somebody is reading as a Blob must not change. */
export function touch(path: string): void {
  const now = new Date();
  if (now.getTime() - fs.statSync(path).mtimeMs > HOUR_MS) fs.utimesSync(path, now, now);
}

/** The names in it are on disk. */
export function syncDirectory(path: string): void {
  if (process.platform === "win32") return; // a directory cannot be opened there; NTFS journals the name
  const fd = fs.openSync(path, "r");
  try {
    fs.fsyncSync(fd);
  } finally {
    fs.closeSync(fd);
  }
}

/** A file for its owner alone, empty when it was not there. */
export function makePrivate(path: string): void {
  const fd = fs.openSync(path, "a", FILE_MODE);
  try {
    fs.fchmodSync(fd, FILE_MODE);
  } finally {
    fs.closeSync(fd);
  }
}

export function makeDirectory(path: string): void {
  fs.mkdirSync(path, { recursive: true, mode: DIRECTORY_MODE });
}

/** Old or new content, never a mix: temporary file, fsync, rename, fsync of the directory. */
export function replaceFile(path: string, data: string | Uint8Array, mode: number = FILE_MODE): void {
  const temporary = temporaryBeside(path);
  const fd = fs.openSync(temporary, "wx", mode);
  try {
    try {
      fs.writeFileSync(fd, data);
      fs.fsyncSync(fd);
    } finally {
      fs.closeSync(fd);
    }
    fs.renameSync(temporary, path);
  } catch (error) {
    fs.rmSync(temporary, { force: true });
    throw error;
  }
  syncDirectory(dirname(path));
}

/**
 * A stream, synced, which has its name when all of it is there; where one of that name is, that one. In the first folder until then: one as all others are.
 * @param to `seen`: each part of it; `path`: below `directory`, asked at its end. @throws what the stream throws: nothing is left then.
 */
export async function writeStream(
  directory: string,
  bytes: AsyncIterable<Uint8Array>,
  to: { readonly seen: (part: Uint8Array) => void; readonly path: () => string },
): Promise<void> {
  const folder = join(directory, "00");
  makeDirectory(folder);
  const temporary = temporaryBeside(join(folder, "-"));
  try {
    {
      await using file = await open(temporary, "wx", FILE_MODE);
      for await (const part of bytes) {
        to.seen(part);
        for (let at = 0; at < part.length;) at += (await file.write(part, at)).bytesWritten;
      }
      await file.sync();
    }
    const path = to.path();
    makeDirectory(dirname(path));
    if (fs.existsSync(path)) {
      fs.rmSync(temporary);
      return touch(path);
    }
    fs.renameSync(temporary, path);
    syncDirectory(dirname(path));
  } catch (error) {
    fs.rmSync(temporary, { force: true });
    throw error;
  }
}

/** A synced copy, in the place of what is there. */
export function replaceByCopy(path: string, to: string): void {
  const temporary = temporaryBeside(to);
  try {
    fs.copyFileSync(path, temporary, fs.constants.COPYFILE_FICLONE); // keeps the mode
    syncFile(temporary);
    fs.renameSync(temporary, to);
  } catch (error) {
    fs.rmSync(temporary, { force: true });
    throw error;
  }
  syncDirectory(dirname(to));
}

/** Its content is on disk. */
export function syncFile(path: string): void {
  const fd = fs.openSync(path, "r+");
  try {
    fs.fsyncSync(fd);
  } finally {
    fs.closeSync(fd);
  }
}

function temporaryBeside(path: string): string {
  return join(dirname(path), `.${process.pid}-${counter()}.tmp`);
}

/** The process that wrote such a file; undefined when the name is another. */
export function ownerOfTemporary(name: string): number | undefined {
  const pid = /^\.(\d{1,10})-[0-9a-z]+\.tmp$/.exec(name)?.[1];
  return pid === undefined ? undefined : Number(pid);
}

function counter(): string {
  return process.hrtime.bigint().toString(36);
}

/** The content, or undefined when there is no such file. Other errors are thrown: "permission denied" is not absence. */
export function readIfExists(path: string): Buffer | undefined {
  try {
    return fs.readFileSync(path);
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}

/** As `readIfExists`, from a position on: to the end, or so many bytes at most. */
export function readFrom(path: string, position: number, bytes: number = Infinity): Buffer | undefined {
  let fd: number;
  try {
    fd = fs.openSync(path, "r");
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
  try {
    const memory = Buffer.allocUnsafe(Math.max(0, Math.min(bytes, fs.fstatSync(fd).size - position)));
    let filled = 0;
    for (let count = 1; filled < memory.length && count > 0; filled += count)
      count = fs.readSync(fd, memory, filled, memory.length - filled, position + filled);
    return memory.subarray(0, filled);
  } finally {
    fs.closeSync(fd);
  }
}

/** To be read in parts, as long as it was when it was opened, whoever replaces or removes it meanwhile. @returns undefined when there is none. */
export function openIfExists(
  path: string,
): { readonly size: number; read(position: number, memory: Buffer): Buffer; close(): void } | undefined {
  let fd: number;
  try {
    fd = fs.openSync(path, "r");
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
  const { size } = fs.fstatSync(fd);
  return {
    size,
    read: (position, memory) =>
      memory.subarray(0, fs.readSync(fd, memory, 0, Math.min(memory.length, size - position), position)),
    close: () => fs.closeSync(fd),
  };
}

/** Where each line begins, and where its newline is. @param end Behind the last one. */
export function* linesIn(bytes: Buffer, end: number): Generator<readonly [number, number]> {
  for (let from = 0; from < end;) {
    const to = bytes.indexOf(10, from);
    yield [from, to];
    from = to + 1;
  }
}

/**
 * Old or new content, and not synced: for what can be made again. Others work between the parts.
 * @param isWanted Asked when all of them are written, in one go with the naming. @returns the size, undefined when it was not.
 */
export async function replaceInParts(
  path: string,
  parts: Iterable<Uint8Array>,
  isWanted: () => boolean,
): Promise<number | undefined> {
  const temporary = `${path}.tmp`;
  let size = 0;
  {
    await using file = await open(temporary, "w", FILE_MODE);
    for (const part of parts) {
      await file.writeFile(part);
      size += part.length;
    }
  }
  // It is gone when all that belongs to it was removed meanwhile.
  const isNamed = fs.existsSync(temporary) && isWanted();
  if (isNamed) fs.renameSync(temporary, path);
  else fs.rmSync(temporary, { force: true });
  return isNamed ? size : undefined;
}

export function isMissing(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === "ENOENT";
}
