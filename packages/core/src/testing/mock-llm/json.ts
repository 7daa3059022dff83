// Reading a request body that may be anything: absent or wrong-typed values become empty ones.

export type Fields = Readonly<Record<string, unknown>>;

/** @returns `{}` for anything that is not an object. */
export function fields(value: unknown): Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Fields) : {}; // checked on this line
}

/** @returns `[]` for anything that is not an array. */
export function list(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** @returns `""` for anything that is not a string. */
export function string(value: unknown): string {
  return typeof value === "string" ? value : "";
}

/** JSON without cache markers: they move from message to message and change no cached prefix. */
export function plain(value: unknown): string {
  return JSON.stringify(value, (key, inner: unknown) => (key === "cache_control" ? undefined : inner)) ?? "null";
}

/** The parsed JSON object, or `{}` when the text is not one. */
export function parseObject(text: string): Fields {
  try {
    return fields(JSON.parse(text));
  } catch {
    return {}; // the wires that need an object get an empty one
  }
}
