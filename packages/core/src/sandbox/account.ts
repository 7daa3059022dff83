// Whose rights a confined program has: ours, unless we are root (EX11).
import fs from "node:fs";
import { isInside } from "../platform/paths.ts";
import { join, relative, sep } from "node:path";
import { ownHome } from "./own-home.ts";

export interface Account {
  readonly uid: number;
  readonly gid: number;
  /** Whether it is another one than that of this process, so that the program must be handed over. */
  readonly dropped: boolean;
}

/**
 * Used when root runs margay in a workspace that belongs to root. In no range that a distribution or systemd gives out.
 * @see systemd, "Users, Groups, UIDs and GIDs on systemd Systems"
 */
export const DEDICATED = 60_978;

/** Where giving everything to another user would break the machine, or root's own way into it. */
const ROOTS_OWN = ["/etc", "/var", "/boot", "/home", "/root"] as const;

/** Whether root's workspace cannot be given away: it holds what is root's, or lies in the system. */
export function mustStayRoots(workspace: string): boolean {
  return (
    [...ROOTS_OWN, ownHome()].some((path) => isInside(workspace, path)) ||
    ["/etc", "/boot", "/usr", "/dev", "/proc", "/sys"].some((path) => isInside(path, workspace))
  );
}

/** @param own The user id of this process. */
export function accountFor(workspace: string, own: { readonly uid: number; readonly gid: number }): Account {
  if (own.uid !== 0) return { ...own, dropped: false };
  // Not there yet: then it will be root's.
  const { uid, gid } = fs.statSync(workspace, { throwIfNoEntry: false }) ?? own;
  return uid === 0 ? { uid: DEDICATED, gid: DEDICATED, dropped: true } : { uid, gid, dropped: true };
}

/**
 * Gives what belongs to root in one directory of the workspace, and the directory itself, to the account. Steps over links
 * and never follows one: a program that runs there already may be exchanging names.
 */
export function handOver(workspace: string, directory: string, account: Account): void {
  const names = relative(workspace, directory).split(sep).filter(Boolean);
  const opened = [openDirectory(workspace)];
  try {
    for (const name of names) opened.push(openDirectory(`/proc/self/fd/${opened.at(-1)}/${name}`));
    const fd = opened.at(-1) ?? 0;
    if (fs.fstatSync(fd).uid === 0) fs.fchownSync(fd, account.uid, account.gid);
    for (const name of fs.readdirSync(`/proc/self/fd/${fd}`)) giveAway(join(`/proc/self/fd/${fd}`, name), account);
  } catch {
    // It went, or it became a link: the next look will see it as it is.
  } finally {
    for (const fd of opened) fs.closeSync(fd);
  }
}

function giveAway(path: string, { uid, gid }: Account): void {
  const stats = fs.lstatSync(path, { throwIfNoEntry: false });
  if (stats?.uid !== 0) return;
  // Another name of the same file may lie outside.
  if (!stats.isDirectory() && stats.nlink > 1) return;
  if (stats.isFile() || stats.isDirectory() || stats.isSymbolicLink()) fs.lchownSync(path, uid, gid);
}

function openDirectory(path: string): number {
  return fs.openSync(path, fs.constants.O_RDONLY | fs.constants.O_DIRECTORY | fs.constants.O_NOFOLLOW);
}
