/** One moment of a state directory: how long each file is that only grows, and the small ones that are replaced. */
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { isMissing } from "@margay/core/internal";

export interface Cut {
  /** By path below the home: length, at a whole line or behind one that is being written, and number of the file. */
  readonly logs: Readonly<Record<string, readonly [bytes: number, file: number]>>;
  /** Content in base64 by path: replaced at any time. */
  readonly heads: Readonly<Record<string, string>>;
}

/** Neither logs nor state that is replaced lie there, and there may be many files. */
const ELSEWHERE = /(?:^|\/)(?:workspace|blobs|undo|quarantine|plugins|index|control|node_modules)(?:\/|$)/;
const GROWS = /\.(?:journal|jsonl)$/;
/** Where a log ends: however long it is. */
const HEAD = /(?:^|\/)audit\/[^/]+\.json$/;
/** Written behind the journals: where they ended just before is where a kill would have left them. */
const TRANSCRIPT = /^sessions\/[^/]+\.jsonl$/;
/** Settings, people, pairings, logins, the vault. */
const REPLACED = /^(?!sessions\/).*\.json$/;
const SMALL_BYTES = 65_536;

/** @param path Below the home. */
export function isLog(path: string): boolean {
  return GROWS.test(path) && !ELSEWHERE.test(path);
}

/**
 * In one turn of the event loop: in the process that writes there, nothing is written meanwhile. What a process that is
 * killed at this moment would leave. Looking at a file takes some 4 µs: 3,000 conversations some 12 ms, and beyond 10,000 more than 50.
 * @param before `transcriptsOf` it: not looked at again.
 */
export function cutOf(home: string, before: Cut["logs"] = transcriptsOf(home)): Cut {
  const logs: Record<string, readonly [bytes: number, file: number]> = {};
  const heads: Record<string, string> = {};
  const walk = (below: string): void => {
    for (const entry of readdirSync(join(home, below), { withFileTypes: true })) {
      const path = below === "" ? entry.name : `${below}/${entry.name}`;
      if (entry.isFile()) look(path);
      else if (entry.isDirectory() && !ELSEWHERE.test(path)) walk(path);
    }
  };
  const look = (path: string): void => {
    const isLog = GROWS.test(path);
    const isHead = HEAD.test(path);
    if (TRANSCRIPT.test(path) || (!isLog && !isHead && !REPLACED.test(path))) return;
    const { size, ino } = statSync(`${home}/${path}`);
    if (isLog) logs[path] = [size, ino];
    else if (isHead || size <= SMALL_BYTES) heads[path] = readFileSync(join(home, path)).toString("base64");
  };
  for (;;) {
    try {
      walk("");
      return { logs: { ...before, ...logs }, heads };
    } catch (error) {
      if (!isMissing(error)) throw error; // another process removed it meanwhile: looked at anew
    }
  }
}

/** Where each readable transcript ends now. */
export function transcriptsOf(home: string): Cut["logs"] {
  const folder = join(home, "sessions");
  const found = (existsSync(folder) ? readdirSync(folder) : []).flatMap((name) => {
    const path = `sessions/${name}`;
    const stats = TRANSCRIPT.test(path) ? statSync(join(home, path), { throwIfNoEntry: false }) : undefined;
    return stats === undefined ? [] : [[path, [stats.size, stats.ino]] as const];
  });
  return Object.fromEntries(found);
}
