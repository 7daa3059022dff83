/** What a call left behind that was kept aside: in the details of its result, said once at the end of its turn. */
import type { Json, JsonObject } from "../contract/base.ts";

export interface NamedAside {
  readonly id: string;
  readonly path: string;
  readonly why: string;
}

/** So many are named, so that the details stay short enough to travel whole. */
const MAX_NAMED = 10;
const MAX_CHARS = 200;

export function keptAside(items: readonly NamedAside[]): JsonObject | undefined {
  if (items.length === 0) return undefined;
  const first = items.slice(0, MAX_NAMED).map(({ id, path, why }) => ({ id, path: cut(path), why: cut(why) }));
  return { keptAside: first, ...(items.length > MAX_NAMED && { keptAsideInAll: items.length }) };
}

/** @returns `count`: of all, also of those that are not named. */
export function keptAsideOf(details: Json | undefined): {
  readonly named: readonly NamedAside[];
  readonly count: number;
} {
  if (typeof details !== "object" || details === null || !("keptAside" in details)) return { named: [], count: 0 };
  const { keptAside: list, keptAsideInAll: inAll } = details;
  if (!Array.isArray(list)) return { named: [], count: 0 };
  const known = list.flatMap((item: Json) => named(item) ?? []);
  return { named: known, count: typeof inAll === "number" ? inAll : known.length };
}

function named(item: Json): NamedAside | undefined {
  if (typeof item !== "object" || item === null || !("path" in item)) return undefined;
  const { id, path, why } = item;
  return typeof id === "string" && typeof path === "string" && typeof why === "string" ? { id, path, why } : undefined;
}

function cut(text: string): string {
  return text.length <= MAX_CHARS ? text : `…${text.slice(1 - MAX_CHARS)}`;
}
