/** What slash commands find and are shown; what they can do is in `control/actions.ts`. */
import type { InboundMessage } from "./bus.ts";
import type { Millis } from "./base.ts";
import type { Address, Sender } from "./message.ts";

/** What a `/stop` found. */
export interface Stopped {
  readonly stopped: boolean;
  readonly withdrawn: number;
  readonly work: StoppedWork;
}
/** The same by name, each in a few words. */
export interface StoppedWork {
  /** What the person had asked; `""` for a turn that nobody asked for; absent: no turn ran. */
  readonly turn?: string;
  /** Calls that were running. */
  readonly calls: readonly string[];
  /** With their tasks. */
  readonly subagents: readonly string[];
  /** Waiting messages that were taken back. */
  readonly messages: readonly string[];
}
/** A `/link`, and where it came from. */
export interface LinkAsked {
  readonly by: Sender;
  readonly origin: Address;
  /** Of the conversation. */
  readonly session: string;
  readonly chat?: InboundMessage["chat"];
  /** In small letters: `yes`, `no`, or a code. Absent: a code is asked for. */
  readonly word?: string;
}

/** A file of the workspace that strangers had a hand in, as it is now; a directory ends with `/`. */
export interface LabelledFile {
  /** Relative to the workspace. */
  readonly path: string;
  readonly cause?: string;
  readonly at?: Millis;
  readonly bytes?: number;
  /** Of a file: what is vouched for. */
  readonly sha256?: string;
  /** Of a repository: where it was cloned from, as long as nobody said whether it is the operator's or a stranger's. */
  readonly origin?: string;
}
export interface LabelledFiles {
  /** @param paths files, and directories with all that is in them; none: all. For what lies in a labelled directory, that one. Sorted by path. */
  readonly list: (paths?: readonly string[]) => Promise<readonly LabelledFile[]>;
  /** What was shown becomes the operator's, and no other content. */
  readonly endorse: (shown: readonly LabelledFile[], by: string) => Promise<readonly EndorsedFile[]>;
  /** Repositories with an `origin` are a stranger's, and nobody is asked again. */
  readonly disown: (paths: readonly string[]) => Promise<readonly EndorsedFile[]>;
}
/** `changed`: it is not what was shown. `unknown`: nothing is labelled there, or nobody asked whose it is. */
export interface EndorsedFile {
  readonly path: string;
  readonly status: "endorsed" | "disowned" | "changed" | "unknown";
}
