/** What a search over memory finds: lines of the caller's room, and words of conversations that they read. */
import type { Recalled } from "@margay/core/internal";
import type { z } from "zod";
import { eventsOf, holdingsFor, type Caller } from "../../host/sessions/access.ts";
import { isHidden } from "../../host/sessions/privacy.ts";
import type { SearchQuery, SearchResult } from "./schema.ts";

type Found = z.input<typeof SearchResult>["items"];

export async function searched(call: Caller & { readonly query: z.output<typeof SearchQuery> }): Promise<Found> {
  const { q, in: only, limit } = call.query;
  const keys = await conversationsOf(call);
  // All there are: how many of them is said of one place.
  const all = await holdingsFor(call).recall.search(q, Number.POSITIVE_INFINITY);
  const words = wordsOf(q);
  return all
    .filter(({ source }) => {
      const place = placeOf(source);
      return (only === undefined || only === place) && (place !== "sessions" || keys.has(source));
    })
    .slice(0, limit)
    .map((item) => ({
      ...placed(item, keys.get(item.source)),
      line: item.line,
      text: item.text,
      ranges: rangesIn(item.text, words),
      untrusted: item.untrusted,
    }));
}

/** Ids of the conversations that the caller reads, by their keys. */
async function conversationsOf(call: Caller): Promise<ReadonlyMap<string, string>> {
  const all = await eventsOf(call.services).index.all();
  return new Map(all.filter((one) => !isHidden(call, one)).map(({ key, id }) => [key, id]));
}

function placeOf(source: string): "memory" | "history" | "sessions" {
  return source === "memory" || source === "history" ? source : "sessions";
}

function placed(
  { source }: Recalled,
  session: string | undefined,
): Pick<Found[number], "source" | "file" | "key" | "session"> {
  switch (placeOf(source)) {
    case "memory":
      return { source: "memory", file: "MEMORY.md" };
    case "history":
      return { source: "history", file: "HISTORY.md" };
    case "sessions":
      return { source: "session", key: source, ...(session !== undefined && { session }) };
  }
}

function wordsOf(query: string): readonly string[] {
  return [...new Set(query.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [])];
}

/** Without those inside of another one. */
function rangesIn(text: string, words: readonly string[]): [number, number][] {
  const lower = text.toLowerCase();
  if (lower.length !== text.length) return []; // letters whose lower case is longer: places would be wrong
  const found: [number, number][] = [];
  for (const word of words)
    for (let at = lower.indexOf(word); at >= 0; at = lower.indexOf(word, at + word.length))
      found.push([at, at + word.length]);
  return found
    .toSorted(([a], [b]) => a - b)
    .filter(([from, to], _, all) => !all.some(([f, t]) => f <= from && t >= to && t - f > to - from));
}
