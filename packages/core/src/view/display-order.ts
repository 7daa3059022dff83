/** Items in the order in which they are drawn: a steered message stands where the model saw it, waiting ones below. */
import type { Item } from "./types.ts";

/**
 * The journal has a message where it was received. One that came while a turn ran and was placed later belongs below
 * the answers it did not influence; those not placed yet are listed above the composer, not here.
 */
export function inDisplayOrder(items: readonly Item[]): readonly Item[] {
  if (!items.some(isMoved)) return items;
  const moved: { readonly item: Item; readonly at: number }[] = [];
  const stay: Item[] = [];
  for (const item of items) {
    if (!isMoved(item)) stay.push(item);
    else if (item.kind === "user" && item.placedAt !== undefined) moved.push({ item, at: item.placedAt });
    else if (item.kind === "user" && item.state === "pending") moved.push({ item, at: Number.POSITIVE_INFINITY });
  }
  if (moved.length === 0) return stay;
  moved.sort((a, b) => a.at - b.at);
  const shown: Item[] = [];
  let next = 0;
  for (const item of stay) {
    const seq = seqOf(item);
    for (let one = moved[next]; one !== undefined && one.at <= seq; one = moved[next]) {
      shown.push(one.item);
      next += 1;
    }
    shown.push(item);
  }
  return [...shown, ...moved.slice(next).map(({ item }) => item)];
}

export function seqOf(item: Item): number {
  return Number.parseInt(item.id, 10);
}

function isMoved(item: Item): boolean {
  return item.kind === "user" && item.command !== true && (item.state === "pending" || item.placedAt !== undefined);
}
