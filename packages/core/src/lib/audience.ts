/** How readers are told apart. */
import type { Address } from "../contract/message.ts";
import type { Audience } from "../contract/people.ts";

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
