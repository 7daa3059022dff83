// Linux: bubblewrap around each program, with the workspace as it is at that moment.
import fs from "node:fs";
import { basename, join, relative } from "node:path";
import { systemClock } from "../system/clock.ts";
import { makeDirectory, replaceFile } from "../files/files.ts";
import type { GitIdentity } from "../egress/git-outside.ts";
import { isNamedIn } from "../../lib/whole-word.ts";
import { isInside } from "../files/paths.ts";
import { accountFor, handOver, takeFormer, takeOver, type Account } from "./account.ts";
import { bubblewrapCommand, type BubblewrapOptions } from "./bubblewrap.ts";
import type { Driver, Failing } from "./driver.ts";
import { diagnose, faultOf } from "./faults.ts";
import { findProgram } from "./find-program.ts";
import { createLease, leaseToJson } from "./leases.ts";
import { protect } from "./protection.ts";
import type { ConfinedCommand, SandboxRequest } from "./sandbox.ts";
import { seccompFilter } from "./seccomp.ts";
import type { Surveyor } from "./survey.ts";
import { gitConfig, identityFiles } from "./view.ts";

export interface BubblewrapDriverOptions {
  readonly workspace: string;
  readonly state: string;
  readonly searchPath: string;
  readonly arch?: string;
  readonly programs?: { readonly bwrap?: string; readonly setpriv?: string };
  readonly user?: { readonly uid: number; readonly gid: number };
  readonly git?: () => Promise<GitIdentity>;
}

/** What confines, found once, and what is prepared of it for each account. */
interface Confiner {
  readonly options: BubblewrapDriverOptions;
  /** Where its files are written. */
  readonly directory: string;
  readonly survey: Surveyor;
  readonly filter: Buffer;
  readonly bwrap: string;
  readonly setpriv: string | undefined;
  readonly user: { readonly uid: number; readonly gid: number };
  readonly prepared: Map<string, BubblewrapOptions>;
}

/** Finds its programs once: what appears on PATH later is not looked at. */
export function openBubblewrap(
  options: BubblewrapDriverOptions,
  directory: string,
  survey: Surveyor,
): Driver | Failing {
  const arch = options.arch ?? process.arch;
  const filter = seccompFilter(arch);
  if (filter === undefined) return { failure: faultOf("architecture", arch) };
  const bwrap = findProgram(options.programs?.bwrap ?? "bwrap", options.searchPath, [options.workspace]);
  if (bwrap.status === "missing") return { failure: faultOf("no-bubblewrap") };
  if (bwrap.status === "untrusted") return { failure: faultOf("bubblewrap-in-workspace", bwrap.path) };
  const user = options.user ?? { uid: process.getuid?.() ?? -1, gid: process.getgid?.() ?? -1 };
  const found =
    user.uid === 0
      ? findProgram(options.programs?.setpriv ?? "setpriv", options.searchPath, [options.workspace])
      : undefined;
  if (found !== undefined && found.status !== "found") return { failure: faultOf("no-setpriv") };
  const setpriv = found?.path;
  const confiner = { options, directory, survey, filter, bwrap: bwrap.path, setpriv, user, prepared: new Map() };
  return {
    wrap: async (request) => {
      const workspace = fs.realpathSync(request.workspace);
      if (!isShown({ ...request, workspace }))
        return `${request.directory} is not in the sandbox. Next: use a directory of the workspace ${workspace}`;
      return await wrap(confiner, { ...request, workspace });
    },
    account: async (workspace) => {
      const account = await accountFor(workspace, user, options.state);
      return typeof account === "string" || !account.dropped ? undefined : account.uid;
    },
    diagnose,
  };
}

async function wrap(confiner: Confiner, request: SandboxRequest): Promise<ConfinedCommand | string> {
  const { options, user, survey } = confiner;
  const { workspace } = request;
  const account = await accountFor(request.accountOf ?? workspace, user, options.state);
  if (typeof account === "string") return account;
  const prepared = prepare(confiner, account, request.anonymous === true ? undefined : await options.git?.());
  await takeOver(workspace, account);
  for (const path of request.writable ?? []) await takeFormer(path, account);
  const found = await survey(workspace, account.dropped ? { visit: (path) => handOver(workspace, path, account) } : {});
  // A socket is opened by whoever may write to it.
  if (account.dropped && typeof request.network === "object")
    fs.chownSync(request.network.socket, account.uid, account.gid);
  const protection = protect(workspace, found, {
    inbox: request.inbox === true,
    isNamed: namedBy(request),
    mayConfigure: configuresGit(request),
    labelled: {
      ...(request.labelled ?? { paths: [], traced: true }),
      isMentioned: (path) =>
        isInside(path, request.directory) || request.argv.some((word) => isNamedIn(word, basename(path))),
    },
  });
  const lease = createLease(workspace, found, protection, systemClock().now());
  const { untraced, hidden } = protection;
  return { ...bubblewrapCommand(request, protection.mounts, prepared), lease: leaseToJson(lease), untraced, hidden };
}

/** The files are written for each account: a workspace of another owner is rare, and they are short. */
function prepare(
  { options, directory, filter, bwrap, setpriv, prepared }: Confiner,
  account: Account,
  git: GitIdentity | undefined,
): BubblewrapOptions {
  const key = git === undefined ? `${account.uid}-anonymous` : String(account.uid);
  const known = prepared.get(key);
  if (known !== undefined) return known;
  const files = writeFiles(join(directory, key), filter, account, git ?? {});
  const made = {
    bwrap,
    account,
    state: options.state,
    files,
    node: process.execPath,
    hasGnuEnv: usesGnuEnv(),
    ...(setpriv !== undefined && { setpriv }),
  };
  prepared.set(key, made);
  return made;
}

/** Whether a command speaks of a directory, or is in it. */
function namedBy({ argv, workspace, directory }: SandboxRequest): (path: string) => boolean {
  const words = argv.join(" ");
  return (path) => isInside(path, directory) || words.includes(relative(workspace, path));
}

/** What of git writes to the configuration of a repository, when the program says so. */
function configuresGit({ argv }: SandboxRequest): boolean {
  return argv.some((word) =>
    /\bgit\b[^;&|\n]*\s(?:config|remote|branch|switch|checkout|submodule|push\s+(?:\S+\s+)*(?:-u|--set-upstream))\b/.test(
      word,
    ),
  );
}

/** Told by its text: a program need not be started for it. */
function usesGnuEnv(): boolean {
  try {
    return fs.readFileSync("/usr/bin/env").includes("default-signal");
  } catch {
    return false;
  }
}

function isShown({ workspace, directory, readable, writable }: SandboxRequest): boolean {
  // Its /tmp is another one than the machine's.
  if (directory === "/tmp") return true;
  return [workspace, "/usr", ...(readable ?? []), ...(writable ?? [])].some((root) => isInside(root, directory));
}

function writeFiles(own: string, filter: Buffer, account: Account, git: GitIdentity): BubblewrapOptions["files"] {
  makeDirectory(own);
  const write = (name: string, data: string | Uint8Array): string => {
    const path = join(own, name);
    replaceFile(path, data);
    return path;
  };
  const { passwd, group, hosts } = identityFiles(account.uid, account.gid);
  return {
    filter: write("filter.bpf", filter),
    passwd: write("passwd", passwd),
    group: write("group", group),
    hosts: write("hosts", hosts),
    git: write("gitconfig", gitConfig(git, false)),
    gitDoor: write("gitconfig-door", gitConfig(git, true)),
  };
}
