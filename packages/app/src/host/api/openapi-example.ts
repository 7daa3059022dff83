/** An example for each operation, made from its schema: what the schema does not say is chosen by the name of the field. */

interface Schema {
  readonly type?: string | readonly string[];
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly default?: unknown;
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly allOf?: readonly Schema[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly prefixItems?: readonly Schema[];
  readonly minItems?: number;
  readonly minimum?: number;
  readonly exclusiveMinimum?: number;
  readonly maximum?: number;
  readonly pattern?: string;
  readonly format?: string;
}

const HASH = "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08";
const AT = 1_795_320_000_000; // 2026-11-22

const TEXTS: Readonly<Record<string, string>> = {
  q: "tea",
  text: "Good morning",
  message: "What is on today?",
  title: "Mornings",
  name: "kitchen",
  path: "notes.md",
  model: "openai/gpt-5",
  provider: "openai",
  tz: "Europe/Berlin",
  timeZone: "Europe/Berlin",
  channel: "telegram",
  tool: "read_file",
  code: "K7MN-2PQR",
  password: "correct horse battery staple",
  url: "https://example.org/mcp",
  baseUrl: "https://api.example.org/v1",
  expression: "30 8 * * 1-5",
  command: "npx",
  description: "Draws plots",
  traits: "calm",
};

/** Tried in order against a pattern. */
const BY_PATTERN: readonly string[] = [HASH, "kitchen", "a1b2c3d4", "12.0", "1", "K7MN-2PQR", "#kitchen", "/notes"];

/** @param name Of the field, for a text that reads like one. */
export function exampleOf(schema: object, name = ""): unknown {
  const given: Schema = schema;
  if (given.const !== undefined) return given.const;
  if (given.enum !== undefined) return given.enum.find((one) => one !== "") ?? given.enum[0];
  const options = given.anyOf ?? given.oneOf;
  if (options !== undefined) {
    const first = options.find((one) => one.type !== "null");
    return first === undefined ? null : exampleOf(first, name);
  }
  if (given.allOf !== undefined) return exampleOf(Object.assign({}, ...given.allOf) as object, name); // as the parts say together
  const type = typeof given.type === "string" ? given.type : given.type?.[0];
  switch (type) {
    case "object":
      return objectOf(given);
    case "array":
      return given.prefixItems?.map((one) => exampleOf(one, name)) ?? listOf(given, name);
    case "integer":
    case "number":
      return numberOf(given, name);
    case "boolean":
      return given.default ?? true;
    case "string":
      return textOf(given, name);
    case "null":
      return null;
    default:
      return given.properties === undefined ? {} : objectOf(given);
  }
}

/** What is required; of a body without any such field, its first one. */
function objectOf({ properties = {}, required = [] }: Schema): object {
  const names = Object.keys(properties);
  const shown = required.length > 0 ? names.filter((name) => required.includes(name)) : names.slice(0, 1);
  return Object.fromEntries(shown.map((name) => [name, exampleOf(properties[name] ?? {}, name)]));
}

function listOf({ items = {}, minItems = 1 }: Schema, name: string): readonly unknown[] {
  return Array.from({ length: Math.max(1, minItems) }, () => exampleOf(items, name));
}

function numberOf({ minimum, exclusiveMinimum, maximum, type }: Schema, name: string): number {
  const whole = type !== "number";
  const wanted = /^(?:at|from|to|since|next|.*At)$/.test(name) ? AT : /usd/i.test(name) ? 0.0042 : 1;
  const least = minimum ?? (exclusiveMinimum === undefined ? -Infinity : exclusiveMinimum + (whole ? 1 : 0.01));
  const value = Math.min(Math.max(wanted, least), maximum ?? Infinity);
  return whole ? Math.ceil(value) : value;
}

function textOf({ pattern, format, default: chosen }: Schema, name: string): string {
  if (typeof chosen === "string" && chosen !== "") return chosen;
  if (format === "date-time") return new Date(AT).toISOString();
  if (format === "uri") return "https://example.org/";
  const own =
    TEXTS[name] ?? (/hash|sha256/i.test(name) ? HASH : /id$|^session$|^key$/i.test(name) ? "a1b2c3d4" : "text");
  return pattern === undefined
    ? own
    : ([own, ...BY_PATTERN].find((text) => new RegExp(pattern, "u").test(text)) ?? own);
}
