// The arguments of bubblewrap: a machine of its own, in which nothing is there that was not put there.
import fs from "node:fs";
import { isInside } from "../files/paths.ts";
import type { Account } from "./account.ts";
import { FORWARDER, FORWARDER_PORT } from "./forwarder.ts";
import { DEAF, HEARING, innerScript, LIMITS, OUTER } from "./launch-script.ts";
import type { Mount } from "./mounts.ts";
import { EGRESS_SOCKET, type SandboxRequest } from "./sandbox.ts";
import { parents, programFolders, systemView } from "./view.ts";

export interface BubblewrapOptions {
  readonly bwrap: string;
  /** Only where the account is not ours. */
  readonly setpriv?: string;
  readonly account: Account;
  /** The state directory: never shown. */
  readonly state: string;
  readonly hasGnuEnv: boolean;
  /** Prepared files of the state directory. */
  readonly files: Readonly<Record<"filter" | "passwd" | "group" | "hosts" | "git" | "gitDoor", string>>;
  /** A Node.js that runs the forwarder, and any other program to show. */
  readonly node: string;
}

const HOME = "/run/home";
/** In place of `~/.gitconfig`. */
const GIT = "/run/gitconfig";

/** Pure but for a look at which folders the machine has. */
export function bubblewrapCommand(
  request: SandboxRequest,
  mounts: readonly Mount[],
  options: BubblewrapOptions,
): { readonly argv: readonly [string, ...string[]]; readonly environment: Readonly<Record<string, string>> } {
  const { files, account } = options;
  const { socket, git = false } = typeof request.network === "object" ? request.network : {};
  // A user namespace counts for itself, and a user id that is the workspace's own for that alone.
  const others = account.dropped && account.own === undefined ? tasksOfMachine() : 0;
  const inner = innerScript(others);
  const argv = [
    ...[
      "/bin/sh",
      "-c",
      options.hasGnuEnv ? `${DEAF}${OUTER}` : OUTER,
      "margay-sandbox",
      files.filter,
      files.passwd,
      files.group,
      files.hosts,
      git ? files.gitDoor : files.git,
      options.bwrap,
    ],
    ...isolation(account),
    ...systemView(),
    ...["--perms", "0444", "--file", "8", "/etc/passwd"],
    ...["--perms", "0444", "--file", "7", "/etc/group"],
    ...["--perms", "0444", "--file", "6", "/etc/hosts"],
    ...["--proc", "/proc", "--dev", "/dev"],
    ...temporary("1777", LIMITS.sharedBytes, "/dev/shm"),
    ...temporary("1777", LIMITS.temporaryBytes, "/tmp"),
    ...temporary("0755", LIMITS.runBytes, "/run"),
    ...["--perms", "0444", "--file", "5", GIT],
    ...["--perms", "0777", "--dir", HOME, "--symlink", "/tmp", "/var/tmp"],
    ...places(request, options),
    // For each bind bubblewrap reads the list of all mounts: those that it need not read it for come last.
    ...mounts.filter(({ kind }) => kind !== "empty").flatMap(bind),
    ...mounts.filter(({ kind }) => kind === "empty").flatMap(({ path }) => temporary("0555", 4_096, path)),
    ...(socket === undefined ? [] : ["--bind", socket, EGRESS_SOCKET, "--ro-bind", options.node, NODE]),
    // Last: mount points are made in them before. Both are in memory, and without a size.
    ...["--remount-ro", "/dev", "--remount-ro", "/"],
    ...["--chdir", "/", "--seccomp", "9", "--"],
    ...(account.dropped ? drop(account, options.setpriv ?? "setpriv") : []),
    ...["/bin/sh", "-c", socket === undefined ? inner : `${FORWARDER}${inner}`, "margay-sandbox", request.directory],
    ...(options.hasGnuEnv ? HEARING : []),
    ...request.argv,
  ];
  const proxy = `http://127.0.0.1:${FORWARDER_PORT}`;
  const environment = {
    ...request.environment,
    HOME,
    GIT_CONFIG_GLOBAL: GIT,
    ...(socket !== undefined && {
      HTTP_PROXY: proxy,
      HTTPS_PROXY: proxy,
      http_proxy: proxy,
      https_proxy: proxy,
      // Its own loopback, which leads nowhere else.
      NO_PROXY: OWN_LOOPBACK,
      no_proxy: OWN_LOOPBACK,
      NODE_USE_ENV_PROXY: "1",
    }),
  };
  return { argv: argv as [string, ...string[]], environment }; // its first element is /bin/sh
}

/** An upper bound of what another user runs already, threads included: the fourth field of /proc/loadavg is running/all. */
function tasksOfMachine(): number {
  return Number(/\/(\d+) /.exec(fs.readFileSync("/proc/loadavg", "latin1"))?.[1] ?? 0);
}

const OWN_LOOPBACK = "localhost,127.0.0.1,::1";
/** Where the forwarder finds its Node.js. */
const NODE = "/run/node";

/**
 * Root needs no user namespace, and leaves no rights: the program is handed to another account with nothing it could take
 * back. Everyone else gets the rights for the mounts from a user namespace, in which no other can be made.
 */
function isolation({ dropped }: Account): readonly string[] {
  const apart = ["--unshare-pid", "--unshare-net", "--unshare-ipc", "--unshare-uts", "--unshare-cgroup-try"];
  const always = ["--hostname", "sandbox", "--die-with-parent", "--new-session", "--cap-drop", "ALL"];
  return dropped ? [...apart, ...always, ...HANDING_OVER] : [...apart, "--unshare-user", "--disable-userns", ...always];
}

const HANDING_OVER = ["CAP_SETUID", "CAP_SETGID", "CAP_SETPCAP"].flatMap((name) => ["--cap-add", name]);

function drop({ uid, gid }: Account, setpriv: string): readonly string[] {
  return [
    ...[setpriv, `--reuid=${uid}`, `--regid=${gid}`, "--clear-groups"],
    ...["--bounding-set=-all", "--inh-caps=-all", "--ambient-caps=-all"],
  ];
}

function temporary(mode: string, bytes: number, path: string): readonly string[] {
  return ["--perms", mode, "--size", String(bytes), "--tmpfs", path];
}

/** Further places, then the state directory out of sight again, then the workspace, which may lie in it. */
function places(request: SandboxRequest, { state }: BubblewrapOptions): readonly string[] {
  const { workspace } = request;
  const readable = [
    ...programFolders(request.environment["PATH"] ?? "", [workspace, state]),
    ...(request.readable ?? []),
  ];
  const writable = request.writable ?? [];
  const hidden = ["/usr", ...readable, ...writable].some((root) => isInside(root, state));
  return [
    ...readable.flatMap((path) => [...parents(path), "--ro-bind", path, path]),
    ...writable.flatMap((path) => [...parents(path), "--bind", path, path]),
    ...(hidden ? ["--perms", "0755", "--tmpfs", state] : []),
    ...parents(workspace),
    ...["--bind", workspace, workspace],
  ];
}

function bind({ kind, path }: Mount): readonly string[] {
  return [kind === "writable" ? "--bind" : "--ro-bind", kind === "nothing" ? "/dev/null" : path, path];
}
