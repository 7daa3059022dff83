// Bodies and queries against their table: what Discord knows, and which type it has.

import { isRecord } from "./http.ts";
import { invalid } from "./refusal.ts";

type Scalar = "string" | "integer" | "boolean" | "snowflake" | "nonce" | "any";

/** What a field is; `!` when it must be there. */
export type Kind = Scalar | `${Scalar}!` | Fields | readonly [Kind];
/** The fields of an object. */
export interface Fields {
  readonly [name: string]: Kind;
}

const MISSING = "This field is required";

/**
 * @param complain called for what Discord does not know: it passes over it, and a test is not to.
 * @throws Refusal 50035 for a wrong type.
 */
export function checkFields(
  table: Fields,
  value: unknown,
  complain: (text: string) => void,
  path = "",
): Readonly<Record<string, unknown>> {
  if (!isRecord(value)) throw invalid(path || "_", "DICT_TYPE_CONVERT", "Only dictionaries may be used in a DictType");
  const result: Record<string, unknown> = {};
  const at = (name: string): string => (path === "" ? name : `${path}.${name}`);
  for (const [name, inner] of Object.entries(value)) {
    const kind = Object.hasOwn(table, name) ? table[name] : undefined;
    if (kind === undefined) complain(`unknown field ${at(name)}`);
    else if (inner !== null) result[name] = read(kind, inner, complain, at(name));
  }
  for (const [name, kind] of Object.entries(table))
    if (typeof kind === "string" && kind.endsWith("!") && result[name] === undefined)
      throw invalid(at(name), "BASE_TYPE_REQUIRED", MISSING);
  return result;
}

/** Numbers and booleans of a query are text. */
export function fromQuery(table: Fields, query: URLSearchParams): Readonly<Record<string, unknown>> {
  const entries = [...query].map(([name, text]) => {
    const kind = table[name];
    if (kind === "integer" && /^\d+$/.test(text)) return [name, Number(text)] as const;
    if (kind === "boolean" && /^(?:true|false)$/.test(text)) return [name, text === "true"] as const;
    return [name, text] as const;
  });
  return Object.fromEntries(entries);
}

function read(kind: Kind, value: unknown, complain: (text: string) => void, path: string): unknown {
  if (typeof kind === "string") {
    if (fits(kind.replace("!", "") as Scalar, value)) return value; // that is how the type is made
    complain(`${path} is no ${kind}: ${JSON.stringify(value)}`);
    throw invalid(path, "BASE_TYPE_CHOICES", `Value is no ${kind}.`);
  }
  if (!isList(kind)) return checkFields(kind, value, complain, path);
  if (!Array.isArray(value)) throw invalid(path, "LIST_TYPE_CONVERT", "Only iterables may be used in a ListType");
  return value.map((item: unknown, index) => read(kind[0], item, complain, `${path}.${index}`));
}

function isList(kind: Fields | readonly [Kind]): kind is readonly [Kind] {
  return Array.isArray(kind);
}

function fits(kind: Scalar, value: unknown): boolean {
  switch (kind) {
    case "string":
      return typeof value === "string";
    case "integer":
      return Number.isSafeInteger(value);
    case "boolean":
      return typeof value === "boolean";
    case "snowflake":
      return typeof value === "string" && /^\d{15,20}$/.test(value);
    case "nonce":
      return Number.isSafeInteger(value) || (typeof value === "string" && [...value].length <= 25);
    case "any":
      return true;
  }
}
