// Brave Search. @see https://api-dashboard.search.brave.com/app/documentation/web-search/get-started
import type { SafeFetch } from "../../machine/http/safe-fetch.ts";
import { ask, hit, listIn, type Engine } from "./engines.ts";

export function brave(fetch: SafeFetch, key: string, base = "https://api.search.brave.com"): Engine {
  return async (query, count, signal) => {
    const url = new URL("/res/v1/web/search", base);
    url.searchParams.set("q", query);
    url.searchParams.set("count", String(count));
    const headers = { accept: "application/json", "x-subscription-token": key };
    const text = await ask("Brave", fetch, url, { headers }, signal);
    return listIn("Brave", text, ["web", "results"]).flatMap((row) =>
      hit(row["title"], row["url"], row["description"]),
    );
  };
}
