/** File, flags and profile → one value per key, and where each came from. Pure: environment and files come in as `references`. */
import { agentFaults } from "./agent-faults.ts";
import { peopleFaults } from "./people-faults.ts";
import { type Json, type JsonObject } from "@margay/core";
import { isRecord, nearest } from "@margay/core/internal";
import type { Config } from "./config.ts";
import { expand, type Missing, type References } from "./expand.ts";
import type { Fault, Key, ProfileName } from "./key.ts";
import { KEYS } from "./keys.ts";
import { check } from "./kinds.ts";
import { keyTree, nearestKey, type Level } from "./schema.ts";
import { mapSecrets } from "./secrets/secret-names.ts";

export type Source =
  | { readonly from: "flag" | "config" | "default" }
  | { readonly from: "profile" | "environment"; readonly name: string };

export interface Entry {
  readonly key: Key;
  /** With the names the user chose; a key nobody set keeps its `*`. */
  readonly path: string;
  /** The parts of `path`: a name the user chose may hold dots. */
  readonly names: readonly string[];
  /** Undefined: has no value. */
  readonly value: Json | undefined;
  readonly source: Source;
}

export interface Resolved {
  /** Only meaningful without faults. */
  readonly config: Config;
  readonly entries: readonly Entry[];
  readonly faults: readonly Fault[];
  /** Values that must never be shown or logged. */
  readonly secrets: readonly string[];
}

interface Leaf {
  readonly key: Key;
  readonly names: readonly string[];
  readonly value: Json;
}

/** What the file sets. Looked up for each of hundreds of keys, in files of dozens of people: nothing is searched for again. */
interface FileLeaves {
  readonly all: readonly Leaf[];
  readonly byNames: ReadonlyMap<string, Leaf>;
  /** What the user called the objects at a `*`, by the path in front of it. */
  readonly chosen: ReadonlyMap<string, ReadonlySet<string>>;
}

/** Names that would reach the prototype of an object. */
const FORBIDDEN_NAMES: readonly string[] = ["__proto__", "constructor", "prototype"];

/** @param flags Command-line values by key path; they win over everything. */
export function resolve(file: JsonObject, flags: Readonly<Record<string, Json>>, references: References): Resolved {
  const faults: Fault[] = [];
  const leaves: Leaf[] = [];
  walk(file, keyTree(), [], leaves, faults);
  const set = indexed(leaves.map((leaf) => ({ ...leaf, value: read(leaf, references, faults) })));
  const flagged = Object.entries(flags).map(([path, value]) => flagLeaf(path, value, faults));
  const profile = profileOf(set.all, flagged);
  const entries = KEYS.flatMap((key) => entriesOf(key, profile, set, flagged, references));
  const config = assemble(entries);
  // What each of them is comes first: until then their shape is not known.
  const { agents, bindings, people, channelsById: channels, gateway } = config;
  const whole =
    faults.length === 0
      ? [
          ...peopleFaults(people, channels, gateway.proxyAuth),
          ...agentFaults({ agents, bindings, people, channels, hooks: gateway.hooks }),
        ]
      : faults;
  return { config, entries, faults: whole, secrets: entries.flatMap(secretsOf) };
}

function walk(value: Json, level: Level, names: readonly string[], leaves: Leaf[], faults: Fault[]): void {
  if (level.key !== undefined) {
    leaves.push({ key: level.key, names, value });
    return;
  }
  const path = names.join(".");
  if (!isRecord(value)) {
    faults.push({ path, problem: "type" });
    return;
  }
  for (const [name, item] of Object.entries(value)) {
    const next = level.names.get(name) ?? (FORBIDDEN_NAMES.includes(name) ? undefined : level.any);
    const below = [...names, name];
    if (next !== undefined) walk(item, next, below, leaves, faults);
    else faults.push({ path: below.join("."), problem: "unknown", ...hintFor(name, below.join("."), level) });
  }
}

/** The nearest name at this level first, as its parent is right; then the nearest key anywhere. */
function hintFor(name: string, path: string, level: Level): { readonly hint?: string } {
  const hint = nearest(name, [...level.names.keys()]) ?? nearestKey(path);
  return hint === undefined ? {} : { hint };
}

/** The value with its references replaced; faults keep the text as it stands in the file. */
function read(leaf: Leaf, references: References, faults: Fault[]): Json {
  const path = leaf.names.join(".");
  const missing: Missing[] = [];
  const value = expand(leaf.value, path, references, missing);
  for (const one of missing) faults.push({ path: one.path, problem: one.kind, hint: one.name });
  if (missing.length > 0) return value;
  const referenced = JSON.stringify(leaf.value) !== JSON.stringify(value);
  for (const fault of check(leaf.key.kind, value, path)) {
    const { value: shown, ...rest } = fault;
    if (leaf.key.secret !== undefined || shown === undefined) faults.push(rest);
    else if (!referenced) faults.push(fault);
    else faults.push(fault.path === path ? { ...rest, value: leaf.value } : rest);
  }
  return value;
}

function flagLeaf(path: string, value: Json, faults: Fault[]): Leaf {
  const key = KEYS.find((one) => one.path === path);
  if (key === undefined) throw new TypeError(`no key ${path}`); // flags are named by our own commands
  faults.push(...check(key.kind, value, path));
  return { key, names: path.split("."), value };
}

function profileOf(set: readonly Leaf[], flagged: readonly Leaf[]): ProfileName {
  const value = [...flagged, ...set].find((leaf) => leaf.key.path === "profile")?.value;
  return value === "nanobot" || value === "countbot" ? value : "default";
}

function indexed(all: readonly Leaf[]): FileLeaves {
  const chosen = new Map<string, Set<string>>();
  for (const { key, names } of all) {
    const star = starOf(key);
    if (star < 0) continue;
    const before = names.slice(0, star).join(".");
    chosen.set(before, (chosen.get(before) ?? new Set()).add(names[star] ?? ""));
  }
  return { all, byNames: new Map(all.map((leaf) => [JSON.stringify(leaf.names), leaf])), chosen };
}

function starOf(key: Key): number {
  return key.path.split(".").indexOf("*");
}

function entriesOf(
  key: Key,
  profile: ProfileName,
  set: FileLeaves,
  flagged: readonly Leaf[],
  references: References,
): readonly Entry[] {
  const flag = flagged.find((leaf) => leaf.key === key);
  if (flag !== undefined) return [entry(key, flag.names, flag.value, { from: "flag" })];
  return placesOf(key, set).map((names) => {
    const leaf = set.byNames.get(JSON.stringify(names));
    return leaf === undefined
      ? unset(key, names, profile, references)
      : entry(key, names, leaf.value, { from: "config" });
  });
}

/** Where this key may stand: once for each object the user created at its `*`. */
function placesOf(key: Key, { chosen }: FileLeaves): readonly (readonly string[])[] {
  const pattern = key.path.split(".");
  const star = starOf(key);
  const names = star < 0 ? undefined : chosen.get(pattern.slice(0, star).join("."));
  if (names === undefined) return [pattern];
  return [...names].map((name) => pattern.map((part, index) => (index === star ? name : part)));
}

function unset(key: Key, names: readonly string[], profile: ProfileName, references: References): Entry {
  const variable = key.environment?.find((name) => (references.env[name] ?? "") !== "");
  if (variable !== undefined)
    return entry(key, names, references.env[variable], { from: "environment", name: variable });
  const value = profile === "default" ? undefined : key[profile];
  if (value !== undefined) return entry(key, names, value, { from: "profile", name: profile });
  return entry(key, names, key.default, { from: "default" });
}

function entry(key: Key, names: readonly string[], value: Json | undefined, source: Source): Entry {
  return { key, path: names.join("."), names, value, source };
}

function assemble(entries: readonly Entry[]): Config {
  const root: Record<string, unknown> = {};
  for (const { key, names, value } of entries) {
    const moved = key.path.startsWith("channels.*") ? ["channelsById", ...names.slice(1)] : names;
    const star = moved.indexOf("*");
    if (star >= 0) place(root, moved.slice(0, star), {});
    else if (value !== undefined) place(root, moved, value);
  }
  return root as Config; // placed by the paths that its type is made of; a value of a wrong kind is a fault
}

function place(root: Record<string, unknown>, names: readonly string[], value: unknown): void {
  let at = root;
  for (const name of names.slice(0, -1)) at = (at[name] ??= {}) as Record<string, unknown>; // made by this loop
  at[names.at(-1) ?? ""] ??= value;
}

function secretsOf(entry: Entry): readonly string[] {
  const { key, path, value } = entry;
  const found: string[] = [];
  if (key.secret !== undefined && value !== undefined)
    mapSecrets(key, value, path, (text) => {
      found.push(text);
      return text;
    });
  return found;
}
