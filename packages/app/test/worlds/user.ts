/** Root and an ordinary user, whoever runs the tests. */
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";

export interface User {
  readonly name: "root" | "an ordinary user";
  readonly uid: number;
  readonly gid: number;
  /** Whether files must be given to it. */
  readonly change: boolean;
  /** Root of a namespace: what it gives to its other users, only it can read or remove. */
  readonly isMapped?: true;
}

/** @throws Error when tests of root cannot be run by this user: what to do. */
export function userNamed(name: User["name"]): User {
  const own = { uid: process.getuid?.() ?? -1, gid: process.getgid?.() ?? -1 };
  if (name === "an ordinary user")
    return own.uid === 0 ? { name, ...nobody(), change: true } : { name, ...own, change: false };
  if (own.uid !== 0) {
    // Root of a user namespace that has further users, to one of whom commands are handed.
    const tried = spawnSync("unshare", [...AS_ROOT, "/usr/bin/true"], { encoding: "utf8" });
    if (tried.status !== 0)
      throw new Error(
        `What margay does as root cannot be tried by user ${own.uid}: ${(tried.stderr || String(tried.error)).trim()}. Run the tests as root (sudo npm test), or install uidmap and give the user a range in /etc/subuid and /etc/subgid.`,
      );
  }
  return { name, uid: 0, gid: 0, change: false, ...(own.uid !== 0 && { isMapped: true }) };
}

const AS_ROOT: readonly string[] = ["--user", "--map-root-user", "--map-auto", "--"];

/** The command that runs another as this user. */
export function userCommand(user: User, argv: readonly string[]): readonly [string, ...string[]] {
  const isRoot = process.getuid?.() === 0;
  if (user.uid === 0 && !isRoot) return ["unshare", ...AS_ROOT, ...argv];
  if (user.uid !== 0 && isRoot)
    return ["setpriv", `--reuid=${user.uid}`, `--regid=${user.gid}`, "--clear-groups", "--", ...argv];
  const [program = "", ...rest] = argv;
  return [program, ...rest];
}

function nobody(): Pick<User, "uid" | "gid"> {
  const [, uid, gid] = /^nobody:[^:]*:(\d+):(\d+):/m.exec(readFileSync("/etc/passwd", "utf8")) ?? [];
  return { uid: Number(uid ?? 65_534), gid: Number(gid ?? 65_534) };
}
