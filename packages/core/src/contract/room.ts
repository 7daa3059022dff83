// What conversations work with that others read than the owner.
import type { Millis } from "./base.ts";
import type { Memory } from "./memory.ts";
import type { Address, ModelRef, Sender } from "./message.ts";
import type { Audience, BoundAgent, GroupManners, PersonId, Role, Speaker } from "./people.ts";
import type { Shares } from "./grant.ts";
import type { ContextBuilder } from "./services.ts";
import type { SessionState } from "./session.ts";
import type { ToolRegistry } from "./tool.ts";

/** All that a turn gets for one audience: nothing in it is anybody else's. */
export interface Room {
  /** None among them opens a file, the memory or a conversation of another room. */
  readonly tools: ToolRegistry;
  /** As `AgentOptions.toolsReady`, for these. Absent: they are there. */
  readonly toolsReady?: (signal: AbortSignal) => Promise<void>;
  readonly context: ContextBuilder;
  /** Absent: what is said there is remembered nowhere. */
  readonly memory?: Memory;
  /** Absolute folder of its files. Absent: it has none, and keeps no long results. */
  readonly workspace?: string;
  /** Others open that folder too: what a tool says to one of them is not kept there. */
  readonly isShared?: boolean;
  /** Absent: that of the home. */
  readonly model?: ModelRef;
  /** Absent: it has no subagents. */
  readonly children?: { readonly tools: ToolRegistry; readonly context: ContextBuilder };
}

/** Agents beside the home itself, as the configuration has them at the moment. */
export interface Agents {
  /** What the next turn of a conversation works with. Undefined: the home itself, as it always did. */
  readonly of: (state: SessionState) => BoundAgent | undefined;
  /** Those that may be chosen where `audience` reads. Absent: there are none at all. */
  readonly names: (audience: Audience | undefined) => readonly string[] | undefined;
}

/** What the household keeps together. */
export interface SharedFiles {
  /** Where a path of a conversation leads in its folder. Undefined: elsewhere. */
  readonly at: (state: SessionState, path: string) => string | undefined;
  /** What stands there. Undefined: nothing. */
  readonly text: (path: string) => Promise<string | undefined>;
}

export interface PeopleOptions {
  readonly speaker: (by: Sender, origin: Address) => Speaker;
  /** Asked at every turn: the rooms are kept by who makes them. `agent`: with what it has, and no more; absent: the home itself. */
  readonly room: (audience: Audience, agent?: string) => Room;
  readonly agents?: Agents;
  /** What is otherwise for who reads there than in the home. */
  readonly settingsOf?: (audience: Audience) => { readonly timeZone?: string };
  /** Who somebody is now; undefined: nobody any more. */
  readonly roleOf: (person: PersonId) => Role | undefined;
  /** Whether a person, or who writes in a guest's chat, is known in a group. */
  readonly isIn: (reader: Audience, group: Audience) => boolean;
  /** Nobody beside the owner has a room: what may be told follows from the rules alone, as it always did. */
  readonly isAlone: () => boolean;
  /** Who reads a chat now; undefined: the owner alone. */
  readonly audienceAt: (to: Address) => Promise<Audience | undefined>;
  /** Who is to read one in which nobody wrote yet. */
  readonly usualAt: (to: Address) => Audience | undefined;
  /** Everybody who has a room, as they are called. */
  readonly persons: () => readonly { readonly person: PersonId; readonly name: string }[];
  /** The private chat of their latest word, on that channel or on any. Undefined: there is none that we may write to. */
  readonly contact: (person: PersonId, channel?: string) => Promise<Address | undefined>;
  readonly shared?: SharedFiles;
  readonly shares?: Shares;
  /** Absent: questions come at any hour, with a sound. `quietUntil`: when the quiet hours end that `at` lies in. `page`: where all of them stand. `unseen`: one stands nowhere else. */
  readonly asked?: {
    readonly quietUntil: (person: PersonId, at: Millis) => Millis | undefined;
    readonly page: () => string | undefined;
    readonly unseen: (question: { readonly id: string; readonly session: string }) => void;
  };
  /** What a group is called, for who is asked about it; never for a model. */ readonly titleOf?: (group: Address) => string | undefined;
  /** Undefined: nobody asked us into this group, and nothing that is said there is read. */
  readonly group: (origin: Address) => GroupManners | undefined;
  /** We are to be there from now on, or no more. @returns false when it is settled otherwise. */
  readonly join: (origin: Address, joins: boolean) => boolean | Promise<boolean>;
}
