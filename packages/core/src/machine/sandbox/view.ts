// What a confined program sees of the machine: programs and libraries, nine files of /etc, and nothing of anybody's.
import fs from "node:fs";
import { basename, dirname, isAbsolute, join } from "node:path";
import { GIT_DOOR } from "../egress/git-target.ts";
import type { GitIdentity } from "../egress/git-outside.ts";
import { isInside } from "../files/paths.ts";

/** Merged-usr: links on new systems, real directories on old ones. */
const ROOT_FOLDERS = ["bin", "sbin", "lib", "lib32", "lib64", "libx32"] as const;
/** Systems that keep their programs elsewhere. */
const STORES = ["/nix/store", "/gnu/store"] as const;
/** Six of nine: passwd, group and hosts are ours. The other places of certificates are those of Fedora. */
const ETC = [
  "alternatives",
  "ld.so.cache",
  "localtime",
  "nsswitch.conf",
  "os-release",
  "ssl/certs",
  "ssl/openssl.cnf",
  "pki/tls/certs",
  "pki/ca-trust/extracted",
] as const;

/** Arguments for bubblewrap. */
export function systemView(): readonly string[] {
  return [
    ...["--ro-bind", "/usr", "/usr"],
    ...ROOT_FOLDERS.flatMap((name) => {
      const stats = fs.lstatSync(`/${name}`, { throwIfNoEntry: false });
      if (stats === undefined) return [];
      return stats.isSymbolicLink()
        ? ["--symlink", fs.readlinkSync(`/${name}`), `/${name}`]
        : ["--ro-bind", `/${name}`, `/${name}`];
    }),
    ...[...STORES, ...ETC.map((name) => `/etc/${name}`)]
      .filter((path) => fs.existsSync(path))
      .flatMap((path) => {
        const real = fs.realpathSync(path);
        // Each mount costs time: a link to what is shown anyway stays one.
        return [...parents(path), ...(isInside("/usr", real) ? ["--symlink", real, path] : ["--ro-bind", path, path])];
      }),
  ];
}

/** Directories on the way to a place, made beforehand: bubblewrap would let only root pass through its own. */
export function parents(path: string): readonly string[] {
  const made: string[] = [];
  for (let parent = dirname(path); parent !== "/"; parent = dirname(parent)) made.unshift("--dir", parent);
  return made;
}

/**
 * Places of programs outside the system that PATH names, such as those of a version manager: `…/bin` and the `lib` beside it.
 * @param hidden Places that must not be shown this way: the workspace is shown anyway, the state never.
 */
export function programFolders(searchPath: string, hidden: readonly string[]): readonly string[] {
  const folders = new Set<string>();
  for (const folder of searchPath.split(":")) {
    if (!isAbsolute(folder) || !["bin", "sbin"].includes(basename(folder))) continue;
    for (const path of [folder, join(dirname(folder), "lib")]) {
      const real = realDirectory(path);
      if (real === undefined || isSystem(real) || hidden.some((one) => isInside(one, real) || isInside(real, one)))
        continue;
      folders.add(real);
      folders.add(path);
    }
  }
  return [...folders];
}

function isSystem(path: string): boolean {
  return ["/usr", "/tmp", "/run", "/dev", "/proc", "/etc", ...STORES, ...ROOT_FOLDERS.map((name) => `/${name}`)].some(
    (root) => isInside(root, path),
  );
}

function realDirectory(path: string): string | undefined {
  try {
    const real = fs.realpathSync(path);
    return fs.statSync(real).isDirectory() ? real : undefined;
  } catch {
    return undefined; // not there
  }
}

/** passwd, group and hosts with one user, so that nobody's name is told and every program finds its own. */
export function identityFiles(uid: number, gid: number): Readonly<Record<"passwd" | "group" | "hosts", string>> {
  const root = uid === 0 ? "" : "root:x:0:0:root:/nonexistent:/usr/sbin/nologin\n";
  const rootGroup = gid === 0 ? "" : "root:x:0:\n";
  return {
    passwd: `${root}margay:x:${uid}:${gid}:margay:/run/home:/bin/sh\nnobody:x:65534:65534:nobody:/nonexistent:/usr/sbin/nologin\n`,
    group: `${rootGroup}margay:x:${gid}:\nnogroup:x:65534:\n`,
    hosts: "127.0.0.1 localhost\n::1 localhost\n",
  };
}

/** In place of ssh for git: it has no keys in the sandbox and no way out of it. */
const NO_SSH =
  'echo "margay: git over ssh does not leave the sandbox. Next: use the https address of the repository." >&2; exit 1; :';

/**
 * For git in place of the user's: our setting an access time back moves the change time, and would make git read every such file;
 * nothing is packed unasked, since what a pack holds is known by its text alone; and the workspace may be another account's.
 * @param door Whatever git would ask over https or ssh it asks of our proxy, which knows the operator's passwords.
 */
export function gitConfig(
  { name = "margay", email = "margay@localhost", branch = "main" }: GitIdentity,
  door: boolean,
): string {
  const section = (head: string, ...lines: readonly (readonly [string, string])[]): string =>
    `[${head}]\n${lines.map(([key, value]) => `\t${key} = ${quoted(value)}\n`).join("")}`;
  const way = (base: string, insteadOf: string): string =>
    section(`url "http://${GIT_DOOR}/${base}"`, ["insteadOf", insteadOf]);
  return [
    section("user", ["name", name], ["email", email]),
    section("core", ["trustctime", "false"], ["sshCommand", NO_SSH]),
    // It takes its options as ssh does, so git need not try.
    section("ssh", ["variant", "ssh"]),
    section("gc", ["auto", "0"]),
    section("init", ["defaultBranch", branch]),
    section("safe", ["directory", "*"]),
    ...(door ? [way("", "https://"), way("ssh:", "ssh://git@"), way("scp:", "git@")] : []),
  ].join("");
}

/** @see git, "git-config", Syntax: within quotes only these have a meaning. */
function quoted(value: string): string {
  const text = value.replaceAll(/[\0-\x1f\x7f]/g, " ").replaceAll(/["\\]/g, String.raw`\$&`);
  return `"${text}"`;
}
