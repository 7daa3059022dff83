/** A JSON Merge Patch (RFC 7396) of the settings → changes of single keys; `null` means the default. */
import type { Json, JsonObject } from "@margay/core";
import { isRecord } from "@margay/core/internal";
import type { Fault, Key } from "../../config/key.ts";
import type { Loaded } from "../../config/load.ts";
import { keyTree, nearestKey, type Level } from "../../config/schema.ts";
import { setApart, type Secret } from "../../config/secrets/secrets.ts";
import { valueAt } from "../../config/value-at.ts";
import { isReadForm, writtenSecret } from "./mask.ts";

/** One key that changes. */
export interface Edit {
  readonly key: Key;
  /** From the root; a name the user chose may hold dots. */
  readonly names: readonly string[];
  /** What the file will say; undefined: nothing. */
  readonly value: Json | undefined;
  /** The same with new secrets written out, for checking it before any file exists. */
  readonly plain: Json | undefined;
  readonly secrets: readonly Secret[];
}

export interface Edits {
  readonly edits: readonly Edit[];
  readonly faults: readonly Fault[];
}

type Base = Pick<Loaded, "raw" | "places" | "entries">;

const FORBIDDEN_NAMES: readonly string[] = ["__proto__", "constructor", "prototype"];

/** Nothing in it for a key that keeps its value. */
export function editsOf(patch: JsonObject, base: Base): Edits {
  const edits: Edit[] = [];
  const faults: Fault[] = [];
  walk(patch, keyTree(), []);
  return { edits, faults };

  function walk(value: Json, level: Level, names: readonly string[]): void {
    if (level.key !== undefined) {
      const edit = editOf(level.key, names, value, base);
      if (edit !== undefined) edits.push(edit);
      return;
    }
    if (value === null) {
      edits.push(...removals(level, names, base.raw));
      return;
    }
    const path = names.join(".");
    if (!isRecord(value)) {
      faults.push({ path, problem: "type", value });
      return;
    }
    for (const [name, item] of Object.entries(value)) {
      const next = level.names.get(name) ?? (FORBIDDEN_NAMES.includes(name) ? undefined : level.any);
      const below = [...names, name];
      const hint = next === undefined ? nearestKey(below.join(".")) : undefined;
      if (next !== undefined) walk(item, next, below);
      else faults.push({ path: below.join("."), problem: "unknown", ...(hint !== undefined && { hint }) });
    }
  }
}

/** Everything the file says below a place: a provider, a channel. */
export function removalsBelow(names: readonly string[], base: Base): readonly Edit[] {
  let level: Level | undefined = keyTree();
  for (const name of names) level = level?.names.get(name) ?? level?.any;
  return level === undefined ? [] : removals(level, names, base.raw);
}

function removals(level: Level, names: readonly string[], raw: JsonObject): readonly Edit[] {
  const value = valueAt(raw, names);
  if (value === undefined) return [];
  if (level.key !== undefined) return [{ key: level.key, names, value: undefined, plain: undefined, secrets: [] }];
  if (!isRecord(value)) return [];
  return Object.keys(value).flatMap((name) => {
    const next = level.names.get(name) ?? level.any;
    return next === undefined ? [] : removals(next, [...names, name], raw);
  });
}

function editOf(key: Key, names: readonly string[], value: Json, base: Base): Edit | undefined {
  const before = valueAt(base.raw, names);
  if (value === null)
    return before === undefined ? undefined : { key, names, value: undefined, plain: undefined, secrets: [] };
  const merged = key.secret !== undefined ? mergeSecret(before, value) : merge(before, value);
  if (merged === undefined || same(merged, before)) return undefined;
  // What the file takes from elsewhere stays a reference when only its value was sent back.
  const effective = base.entries.find((entry) => entry.key === key && same(entry.names, names));
  if (before !== undefined && key.secret === undefined && same(merged, effective?.value)) return undefined;
  if (key.secret === undefined) return { key, names, value: merged, plain: merged, secrets: [] };
  const apart = setApart(base.places, names.join("."), merged, key);
  return { key, names, value: apart.value, plain: merged, secrets: apart.secrets };
}

/** RFC 7396. */
function merge(before: Json | undefined, patch: Json): Json {
  if (!isRecord(patch)) return patch;
  const result = new Map(Object.entries(isRecord(before) ? before : {}));
  for (const [name, item] of Object.entries(patch))
    if (item === null) result.delete(name);
    else result.set(name, merge(result.get(name), item));
  return Object.fromEntries(result);
}

/** The same where a text may be `{"$secret": …}`: new, or the mask that was read, which keeps what there is. */
function mergeSecret(before: Json | undefined, patch: Json): Json | undefined {
  const written = writtenSecret(patch);
  if (written !== undefined) return written;
  if (isReadForm(patch)) return before;
  if (Array.isArray(patch))
    return patch.flatMap((item: Json, index) => {
      const kept = mergeSecret(Array.isArray(before) ? (before[index] as Json) : undefined, item);
      return kept === undefined ? [] : [kept];
    });
  if (!isRecord(patch)) return patch;
  const result = new Map(Object.entries(isRecord(before) ? before : {}));
  for (const [name, item] of Object.entries(patch)) {
    const kept = item === null ? undefined : mergeSecret(result.get(name), item);
    if (kept === undefined) result.delete(name);
    else result.set(name, kept);
  }
  return Object.fromEntries(result);
}

function same(a: unknown, b: unknown): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}
