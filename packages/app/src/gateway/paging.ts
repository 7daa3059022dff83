/** Pages of lists that are in memory: the cursor names the last item, so what comes or goes meanwhile does no harm. */
import { Problem } from "./problem.ts";

export interface PageOptions {
  readonly limit: number;
  readonly cursor?: string | undefined;
}

/**
 * Newest, that is largest key, first.
 * @param keyOf Sorts as text and is different for each item; see `timeKey`.
 * @throws Problem `request.invalid` for a cursor that was not ours.
 */
export function pageOf<Item>(
  items: readonly Item[],
  { limit, cursor }: PageOptions,
  keyOf: (item: Item) => string,
): { readonly items: readonly Item[]; readonly next: string | null } {
  const before = cursor === undefined ? undefined : cursorText(cursor);
  /** The largest so far, in order, one more than is shown. */
  const kept: { readonly item: Item; readonly key: string }[] = [];
  for (const item of items) {
    const key = keyOf(item);
    if (before !== undefined && key >= before) continue;
    if (kept.length > limit && key <= (kept.at(-1)?.key ?? "")) continue;
    let at = kept.length;
    while (at > 0 && (kept[at - 1]?.key ?? "") < key) at -= 1;
    kept.splice(at, 0, { item, key });
    if (kept.length > limit + 1) kept.pop();
  }
  const shown = kept.slice(0, limit);
  const last = shown.at(-1);
  return {
    items: shown.map(({ item }) => item),
    next: last === undefined || kept.length <= limit ? null : Buffer.from(last.key).toString("base64url"),
  };
}

/** Milliseconds as text that sorts as they do, with what tells equal times apart. */
export function timeKey(at: number, ...rest: readonly (string | number)[]): string {
  return [at, ...rest].map((part) => (typeof part === "number" ? String(part).padStart(16, "0") : part)).join(" ");
}

export function cursorText(cursor: string): string {
  if (/^[A-Za-z0-9_-]+$/.test(cursor)) return Buffer.from(cursor, "base64url").toString("utf8");
  throw new Problem("request.invalid", {
    detail: "The cursor is not one of ours.",
    remedy: "Send the `next` of the page before, or none.",
    errors: [{ path: "query/cursor", code: "invalid", message: "is not a cursor" }],
  });
}
