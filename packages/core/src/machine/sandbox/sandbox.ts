// What a sandbox is to those who start programs in it: `exec` and MCP servers.
import type { JsonObject, Millis } from "../../contract/base.ts";
import type { GitIdentity } from "../egress/git-outside.ts";
import type { Hidden, LabelledPaths } from "./masks.ts";
import type { LeftReport } from "./quarantine/keeper.ts";
import type { KeptAside } from "./quarantine/store.ts";

export type SandboxKind = "bubblewrap" | "seatbelt" | "srt" | "none";

/** Why there is no sandbox: one code for each cause, so that each can be named, repaired and tested. */
export type SandboxFault =
  | "off"
  | "no-bubblewrap"
  | "bubblewrap-in-workspace"
  | "bubblewrap-too-old"
  | "no-user-namespaces"
  | "apparmor"
  | "container"
  | "no-setpriv"
  | "no-sandbox-exec"
  | "no-srt"
  | "wsl1"
  | "platform"
  | "architecture"
  | "workspace"
  | "workspace-closed"
  | "shortage"
  | "accounts"
  | "self-test";

/** Whether programs can be confined now. `ok: false`: nothing is started, unless the operator chose `none`. */
export interface SandboxStatus {
  readonly kind: SandboxKind;
  readonly ok: boolean;
  readonly fault?: SandboxFault;
  /** One sentence without its period. */
  readonly reason?: string;
  /** What to do, as the end of a sentence that begins with "Next: ". */
  readonly remedy?: string;
  /** What was found, or what the sandbox's program said: part of `reason`. */
  readonly detail?: string;
  /** The remedy as a command line, when it is one. */
  readonly command?: string;
  /** When this was found out; cached for the process, and looked at again after a while when it was bad. */
  readonly testedAt: Millis;
}

/** A program to confine. Paths are absolute and without links. */
export interface SandboxRequest {
  /** Writable, at its own path. */
  readonly workspace: string;
  /** The workspace whose account the program gets, for it is to see its files. Default: `workspace`. */
  readonly accountOf?: string;
  /** The directory to start in: the workspace, or one of the other places that are shown. */
  readonly directory: string;
  readonly argv: readonly [string, ...string[]];
  /** The whole environment; HOME is replaced by a place inside. */
  readonly environment: Readonly<Record<string, string>>;
  /** More places to show. The state directory is never shown, even when it lies in one of them. */
  readonly readable?: readonly string[];
  readonly writable?: readonly string[];
  readonly labelled?: LabelledPaths;
  /** Whether `inbox/` of the workspace, where files of strangers land, is shown. Default: no. */
  readonly inbox?: boolean;
  /**
   * `none` (the default): only a loopback of its own. `socket`: a Unix socket of our egress proxy, shown as
   * {@link EGRESS_SOCKET}; HTTP(S)_PROXY of the program lead there. `git`: behind it is the door for git too.
   */
  readonly network?: "none" | { readonly socket: string; readonly git?: boolean };
  /** It makes commits in margay's name, and finds the operator's nowhere. Default: no. */
  readonly anonymous?: boolean;
}

/** The proxy's socket as the confined program sees it. */
export const EGRESS_SOCKET = "/run/egress.sock";

/**
 * What to start instead. Its first process does not hear SIGTERM, so that the program can clean up when it is asked to end;
 * SIGKILL on it ends everything at once.
 */
export interface ConfinedCommand {
  readonly argv: readonly [string, ...string[]];
  readonly environment: Readonly<Record<string, string>>;
  /** For `hold`, in this process or a later one; small. */
  readonly lease: JsonObject;
  /** Of `labelled`: those that are shown where a read leaves no trace. Absent: none. */
  readonly untraced?: readonly string[];
  /** Of `labelled`, where no read leaves a trace: those that are not shown, or a directory around some. Absent: none. */
  readonly hidden?: readonly Hidden[];
}

/** A confined program that runs. */
export interface SandboxHold extends Disposable {
  /** Resolves with a sentence when the program must be ended because it took too much. */
  readonly exceeded: Promise<string>;
}

/** What a confined program leaves behind is looked after. */
export interface LeftWatch {
  /** Looks for the last time: nothing of the program runs any more, or none of its work is expected. Does not throw. */
  end(): Promise<LeftReport>;
}

export interface Sandbox {
  /** Tests the sandbox at the first call: a planted file and planted sockets outside must be out of reach. Never throws. */
  status(): Promise<SandboxStatus>;
  /** @returns a string instead of a command: why it may not start, as `{fact}. Next: {step}`. */
  wrap(request: SandboxRequest): Promise<ConfinedCommand | string>;
  /**
   * Watches what the program takes. Dispose when nothing of it runs any more.
   * @param pid The process that was started.
   */
  hold(lease: JsonObject, pid: number): Promise<SandboxHold>;
  /**
   * From now on what the program leaves in the workspace that runs by itself outside of the sandbox, or steers the agent, is
   * kept aside. Each is ended.
   * @param since Of a program that waits for work: when it got some. Default: since it was started.
   */
  keepAside(lease: JsonObject, since?: Millis): Promise<LeftWatch>;
  /** Before margay itself, or a tool that a person allowed, writes to the workspace: no program did that. @param path Below it, or absolute. */
  writing(path: string, at?: Millis): void;
  /** @returns the user id that programs of a workspace get; undefined: that of this process, or none, for they do not run. */
  account(workspace: string): Promise<number | undefined>;
}

export interface SandboxOptions {
  /** `tools.exec.sandbox`. */
  readonly mode: "required" | "srt" | "none";
  readonly workspace: string;
  /** The state directory: never shown to a program. */
  readonly state: string;
  /** Told of each thing that was kept aside. */
  readonly kept?: (item: KeptAside) => void;
  /** Where the sandbox's own programs are looked for. */
  readonly searchPath: string;
  /** The machine; for tests, what it says it is. */
  readonly platform?: string;
  readonly release?: string;
  readonly arch?: string;
  /** The programs' names, for a machine on which they are missing. */
  readonly programs?: { readonly bwrap?: string; readonly setpriv?: string };
  /** Whose commits confined programs make. Asked once. Absent: margay's. */
  readonly git?: () => Promise<GitIdentity>;
  /** Of this process. */
  readonly user?: { readonly uid: number; readonly gid: number };
}

/** `{fact}. Next: {step}`, without a period. */
export function faultText({ reason, remedy }: SandboxStatus): string {
  return `${reason ?? "there is no sandbox"}. Next: ${remedy ?? "see `margay doctor`"}`;
}
