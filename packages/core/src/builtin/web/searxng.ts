// SearXNG, run by the operator, with `json` among its formats. @see https://docs.searxng.org/dev/search_api.html
import type { SafeFetch } from "../../machine/http/safe-fetch.ts";
import { ask, hit, listIn, type Engine } from "./engines.ts";

export function searxng(fetch: SafeFetch, base: string): Engine {
  return async (query, _, signal) => {
    // The base may have a path of its own.
    const url = new URL("search", base.endsWith("/") ? base : `${base}/`);
    url.searchParams.set("q", query);
    url.searchParams.set("format", "json");
    const text = await ask("SearXNG", fetch, url, { headers: { accept: "application/json" } }, signal);
    return listIn("SearXNG", text, ["results"]).flatMap((row) => hit(row["title"], row["url"], row["content"]));
  };
}
