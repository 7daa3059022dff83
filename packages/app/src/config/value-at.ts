/** What the file says at a place. */
import type { Json, JsonObject } from "@margay/core";

export function valueAt(raw: JsonObject, names: readonly string[]): Json | undefined {
  return names.reduce<Json | undefined>(
    (value, name) =>
      typeof value === "object" && value !== null && !Array.isArray(value) ? (value as JsonObject)[name] : undefined,
    raw,
  ); // just narrowed; TS keeps readonly arrays
}
