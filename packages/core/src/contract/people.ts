// Whose conversations are whose.

/** Short name of a person, `[a-z][a-z0-9-]{0,31}`; the owner is `owner`. */
export type PersonId = string;
/** Who reads a conversation, when it is not the owner alone: a person, `group:CHANNEL:CHAT`, or `guest` where somebody reads who is none. */
export type Audience = string;
/** Who may read a text: each of them. `by`: whose it is. A text that carries several is for those who are in all of them. */
export interface Readers {
  /** Audiences, with `owner`, `household`, `public` and, of one guest's chat, `guest:CHANNEL:CHAT`. */
  readonly to: readonly Audience[];
  readonly by: PersonId;
}
/** `operator`: what the owner may do. `member`: what stays in their own room. `guest`: to ask. */
export type Role = "operator" | "member" | "guest";

export interface Speaker {
  readonly role: Role;
  /** Whose conversation it becomes; absent: the owner's. */
  readonly audience?: Audience;
  /** A program that asks for them: what it says is no word of theirs. */
  readonly program?: true;
  /** How the owner calls them. Absent: nobody whom the owner named. */
  readonly name?: string;
}

/** Who wrote by voice. `speaker`: in a group, whose word it was. */
export interface SpokenTo {
  readonly speaker?: Audience;
}

/** In place of an answer: what the chat is told, and the model. */
export type Said = { readonly text: string; readonly notice: string };

/** The agent that a conversation works with, by which rule, and the hash of what it is made of. `kitchen/cook`: a subagent that may do what both may. */
export interface BoundAgent {
  readonly agent: string;
  readonly rule: string;
  readonly hash: string;
}

/**
 * What becomes of what is said in a group. `off`: nothing. `named`: who means us is answered, everything else is heard. `all`:
 * everything is answered that is not for somebody else. `listen`: everything is heard, and only `/digest` is answered.
 */
export type GroupMode = "off" | "named" | "all" | "listen";

export interface GroupManners {
  readonly mode: GroupMode;
  /** Words that mean us, in any case. */
  readonly names: readonly string[];
  /** Whether a thread goes on for a while with the person who was answered last. */
  readonly follow: boolean;
  /** `named`: other bots that mean us are answered, a few times in a row. */
  readonly bots: "heard" | "named";
  /** Operators alone are in it: what needs their word is asked there. */ readonly approvals?: "here";
}
