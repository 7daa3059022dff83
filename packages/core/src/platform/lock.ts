/** One process per state directory (R177). */
import { closeSync, openSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { RuntimeError } from "../lib/errors.ts";
import { FILE_MODE, isMissing, makeDirectory } from "./files.ts";

export interface DirectoryLock extends Disposable {
  /** True when the last owner did not release it: it crashed or was killed. */
  readonly unclean: boolean;
}

interface Owner {
  readonly pid: number;
  /** Start of that process in clock ticks since boot: a reused pid has another one. */
  readonly started: string;
}

/**
 * Takes the lock or fails at once.
 * @throws RuntimeError `state.locked`, naming the pid of the owner.
 */
export function lockDirectory(directory: string): DirectoryLock {
  makeDirectory(directory);
  const path = join(directory, "lock");
  let unclean = false;
  for (let attempt = 0; attempt < 3; attempt++) {
    if (take(path)) return { unclean, [Symbol.dispose]: () => rmSync(path, { force: true }) };
    const owner = readOwner(path);
    if (owner !== undefined && isAlive(owner))
      throw new RuntimeError(
        "state.locked",
        `${directory} is used by process ${owner.pid}. Stop it, or choose another MARGAY_HOME.`,
        { details: { pid: owner.pid } },
      );
    unclean = true;
    rmSync(path, { force: true });
  }
  throw new RuntimeError("state.locked", `${directory} is being taken by other processes. Try again.`, {
    retryable: true,
  });
}

/** The pid of the process that holds the lock, if any. */
export function lockOwner(directory: string): number | undefined {
  const owner = readOwner(join(directory, "lock"));
  return owner !== undefined && isAlive(owner) ? owner.pid : undefined;
}

function take(path: string): boolean {
  let fd: number;
  try {
    fd = openSync(path, "wx", FILE_MODE);
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "EEXIST") return false;
    throw error;
  }
  try {
    writeFileSync(fd, JSON.stringify({ pid: process.pid, started: startOf(process.pid) } satisfies Owner));
  } finally {
    closeSync(fd);
  }
  return true;
}

function readOwner(path: string): Owner | undefined {
  try {
    const value: unknown = JSON.parse(readFileSync(path, "utf8"));
    if (
      typeof value === "object" &&
      value !== null &&
      "pid" in value &&
      typeof value.pid === "number" &&
      "started" in value &&
      typeof value.started === "string"
    )
      return { pid: value.pid, started: value.started };
  } catch (error) {
    // An empty or half-written file belongs to a process that died while taking the lock.
    if (!(error instanceof SyntaxError) && !isMissing(error)) throw error;
  }
  return undefined;
}

function isAlive(owner: Owner): boolean {
  try {
    process.kill(owner.pid, 0);
  } catch (error) {
    // EPERM: it lives and belongs to somebody else.
    if (error instanceof Error && "code" in error && error.code === "ESRCH") return false;
  }
  return startOf(owner.pid) === owner.started;
}

/** Field 22 of /proc/PID/stat; empty where there is no /proc. @see proc(5) */
function startOf(pid: number): string {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    return stat.slice(stat.lastIndexOf(")") + 2).split(" ")[19] ?? "";
  } catch {
    // No /proc (macOS), or the process is gone: the signal test alone decides.
    return "";
  }
}
