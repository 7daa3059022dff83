/** What a form control has to know about a value, read from its JSON Schema. */
import { isRecord } from "@margay/core/internal/state";

export type JsonSchema = {
  readonly [key: string]: unknown;
};

export type Shape =
  | { readonly is: "boolean" }
  | { readonly is: "number"; readonly integer: boolean; readonly min?: number; readonly max?: number }
  | { readonly is: "choice"; readonly of: readonly string[] }
  | { readonly is: "text"; readonly max?: number; readonly long: boolean; readonly pattern?: string }
  | { readonly is: "secret" }
  | { readonly is: "list"; readonly of: Shape }
  | { readonly is: "map"; readonly of: Shape }
  | { readonly is: "object"; readonly fields: readonly Field[] }
  /** Several kinds of value: edited as JSON. */
  | { readonly is: "json" };

export interface Field {
  readonly name: string;
  readonly shape: Shape;
  readonly title: string;
  readonly help?: string;
  readonly required: boolean;
  /** `null` is a value of its own: "not set". */
  readonly nullable: boolean;
  readonly default?: unknown;
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
  return {
    name,
    shape: readShape(inner),
    title: typeof schema["title"] === "string" ? schema["title"] : name,
    ...(typeof help === "string" && { help }),
    required,
    nullable,
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
        long: schema["format"] === "multiline" || (typeof max === "number" && max > 300),
        ...(typeof max === "number" && { max }),
        ...(typeof schema["pattern"] === "string" && { pattern: schema["pattern"] }),
      };
    }
    case "array":
      return isRecord(schema["items"]) ? { is: "list", of: readShape(schema["items"]) } : { is: "json" };
    case "object":
      if (isRecord(schema["properties"])) return { is: "object", fields: readFields(schema) };
      return isRecord(schema["additionalProperties"])
        ? { is: "map", of: readShape(schema["additionalProperties"]) }
        : { is: "json" };
    default:
      return { is: "json" };
  }
}

/** Names and places stay readable, what they hold does not. */
function secretShape({ type }: JsonSchema): Shape {
  if (type === "object") return { is: "map", of: { is: "secret" } };
  return type === "array" ? { is: "list", of: { is: "secret" } } : { is: "secret" };
}

/** Constants are a choice; a single kind is itself; everything else is written as JSON. */
function readOptions(options: readonly JsonSchema[]): Shape {
  const [first] = options;
  if (first !== undefined && options.length === 1) return readShape(first);
  if (options.length > 0 && options.every((one) => typeof one["const"] === "string"))
    return { is: "choice", of: options.map((one) => String(one["const"])) };
  return { is: "json" };
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
  return schema["writeOnly"] === true || schema["format"] === "password" || schema["secret"] === true;
}
