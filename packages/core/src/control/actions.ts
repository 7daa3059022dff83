/** What slash commands can do: `commands.ts` reads and answers them, the agent does them. */
import type { Control } from "../contract/bus.ts";
import type { LabelledFiles, LinkAsked, Stopped } from "../contract/commands.ts";
import type { SavedRules } from "../contract/grant.ts";
import type { Address, Sender } from "../contract/message.ts";
import type { Speaker } from "../contract/people.ts";
import type { Quarantine } from "../contract/quarantine.ts";
import type { JournalRecord } from "../contract/record.ts";
import type { Agents, PeopleOptions } from "../contract/room.ts";
import type { ServerReviews } from "../contract/server-review.ts";
import type { Session } from "../contract/session.ts";

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
  readonly resolve: (
    session: Session,
    action: Extract<Control, { type: "allow" | "deny" }>,
    by: Sender,
    also: () => readonly JournalRecord[],
  ) => Promise<boolean>;
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
  readonly resume: (by: Sender) => Promise<boolean>;
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
  readonly join?: (origin: Address, joins: boolean) => boolean | Promise<boolean>;
  /** @returns false when nothing would start the process again. */
  readonly restart: () => boolean;
  /** Who the sender is here, by which setting, and how that is changed. Absent: everybody who is admitted is the owner. */
  readonly whoami?: (by: Sender, origin: Address) => string;
  readonly people?: Pick<PeopleOptions, "isAlone" | "persons" | "shares">;
  /** For `/link`. Absent: no account can be linked from a chat. */
  readonly link?: (asked: LinkAsked) => Promise<string | undefined>;
  readonly speaker: (by: Sender, origin: Address) => Speaker;
  readonly mayApprove: (by: Sender, origin: Address) => boolean;
  readonly codes: { readonly isLocked: (who: string) => boolean; readonly wrong: (who: string) => void };
}

/** `requested`: it was found. `names`: those that can be used now. */
export interface SkillAnswer {
  readonly requested: boolean;
  readonly names: readonly string[];
}
