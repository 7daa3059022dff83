/** What was spent: of all sessions, compactions, memory, heartbeat, greeting and subagents included. */
import type { SpentRequest } from "@margay/core/internal";
import { openJournalFacts } from "../../host/live/journal-facts.ts";
import { sumOf, type Spent } from "../../host/facts/spending.ts";
import { refusal } from "../../host/api/refusal.ts";
import { route, type Route } from "../../host/api/route.ts";
import { CacheMisses, CacheQuery, UsageQuery, UsageResult } from "./schema.ts";
import { dayFormat, hourFormat, isTimeZone } from "../../host/api/periods.ts";
import { TEXT } from "./api-texts.ts";

interface Item extends SpentRequest {
  readonly session: string;
  readonly key: string;
}
interface Row extends Spent {
  readonly key: string;
}

export const USAGE_ROUTES: readonly Route[] = [
  route({
    id: "getUsage",
    method: "GET",
    path: "/usage",
    scope: "read",
    summary:
      "Tokens, cost and cache share by day, hour, model, provider, session, source or purpose; CSV when asked for.",
    query: UsageQuery,
    response: UsageResult,
    handle: async ({ services, query, headers, language }) => {
      const { from, to, group, tz, by } = query;
      if (tz !== undefined && !isTimeZone(tz))
        throw refusal("request.invalid", language, {
          detail: TEXT.noIanaTime,
          values: { tz },
          errors: [{ path: "query/tz", code: "invalid", message: "must be a zone such as Europe/Berlin" }],
        });
      const timeZone = tz ?? services.app.inside.loaded().timeZone;
      const facts = await services.once(openJournalFacts).all();
      const gone = (await services.app.agent.sessions.gone?.()) ?? [];
      const items = [...facts, ...gone.map(({ id, key, spent }) => ({ id, key, spending: spent }))]
        .flatMap(({ id, key, spending }) => spending.map((spent): Item => ({ ...spent, session: id, key })))
        .filter(({ at }) => (from === undefined || at >= from) && (to === undefined || at < to));
      const ids = new Map(facts.map(({ id, key }) => [key, id]));
      const rows = [...Map.groupBy(items, keyBy(group, timeZone))].map(([key, list]) => ({
        key,
        ...(group === "session" && { session: ids.get(key) }),
        ...sumOf(list),
        ...(by !== undefined && {
          parts: [...Map.groupBy(list, keyBy(by, timeZone))].map(([part, some]) => ({ key: part, ...sumOf(some) })),
        }),
      }));
      const sorted = rows.toSorted((a, b) =>
        group === "day" || group === "hour" ? (a.key < b.key ? 1 : -1) : b.input - a.input,
      );
      if (headers["accept"]?.includes("text/csv") === true) return { raw: csvOf(group, sorted), headers: CSV_HEADERS };
      return { body: { timeZone, rows: sorted, total: sumOf(items) } };
    },
  }),
  route({
    id: "getCacheMisses",
    method: "GET",
    path: "/usage/cache",
    scope: "read",
    summary: "Requests that read again what the provider had seen, the newest first, with the cause.",
    query: CacheQuery,
    response: CacheMisses,
    handle: async ({ services, query }) => {
      const { from, to, limit } = query;
      const found = (await services.once(openJournalFacts).all()).flatMap(({ id, key, misses }) =>
        misses.map((miss) => ({ session: id, key, ...miss })),
      );
      const items = found
        .filter(({ at }) => (from === undefined || at >= from) && (to === undefined || at < to))
        .toSorted((a, b) => b.at - a.at);
      return { body: { items: items.slice(0, limit) } };
    },
  }),
];

const CSV_HEADERS = {
  "content-type": "text/csv; charset=utf-8",
  "content-disposition": "attachment; filename=usage.csv",
};

type Group = "day" | "hour" | "model" | "provider" | "session" | "source" | "purpose";

function keyBy(group: Group, timeZone: string): (item: Item) => string {
  const day = dayFormat(timeZone);
  const hour = hourFormat(timeZone);
  return ({ at, model, key, source, purpose }) => {
    switch (group) {
      case "day":
        return day(at);
      case "hour":
        return hour(at);
      case "model":
        return model === undefined ? "" : `${model.provider}/${model.model}`;
      case "provider":
        return model?.provider ?? "";
      case "session":
        return key;
      case "source":
        return source;
      case "purpose":
        return purpose;
    }
  };
}

const COLUMNS = [
  "requests",
  "input",
  "output",
  "cacheRead",
  "cacheWrite",
  "cacheHit",
  "costUsd",
  "unpriced",
] as const satisfies readonly (keyof Spent)[];

/** RFC 4180. A cell that a spreadsheet would take for a formula begins with a quote. */
function csvOf(group: Group, rows: readonly Row[]): string {
  const cell = (text: string): string => {
    const safe = /^[=+\-@\t]/.test(text) ? `'${text}` : text;
    return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
  };
  const lines = rows.map((row) => [cell(row.key), ...COLUMNS.map((name) => String(row[name] ?? ""))]);
  return [[group, ...COLUMNS], ...lines].map((line) => `${line.join(",")}\r\n`).join("");
}
