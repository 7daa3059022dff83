/** How readers are told apart, and agents, and who may read a text: lists of sets that all have to hold. Who belongs to what is not known here. Pure. */
import type { Address } from "../contract/message.ts";
import type { Audience, Readers } from "../contract/people.ts";

/** The sender of what was said in a group and not to us. */
export const GROUP = "group";
const PREFIX = `${GROUP}:`;
export const OWNER = "owner";
export const GUEST = "guest";

/** All threads of a group have the same readers. */
export function groupOf({ channel, chat }: Pick<Address, "channel" | "chat">): Audience {
  return `${PREFIX}${channel}:${chat}`;
}

/** A guest's chat among those who may read a text: each of them reads their own. */
export function guestAt({ channel, chat }: Pick<Address, "channel" | "chat">): Audience {
  return `${GUEST}:${channel}:${chat}`;
}

export function isGuestAt(reader: Audience): boolean {
  return reader.startsWith(`${GUEST}:`);
}

export function isGroup(audience: Audience | undefined): boolean {
  return audience?.startsWith(PREFIX) === true;
}

/** Somebody with a room of their own, and no group. */
export function isPerson(audience: Audience | undefined): boolean {
  return audience !== undefined && audience !== OWNER && audience !== GUEST && !isGroup(audience);
}

/** What comes from more places than this is for nobody. */
const MAX_SETS = 64;

/** Covers nobody, and swallows all others. */
export const NOBODY: Readers = { to: [], by: "owner" };

/** Those who are in both: the sets of the one and of the other. Commutative, associative, idempotent; nothing changes nothing. */
export function joinReaders(
  one: readonly Readers[] | undefined,
  other: readonly Readers[] | undefined,
): readonly Readers[] | undefined {
  if (other === undefined || other === one) return one;
  const known = new Map((one ?? []).map((set) => [keyOf(set), set]));
  const before = known.size;
  for (const set of other) known.set(keyOf(set), known.get(keyOf(set)) ?? set);
  if (one !== undefined && known.size === before) return one;
  if (known.size > MAX_SETS || [...known.values()].some(({ to }) => to.length === 0)) return [NOBODY];
  return [...known].toSorted(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0)).map(([, set]) => set);
}

/** As they are kept: each principal once, in order. */
export function readersTo(to: Iterable<string>, by: string): Readers {
  return { to: [...new Set(to)].toSorted(), by };
}

/** What somebody else's code says about who may read: whatever it cannot say is for nobody. */
export function checkedReaders(value: unknown): readonly Readers[] {
  if (!Array.isArray(value)) return [NOBODY];
  const sets: readonly Readers[] = value.map((set: unknown) => (isReaders(set) ? readersTo(set.to, set.by) : NOBODY));
  return joinReaders(undefined, sets) ?? [];
}

function isReaders(set: unknown): set is Readers {
  if (typeof set !== "object" || set === null || !("to" in set) || !("by" in set)) return false;
  const { to, by } = set;
  return typeof by === "string" && Array.isArray(to) && to.every((one) => typeof one === "string");
}

function keyOf({ to, by }: Readers): string {
  return `${by}\n${to.join("\n")}`;
}

/** The agent that is the home itself. */
export const MAIN = "main";

/** An agent, or those of a subagent and of who started it: it may do what all of them may. */
export function agentsIn(agent: string): readonly string[] {
  return agent.split("/");
}
