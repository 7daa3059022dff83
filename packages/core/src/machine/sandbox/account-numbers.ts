// As root each workspace has a user id of its own, and so has each MCP server: what one of them starts in numbers is no other's
// loss. Given out once and kept, in a list of the state directory.
import fs from "node:fs";
import { join } from "node:path";
import { makeDirectory, openAppend, readIfExists } from "../files/files.ts";
import { sha256 } from "../system/hash.ts";

/** In no range that a distribution or systemd gives out. @see systemd, "Users, Groups, UIDs and GIDs on systemd Systems" */
const FIRST = 60_706;
const COUNT = 272;
/** Of all workspaces, before each had its own. */
export const FORMER = 60_978;

/** Whether it was made up here: nobody who can log in, and no service. */
export function isMadeUp(uid: number): boolean {
  return (uid >= FIRST && uid < FIRST + COUNT) || uid === FORMER;
}

/** What is said when there is none left. */
export const NO_NUMBER: string = `all ${COUNT} user ids for workspaces and MCP servers are given out`;

/** A line of the list. It counts when the number was free, or was `after`'s, as the lines before it say. */
interface Line {
  readonly uid: number;
  readonly path: string;
  /** The workspace whose number it was, which is gone. */
  readonly after?: string;
}

/**
 * Two processes at once get two numbers: each adds a line, and the one that stands first counts.
 * @param directory Of the state, where the list `accounts` lies.
 * @param workspace Without links.
 * @returns the number, and those of workspaces within this one; a string when there is none, as `{fact}. Next: {step}`.
 */
export async function accountNumber(
  directory: string,
  workspace: string,
): Promise<{ readonly uid: number; readonly within: ReadonlySet<number> } | string> {
  makeDirectory(directory);
  const list = join(directory, "accounts");
  const taken = numbersInUse(readText("/etc/passwd"), readText("/etc/subuid"));
  for (;;) {
    const owners = read(list);
    const uid = [...owners].find(([, path]) => path === workspace)?.[0];
    const within = [...owners].filter(([, path]) => path.startsWith(`${workspace}/`)).map(([number]) => number);
    if (uid !== undefined) return { uid, within: new Set(within) };
    const line = propose(workspace, owners, taken);
    if (line === undefined)
      return `${NO_NUMBER}. Next: remove workspaces that nobody needs, whose numbers are then free (${list} names them), or run margay as a user`;
    const file = openAppend(list);
    try {
      // What a process wrote of a line when the machine died is a line of its own.
      file.write(Buffer.from(`\n${JSON.stringify(line)}\n`));
      await file.sync();
    } finally {
      file.release();
    }
  }
}

/** From a place that follows from the path: two state directories rarely give out one number for two workspaces. */
function propose(path: string, owners: ReadonlyMap<number, string>, taken: (uid: number) => boolean): Line | undefined {
  const start = Number.parseInt(sha256(path).slice(0, 8), 16);
  const numbers = Array.from({ length: COUNT }, (_, n) => FIRST + ((start + n) % COUNT)).filter((uid) => !taken(uid));
  const free = numbers.find((uid) => !owners.has(uid));
  if (free !== undefined) return { uid: free, path };
  for (const uid of numbers) {
    const after = owners.get(uid);
    if (after !== undefined && !fs.existsSync(after)) return { uid, path, after };
  }
  return undefined;
}

function read(list: string): ReadonlyMap<number, string> {
  const owners = new Map<number, string>();
  for (const text of (readIfExists(list)?.toString("utf8") ?? "").split("\n")) {
    const line = parse(text);
    if (line === undefined || [...owners.values()].includes(line.path)) continue;
    if (owners.get(line.uid) === line.after) owners.set(line.uid, line.path);
  }
  return owners;
}

function parse(text: string): Line | undefined {
  try {
    return JSON.parse(text) as Line; // written above, in a directory no tool can reach
  } catch {
    return undefined; // empty, or torn
  }
}

/** Somebody may have given them out by hand. */
export function numbersInUse(passwd: string, subuid: string): (uid: number) => boolean {
  const users = new Set(passwd.split("\n").map((line) => Number(line.split(":")[2])));
  const ranges = subuid.split("\n").map((line) => line.split(":").slice(1).map(Number));
  return (uid) => users.has(uid) || ranges.some(([from = Infinity, count = 0]) => uid >= from && uid < from + count);
}

function readText(path: string): string {
  return readIfExists(path)?.toString("utf8") ?? "";
}
