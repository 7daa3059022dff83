// Whose conversations are whose.

/** Short name of a person, `[a-z][a-z0-9-]{0,31}`; the owner is `owner`. */
export type PersonId = string;
/** Who reads a conversation, when it is not the owner alone: a person, or `guest` where somebody reads who is none. */
export type Audience = string;
/** `operator`: what the owner may do. `member`: what stays in their own room. `guest`: to ask. */
export type Role = "operator" | "member" | "guest";

export interface Speaker {
  readonly role: Role;
  /** Whose conversation it becomes; absent: the owner's. */
  readonly audience?: Audience;
}
