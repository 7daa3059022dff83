/** Routes by path template and method: literal segments win over parameters. */
import { Problem } from "../api/problem.ts";
import type { Method, Route } from "../api/route.ts";

export interface Found {
  readonly route: Route;
  readonly params: Readonly<Record<string, string>>;
}

export interface RouteTable {
  /** Undefined: no such path. `allow` lists what the path takes when the method is not among it. */
  find(method: string, path: string): Found | { readonly allow: readonly string[] } | undefined;
}

interface Entry {
  readonly segments: readonly string[];
  readonly routes: Map<Method, Route>;
}

export const API_BASE = "/api/v1";

/** `/sessions/{id}` → `/api/v1/sessions/{id}`; `/!/metrics` → `/metrics`. */
export function fullPath(route: Pick<Route, "path">): string {
  return route.path.startsWith("/!/") ? route.path.slice(2) : `${API_BASE}${route.path}`;
}

/** @throws Error when two routes have the same method and template, or the same id. */
export function createTable(routes: readonly Route[]): RouteTable {
  const byLength = new Map<number, Entry[]>();
  const entries = new Map<string, Entry>();
  const ids = new Set<string>();
  for (const route of routes) {
    const segments = fullPath(route).slice(1).split("/");
    const shape = segments.map((one) => (isParameter(one) ? "{}" : one)).join("/");
    let entry = entries.get(shape);
    if (entry === undefined) {
      entry = { segments, routes: new Map() };
      entries.set(shape, entry);
      byLength.set(segments.length, [...(byLength.get(segments.length) ?? []), entry]);
    }
    if (ids.has(route.id) || entry.routes.has(route.method))
      throw new Error(`Route ${route.id} (${route.method} ${shape}) is in the table already.`);
    ids.add(route.id);
    entry.routes.set(route.method, route);
  }
  for (const list of byLength.values()) list.sort((a, b) => weight(a) - weight(b));
  return {
    find: (method, path) => {
      const parts = path.slice(1).split("/");
      const allow = new Set<string>();
      for (const entry of byLength.get(parts.length) ?? []) {
        if (!entry.segments.every((one, index) => isParameter(one) || one === parts[index])) continue;
        const route = entry.routes.get((method === "HEAD" ? "GET" : method) as Method); // a Map answers for any text
        if (route !== undefined) return { route, params: parametersOf(route, parts) };
        for (const one of entry.routes.keys()) allow.add(one);
      }
      if (allow.size === 0) return undefined;
      return { allow: [...(allow.has("GET") ? ["HEAD"] : []), ...allow, "OPTIONS"].sort() };
    },
  };
}

/** Literals first: `by-key` before `{id}`, position by position. */
function weight({ segments }: Entry): number {
  return segments.reduce((sum, one, index) => sum + (isParameter(one) ? 2 ** (segments.length - index) : 0), 0);
}

function isParameter(segment: string): boolean {
  return segment.startsWith("{");
}

function parametersOf(route: Route, parts: readonly string[]): Readonly<Record<string, string>> {
  const params: Record<string, string> = Object.create(null) as Record<string, string>; // no inherited names
  fullPath(route)
    .slice(1)
    .split("/")
    .forEach((name, index) => {
      if (isParameter(name)) params[name.slice(1, -1)] = decode(parts[index] ?? "");
    });
  return params;
}

function decode(part: string): string {
  let text: string;
  try {
    text = decodeURIComponent(part);
  } catch {
    throw new Problem("request.malformed", "The path is not valid percent-encoded UTF-8.");
  }
  if (/[\u0000-\u001f\u007f]/.test(text))
    throw new Problem("request.malformed", "The path holds an encoded control character.");
  return text;
}
