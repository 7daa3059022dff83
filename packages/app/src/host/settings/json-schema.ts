/** The table of keys as JSON Schema: what forms are drawn from. Keys that only a profile sets are in no form. */
import { keyText } from "../../config/key-text.ts";
import type { JsonObject } from "@margay/core";
import type { Language } from "../../texts/text.ts";
import type { Key, Kind } from "../../config/key.ts";
import { keyTree, type Level } from "../../config/schema.ts";

export function configSchema(language: Language): JsonObject {
  return { $schema: "https://json-schema.org/draft/2020-12/schema", ...levelSchema(keyTree(), language) };
}

function levelSchema(level: Level, language: Language): JsonObject {
  if (level.key !== undefined) return keySchema(level.key, language);
  return {
    type: "object",
    properties: Object.fromEntries(
      [...level.names].flatMap(([name, below]) =>
        below.key?.profileOnly === true ? [] : [[name, levelSchema(below, language)]],
      ),
    ),
    additionalProperties: level.any === undefined ? false : levelSchema(level.any, language),
  };
}

function keySchema(key: Key, language: Language): JsonObject {
  return {
    ...kindSchema(key.kind),
    description: keyText(key.path, language),
    ...(key.default !== undefined && { default: key.default }),
    ...(key.secret === true && { writeOnly: true }),
  };
}

function kindSchema(kind: Kind): JsonObject {
  switch (kind.is) {
    case "any":
      return {};
    case "nothing":
      return { type: "null" };
    case "boolean":
      return { type: "boolean" };
    case "integer":
    case "number":
      return { type: kind.is, minimum: kind.min, maximum: kind.max };
    case "choice":
      return { type: "string", enum: kind.of };
    case "text":
      return { type: "string", ...(kind.max !== undefined && { maxLength: kind.max }) };
    case "either":
      return { anyOf: kind.of.map(kindSchema) };
    case "list":
      return { type: "array", items: kindSchema(kind.of), ...(kind.max !== undefined && { maxItems: kind.max }) };
    case "map":
      return { type: "object", additionalProperties: kindSchema(kind.of) };
    case "object":
      return {
        type: "object",
        properties: Object.fromEntries(Object.entries(kind.fields).map(([name, field]) => [name, kindSchema(field)])),
        required: kind.required,
        additionalProperties: false,
      };
    case "url":
    case "origin":
      return { type: "string", format: "uri" };
    case "regex":
      return { type: "string", format: "regex" };
    case "id":
    case "identity":
    case "time-zone":
    case "path":
    case "host":
    case "destination":
    case "repository":
    case "model":
    case "variable":
    case "hours":
    case "network":
    case "chat":
    case "emoji":
      return { type: "string", format: `margay-${kind.is}` };
  }
}
