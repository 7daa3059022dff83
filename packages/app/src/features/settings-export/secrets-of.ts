/** A configuration apart from its secrets: what may be shown, and where something was left out. */
import type { Json, JsonObject } from "@margay/core";
import { isRecord } from "@margay/core/internal";
import type { Entry } from "../../config/resolve.ts";
import type { Loaded } from "../../config/load.ts";
import { isSecretAt } from "../../config/secrets/secret-names.ts";
import { valueAt } from "../../config/value-at.ts";
import { removalsBelow } from "../../host/settings/edits.ts";

export interface Apart {
  readonly config: JsonObject;
  /** JSON Pointers. */
  readonly places: readonly string[];
  /** Their values by place. */
  readonly values: Readonly<Record<string, string>>;
}

/** `${VAR}` is the name of a secret and no secret: it stays. */
const VARIABLE = /^\$\{(?:env:)?[A-Za-z_][A-Za-z0-9_]*\}$/;

export function apart(loaded: Loaded): Apart {
  const values = new Map<string, string>();
  let config: JsonObject = {};
  for (const { key, names } of removalsBelow([], loaded)) {
    const raw = valueAt(loaded.raw, names);
    if (raw === undefined) continue;
    const entry = loaded.entries.find((one) => one.key === key && same(one, names));
    const shown = key.secret === undefined ? raw : strip(raw, entry?.value, { key, names }, values);
    if (shown !== undefined) config = put(config, names, shown);
  }
  return { config, places: [...values.keys()], values: Object.fromEntries(values) };
}

function same({ names }: Entry, other: readonly string[]): boolean {
  return names.length === other.length && names.every((name, index) => name === other[index]);
}

function strip(
  raw: Json,
  value: Json | undefined,
  { key, names }: Pick<Entry, "key" | "names">,
  found: Map<string, string>,
): Json | undefined {
  if (typeof raw === "string") {
    if (VARIABLE.test(raw) || !isSecretAt(key, names.join("."))) return raw;
    found.set(pointer(names), typeof value === "string" ? value : raw);
    return undefined;
  }
  if (raw === null || typeof raw !== "object") return raw;
  if (Array.isArray(raw))
    return raw.flatMap((item: Json, index) => {
      const below = Array.isArray(value) ? (value[index] as Json) : undefined;
      return strip(item, below, { key, names: [...names, String(index)] }, found) ?? [];
    });
  const left = Object.entries(raw).flatMap(([name, item]: [string, Json]) => {
    const kept = strip(item, isRecord(value) ? value[name] : undefined, { key, names: [...names, name] }, found);
    return kept === undefined ? [] : [[name, kept] as const];
  });
  return left.length === 0 ? undefined : Object.fromEntries(left);
}

export function pointer(names: readonly string[]): string {
  return names.map((name) => `/${name.replaceAll("~", "~0").replaceAll("/", "~1")}`).join("");
}

export function namesOf(place: string): readonly string[] {
  return place
    .split("/")
    .slice(1)
    .map((name) => name.replaceAll("~1", "/").replaceAll("~0", "~"));
}

export function put(object: JsonObject, [name = "", ...rest]: readonly string[], value: Json): JsonObject {
  const below = object[name];
  return { ...object, [name]: rest.length === 0 ? value : put(isRecord(below) ? below : {}, rest, value) };
}
