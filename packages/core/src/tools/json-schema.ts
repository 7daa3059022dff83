// Reading a JSON Schema: local references, types, and how a parameter is described in an error.
import { isRecord } from "../lib/is-record.ts";
import type { Json, JsonObject } from "../contract/base.ts";

/** Nesting beyond this is not looked into: schemas may refer to themselves. */
export const MAX_DEPTH = 64;

/** The schema a local `$ref` points to, or the schema itself. Undefined for `true`, `false` and anything else. */
export function resolve(schema: Json | undefined, root: JsonObject): JsonObject | undefined {
  let current = schema;
  for (let hops = 0; hops < 16; hops += 1) {
    if (!isRecord(current)) return undefined;
    const reference = current["$ref"];
    if (typeof reference !== "string") return current;
    if (!reference.startsWith("#")) return undefined;
    current = atPointer(root, reference.slice(1));
  }
  return undefined;
}

/** The value at a JSON pointer (RFC 6901), following local references on the way. */
export function atPointer(root: JsonObject, pointer: string): Json | undefined {
  let current: Json | undefined = root;
  for (const token of pointer.split("/").slice(1)) {
    if (token === "$ref") {
      current = resolve(current, root);
      continue;
    }
    const key = decode(token).replaceAll("~1", "/").replaceAll("~0", "~");
    if (isList(current)) current = current[Number(key)];
    else if (isRecord(current)) current = Object.hasOwn(current, key) ? current[key] : undefined;
    else return undefined;
  }
  return current;
}

/** The types a schema allows; empty: any. Alternatives of `anyOf` and `oneOf` are joined. */
export function typesOf(schema: JsonObject, root: JsonObject, depth = 0): readonly string[] {
  const type = schema["type"];
  if (typeof type === "string") return [type];
  if (isList(type)) return type.filter((item) => typeof item === "string");
  const alternatives = schema["anyOf"] ?? schema["oneOf"];
  if (!isList(alternatives) || depth > MAX_DEPTH) return [];
  const found = new Set<string>();
  for (const alternative of alternatives) {
    const inner = resolve(alternative, root);
    const types = inner === undefined ? [] : typesOf(inner, root, depth + 1);
    if (types.length === 0) return [];
    for (const item of types) found.add(item);
  }
  return [...found];
}

/** What a value must be: `an integer from 1 to 200`, `one of add, list, remove`. */
export function describe(schema: JsonObject, root: JsonObject): string {
  const choices = schema["enum"];
  if (isList(choices)) return `one of ${choices.map(spell).join(", ")}`;
  if (schema["const"] !== undefined) return spell(schema["const"]);
  const types = typesOf(schema, root);
  return types.length === 0 ? "as its schema says" : types.map((type) => describeType(type, schema)).join(" or ");
}

function describeType(type: string, schema: JsonObject): string {
  switch (type) {
    case "string":
      return `a string${range(schema["minLength"], schema["maxLength"], "of ", "character")}`;
    case "integer":
      return `an integer${bounds(schema)}`;
    case "number":
      return `a number${bounds(schema)}`;
    case "boolean":
      return "true or false";
    case "array":
      return `an array${range(schema["minItems"], schema["maxItems"], "of ", "item")}`;
    case "object":
      return "an object";
    default:
      return type;
  }
}

function bounds(schema: JsonObject): string {
  const { exclusiveMinimum: above, exclusiveMaximum: below } = schema;
  const texts = [
    range(schema["minimum"], schema["maximum"], "", ""),
    ...(typeof above === "number" ? [` above ${above}`] : []),
    ...(typeof below === "number" ? [` below ${below}`] : []),
  ];
  return texts.filter((text) => text !== "").join(" and");
}

function range(low: Json | undefined, high: Json | undefined, of: string, unit: string): string {
  const named = (n: number): string => (unit === "" ? String(n) : `${n} ${unit}${n === 1 ? "" : "s"}`);
  if (typeof low === "number" && typeof high === "number")
    return of === "" ? ` from ${low} to ${high}` : ` ${of}${low} to ${named(high)}`;
  if (typeof low === "number") return ` of at least ${named(low)}`;
  return typeof high === "number" ? ` of at most ${named(high)}` : "";
}

function spell(value: Json): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}

function decode(token: string): string {
  try {
    return decodeURIComponent(token);
  } catch {
    return token; // a stray percent sign is meant literally
  }
}

/** Narrows to a JSON list. */
export function isList(value: Json | undefined): value is readonly Json[] {
  return Array.isArray(value);
}
