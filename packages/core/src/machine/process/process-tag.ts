// Finds and ends everything a command left running, whatever its parent, session, descriptors or environment became.
//
// The tag is a resource limit that Linux keeps for compatibility and never enforces: "Max file locks" (RLIMIT_LOCKS).
// Limits are inherited through fork and exec, survive `setsid`, double forks and `env -i`, cannot be raised again without
// CAP_SYS_RESOURCE, and show in no environment. Read back from /proc/PID/limits, which needs no permission.
import { never } from "../../lib/async/never.ts";
import { randomInt } from "node:crypto";
import fs from "node:fs";
import { systemClock } from "../system/clock.ts";

/** `ulimit` refuses to raise a hard limit, so a tag inside a tagged process must lie below the one it inherited. */
const LARGEST_TAG = 2 ** 48 - 1;
/** A pid cannot wrap around in less: 32,768 forks take longer on any machine. */
const PID_WRAP_MS = 2_000;
const KILL_ROUND_MS = 20;
/** Processes of others end too: on a busy machine the search must come to an end. */
const MAX_ENDED = 1_000;

/** A number no other running command carries. */
export function newProcessTag(): number {
  const inherited = hardLimit(readText("/proc/self/limits"));
  const below = Math.min(inherited ?? LARGEST_TAG, LARGEST_TAG);
  return randomInt(Math.floor(below / 2), below);
}

/** What limits the search: the process everything tagged descends from, and how long it has been there. */
export interface TagSearch {
  readonly tag: number;
  readonly after?: { readonly pid: number; readonly elapsedMs: number };
}

interface Seen {
  /** Pids that carry the tag; zombies (already ended, not yet reaped by their parent) are left out. */
  readonly alive: readonly number[];
  /** Listed, and ended when it was looked at: what it forked meanwhile may be missing in the list. */
  readonly ended: readonly number[];
}

function look(search: TagSearch): Seen {
  const first = firstPid(search);
  const alive: number[] = [];
  const ended: number[] = [];
  for (const name of procEntries()) {
    const pid = Number(name);
    if (!(pid > first)) continue; // not a number, or older than the command
    const limits = readText(`/proc/${name}/limits`);
    if (limits === undefined) ended.push(pid);
    else if (hardLimit(limits) === search.tag) (isZombie(pid) ? ended : alive).push(pid);
  }
  return { alive, ended };
}

/**
 * Ends everything tagged: SIGTERM, then SIGKILL to what is left after `graceMs`, again and again until nothing is.
 * @returns false when something refused to die within 5 s of the first SIGKILL (uninterruptible disk wait).
 */
export async function killTagged(search: TagSearch, graceMs: number): Promise<boolean> {
  // Processes die in real time, whatever clock the caller lives by; and killing must not be cut short.
  const clock = systemClock();
  const unending = never();
  const startedAt = clock.monotonic();
  const asked = new Set<number>();
  const gone = new Set<number>();
  for (;;) {
    const { alive, ended } = look(search);
    const news = ended.some((pid) => !gone.has(pid));
    for (const pid of ended) gone.add(pid);
    if (alive.length === 0) {
      if (news && gone.size < MAX_ENDED) continue;
      return true;
    }
    const waited = clock.monotonic() - startedAt;
    if (waited > graceMs + 5_000) return false;
    for (const pid of alive) {
      if (waited >= graceMs) sendSignal(pid, "SIGKILL");
      else if (!asked.has(pid)) sendSignal(pid, "SIGTERM");
      asked.add(pid);
    }
    await clock.sleep(KILL_ROUND_MS, unending);
  }
}

/** Whether the process can be signalled or at least exists. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return !isZombie(pid);
  } catch (error) {
    return error instanceof Error && "code" in error && error.code === "EPERM";
  }
}

/** Start time in clock ticks since boot: with the pid and the boot id it names a process for ever. */
export function startTimeOf(pid: number): string | undefined {
  return startTimeField(afterName(readText(`/proc/${pid}/stat`)));
}

/** Field 22 of /proc/PID/stat, given the fields after the parenthesised name. @see proc_pid_stat(5) */
export function startTimeField(fields: string | undefined): string | undefined {
  return fields?.split(" ")[19];
}

export function bootId(): string {
  return readText("/proc/sys/kernel/random/boot_id")?.trim() ?? "";
}

export function sendSignal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch {
    // It ended first: that is what was wanted.
  }
}

function firstPid(search: TagSearch): number {
  const { after } = search;
  if (after === undefined || after.elapsedMs > PID_WRAP_MS) return 0;
  // The last number of /proc/loadavg is the newest pid: below ours, the numbers have wrapped around since.
  const newest = Number(readText("/proc/loadavg")?.trim().split(" ").at(-1));
  return newest >= after.pid ? after.pid : 0;
}

function procEntries(): readonly string[] {
  try {
    return fs.readdirSync("/proc");
  } catch {
    return []; // no /proc (macOS): callers fall back to the process group
  }
}

function hardLimit(limits: string | undefined): number | undefined {
  const hard = limits === undefined ? undefined : /^Max file locks +\S+ +(\d+)/m.exec(limits)?.[1];
  return hard === undefined ? undefined : Number(hard);
}

function isZombie(pid: number): boolean {
  return /^[ZX]/.test(afterName(readText(`/proc/${pid}/stat`)) ?? "");
}

function afterName(stat: string | undefined): string | undefined {
  return stat?.slice(stat.lastIndexOf(")") + 2);
}

function readText(path: string): string | undefined {
  try {
    return fs.readFileSync(path, "latin1");
  } catch {
    return undefined; // the process is gone, or there is no /proc
  }
}
