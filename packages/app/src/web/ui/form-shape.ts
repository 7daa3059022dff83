/** What a form control has to know about a value, read from its JSON Schema; its words come from the page's catalog. */
import { isRecord } from "@margay/core/internal/state";
import type { ComponentChildren } from "preact";

export type JsonSchema = {
  readonly [key: string]: unknown;
};

export type Shape =
  | { readonly is: "boolean" }
  | { readonly is: "number"; readonly integer: boolean; readonly min?: number; readonly max?: number }
  | { readonly is: "choice"; readonly of: readonly string[]; readonly words?: Words }
  /** Any of them, each once. */
  | { readonly is: "choices"; readonly of: readonly string[]; readonly words?: Words }
  /** Texts, one per line. */
  | { readonly is: "lines" }
  | { readonly is: "text"; readonly max?: number; readonly long: boolean; readonly pattern?: string }
  | { readonly is: "secret" }
  | { readonly is: "list"; readonly of: Shape }
  | { readonly is: "map"; readonly of: Shape }
  | { readonly is: "object"; readonly fields: readonly Field[] }
  /** One of several kinds: which, and then its control. */
  | { readonly is: "either"; readonly of: readonly Shape[] }
  /** Anything: edited as JSON. */
  | { readonly is: "json" };

export interface Field {
  readonly name: string;
  readonly shape: Shape;
  readonly title: string;
  readonly help?: ComponentChildren;
  readonly required: boolean;
  /** `null` is a value of its own: "not set". */
  readonly nullable: boolean;
  readonly default?: unknown;
  /** It belongs to other fields: with any other value of theirs nobody needs it. */
  readonly when?: JsonSchema;
  /** Few need it: it is folded away. */
  readonly more?: boolean;
}

/** What stands for a value; without one it stands for itself. */
export type Words = ReadonlyMap<string, string>;

/** The text of a key that is known as the page runs. */
export type Find = (key: string) => string | undefined;

/**
 * The fields of a form in its order. The catalog words them: `name` is the title, `nameWhy` the help, `name_value` a choice.
 * @param schema Of what the route takes.
 */
export function fieldsOf<Name extends string>(
  schema: JsonSchema,
  names: readonly Name[],
  find: Find,
): readonly Field[] {
  const all = readFields(schema);
  return names.map((name) => {
    const field = all.find((one) => one.name === name);
    if (field === undefined) throw new Error(`The form has a field ${name}, which its route does not take.`);
    return worded(field, find);
  });
}

/** A field beside the schema: the name a new thing gets, which stands in its path. */
export function nameField(name: string, schema: JsonSchema, find: Find): Field {
  return worded(readField(name, schema, true), find);
}

function worded(field: Field, find: Find): Field {
  const help = find(`${field.name}Why`);
  return { ...field, shape: wordedShape(field, find), title: find(field.name) ?? field.title, ...(help && { help }) };
}

function wordedShape({ name, shape }: Field, find: Find): Shape {
  if (shape.is !== "choice" && shape.is !== "choices") return shape;
  return { ...shape, words: new Map(shape.of.map((value) => [value, find(`${name}_${value}`) ?? value])) };
}

/** Every field of an object schema, in its order. */
export function readFields(schema: JsonSchema): readonly Field[] {
  const properties = isRecord(schema["properties"]) ? schema["properties"] : {};
  const required = Array.isArray(schema["required"]) ? schema["required"] : [];
  return Object.entries(properties).flatMap(([name, value]) =>
    isRecord(value) ? [readField(name, value, required.includes(name))] : [],
  );
}

/** One field. */
export function readField(name: string, schema: JsonSchema, required: boolean): Field {
  const { schema: inner, nullable } = withoutNull(schema);
  const help = schema["description"] ?? inner["description"];
  const when = schema["x-if"];
  return {
    name,
    shape: readShape(inner),
    title: typeof schema["title"] === "string" ? schema["title"] : name,
    ...(typeof help === "string" && { help }),
    required: required || isRecord(when),
    nullable,
    ...(isRecord(when) && { when }),
    ...(schema["x-group"] === "more" && { more: true }),
    ...(schema["default"] !== undefined && { default: schema["default"] }),
  };
}

/** The kind of control a schema asks for. */
export function readShape(schema: JsonSchema): Shape {
  if (isSecret(schema)) return secretShape(schema);
  if (Array.isArray(schema["enum"])) return { is: "choice", of: schema["enum"].map(String) };
  if (schema["const"] !== undefined) return { is: "choice", of: [String(schema["const"])] };
  const options = schema["anyOf"] ?? schema["oneOf"];
  if (Array.isArray(options)) return readOptions(options.filter(isRecord));
  switch (schema["type"]) {
    case "boolean":
      return { is: "boolean" };
    case "integer":
    case "number": {
      const { minimum, maximum } = schema;
      return {
        is: "number",
        integer: schema["type"] === "integer",
        ...(typeof minimum === "number" && Number.isSafeInteger(minimum) && { min: minimum }),
        ...(typeof maximum === "number" && maximum < Number.MAX_SAFE_INTEGER && { max: maximum }),
      };
    }
    case "string": {
      const max = schema["maxLength"];
      return {
        is: "text",
        long: schema["format"] === "multiline" || (!isOneLine(schema) && typeof max === "number" && max > 300),
        ...(typeof max === "number" && { max }),
        ...(typeof schema["pattern"] === "string" && { pattern: schema["pattern"] }),
      };
    }
    case "array":
      return isRecord(schema["items"]) ? listOf(schema["format"], readShape(schema["items"])) : { is: "json" };
    case "object":
      if (isRecord(schema["properties"])) return { is: "object", fields: readFields(schema) };
      return isRecord(schema["additionalProperties"])
        ? { is: "map", of: readShape(schema["additionalProperties"]) }
        : { is: "json" };
    default:
      return { is: "json" };
  }
}

/** However long it may be. */
function isOneLine({ format }: JsonSchema): boolean {
  return format === "line" || format === "uri";
}

function listOf(format: unknown, item: Shape): Shape {
  if (item.is === "choice") return { ...item, is: "choices" };
  return format === "lines" ? { is: "lines" } : { is: "list", of: item };
}

/** Names and places stay readable, what they hold does not. */
function secretShape({ type }: JsonSchema): Shape {
  if (type === "object") return { is: "map", of: { is: "secret" } };
  return type === "array" ? { is: "list", of: { is: "secret" } } : { is: "secret" };
}

/** Constants are a choice, a single kind is itself; of several kinds a person chooses one first. */
function readOptions(options: readonly JsonSchema[]): Shape {
  if (options.some(isSecret)) return { is: "secret" };
  const [first] = options;
  if (first !== undefined && options.length === 1) return readShape(first);
  if (options.length > 0 && options.every((one) => typeof one["const"] === "string"))
    return { is: "choice", of: options.map((one) => String(one["const"])) };
  const kinds = options.map(readShape);
  return kinds.length === 0 || kinds.some(({ is }) => is === "json") ? { is: "json" } : { is: "either", of: kinds };
}

function withoutNull(schema: JsonSchema): { readonly schema: JsonSchema; readonly nullable: boolean } {
  if (Array.isArray(schema["type"])) {
    const kinds = schema["type"].filter((kind) => kind !== "null");
    const nullable = kinds.length < schema["type"].length;
    return { schema: { ...schema, type: kinds.length === 1 ? kinds[0] : kinds }, nullable };
  }
  const options = schema["anyOf"] ?? schema["oneOf"];
  if (!Array.isArray(options)) return { schema, nullable: false };
  const others = options.filter(isRecord).filter((one) => one["type"] !== "null");
  if (others.length === options.length) return { schema, nullable: false };
  const { anyOf: _anyOf, oneOf: _oneOf, ...rest } = schema;
  const [only] = others;
  return {
    schema: others.length === 1 && only !== undefined ? { ...only, ...rest } : { ...rest, anyOf: others },
    nullable: true,
  };
}

function isSecret(schema: JsonSchema): boolean {
  if (isRecord(schema["properties"]) && Object.hasOwn(schema["properties"], "$secret")) return true;
  if (Array.isArray(schema["anyOf"]) && schema["anyOf"].filter(isRecord).some(isSecret)) return true;
  return schema["writeOnly"] === true || schema["format"] === "password" || schema["secret"] === true;
}
