/** Search over what was said and what is remembered. */
import type { Recalled } from "@margay/core/internal";
import type { Item, SessionView } from "@margay/core/state";
import type { z } from "zod";
import { isHidden } from "../../host/sessions/privacy.ts";
import { eventsOf, findSession, holdingsFor } from "../../host/sessions/access.ts";
import { titleOf } from "../../host/sessions/marks.ts";
import { route, type Route } from "../../host/api/route.ts";
import { findIn } from "./find-in.ts";
import { HitPage, SearchQuery, type HitSchema } from "../../protocol/search.ts";

type Hit = z.infer<typeof HitSchema>;

/** What the index is asked for: filters come after it. */
const CANDIDATES = 500;
const BEFORE_CHARS = 60;
const SNIPPET_CHARS = 240;

export const SEARCH_ROUTES: readonly Route[] = [
  route({
    id: "search",
    method: "GET",
    path: "/search",
    scope: "read",
    ofPersons: true,
    summary: "Texts with all words of the query, in conversations and in memory.",
    query: SearchQuery,
    response: HitPage,
    errors: ["session.not-found"],
    handle: async (call) => {
      const { q, scope, session, from, to, limit } = call.query;
      const { recall } = holdingsFor(call);
      const { index, marks, reader } = eventsOf(call.services);
      if (session !== undefined) {
        const only = await findSession(call, session, { trashed: true });
        if (scope === "memory") return { body: { items: [], next: null, total: 0 } };
        const title = titleOf(marks.of(only.id), only);
        const { found, total } = await findIn(only.id, call.query, { reader, clock: call.services.app.clock });
        const items = found.map(({ item: { id, at, kind }, text }): Hit => ({
          ...{ session: only.id, title, item: id, at, role: kind },
          ...snippetOf(text, q),
        }));
        return { body: { items, next: null, total } };
      }
      const hits: Hit[] = [];
      for (const found of await recall.search(q, CANDIDATES)) {
        if (hits.length >= limit) break;
        const isMemory = found.source === "memory" || found.source === "history";
        if (isMemory ? scope === "messages" : scope === "memory") continue;
        if (isMemory) {
          hits.push(memoryHit(found, q));
          continue;
        }
        const summary = await index.byKey(found.source);
        if (summary === undefined) continue;
        if (marks.of(summary.id).trashedAt !== undefined || isHidden(call, summary)) continue;
        const item = rowAt(await reader.view(summary.id), found.line);
        if (item === undefined || item.at < (from ?? 0) || item.at > (to ?? Number.POSITIVE_INFINITY)) continue;
        hits.push({
          session: summary.id,
          title: titleOf(marks.of(summary.id), summary),
          item: item.id,
          at: item.at,
          role: item.kind === "assistant" ? "assistant" : "user",
          ...snippetOf(found.text, q),
        });
      }
      return { body: { items: hits, next: null } };
    },
  }),
];

function memoryHit(found: Recalled, q: string): Hit {
  const role = found.source === "memory" ? "memory" : "history";
  const title = role === "memory" ? "MEMORY.md" : "HISTORY.md";
  return { session: null, title, item: null, at: null, role, ...snippetOf(found.text, q) };
}

/** The index counts what people and the model said; so do the items. */
function rowAt({ items }: SessionView, line: number): Item | undefined {
  let row = 0;
  for (const item of items) {
    if (item.kind !== "assistant" && (item.kind !== "user" || item.command === true)) continue;
    if (item.parts.every((part) => part.type !== "text" || part.text.trim() === "")) continue;
    row += 1;
    if (row === line) return item;
  }
  return undefined;
}

/** One line around the first word, and where the words are in it. */
export function snippetOf(text: string, query: string): Pick<Hit, "snippet" | "ranges"> {
  const line = text.replaceAll(/\s+/g, " ").trim();
  const lower = line.toLowerCase();
  const words = query
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== "");
  const first = words.reduce((best, word) => {
    const at = lower.indexOf(word);
    return at >= 0 && (best < 0 || at < best) ? at : best;
  }, -1);
  const start = Math.max(0, first - BEFORE_CHARS);
  const snippet = line.slice(start, start + SNIPPET_CHARS);
  const ranges: [number, number][] = [];
  // Lower case of a few letters is longer than they are: then nothing is marked.
  if (lower.length === line.length)
    for (const word of words)
      for (
        let at = snippet.toLowerCase().indexOf(word);
        at >= 0;
        at = snippet.toLowerCase().indexOf(word, at + word.length)
      )
        ranges.push([at, at + word.length]);
  return { snippet, ranges: ranges.toSorted((a, b) => a[0] - b[0]) };
}
