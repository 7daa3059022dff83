// Arguments against a JSON Schema, with errors a model can act on.
import { isRecord } from "../lib/is-record.ts";
import type { Json, JsonObject } from "../contract/base.ts";
import { canonicalJson } from "../lib/canonical-json.ts";
import { describe, isList, MAX_DEPTH, resolve, typesOf } from "./json-schema.ts";

/** Keywords that `checkValue` decides alone. With any other the full validator has the last word. */
const PLAIN = new Set(
  "$schema $comment additionalProperties const default deprecated description enum examples exclusiveMaximum exclusiveMinimum items maxItems maxLength maximum minItems minLength minimum properties required title type".split(
    " ",
  ),
);
const COMPOSED = [
  "$ref",
  "allOf",
  "anyOf",
  "oneOf",
  "if",
  "not",
  "patternProperties",
  "unevaluatedProperties",
  "dependentSchemas",
];

/**
 * `{name} is required`, `{name} must be {type or range}`, `unknown parameter {name}`: in schema order, unknown last.
 * @returns an empty list when the input is valid.
 */
export function check(input: JsonObject, schema: JsonObject): readonly string[] | Promise<readonly string[]> {
  const root = resolve(schema, schema) ?? schema;
  const errors = checkObject(input, root, schema, "", isClosed(root, true), 0);
  if (errors.length > 0 || isPlain(schema, 0)) return errors;
  return import("./validate-fully.ts").then(({ judge }) => judge(input, schema));
}

function checkObject(
  input: JsonObject,
  schema: JsonObject,
  root: JsonObject,
  path: string,
  closed: boolean,
  depth: number,
): readonly string[] {
  const properties = isRecord(schema["properties"]) ? schema["properties"] : {};
  const required = isList(schema["required"]) ? schema["required"] : [];
  const errors: string[] = [];
  for (const name of new Set([...Object.keys(properties), ...required.filter((item) => typeof item === "string")])) {
    const value = Object.hasOwn(input, name) ? input[name] : undefined;
    if (value !== undefined) errors.push(...checkValue(value, properties[name], root, path + name, depth + 1));
    else if (required.includes(name)) errors.push(`${path}${name} is required`);
  }
  const rest = Object.entries(input).filter(([name, value]) => !Object.hasOwn(properties, name) && value !== undefined);
  for (const [name, value] of rest)
    if (closed) errors.push(`unknown parameter ${path}${name}`);
    else errors.push(...checkValue(value, schema["additionalProperties"], root, path + name, depth + 1));
  return errors;
}

function checkValue(
  value: Json,
  schema: Json | undefined,
  root: JsonObject,
  name: string,
  depth: number,
): readonly string[] {
  const resolved = resolve(schema, root);
  if (resolved === undefined || depth > MAX_DEPTH) return [];
  if (!fits(value, resolved, root)) return [`${name} must be ${describe(resolved, root)}`];
  if (isList(value))
    return value.flatMap((item, index) => checkValue(item, resolved["items"], root, `${name}[${index}]`, depth + 1));
  return isRecord(value) ? checkObject(value, resolved, root, `${name}.`, isClosed(resolved, false), depth) : [];
}

/**
 * Parameters of a tool are closed unless the schema opens them: a misspelt name is told, not ignored. Nested objects
 * follow JSON Schema.
 */
function isClosed(schema: JsonObject, top: boolean): boolean {
  const rest = schema["additionalProperties"];
  if (rest !== undefined) return rest === false;
  return top && schema["properties"] !== undefined && COMPOSED.every((keyword) => schema[keyword] === undefined);
}

function fits(value: Json, schema: JsonObject, root: JsonObject): boolean {
  const choices = schema["enum"];
  if (isList(choices) && !choices.some((choice) => same(choice, value))) return false;
  if (schema["const"] !== undefined && !same(schema["const"], value)) return false;
  const types = typesOf(schema, root);
  if (types.length > 0 && !types.some((type) => isType(value, type))) return false;
  if (typeof value === "number") return inBounds(value, schema);
  if (typeof value === "string")
    return inRange(value.length, () => [...value].length, schema["minLength"], schema["maxLength"]);
  return !isList(value) || inRange(value.length, () => value.length, schema["minItems"], schema["maxItems"]);
}

function isType(value: Json, type: string): boolean {
  switch (type) {
    case "integer":
      return Number.isInteger(value);
    case "number":
      return Number.isFinite(value);
    case "array":
      return isList(value);
    case "object":
      return isRecord(value);
    case "null":
      return value === null;
    default:
      return typeof value === type;
  }
}

function inBounds(value: number, schema: JsonObject): boolean {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum } = schema;
  return (
    Number.isFinite(value) &&
    !(typeof minimum === "number" && value < minimum) &&
    !(typeof maximum === "number" && value > maximum) &&
    !(typeof exclusiveMinimum === "number" && value <= exclusiveMinimum) &&
    !(typeof exclusiveMaximum === "number" && value >= exclusiveMaximum)
  );
}

/** `units` never is below the exact length, which is counted only when it can matter. */
function inRange(units: number, exact: () => number, low: Json | undefined, high: Json | undefined): boolean {
  if (typeof low === "number" && (units < low || exact() < low)) return false;
  return !(typeof high === "number" && units > high && exact() > high);
}

function same(left: Json, right: Json): boolean {
  return left === right || (typeof left === "object" && canonicalJson(left) === canonicalJson(right));
}

function isPlain(schema: Json, depth: number): boolean {
  if (!isRecord(schema)) return typeof schema === "boolean" && schema;
  if (depth > MAX_DEPTH || !Object.keys(schema).every((keyword) => PLAIN.has(keyword))) return false;
  const { properties, items, additionalProperties } = schema;
  return (
    (properties === undefined ||
      (isRecord(properties) && Object.values(properties).every((inner) => isPlain(inner, depth + 1)))) &&
    (items === undefined || isPlain(items, depth + 1)) &&
    (additionalProperties === undefined ||
      typeof additionalProperties === "boolean" ||
      isPlain(additionalProperties, depth + 1))
  );
}
