/** A stranger's JSON Schema → one that every provider takes as a tool's parameters. */
import type { Json, JsonObject } from "@margay/core";
import { isRecord, neutral } from "@margay/core/internal";

export type Normalized =
  | { readonly ok: true; readonly schema: JsonObject }
  | { readonly ok: false; readonly reason: string };

const MAX_DEPTH = 32;
/** A description of parameters longer than a novel's chapter is an attack on the context. */
const MAX_CHARS = 32_000;
/** The strictest provider's rule for names of parameters. */
const NAME = /^[a-zA-Z0-9_.-]{1,64}$/;
/** Meta keywords, and the definitions that references were replaced with. */
const DROPPED: ReadonlySet<string> = new Set([
  "$schema",
  "$id",
  "$defs",
  "definitions",
  "$anchor",
  "$comment",
  "$dynamicAnchor",
]);
const MAPS: ReadonlySet<string> = new Set(["properties", "patternProperties", "dependentSchemas"]);
const SCHEMAS: ReadonlySet<string> = new Set([
  "items",
  "additionalProperties",
  "contains",
  "not",
  "if",
  "then",
  "else",
  "propertyNames",
  "unevaluatedProperties",
  "unevaluatedItems",
]);
const LISTS: ReadonlySet<string> = new Set(["allOf", "anyOf", "oneOf", "prefixItems"]);

/** Never throws. */
export function normalizeSchema(value: unknown): Normalized {
  if (value === undefined) return { ok: true, schema: { type: "object", properties: {} } };
  const root = value as Json; // the protocol's library parsed it
  if (!isRecord(root)) return no("its input schema is no object");
  try {
    const walked = walk(root, { root, open: [], depth: 0 });
    if (!isRecord(walked)) return no("its input schema is no object");
    const schema = flatten(walked);
    const type = schema["type"];
    if (type !== undefined && type !== "object" && !(isList(type) && type.includes("object")))
      return no("its arguments are not an object");
    const properties = schema["properties"] ?? {};
    const bad = Object.keys(properties).find((name) => !NAME.test(name));
    if (bad !== undefined) return no(`no provider takes a parameter named ${JSON.stringify(bad.slice(0, 80))}`);
    const result = { ...schema, type: "object", properties };
    return JSON.stringify(result).length > MAX_CHARS
      ? no("its input schema is too long")
      : { ok: true, schema: result };
  } catch (error) {
    if (error instanceof Unusable) return no(error.message);
    throw error;
  }
}

class Unusable extends Error {}

interface Place {
  readonly root: JsonObject;
  /** References that are being replaced around here. */
  readonly open: readonly string[];
  readonly depth: number;
}

function walk(value: Json, place: Place): Json {
  if (typeof value === "boolean") return value; // a schema too
  // Sent on, it would make a provider refuse the whole request.
  if (!isRecord(value)) throw new Unusable("its input schema has something else where a schema belongs");
  if (place.depth > MAX_DEPTH) throw new Unusable("its input schema is nested too deep");
  const inner = { ...place, depth: place.depth + 1 };
  const { $ref: reference, ...rest } = value;
  if (reference !== undefined) return replaced(reference, rest, place);
  const result: Record<string, Json> = {};
  for (const [key, item] of Object.entries(value)) {
    if (DROPPED.has(key)) continue;
    if (MAPS.has(key)) {
      if (!isRecord(item)) throw new Unusable(`its input schema is broken: ${key} is no object`);
      result[key] = Object.fromEntries(Object.entries(item).map(([name, each]) => [name, walk(each, inner)]));
    } else if (LISTS.has(key)) {
      if (!isList(item)) throw new Unusable(`its input schema is broken: ${key} is no list`);
      result[key] = item.map((each) => walk(each, inner));
    } else if (SCHEMAS.has(key) && !isList(item)) result[key] = walk(item, inner);
    else result[key] = item;
  }
  return nullable(result);
}

/** A local reference becomes what it points to; inside of itself it becomes "anything". */
function replaced(reference: Json, rest: JsonObject, place: Place): Json {
  if (typeof reference !== "string" || !reference.startsWith("#"))
    throw new Unusable("its input schema refers to another document");
  const { description } = rest;
  if (place.open.includes(reference)) return { ...(description !== undefined && { description }) };
  const target = at(place.root, reference.slice(1));
  if (target === undefined) throw new Unusable(`its input schema refers to ${reference}, which is not there`);
  const inner = { ...place, open: [...place.open, reference], depth: place.depth + 1 };
  const resolved = walk(target, inner);
  const own = walk(rest, { ...place, depth: place.depth + 1 });
  return isRecord(resolved) && isRecord(own) ? { ...resolved, ...own } : resolved;
}

/** `anyOf [X, null]` → X that may be null: the one spelling all providers know. */
function nullable(schema: JsonObject): JsonObject {
  for (const key of ["anyOf", "oneOf"]) {
    const choices = schema[key];
    if (!isList(choices) || choices.length !== 2) continue;
    const other = choices.find((choice) => !(isRecord(choice) && choice["type"] === "null"));
    if (!choices.some((choice) => isRecord(choice) && choice["type"] === "null") || !isRecord(other)) continue;
    if (typeof other["type"] !== "string" || other["enum"] !== undefined || other["const"] !== undefined) continue;
    const { [key]: _choices, ...rest } = schema;
    return { ...other, ...rest, type: [other["type"], "null"] };
  }
  return schema;
}

/** Providers refuse alternatives at the top: all properties are offered, the server checks how they go together. */
function flatten(schema: JsonObject): JsonObject {
  let result = schema;
  for (const key of ["allOf", "anyOf", "oneOf"]) {
    const { [key]: parts, ...rest } = result;
    if (!isList(parts)) continue;
    const schemas = parts.filter((part): part is JsonObject => isRecord(part)).map(flatten);
    const properties = Object.assign(
      {},
      ...schemas.map((part) => part["properties"]),
      rest["properties"],
    ) as JsonObject; // maps of schemas, as walked
    const lists = schemas.map((part) => (isList(part["required"]) ? part["required"] : []));
    const needed =
      key === "allOf" ? lists.flat() : (lists[0] ?? []).filter((name) => lists.every((list) => list.includes(name)));
    const own = isList(rest["required"]) ? rest["required"] : [];
    const required = [...new Set([...own, ...needed])];
    result = { ...rest, properties, ...(required.length > 0 && { required }) };
  }
  return result;
}

function at(root: JsonObject, pointer: string): Json | undefined {
  let current: Json | undefined = root;
  for (const token of pointer.split("/").slice(1)) {
    const key = token.replaceAll("~1", "/").replaceAll("~0", "~");
    if (isList(current)) current = current[Number(key)];
    else if (isRecord(current) && Object.hasOwn(current, key)) current = current[key];
    else return undefined;
  }
  return current;
}

function no(reason: string): Normalized {
  return { ok: false, reason };
}

function isList(value: Json | undefined): value is readonly Json[] {
  return Array.isArray(value);
}

/** What a schema says in words is a stranger's text too; names and values stay what they are. */
export function neutralTexts(schema: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(schema).map(([key, value]) => [
      key,
      typeof value === "string" && (key === "description" || key === "title") ? neutral(value) : inner(value),
    ]),
  );
}

function inner(value: Json): Json {
  if (typeof value !== "object" || value === null) return value;
  return isList(value) ? value.map(inner) : neutralTexts(value);
}
