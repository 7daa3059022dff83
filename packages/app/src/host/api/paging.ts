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
  const before = cursor === undefined ? undefined : cursorText(cursor, TIME_KEY);
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
    next: last === undefined || kept.length <= limit ? null : cursorOf(last.key),
  };
}

/** Milliseconds as text that sorts as they do, with what tells equal times apart. */
export function timeKey(at: number, ...rest: readonly (string | number)[]): string {
  return [at, ...rest].map((part) => (typeof part === "number" ? String(part).padStart(16, "0") : part)).join(" ");
}

/** As `timeKey` makes them. */
const TIME_KEY = /^\d{16}( |$)/;

/**
 * @param shape Of what such a cursor holds: what only looks like one is refused, it would be page 1.
 * @throws Problem `request.invalid`.
 */
export function cursorText(cursor: string, shape: RegExp): string {
  const text = Buffer.from(cursor, "base64url").toString("utf8");
  if (shape.test(text) && cursorOf(text) === cursor) return text;
  throw notOurs();
}

/** What goes out as `next`. */
export function cursorOf(text: string): string {
  return Buffer.from(text).toString("base64url");
}

/** For a cursor of the right form that names nothing. */
export function notOurs(): Problem {
  return new Problem("request.invalid", {
    detail: "The cursor is not one of ours.",
    remedy: "Send the `next` of the page before, or none.",
    errors: [{ path: "query/cursor", code: "invalid", message: "is not a cursor" }],
  });
}
