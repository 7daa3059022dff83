/** Which updates are one message: the parts of an album. Pure. */
import type { Message, Update } from "grammy/types";

/** Updates that are taken together, and where the next poll begins when they were. */
export interface Item {
  readonly updates: readonly [Update, ...Update[]];
  /** All below it has been taken by then. */
  readonly next: number;
  /** Names its album. */
  readonly album?: string;
}

/** The album of a message, as the name of a value. */
export function albumOf({ message }: Update): string | undefined {
  if (message?.media_group_id === undefined) return undefined;
  return `album-${message.chat.id}-${message.media_group_id.toLowerCase().replaceAll(/[^a-z0-9-]/g, "")}`.slice(0, 80);
}

/**
 * In the order in which they are taken. An album stands where its last part is: what lies between is taken first, and the
 * cursor waits before both.
 * @param batch sorted
 * @param partsOf the messages that were taken as this album before; undefined: none yet. A part that came late stands alone.
 */
export function itemsOf(
  batch: readonly Update[],
  partsOf: (album: string) => readonly number[] | undefined,
): readonly Item[] {
  const groups = new Map<string | number, [Update, ...Update[]]>();
  for (const update of batch) {
    const album = albumOf(update);
    const taken = album === undefined ? undefined : partsOf(album);
    const isLate = taken !== undefined && !taken.includes(update.message?.message_id ?? 0);
    const name = album === undefined || isLate ? update.update_id : album;
    const group = groups.get(name);
    groups.delete(name); // a place is given anew by the last part
    groups.set(name, group === undefined ? [update] : [...group, update]);
  }
  const items = [...groups];
  const last = batch.at(-1)?.update_id ?? 0;
  return items.map(([name, updates], index) => {
    const open = items.slice(index + 1).flatMap(([, others]) => others.map(({ update_id: id }) => id));
    return {
      updates,
      next: Math.min(last + 1, ...open),
      ...(typeof name === "string" && { album: name }),
    };
  });
}

/** The messages of an item, oldest first. */
export function messagesOf({ updates }: Item): readonly Message[] {
  return updates.flatMap(({ message }) => message ?? []).toSorted((a, b) => a.message_id - b.message_id);
}
