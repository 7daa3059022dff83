// macOS: a profile for sandbox-exec. Written after Apple's own profiles and tested on its text only: no Mac was at hand.
import fs from "node:fs";
import { join } from "node:path";
import { NAME_PATTERNS, TOP_NAMES } from "../../lib/paths/runs-later.ts";
import { makeDirectory } from "../files/files.ts";
import { isInside } from "../files/paths.ts";
import type { Driver, Failing } from "./driver.ts";
import { faultOf } from "./faults.ts";
import type { ConfinedCommand, SandboxRequest } from "./sandbox.ts";
import { programFolders } from "./view.ts";

const PROGRAM = "/usr/bin/sandbox-exec";

export interface SeatbeltOptions {
  readonly workspace: string;
  readonly state: string;
  readonly user?: { readonly uid: number; readonly gid: number };
}

export function openSeatbelt(options: SeatbeltOptions): Driver | Failing {
  if (!fs.existsSync(PROGRAM)) return { failure: faultOf("no-sandbox-exec", `${PROGRAM} is missing`) };
  // There is no way to hand the program to another account that has access to the workspace.
  if ((options.user?.uid ?? process.getuid?.()) === 0)
    return { failure: faultOf("no-sandbox-exec", "margay runs as root; start it as a user") };
  const home = join(options.state, "sandbox", "home");
  const confined = (request: SandboxRequest): ConfinedCommand => {
    makeDirectory(home);
    const profile = seatbeltProfile(request, { state: options.state, home });
    return {
      argv: [PROGRAM, "-p", profile, ...request.argv],
      environment: { ...request.environment, HOME: home, TMPDIR: home },
      lease: {},
    };
  };
  return {
    wrap: async (request) => {
      const shown = [request.workspace, ...(request.readable ?? []), ...(request.writable ?? [])];
      return shown.some((root) => isInside(root, request.directory))
        ? confined(request)
        : `${request.directory} is not in the sandbox. Next: use a directory of the workspace ${request.workspace}`;
    },
    account: () => Promise.resolve(undefined),
    diagnose: (said) => faultOf("no-sandbox-exec", said.trim().split("\n").at(-1) ?? ""),
  };
}

/** Programs, libraries and what they read when they start. */
const SYSTEM = [
  "/bin",
  "/sbin",
  "/usr",
  "/System",
  "/Library/Apple",
  "/Library/Developer/CommandLineTools",
  "/Applications/Xcode.app",
  "/opt/homebrew",
  "/private/etc/ssl",
  "/private/var/db/dyld",
  "/private/var/db/timezone",
  "/private/var/select",
];
const SYSTEM_FILES = [
  "/",
  "/private/etc/passwd",
  "/private/etc/group",
  "/private/etc/localtime",
  "/dev/null",
  "/dev/zero",
  "/dev/random",
  "/dev/urandom",
  "/dev/fd",
];
const SERVICES = [
  "com.apple.system.opendirectoryd.libinfo",
  "com.apple.system.opendirectoryd.membership",
  "com.apple.system.notification_center",
  "com.apple.system.logger",
];

/**
 * Pure. Everything is denied that is not named; the last rule that fits decides, so denials of what is in the workspace follow
 * the permission to write to it. A name is denied whether it exists or not, which leaves no trace.
 */
export function seatbeltProfile(
  request: SandboxRequest,
  { state, home }: { readonly state: string; readonly home: string },
): string {
  const { workspace } = request;
  const writable = [workspace, home, ...(request.writable ?? [])];
  const readable = [
    ...SYSTEM,
    ...programFolders(request.environment["PATH"] ?? "", [workspace, state]),
    ...(request.readable ?? []),
  ];
  const below = `^${escape(workspace)}/`;
  const names = NAME_PATTERNS.map((name) => inAnyCase(escape(name)).replaceAll("\\*", "[^/]*"));
  const protectedNames = [
    `${below}(${TOP_NAMES.map((name) => inAnyCase(escape(name))).join("|")})(/|$)`,
    `${below}(.*/)?(${names.join("|")})(/|$)`,
    `${below}(.*/)?(hooks|config|config\\.worktree|commondir)(/|$)`.replace("(.*/)?", "(.*/)?\\.git/(modules/.*/)?"),
  ];
  const socket = typeof request.network === "object" ? request.network.socket : undefined;
  return [
    "(version 1)",
    "(deny default)",
    "(allow process-exec process-fork)",
    "(allow signal (target same-sandbox))",
    "(allow process-info* (target same-sandbox))",
    "(allow sysctl-read)",
    "(allow file-read-metadata)",
    "(allow ipc-posix-sem)",
    `(allow mach-lookup ${SERVICES.map((name) => `(global-name ${quote(name)})`).join(" ")})`,
    `(allow file-read* ${[...SYSTEM_FILES.map(literal), ...readable.map(subpath)].join(" ")})`,
    `(deny file-read* file-write* ${subpath(state)})`,
    `(allow file-read* file-write* ${writable.map(subpath).join(" ")})`,
    `(allow file-write-data ${["/dev/null", "/dev/zero"].map(literal).join(" ")})`,
    `(deny file-write* ${protectedNames.map(regex).join(" ")})`,
    // A repository that is moved away would take its protection along.
    `(deny file-write-unlink ${regex(`${below}(.*/)?\\.git$`)})`,
    ...(request.inbox === true ? [] : [`(deny file-read* file-write* ${subpath(join(workspace, "inbox"))})`]),
    ...(socket === undefined ? [] : [`(allow network-outbound ${literal(socket)})`]),
    "",
  ].join("\n");
}

function subpath(path: string): string {
  return `(subpath ${quote(path)})`;
}

function literal(path: string): string {
  return `(literal ${quote(path)})`;
}

function regex(pattern: string): string {
  return `(regex #${quote(pattern).replaceAll("\\\\", "\\")})`;
}

function quote(text: string): string {
  return `"${text.replaceAll("\\", "\\\\").replaceAll('"', '\\"')}"`;
}

/** The file system of macOS does not tell capitals apart. */
function inAnyCase(pattern: string): string {
  return pattern.replaceAll(/[a-z]/gi, (letter) => `[${letter.toLowerCase()}${letter.toUpperCase()}]`);
}

function escape(text: string): string {
  return text.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&");
}
