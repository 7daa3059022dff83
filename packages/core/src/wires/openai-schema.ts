// What OpenAI rejects in the JSON Schema of a tool, left out.
import type { Json, JsonObject } from "../contract/base.ts";

/** Keywords whose value is a schema, a list of them, or schemas by name. */
const NESTED: ReadonlySet<string> = new Set([
  ...["additionalProperties", "additionalItems", "items", "contains", "not", "if", "then", "else"],
  ...["allOf", "anyOf", "oneOf"],
]);
const NAMED: ReadonlySet<string> = new Set(["properties", "patternProperties", "definitions", "$defs", "dependencies"]);
const LOOKAROUND = /\(\?<?[=!]/;

/** Without `propertyNames` and patterns that look around; `allOf` of one reference is that reference. */
export function openAiSchema(schema: JsonObject): JsonObject {
  const { allOf, ...rest } = inner(schema);
  const reference = referenceOf(allOf);
  if (reference === undefined) return { ...rest, ...(allOf !== undefined && { allOf }) };
  // The root is no reference: what it refers to stands in its place.
  const [, keyword = "", name = ""] = /^#\/(definitions|\$defs)\/(.+)$/.exec(reference) ?? [];
  const found = object(object(rest[keyword])?.[name.replaceAll("~1", "/").replaceAll("~0", "~")]);
  return found === undefined ? { ...rest, ...(allOf !== undefined && { allOf }) } : { ...found, ...rest };
}

function nested(value: Json): Json {
  const schema = object(value);
  if (schema === undefined) return Array.isArray(value) ? value.map(nested) : value;
  const { allOf, ...rest } = inner(schema);
  const reference = referenceOf(allOf);
  return reference === undefined ? { ...rest, ...(allOf !== undefined && { allOf }) } : { ...rest, $ref: reference };
}

function inner(schema: JsonObject): JsonObject {
  const entries = Object.entries(schema).flatMap(([key, value]): [string, Json][] => {
    if (key === "propertyNames" || (key === "pattern" && typeof value === "string" && LOOKAROUND.test(value)))
      return [];
    const named = NAMED.has(key) ? object(value) : undefined;
    if (named !== undefined)
      return [[key, Object.fromEntries(Object.entries(named).map(([name, one]) => [name, nested(one)]))]];
    return [[key, NESTED.has(key) ? nested(value) : value]];
  });
  return Object.fromEntries(entries);
}

function referenceOf(allOf: Json | undefined): string | undefined {
  const only = Array.isArray(allOf) && allOf.length === 1 ? object(allOf[0]) : undefined;
  return only !== undefined && Object.keys(only).length === 1 && typeof only["$ref"] === "string"
    ? only["$ref"]
    : undefined;
}

function object(value: Json | undefined): JsonObject | undefined {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as JsonObject) : undefined; // JSON
}
