/** What the file says at a place, and the file with another value there. */
import type { Json, JsonObject } from "@margay/core";
import { isRecord } from "@margay/core/internal";

export function valueAt(raw: JsonObject, names: readonly string[]): Json | undefined {
  return names.reduce<Json | undefined>((value, name) => (isRecord(value) ? value[name] : undefined), raw);
}

/** Whether both files say the same at all of these places. */
export function saySame(one: JsonObject, other: JsonObject, places: readonly (readonly string[])[]): boolean {
  return places.every((names) => JSON.stringify(valueAt(one, names)) === JSON.stringify(valueAt(other, names)));
}

/** @param value `undefined` removes the key, and objects that become empty with it. */
export function withValue(
  object: JsonObject,
  [name = "", ...rest]: readonly string[],
  value: Json | undefined,
): JsonObject {
  const { [name]: before, ...others } = object;
  if (value === undefined && before === undefined) return object;
  const below = rest.length === 0 ? value : withValue(isRecord(before) ? before : {}, rest, value);
  const empty = below === undefined || (value === undefined && isRecord(below) && Object.keys(below).length === 0);
  return empty ? others : { ...object, [name]: below };
}
