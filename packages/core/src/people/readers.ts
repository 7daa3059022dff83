/** Whether who would read a text may: what it needs against who reads there, by who belongs to what at this moment. Pure. */
import type { Audience, PersonId, Readers, Role } from "../contract/people.ts";
import type { Address, Label } from "../contract/message.ts";
import type { SessionState } from "../contract/session.ts";
import { GUEST, guestAt, isGroup, isGuestAt, joinReaders, OWNER, readersTo } from "../lib/audience.ts";

/** Everybody; all operators and members. */
const PUBLIC = "public";
export const HOUSEHOLD = "household";

/** Looked up when something is judged: a text that may be read today may not tomorrow. */
export interface Members {
  /** Undefined: nobody any more. */
  readonly roleOf: (person: PersonId) => Role | undefined;
  /** Whether a person, or who writes in a guest's chat, is known in a group. */
  readonly isIn: (reader: Audience, group: Audience) => boolean;
}

/** Who reads a conversation, as one principal: of a guest's chat the chat, of the owner alone the owner. */
export function readerAt(audience: Audience | undefined, at: Address): Audience {
  if (audience === undefined) return OWNER;
  return audience === GUEST ? guestAt(at) : audience;
}

export function readerOf({ audience, origin }: Pick<SessionState, "audience" | "origin">): Audience {
  return readerAt(audience, origin);
}

/** Whose it is what somebody reads. Of guests and groups the owner's, who let them in. */
export function personOf(reader: Audience): PersonId {
  return isGroup(reader) || isGuestAt(reader) || reader === HOUSEHOLD || reader === PUBLIC ? OWNER : reader;
}

/** Who may read what is said with all of this in view. */
export function needs(
  state: Pick<SessionState, "audience" | "origin"> & { readonly label: Pick<Label, "readers"> },
): readonly Readers[] {
  const reader = readerOf(state);
  return [readersTo([reader], personOf(reader)), ...(state.label.readers ?? [])];
}

/** Of these, what who reads there may not read. */
export function withheld(all: readonly Readers[], reader: Audience, members: Members): readonly Readers[] {
  const who = standingOf(reader, members);
  return all.filter(({ to }) => !isAmong(to, who, members));
}

export function covers(readers: Readers, reader: Audience, members: Members): boolean {
  return withheld([readers], reader, members).length === 0;
}

/**
 * Whose word a text needs, in the order in which they are asked: nobody is shown what another has not let go.
 * @param agreed who asked for it, and so let go what is theirs.
 * @returns undefined: it belongs to nobody who can be asked, or two wait for each other.
 */
export function askedInOrder(
  all: readonly Readers[],
  reader: Audience,
  agreed: readonly PersonId[],
  members: Members,
): readonly PersonId[] | undefined {
  const kept = withheld(all, reader, members);
  if (kept.some(({ to }) => to.length === 0)) return undefined; // from too many places: it is nobody's
  const free = new Set(agreed);
  const left = new Set(kept.map(({ by }) => by).filter((by) => !free.has(by)));
  const order: PersonId[] = [];
  while (left.size > 0) {
    const maySee = (person: PersonId): boolean =>
      withheld(all, person, members).every(({ by }) => by === person || free.has(by));
    const next = [...left].toSorted().find(maySee);
    if (next === undefined) return undefined;
    order.push(next);
    left.delete(next);
    free.add(next);
  }
  return order;
}

/** What a text carries where it was put by somebody who may: those who could read it before, and who reads there. */
export function placed(all: readonly Readers[], reader: Audience, members: Members): readonly Readers[] {
  const there = all
    .map((set) => (covers(set, reader, members) ? set : readersTo([...set.to, reader], set.by)))
    // What who reads there brings alone is not written down.
    .filter(({ to }) => to.length !== 1 || to[0] !== reader);
  return joinReaders(undefined, there) ?? [];
}

interface Standing {
  readonly reader: Audience;
  readonly kind: "group" | "guest" | "household" | "person" | "nobody";
  readonly role?: Role;
}

function standingOf(reader: Audience, { roleOf }: Members): Standing {
  if (isGroup(reader)) return { reader, kind: "group" };
  if (isGuestAt(reader)) return { reader, kind: "guest" };
  if (reader === HOUSEHOLD) return { reader, kind: "household" };
  const role = reader === OWNER ? "operator" : roleOf(reader);
  return role === undefined ? { reader, kind: "nobody" } : { reader, kind: "person", role };
}

/** Of a group and of the household nothing follows from who is in it now: others may come. */
function isAmong(to: readonly Audience[], { reader, kind, role }: Standing, { isIn }: Members): boolean {
  if (kind === "nobody") return false;
  return to.some((each) => {
    if (each === PUBLIC || each === reader) return true;
    if (kind === "group" || kind === "household") return false;
    if (isGroup(each)) return isIn(reader, each);
    if (kind === "guest") return false;
    return each === HOUSEHOLD || (role === "operator" && isGuestAt(each));
  });
}
