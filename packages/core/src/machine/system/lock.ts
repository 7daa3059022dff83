/** One process per state directory. */
import { randomBytes } from "node:crypto";
import { linkSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { RuntimeError } from "../../lib/errors/errors.ts";
import { FILE_MODE, makeDirectory, readIfExists } from "../files/files.ts";
import { sha256 } from "./hash.ts";
import { bootId, isAlive, startTimeOf } from "../process/process-tag.ts";

export interface DirectoryLock extends Disposable {
  /** True when the last owner did not release it: it crashed or was killed. */
  readonly unclean: boolean;
  /** And the machine runs since before it began: everything it wrote is there. */
  readonly sameBoot: boolean;
}

interface Owner {
  readonly pid: number;
  /** Start of that process in clock ticks since boot: a reused pid has another one. Empty where there is no /proc. */
  readonly started: string;
  /** Empty after a restart of the machine before which something may be unsettled: see `sameBoot`. */
  readonly boot: string;
}

/** Each is lost to another process that took the lock and released it meanwhile. */
const MAX_ATTEMPTS = 10;

/**
 * Takes the lock or fails at once.
 * @throws RuntimeError `state.locked`, naming the pid of the owner.
 */
export function lockDirectory(directory: string): DirectoryLock {
  makeDirectory(directory);
  const taken = take(join(directory, "lock"));
  switch (taken.status) {
    case "taken":
      return taken;
    case "locked":
      throw new RuntimeError(
        "state.locked",
        `${directory} is used by process ${taken.pid}. Stop it, or choose another MARGAY_HOME.`,
        { details: { pid: taken.pid } },
      );
    case "contended":
      throw new RuntimeError("state.locked", `${directory} is being taken by other processes. Try again.`, {
        retryable: true,
      });
  }
}

/** The pid of the process that holds the lock, if any. */
export function lockOwner(directory: string): number | undefined {
  const owner = ownerIn(readIfExists(join(directory, "lock"))?.toString("utf8") ?? "");
  return owner !== undefined && lives(owner) ? owner.pid : undefined;
}

type Taken =
  | ({ readonly status: "taken" } & DirectoryLock)
  | { readonly status: "locked"; readonly pid: number }
  | { readonly status: "contended" };

/**
 * A lock file appears whole, with its owner in it, and is never removed but by that owner. What a dead one left is
 * replaced by whoever holds a second lock, named after the content that is replaced: between "it is dead" and "it is
 * mine" another starter may have replaced it, and then it says something else.
 */
function take(path: string): Taken {
  const id = randomBytes(6).toString("hex");
  const contentOf = (boot: string): string =>
    JSON.stringify({ pid: process.pid, started: startedAt(process.pid), boot, id });
  let content = contentOf(bootId());
  const own = `${path}.${id}.tmp`;
  const held = (unclean: boolean, sameBoot: boolean): Taken => ({
    status: "taken",
    unclean,
    sameBoot,
    [Symbol.dispose]: () => {
      if (readIfExists(path)?.toString("utf8") === content) rmSync(path, { force: true });
    },
  });
  try {
    writeFileSync(own, content, { flag: "wx", mode: FILE_MODE }); // on a full disk an empty one is left
    for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
      if (linked(own, path)) return held(false, false);
      const found = readIfExists(path)?.toString("utf8");
      if (found === undefined) continue; // released since
      const owner = ownerIn(found);
      if (owner !== undefined && lives(owner)) return { status: "locked", pid: owner.pid };
      const right = take(`${path}.${sha256(found).slice(0, 12)}`);
      if (right.status !== "taken") return right;
      using _right = right;
      if (readIfExists(path)?.toString("utf8") !== found) continue;
      const sameBoot = owner !== undefined && owner.boot !== "" && owner.boot === bootId();
      if (!sameBoot) writeFileSync(own, (content = contentOf("")));
      renameSync(own, path);
      return held(true, sameBoot);
    }
    return { status: "contended" };
  } finally {
    rmSync(own, { force: true });
  }
}

function linked(from: string, to: string): boolean {
  try {
    linkSync(from, to);
    return true;
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "EEXIST") return false;
    throw error;
  }
}

/** Undefined for what no owner writes: a power cut may leave an empty file. */
function ownerIn(content: string): Owner | undefined {
  try {
    const value: unknown = JSON.parse(content);
    if (
      typeof value === "object" &&
      value !== null &&
      "pid" in value &&
      typeof value.pid === "number" &&
      "started" in value &&
      typeof value.started === "string"
    )
      return {
        pid: value.pid,
        started: value.started,
        boot: "boot" in value && typeof value.boot === "string" ? value.boot : "",
      };
  } catch {
    // Not JSON.
  }
  return undefined;
}

function lives(owner: Owner): boolean {
  return isAlive(owner.pid) && startedAt(owner.pid) === owner.started;
}

function startedAt(pid: number): string {
  return startTimeOf(pid) ?? ""; // no /proc (macOS): the signal test alone decides
}
