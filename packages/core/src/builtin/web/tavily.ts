// Tavily. @see https://docs.tavily.com/documentation/api-reference/endpoint/search
import type { SafeFetch } from "../../machine/http/safe-fetch.ts";
import { ask, hit, listIn, type Engine } from "./engines.ts";

export function tavily(fetch: SafeFetch, key: string, base = "https://api.tavily.com"): Engine {
  return async (query, count, signal) => {
    const headers = { accept: "application/json", "content-type": "application/json", authorization: `Bearer ${key}` };
    const body = JSON.stringify({ query, max_results: count });
    const text = await ask("Tavily", fetch, new URL("/search", base), { method: "POST", headers, body }, signal);
    return listIn("Tavily", text, ["results"]).flatMap((row) => hit(row["title"], row["url"], row["content"]));
  };
}
