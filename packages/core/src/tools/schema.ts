// A hand-written JSON Schema as a Standard Schema: what built-in and MCP tools declare their arguments with.
import type { Json, JsonObject } from "../contract/base.ts";
import type { Schema, SchemaResult } from "../contract/tool.ts";
import { after } from "../lib/async/after.ts";
import { canonicalize } from "../lib/canonical-json.ts";
import { isRecord } from "../lib/is-record.ts";
import { cast } from "./cast.ts";
import { check } from "./check.ts";

const VENDOR = "margay";

export interface ObjectSchemaOptions {
  /**
   * Rewrites unadvertised spellings before casts and checks. A list is a refusal: its texts become the errors.
   * Must give the same object when it is applied twice.
   */
  readonly normalize?: (input: JsonObject) => JsonObject | readonly string[];
  /** Errors that JSON Schema can't express; asked only when everything else fits. */
  readonly refine?: (input: JsonObject) => readonly string[];
}

/** A Standard Schema that remembers the order in which its parameters were declared: errors come in that order. */
export interface ObjectSchema<T> extends Schema<T> {
  readonly declared: JsonObject;
}

/**
 * `T` is what the JSON Schema describes; nothing checks that the two agree. `type: "object"` may be left out.
 * Unknown parameters are refused unless `additionalProperties` says otherwise. Issues carry texts that the model reads.
 */
export function objectSchema<T>(json: JsonObject, options: ObjectSchemaOptions = {}): ObjectSchema<T> {
  const declared: JsonObject = { type: "object", ...json };
  return {
    declared,
    "~standard": {
      version: 1,
      vendor: VENDOR,
      validate: (value) => validate<T>(value, declared, options),
      jsonSchema: { input: () => canonicalObject(declared) },
    },
  };
}

/** Whether the issues of this schema are already texts for the model. */
export function isObjectSchema<T>(schema: Schema<T>): schema is ObjectSchema<T> {
  return schema["~standard"].vendor === VENDOR;
}

/** What the model is told about the arguments: draft 2020-12, keys in canonical order, without the `$schema` line. */
export function jsonSchemaOf(schema: Schema<never>): JsonObject {
  return canonicalObject(declaredSchemaOf(schema));
}

/** The same in the order of declaration. */
export function declaredSchemaOf(schema: Schema<never>): JsonObject {
  if (isObjectSchema(schema)) return schema.declared;
  // A Standard Schema returns JSON here by its specification.
  const { $schema: _, ...rest } = schema["~standard"].jsonSchema.input({ target: "draft-2020-12" }) as JsonObject;
  return rest;
}

function validate<T>(
  value: unknown,
  declared: JsonObject,
  options: ObjectSchemaOptions,
): SchemaResult<T> | Promise<SchemaResult<T>> {
  if (!isJsonObject(value)) return issues(["arguments are not a JSON object"]);
  const normalized = options.normalize?.(value) ?? value;
  if (isErrorList(normalized)) return issues(normalized);
  const input = cast(normalized, declared);
  return after(check(input, declared), (errors): SchemaResult<T> => {
    const all = errors.length > 0 ? errors : (options.refine?.(input) ?? []);
    // The input fits the schema, and the caller states that T is what the schema describes.
    return all.length > 0 ? issues(all) : { value: input as T };
  });
}

function issues(texts: readonly string[]): { readonly issues: readonly { readonly message: string }[] } {
  return { issues: texts.map((message) => ({ message })) };
}

function isErrorList(value: JsonObject | readonly string[]): value is readonly string[] {
  return Array.isArray(value);
}

/** Arguments come from JSON, so an object of them holds nothing else. */
export function isJsonObject(value: unknown): value is JsonObject {
  return isRecord(value);
}

function canonicalObject(value: JsonObject): JsonObject {
  const canonical: Json = canonicalize(value);
  return isJsonObject(canonical) ? canonical : {};
}
