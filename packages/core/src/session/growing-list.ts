/** Lists of a state that is being read from its journal: nobody holds an earlier one, so they grow in place. */

/** Made by who replays thousands of commits, and given up before anybody else sees the state. */
export class GrowingList<Item> extends Array<Item> {}

/** A new list; of a growing one the same, longer: copying it at each commit would take the square of its length. */
export function appended<Item>(list: readonly Item[], items: readonly Item[]): readonly Item[] {
  if (!(list instanceof GrowingList)) return [...list, ...items];
  for (const item of items) list.push(item);
  return list as readonly Item[]; // the list that was given
}

/** Another list instead of this one, which grows when this one does. */
export function inPlaceOf<Item>(list: readonly Item[], other: readonly Item[]): readonly Item[] {
  return list instanceof GrowingList ? GrowingList.from(other) : other;
}
