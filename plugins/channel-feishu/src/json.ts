/** Reads what came from Feishu: its shape is believed of nothing. */

/** An object of the wire. */
export type Wire = Readonly<Record<string, unknown>>;

export function isRecord(value: unknown): value is Wire {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** @returns undefined for what is no JSON object. */
export function parsed(text: string): Wire | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isRecord(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

export function textOf(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}

/** @throws TypeError: without it a message cannot be read. */
export function needed(value: unknown, name: string): string {
  const text = textOf(value);
  if (text === undefined) throw new TypeError(`${name} is missing`);
  return text;
}

/** The objects of a list; of what is none, none. */
export function recordsOf(value: unknown): readonly Wire[] {
  return Array.isArray(value) ? value.filter((item) => isRecord(item)) : [];
}
