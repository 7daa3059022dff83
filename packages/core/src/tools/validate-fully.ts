// The full JSON Schema validator, loaded only for schemas with keywords that check.ts does not decide.
import { isRecord } from "../lib/is-record.ts";
import { type OutputUnit, Validator } from "@cfworker/json-schema";
import type { JsonObject } from "../contract/base.ts";
import { atPointer } from "./json-schema.ts";

/** Errors of the deepest place that does not fit; empty when all fits. */
export function judge(input: JsonObject, schema: JsonObject): readonly string[] {
  const errors = outcome(input, schema);
  const deepest = errors.reduce((most, unit) => Math.max(most, depthOf(unit)), -1);
  const found = errors.filter((unit) => depthOf(unit) === deepest);
  // Of several alternatives, the one whose type fits is the one that was meant.
  const meant = found.filter((unit) => unit.keyword !== "type");
  const texts = (meant.length > 0 ? meant : found).map((unit) => explain(unit, schema));
  return [...new Set(texts)];
}

function outcome(input: JsonObject, schema: JsonObject): readonly OutputUnit[] {
  try {
    // The validator marks schemas as it reads them, so it gets a copy.
    return new Validator(structuredClone(schema) as object, "2020-12", false).validate(input).errors;
  } catch {
    // A schema that cannot be read (a remote reference, a bad pattern) is not the model's mistake; its owner checks.
    return [];
  }
}

function depthOf(unit: OutputUnit): number {
  return unit.instanceLocation.split("/").length * 100 + unit.keywordLocation.split("/").length;
}

function explain(unit: OutputUnit, schema: JsonObject): string {
  const name = nameOf(unit.instanceLocation);
  const place = atPointer(schema, unit.keywordLocation.slice(1, unit.keywordLocation.lastIndexOf("/")));
  const rule = isRecord(place) ? place[unit.keyword] : undefined;
  const value = typeof rule === "string" ? rule : JSON.stringify(rule);
  switch (unit.keyword) {
    case "pattern":
      return `${name} must match ${value}`;
    case "format":
      return `${name} must be a valid ${value}`;
    case "multipleOf":
      return `${name} must be a multiple of ${value}`;
    case "uniqueItems":
      return `${name} must be without repeated items`;
    default:
      return `${name} must fit its schema: ${unit.error.replace(/\.$/, "")}`;
  }
}

function nameOf(location: string): string {
  const tokens = location.split("/").slice(1);
  if (tokens.length === 0) return "arguments";
  return tokens
    .map((token, index) => (/^\d+$/.test(token) ? `[${token}]` : `${index === 0 ? "" : "."}${token}`))
    .join("");
}
