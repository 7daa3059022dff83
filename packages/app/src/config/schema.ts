/** Finding a key of `config.json` by a path that a person typed. */
import { nearest } from "@margay/core/internal";
import type { Key, Kind } from "./key.ts";
import { KEYS } from "./keys.ts";

/** Profiles never set these: they guard the machine or decide who may talk. Two are marked in the contract. */
export const SECURITY_KEYS: readonly string[] = [
  "tools.restrictToWorkspace",
  "tools.exec.denyAction",
  "tools.exec.sandbox",
  "tools.exec.enabled",
  "tools.exec.env",
  "tools.exec.network",
  "policy.ownRepositories",
  "tools.webFetch.allowHosts",
  "channels.*.enabled",
  "channels.*.allowFrom",
  "channels.*.operators",
  "channels.*.groups",
  "channels.*.chats",
  "people.*.ids",
  "people.*.role",
  "people.*.tokensPerDay",
  "people.*.supervised",
  "people.*.agent",
  "roles.member.tools",
  "roles.operator.tools",
  "agents.*.budget",
  "agents.*.tools",
  "agents.*.workspace",
  "agents.*.for",
  "bindings",
  "policy.rules",
  "policy.approvalTimeoutSeconds",
  "policy.strictUnattended",
  "gateway.host",
  "gateway.token",
  "gateway.allowPlainHttp",
  "gateway.trustedProxies",
];

/** A level of the key tree: what may stand below a path. */
export interface Level {
  readonly names: ReadonlyMap<string, Level>;
  readonly any?: Level;
  readonly key?: Key;
}

interface Growing {
  names: Map<string, Growing>;
  any?: Growing;
  key?: Key;
}

/** The keys as a tree, for walking a JSON document. */
export function keyTree(keys: readonly Key[] = KEYS): Level {
  const root: Growing = { names: new Map() };
  for (const key of keys) {
    let level = root;
    for (const name of key.path.split("."))
      level = name === "*" ? (level.any ??= { names: new Map() }) : child(level, name);
    level.key = key;
  }
  return root;
}

function child(level: Growing, name: string): Growing {
  const found = level.names.get(name) ?? { names: new Map() };
  level.names.set(name, found);
  return found;
}

export interface FoundKey {
  readonly key: Key;
  /** Property names from the root; a name chosen by the user may hold dots (`models.openai/gpt-4.1.contextWindow`). */
  readonly names: readonly string[];
  /** Inside a map or list of the key: `mcpServers.a.env.TOKEN`. */
  readonly inside: readonly string[];
}

/** What stands at the path: inside a map, the kind of its entries. */
export function kindOf({ key, inside }: FoundKey): Kind {
  return inside.length > 0 && key.kind.is === "map" ? key.kind.of : key.kind;
}

/** Resolves a dotted path. A `*` takes as many dots as it needs. */
export function findKey(path: string, keys: readonly Key[] = KEYS): FoundKey | undefined {
  const names = path.split(".");
  let best: FoundKey | undefined;
  for (const key of keys) {
    const found = match(key, names);
    if (found !== undefined && (best === undefined || found.inside.length < best.inside.length)) best = found;
  }
  return best;
}

function match(key: Key, names: readonly string[]): FoundKey | undefined {
  const pattern = key.path.split(".");
  const star = pattern.indexOf("*");
  if (star < 0) {
    if (pattern.some((name, index) => name !== names[index])) return undefined;
    return inside(key, pattern, names.slice(pattern.length));
  }
  const head = pattern.slice(0, star);
  const tail = pattern.slice(star + 1);
  if (head.some((name, index) => name !== names[index])) return undefined;
  // The name may hold dots, so try the longest one first.
  for (let end = names.length - tail.length; end > star; end -= 1) {
    if (tail.some((name, index) => name !== names[end + index])) continue;
    const chosen = names.slice(star, end).join(".");
    const found = inside(key, [...head, chosen, ...tail], names.slice(end + tail.length));
    if (found !== undefined && chosen !== "") return found;
  }
  return undefined;
}

function inside(key: Key, names: readonly string[], rest: readonly string[]): FoundKey | undefined {
  if (rest.length === 0) return { key, names, inside: [] };
  // Names inside a map may hold dots too.
  return key.kind.is === "map" ? { key, names, inside: [rest.join(".")] } : undefined;
}

/** The known key that a mistyped path most likely meant. */
export function nearestKey(path: string, keys: readonly Key[] = KEYS): string | undefined {
  const paths = keys.map((key) => key.path);
  const last = path.split(".").at(-1) ?? path;
  const sameLeaf = paths.find((known) => flat(known.split(".").at(-1) ?? "") === flat(last));
  const parents = paths.map((known) => known.split(".").slice(0, -1).join("."));
  return (
    nearest(path, paths) ??
    sameLeaf ??
    nearest(
      path,
      parents.filter((name) => name !== ""),
    )
  );
}

function flat(name: string): string {
  return name.replaceAll(/[-_]/g, "").toLowerCase();
}
