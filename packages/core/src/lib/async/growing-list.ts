// A value of a list that grows at its end: what is known of its beginning is not computed again.

/**
 * Like `items.reduce(step, start)`, remembered for the last list that began with the same object. Items must not change.
 */
export function growingReduce<Item extends object, Value>(
  step: (value: Value, item: Item) => Value,
  start: Value,
): (items: readonly Item[]) => Value {
  const last = new WeakMap<Item, { readonly items: readonly Item[]; readonly value: Value }>();
  return (items) => {
    const first = items[0];
    if (first === undefined) return start;
    const known = last.get(first);
    const begin = known !== undefined && startsWith(items, known.items) ? known : undefined;
    let value = begin === undefined ? start : begin.value;
    for (let at = begin?.items.length ?? 0; at < items.length; at++) value = step(value, items[at]!);
    last.set(first, { items, value });
    return value;
  };
}

/** Whether a list begins with the very objects of another; comparing two thousand costs microseconds. */
export function startsWith<Item extends object>(
  items: readonly Item[],
  beginning: readonly Item[],
  length: number = beginning.length,
): boolean {
  if (items === beginning) return true;
  if (items.length < length) return false;
  for (let at = 0; at < length; at++) if (items[at] !== beginning[at]) return false;
  return true;
}

/** A list of a state that is being read from its journal: nobody holds an earlier one, so it grows in place. */
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
