import type { CallId, JsonObject, Millis, TurnId } from "./base.ts";
import type { Address, Marks, TextPart } from "./message.ts";
import type { Audience, PersonId } from "./people.ts";

/** What one yes covers: a later call is covered when it yields the same rule, tool and scope, and no other. */
export interface Grant {
  /** The built-in rule that asked. */
  readonly rule: string;
  readonly tool: string;
  readonly scope: JsonObject;
  /** In words, as it is shown before the answer. */
  readonly shown: string;
}
/** Of one conversation: in its journal, and gone with `/new`. */
export interface SessionGrant extends Grant {
  readonly by: string;
  readonly call: CallId;
}
/** Of all conversations: kept until an operator takes it back. */
export interface SavedRule extends Grant {
  readonly id: string;
  readonly by: string;
  readonly at: number;
}
export interface SavedRules {
  list(): readonly SavedRule[];
  /** Durable when it resolves. The same grant twice is one rule. */
  save(grant: Grant, by: string): Promise<SavedRule>;
  /** @param id Of one rule, or as much of it as people type. @returns the rule that was taken back; undefined: it means none, or several. */
  remove(id: string): Promise<SavedRule | undefined>;
}

/** What a call depends on beside its arguments, looked up when it is judged and again when it starts. */
export type CallFiles = {
  readonly workspace: string;
  /** Where a command starts, without links. */
  readonly directory?: string;
  /** SHA-256 of each file of the workspace that a command would run. */
  readonly scripts?: { readonly [path: string]: string };
  /** The command is too long to look up what it would run: a yes is for this once. */
  readonly unknown?: true;
  /** Where a file would be written, without links. */
  readonly target?: string;
};

export type Answered = { readonly verdict: "allow" | "deny"; readonly by: string };

/** A text for somebody who may not read what it was made of: it waits for the word of whom that belongs to. */
export interface Release {
  /** Also of its reply in the other chat: it arrives once. */
  readonly id: string;
  /** Who is asked, and what of theirs it was made of, as they may see it; who is asked after them. */
  readonly of: PersonId;
  readonly sources: readonly string[];
  readonly next: readonly Pick<Release, "of" | "sources" | "lasting" | "blind">[];
  /** Of each source, where all are named: what a yes for always is bound to. */
  readonly lasting?: readonly string[];
  /** They are the reader, who may not read it yet: whether those who are asked next may, for it may hold what is theirs. */
  readonly blind?: true;
  /** By which it is answered where there are no buttons, and what it is bound to: the text and who would read it. */
  readonly code: CallId;
  readonly hash: string;
  readonly expiresAt: Millis;
  /** The other conversation and its chat, and who read there when it was asked. */
  readonly session: string;
  readonly to: Address;
  readonly reader: Audience;
  /** Empty: nothing was found, and only they can say something. */
  readonly parts: readonly TextPart[];
  readonly marks: Marks;
  /** Whose conversation would tell it, and what somebody asked. */
  readonly from: Audience;
  readonly question?: string;
  /** It is no text: a call of the other conversation needs an operator's word, and `parts` says what it would do. */
  readonly asks?: { readonly turn: TurnId; readonly call: CallId; readonly name: string };
}
/** `own`: said in their own words instead, which are nobody else's. `always`: made of the same, it needs no word of theirs any more. */
export type ReleaseAnswer = { readonly verdict: "allow" | "deny"; readonly by: string; readonly own?: Pick<Release, "parts" | "marks">; readonly remember?: "always" };
/** What somebody lets a reader have without being asked: a line or a file as it was, by its hash. */
export type Share = Pick<Release, "of" | "reader" | "hash"> & { readonly id: string; readonly shown: string; readonly at: Millis };
/** Durable when they return. `remove`: by id, or as much of it as people type; undefined: it means none of theirs, or several. */
export type Shares = { list(of: PersonId): readonly Share[]; save(shares: readonly Omit<Share, "id" | "at">[]): Promise<void>; remove(of: PersonId, id: string): Promise<Share | undefined> };
