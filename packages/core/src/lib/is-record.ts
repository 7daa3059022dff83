/** Whether a value has members by name: an object, and neither a list nor null. */
import type { Json, JsonObject } from "../contract/base.ts";

export function isRecord(value: Json | undefined): value is JsonObject;
export function isRecord(value: unknown): value is Readonly<Record<string, unknown>>;
export function isRecord(value: unknown): boolean {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
