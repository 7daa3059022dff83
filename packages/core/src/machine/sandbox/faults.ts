// Why there is no sandbox, in words, with the exact repair.
import fs from "node:fs";
import { NO_NUMBER } from "./account-numbers.ts";
import type { SandboxFault } from "./sandbox.ts";

export interface Fault {
  readonly fault: SandboxFault;
  readonly reason: string;
  readonly remedy: string;
  readonly command?: string;
  /** What was found, or what the program said. */
  readonly detail?: string;
}

const CHOOSE = "margay config set workspace PATH";

/** AppArmor of Ubuntu 24.04 and later takes the rights away again unless a profile says `userns`. */
const APPARMOR = `printf 'abi <abi/4.0>,\\ninclude <tunables/global>\\nprofile bwrap /usr/bin/bwrap flags=(unconfined) {\\n  userns,\\n}\\n' | sudo tee /etc/apparmor.d/bwrap && sudo systemctl reload apparmor`;

export function faultOf(fault: SandboxFault, detail = ""): Fault {
  return { fault, ...FAULTS[fault](detail), ...(detail !== "" && { detail }) };
}

type Described = Omit<Fault, "fault" | "detail">;

/** What each fault is and what helps. @param detail What was found, or what the program said. */
const FAULTS: { readonly [Name in SandboxFault]: (detail: string) => Described } = {
  off: () => ({
    reason: "the sandbox is switched off (tools.exec.sandbox is none): every command asks, and nothing is confined",
    remedy: "set it to required",
    command: "margay config set tools.exec.sandbox required",
  }),
  "no-bubblewrap": () =>
    runs({ reason: "bubblewrap (bwrap), which confines commands, is not installed", command: installCommand() }),
  "bubblewrap-in-workspace": (detail) =>
    runs({
      reason: `the only bwrap there is lies in the workspace (${detail}), where a command could have put it`,
      command: installCommand(),
    }),
  "bubblewrap-too-old": (detail) => ({
    reason: `bubblewrap is too old (${detail})`,
    remedy: "install version 0.8 or later",
  }),
  "no-user-namespaces": (detail) =>
    runs({ reason: `this system gives no user namespaces to bubblewrap (${detail})`, command: userNamespaces() }),
  apparmor: (detail) =>
    runs({ reason: `AppArmor keeps bubblewrap from confining commands (${detail})`, command: APPARMOR }),
  container: (detail) => ({
    reason: `this container may not make the namespaces a sandbox is made of (${detail})`,
    // Tried with runc: a /proc of the sandbox's own needs the second; CAP_SYS_ADMIN alone makes bubblewrap refuse.
    remedy:
      "give it that right and run it as a user: --security-opt seccomp=unconfined --security-opt systempaths=unconfined (Podman: unmask=ALL)",
  }),
  "no-setpriv": () =>
    runs({
      reason: "margay runs as root, and setpriv (util-linux), which takes root's rights from commands, is missing",
      command: installCommand("util-linux"),
    }),
  "no-sandbox-exec": (detail) => ({
    reason: `sandbox-exec does not work on this Mac (${detail})`,
    remedy: "see margay doctor",
  }),
  "no-srt": (detail) =>
    runs({
      reason: `tools.exec.sandbox is srt, and there is no srt outside the workspace${detail === "" ? "" : ` (${detail})`}`,
      command: "npm install -g @anthropic-ai/sandbox-runtime",
    }),
  wsl1: () =>
    runs({
      reason: "the first version of WSL cannot confine commands",
      command: "wsl --set-version YOUR-DISTRIBUTION 2",
    }),
  platform: (detail) => ({
    reason: `there is no sandbox for ${detail}`,
    remedy: "run margay on Linux (also WSL 2) or macOS",
  }),
  architecture: (detail) => ({ reason: `there is no system call filter for ${detail}`, remedy: "use x64 or arm64" }),
  workspace: (detail) => ({
    reason: `the workspace ${detail} holds the system itself, or what must stay root's`,
    remedy: "choose another one",
    command: CHOOSE,
  }),
  "workspace-closed": (detail) => ({
    reason: `commands cannot work in the workspace ${detail}`,
    remedy: "choose another one",
    command: CHOOSE,
  }),
  shortage: (detail) => ({
    reason: `the sandbox could not be tested for lack of processes, memory or time (${detail})`,
    remedy: "try again",
  }),
  accounts: (detail) => ({
    reason: `margay runs as root, and each workspace then needs a user id of its own (${detail})`,
    remedy: "run margay as a user",
  }),
  "self-test": (detail) => ({
    reason: `the sandbox failed its own test (${detail})`,
    remedy: "try again, and report it with the output of margay doctor when it happens twice",
  }),
};

/** Whoever owns it may open it; where nothing can be written at all, or somebody else owns it, another one must be chosen. */
export function closedWorkspace(workspace: string): Fault {
  const fault = faultOf("workspace-closed", workspace);
  return mayOpen(workspace) ? { ...fault, ...runs({ ...fault, command: `chmod u+rwx '${workspace}'` }) } : fault;
}

function mayOpen(path: string): boolean {
  try {
    if (![fs.statSync(path).uid, 0].includes(process.getuid?.() ?? -1)) return false;
    fs.accessSync(path, fs.constants.W_OK);
    return true;
  } catch (error) {
    return error instanceof Error && "code" in error && error.code === "EACCES";
  }
}

/** What bubblewrap's last words mean. */
export function diagnose(said: string): Fault {
  const line = lastLine(said);
  if (said.includes(NO_NUMBER)) return faultOf("accounts", NO_NUMBER);
  if (/unknown option/i.test(said)) return faultOf("bubblewrap-too-old", line);
  // EACCES here is AppArmor's: the namespace was made and then has no rights.
  if (/setting up uid map: Permission denied|loopback: Failed RTM_NEWADDR/i.test(said))
    return faultOf("apparmor", line);
  if (/max_\S*namespaces|unprivileged_userns_clone/i.test(said)) return faultOf("no-user-namespaces", line);
  if (/No permissions to creat|Creating new namespace failed|user namespaces/i.test(said))
    return faultOf(isContainer() ? "container" : "no-user-namespaces", line);
  if (/Can't mount proc|Failed to make \/ slave|pivot_root|Operation not permitted|Unexpected capabilities/i.test(said))
    return faultOf("container", line);
  return faultOf("self-test", line === "" ? "no answer" : line);
}

/** Said when the machine had too little of something at that moment, whoever says it: nothing is wrong with the sandbox. */
export function speaksOfShortage(said: string): boolean {
  return SHORTAGE.test(said);
}

/** As the C library and Node.js word EAGAIN, ENOMEM, EMFILE and ENFILE, and as dash and V8 do when they give up. */
const SHORTAGE =
  /\b(?:EAGAIN|ENOMEM|EMFILE|ENFILE)\b|Resource temporarily unavailable|Cannot allocate memory|Too many open files|Cannot fork|out of memory/i;

function runs({ command, reason }: Omit<Described, "remedy"> & { readonly command: string }): Described {
  return { reason, remedy: `run \`${command}\``, command };
}

const INSTALLERS: readonly (readonly [system: RegExp, command: string])[] = [
  [/debian|ubuntu/, "apt-get install -y"],
  [/fedora|rhel|centos/, "dnf install -y"],
  [/arch/, "pacman -S --noconfirm"],
  [/suse/, "zypper install -y"],
  [/alpine/, "apk add"],
];

function installCommand(name = "bubblewrap"): string {
  const system = /^ID(?:_LIKE)?=.*$/gm;
  const names = (readText("/etc/os-release").match(system) ?? []).join(" ");
  const installer = INSTALLERS.find(([pattern]) => pattern.test(names))?.[1] ?? "apt-get install -y";
  return `${process.getuid?.() === 0 ? "" : "sudo "}${installer} ${name}`;
}

function userNamespaces(): string {
  const isDebian = readText("/proc/sys/kernel/unprivileged_userns_clone").trim() === "0";
  return `sudo sysctl -w ${isDebian ? "kernel.unprivileged_userns_clone=1" : "user.max_user_namespaces=15000"}`;
}

function isContainer(): boolean {
  return fs.existsSync("/.dockerenv") || fs.existsSync("/run/.containerenv");
}

export function lastLine(said: string): string {
  return (
    said
      .trim()
      .split("\n")
      .at(-1)
      ?.replace(/^bwrap: /, "")
      .slice(0, 200) ?? ""
  );
}

function readText(path: string): string {
  try {
    return fs.readFileSync(path, "utf8");
  } catch {
    return ""; // not on this system
  }
}
