// DuckDuckGo's page for browsers without scripts: no key, and no promise to keep its form.
import type { SafeFetch } from "../../machine/http/safe-fetch.ts";
import { ask, failure, hit, type Engine, type Hit } from "./engines.ts";

export function duckduckgo(fetch: SafeFetch, base = "https://html.duckduckgo.com"): Engine {
  return async (query, _, signal) => {
    const url = new URL("/html/", base);
    url.searchParams.set("q", query);
    const html = await ask("DuckDuckGo", fetch, url, {}, signal);
    const hits = readHits(html);
    if (hits.length === 0 && /anomaly|challenge-form/.test(html)) {
      throw failure("DuckDuckGo wants to see a person; set tools.webSearch.apiKey to use another engine", false);
    }
    return hits;
  };
}

function readHits(html: string): readonly Hit[] {
  // Each result starts with its link; what follows up to the next one belongs to it.
  return html
    .split(/(?=<a\b[^>]*\bclass="result__a")/)
    .slice(1)
    .flatMap((piece) => {
      const link = /^<a\b([^>]*)>([\s\S]*?)<\/a>/.exec(piece);
      const snippet = /<a\b[^>]*\bclass="result__snippet"[^>]*>([\s\S]*?)<\/a>/.exec(piece)?.[1];
      const href = /\bhref="([^"]*)"/.exec(link?.[1] ?? "")?.[1];
      return isAdvertisement(href) ? [] : hit(link?.[2], target(href), snippet);
    });
}

function isAdvertisement(href: string | undefined): boolean {
  return href === undefined || href.includes("duckduckgo.com/y.js");
}

/** Links lead through `//duckduckgo.com/l/?uddg=…`. */
function target(href: string | undefined): string | undefined {
  const link = href?.replaceAll("&amp;", "&");
  if (link === undefined || !link.includes("uddg=")) return link;
  return new URLSearchParams(link.slice(link.indexOf("?"))).get("uddg") ?? undefined;
}
