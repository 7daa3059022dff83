// Whose rights a confined program has: ours, unless we are root.
import fs from "node:fs";
import { endOfTick } from "../files/files.ts";
import { isInside } from "../files/paths.ts";
import { join, relative, sep } from "node:path";
import { accountNumber, FORMER, isMadeUp } from "./account-numbers.ts";
import { ownHome } from "./own-home.ts";

export interface Account {
  readonly uid: number;
  readonly gid: number;
  /** Whether it is another one than that of this process, so that the program must be handed over. */
  readonly dropped: boolean;
  /** It is nobody's but this workspace's: what counts for the user counts for the workspace. Absent: somebody's. */
  readonly own?: {
    /** Of workspaces within this one, whose files stay theirs. */
    readonly within: ReadonlySet<number>;
  };
}

/** Where giving everything to another user would break the machine, or root's own way into it. */
const ROOTS_OWN = ["/etc", "/var", "/boot", "/home", "/root"] as const;

/** Whether root's workspace cannot be given away: it holds what is root's, or lies in the system. */
export function mustStayRoots(workspace: string): boolean {
  return (
    [...ROOTS_OWN, ownHome()].some((path) => isInside(workspace, path)) ||
    ["/etc", "/boot", "/usr", "/dev", "/proc", "/sys"].some((path) => isInside(path, workspace))
  );
}

/**
 * @param own The user id of this process.
 * @param directory Of the state, where the numbers are kept that root's workspaces have.
 * @returns a string when there is none, as `{fact}. Next: {step}`.
 */
export async function accountFor(
  workspace: string,
  own: { readonly uid: number; readonly gid: number },
  directory: string,
): Promise<Account | string> {
  if (own.uid !== 0) return { ...own, dropped: false };
  // Not there yet: then it will be root's.
  const { uid, gid } = fs.statSync(workspace, { throwIfNoEntry: false }) ?? own;
  if (uid !== 0 && !isMadeUp(uid)) return { uid, gid, dropped: true };
  const given = await accountNumber(directory, workspace);
  if (typeof given === "string") return given;
  return { uid: given.uid, gid: given.uid, dropped: true, own: { within: given.within } };
}

/**
 * Gives a workspace that was another account's of ours, all of it, before the first program runs in it: it was moved or copied,
 * or is from a time when all workspaces had one account.
 */
export async function takeOver(workspace: string, account: Account): Promise<void> {
  const owner = fs.statSync(workspace, { throwIfNoEntry: false })?.uid ?? 0;
  if (account.own !== undefined && owner !== 0 && owner !== account.uid) await giveAll(workspace, account);
}

/** Of another place that a program may write to, what had the account of that time, when the place itself had it: nothing else. */
export async function takeFormer(place: string, account: Account): Promise<void> {
  const owner = fs.statSync(place, { throwIfNoEntry: false })?.uid;
  if (account.own !== undefined && owner === FORMER) await giveAll(place, account, (uid) => uid === FORMER);
}

/** Its top is given last: what is interrupted begins anew. */
async function giveAll(top: string, account: Account, isGiven?: (uid: number) => boolean): Promise<void> {
  const directories = [top];
  for (let at = 0; at < directories.length; at += 1) {
    if (at % PAUSE_AFTER === PAUSE_AFTER - 1) await endOfTick();
    directories.push(...foldersIn(directories[at] ?? top));
  }
  for (const directory of directories.toReversed()) handOver(top, directory, account, isGiven);
}

/** Other work gets a turn in between. */
const PAUSE_AFTER = 250;

function foldersIn(directory: string): readonly string[] {
  try {
    const entries = fs.readdirSync(directory, { withFileTypes: true });
    return entries.filter((entry) => entry.isDirectory()).map(({ name }) => join(directory, name));
  } catch {
    return []; // it went
  }
}

/**
 * Gives what belongs to root in one directory of the workspace, and the directory itself, to the account; also what belongs to
 * another account of ours. Steps over links and never follows one: a program that runs there already may be exchanging names.
 */
export function handOver(
  workspace: string,
  directory: string,
  account: Account,
  isGiven: (uid: number) => boolean = (uid) => isOurs(uid, account),
): void {
  const names = relative(workspace, directory).split(sep).filter(Boolean);
  const opened = [openDirectory(workspace)];
  try {
    for (const name of names) opened.push(openDirectory(`/proc/self/fd/${opened.at(-1)}/${name}`));
    const fd = opened.at(-1) ?? 0;
    if (isGiven(fs.fstatSync(fd).uid)) fs.fchownSync(fd, account.uid, account.gid);
    for (const name of fs.readdirSync(`/proc/self/fd/${fd}`))
      giveAway(join(`/proc/self/fd/${fd}`, name), account, isGiven);
  } catch {
    // It went, or it became a link: the next look will see it as it is.
  } finally {
    for (const fd of opened) fs.closeSync(fd);
  }
}

function giveAway(path: string, { uid, gid }: Account, isGiven: (uid: number) => boolean): void {
  const stats = fs.lstatSync(path, { throwIfNoEntry: false });
  if (stats === undefined || !isGiven(stats.uid)) return;
  // Another name of root's file may lie outside. No program of ours could give one of its own a name there.
  if (stats.uid === 0 && !stats.isDirectory() && stats.nlink > 1) return;
  if (stats.isFile() || stats.isDirectory() || stats.isSymbolicLink()) fs.lchownSync(path, uid, gid);
}

/** Root's, or what another account of ours left here, unless it is that of a workspace within this one. */
function isOurs(uid: number, { uid: to, own }: Account): boolean {
  return uid === 0 || (own !== undefined && uid !== to && isMadeUp(uid) && !own.within.has(uid));
}

function openDirectory(path: string): number {
  return fs.openSync(path, fs.constants.O_RDONLY | fs.constants.O_DIRECTORY | fs.constants.O_NOFOLLOW);
}
