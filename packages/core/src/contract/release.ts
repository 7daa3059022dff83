import type { CallId, Millis } from "./base.ts";
import type { Address, Marks, TextPart } from "./message.ts";
import type { Audience, PersonId } from "./people.ts";

/** Whom something belongs to, and what of theirs it was made of, as they may see it. */
export interface ReleaseOwner {
  readonly of: PersonId;
  readonly sources: readonly string[];
}
/** A text for somebody who may not read what it was made of: it waits for the word of whom that belongs to. */
export interface Release extends ReleaseOwner {
  /** Also of its reply in the other chat: it arrives once. */
  readonly id: string;
  /** By which it is answered where there are no buttons. */
  readonly code: CallId;
  /** Of the text and who would read it. */
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
  /** Who is asked after them. */
  readonly then: readonly ReleaseOwner[];
}
/** As its conversation holds it. `closed`: what a yes brings has happened, or nobody answered. */
export interface AskedRelease extends Release {
  readonly askedAt: Millis;
  readonly verdict?: "allow" | "deny";
  readonly closed?: true;
}
