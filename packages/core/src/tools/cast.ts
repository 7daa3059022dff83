// The only repairs made to arguments: casts that lose nothing.
import { isRecord } from "../lib/is-record.ts";
import type { Json, JsonObject } from "../contract/base.ts";
import { isList, MAX_DEPTH, resolve, typesOf } from "./json-schema.ts";

const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?$/;

/**
 * `"3"` becomes 3 and `"true"` becomes true where the schema wants a number or a boolean and allows no string.
 * Booleans never become numbers, `null` stays, nothing is wrapped into or out of a list. Never mutates its argument.
 */
export function cast(input: JsonObject, schema: JsonObject): JsonObject {
  const result = castValue(input, schema, schema, 0);
  return isRecord(result) ? result : input;
}

function castValue(value: Json, schema: Json | undefined, root: JsonObject, depth: number): Json {
  const resolved = resolve(schema, root);
  if (resolved === undefined || depth > MAX_DEPTH) return value;
  if (typeof value === "string") return castText(value, typesOf(resolved, root));
  if (isList(value)) {
    const items = resolved["items"];
    return items === undefined ? value : value.map((item) => castValue(item, items, root, depth + 1));
  }
  const properties = resolved["properties"];
  if (!isRecord(value) || !isRecord(properties)) return value;
  // fromEntries defines own properties, so a parameter named __proto__ stays a parameter.
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [
      name,
      Object.hasOwn(properties, name) ? castValue(member, properties[name], root, depth + 1) : member,
    ]),
  );
}

function castText(text: string, types: readonly string[]): Json {
  if (types.length === 0 || types.includes("string")) return text;
  if (types.includes("boolean") && (text === "true" || text === "false")) return text === "true";
  if (!NUMBER.test(text)) return text;
  const number = Number(text);
  if (types.includes("integer") && Number.isSafeInteger(number) && !text.includes(".")) return number;
  return types.includes("number") && keepsDigits(text, number) ? number : text;
}

/** A double holds 15 significant decimal digits exactly. */
function keepsDigits(text: string, number: number): boolean {
  return Number.isFinite(number) && text.replace(/^-?0*\.?0*/, "").replace(".", "").length <= 15;
}
