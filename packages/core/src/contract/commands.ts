import type { Speaker } from "./people.ts";
import type { Control, InboundMessage } from "./bus.ts";
import type { Millis } from "./base.ts";
import type { Address, Sender } from "./message.ts";
import type { Quarantine } from "./quarantine.ts";
import type { JournalRecord } from "./record.ts";
import type { ServerReviews } from "./server-review.ts";
import type { SavedRules } from "./grant.ts";
import type { Agents } from "./room.ts";
import type { Session } from "./session.ts";

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
/** What slash commands may do: `bus/` parses and answers them, `agent/` does them. */
export interface CommandActions {
  readonly language: () => "en" | "zh-CN";
  /** Our own names behind `@`; another bot's command is not ours. */
  readonly names: readonly string[];
  /** @param also what is committed with the stop, when there is something to stop. */
  readonly stop: (session: Session, by: Sender, also: (done: Stopped) => readonly JournalRecord[]) => Promise<Stopped>;
  /** Ends one subagent, by its number in `/status` or its name. @returns its name; undefined when there is no such one. */
  readonly stopOne: (session: Session, which: string) => Promise<string | undefined>;
  /** @param also what is committed with it: a command that comes again after a crash must find itself done. */
  readonly clear: (session: Session, by: Sender, also: () => readonly JournalRecord[]) => Promise<void>;
  /** MEMORY.md; undefined when no memory is kept. */
  readonly memory: (session: Session) => Promise<string | undefined>;
  /** Puts what was said into memory now, beside the conversation. */
  readonly compact: (session: Session) => "started" | "nothing" | "off";
  readonly resolve: (session: Session, action: Extract<Control, { type: "allow" | "deny" }>, by: Sender, also: () => readonly JournalRecord[]) => Promise<boolean>;
  readonly status: (session: Session) => string;
  /** Without a name the current one; undefined when there is no such model. */
  readonly model: (session: Session, name: string | undefined) => Promise<string | undefined>;
  readonly persona: (session: Session, name: string | undefined) => Promise<string | undefined>;
  /** Absent: there is nothing but the home itself. */
  readonly agents?: Agents;
  /** The usable skills; with a name that one is put before the next message. Absent: there are none. */
  readonly skill?: (session: Session, name: string | undefined, by: Sender) => Promise<SkillAnswer>;
  /** Stops every session and pauses the schedules. @returns how many sessions had work. */
  readonly stopAll: (by: Sender) => Promise<number>;
  /** Takes the emergency stop back. @returns false when it was not on. */
  readonly resume: (by: Sender) => boolean;
  /** Files that count as strangers' text, and vouching for them. Absent: none are known. */
  readonly files?: LabelledFiles;
  /** MCP servers, and what they say of themselves. Absent: there are none. */
  readonly servers?: ServerReviews;
  /** Absent: there are none. */
  readonly rules?: Pick<SavedRules, "list" | "remove">;
  /** What commands left behind and was kept aside. Absent: nothing is. */
  readonly quarantine?: Quarantine;
  /** One line per job; undefined when no jobs are kept. */
  readonly jobs: (session: Session) => Promise<readonly string[] | undefined>;
  /** We are in this group from now on, or no more. @returns false when it is settled otherwise. Absent: there are no groups. */
  readonly join?: (origin: Address, joins: boolean) => boolean;
  /** @returns false when nothing would start the process again. */
  readonly restart: () => boolean;
  /** Who the sender is here, by which setting, and how that is changed. Absent: everybody who is admitted is the owner. */
  readonly whoami?: (by: Sender, origin: Address) => string;
  /** For `/link`. Absent: no account can be linked from a chat. */
  readonly link?: (asked: LinkAsked) => Promise<string | undefined>;
  readonly speaker: (by: Sender, origin: Address) => Speaker;
  readonly mayApprove: (by: Sender, origin: Address) => boolean;
  readonly codes: { readonly isLocked: (who: string) => boolean; readonly wrong: (who: string) => void };
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

/** `requested`: it was found. `names`: those that can be used now. */
export interface SkillAnswer {
  readonly requested: boolean;
  readonly names: readonly string[];
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
