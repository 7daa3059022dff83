// Foreign JSON, read without trust: what has another shape than expected is absent.
import type { Json, JsonObject } from "@margay/core";
import { isRecord } from "@margay/core/internal";

export function parseJson(text: string): Json | undefined {
  try {
    return JSON.parse(text.replace(/^\uFEFF/, "")) as Json; // JSON.parse makes JSON
  } catch {
    return undefined; // the caller says which file
  }
}

export function objectOf(value: Json | undefined): JsonObject {
  return isRecord(value) ? value : {};
}

/** A string with something in it. */
export function textOf(value: Json | undefined): string | undefined {
  return typeof value === "string" && value.trim() !== "" ? value : undefined;
}

export function listOf(value: Json | undefined): readonly Json[] {
  return Array.isArray(value) ? (value as readonly Json[]) : []; // TS does not narrow to readonly arrays
}

/** The value at property names from the root. */
export function valueAt(value: Json | undefined, names: readonly string[]): Json | undefined {
  return names.reduce<Json | undefined>((at, name) => (isRecord(at) ? at[name] : undefined), value);
}

/** Paths of all values that say something: no null, no empty text, list or object. */
export function leaves(value: Json | undefined, path: readonly string[] = []): readonly (readonly string[])[] {
  if (isRecord(value)) return Object.entries(value).flatMap(([name, below]) => leaves(below, [...path, name]));
  const isEmpty = value === null || value === undefined || value === "" || (Array.isArray(value) && value.length === 0);
  return isEmpty ? [] : [path];
}
