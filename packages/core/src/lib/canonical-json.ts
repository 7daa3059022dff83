// One byte form per JSON value: hashes, the frozen prefix and the audit chain depend on it.
import type { Json } from "../contract/base.ts";

/** A JSON value whose members may be absent: `undefined` members are left out, as `JSON.stringify` does. */
export type JsonInput =
  | null
  | boolean
  | number
  | string
  | readonly JsonInput[]
  | { readonly [key: string]: JsonInput | undefined };

/** JSON text without spaces, keys sorted by code unit at every level. Equal values give equal text. */
export function canonicalJson(value: JsonInput): string {
  if (value === null || typeof value !== "object") return JSON.stringify(value);
  if (isList(value)) return `[${value.map(canonicalJson).join(",")}]`;
  let members = "";
  for (const key of Object.keys(value).sort()) {
    const member = value[key];
    if (member !== undefined) members += `${members === "" ? "" : ","}${JSON.stringify(key)}:${canonicalJson(member)}`;
  }
  return `{${members}}`;
}

/** The same value with its keys in canonical order (integer-like keys first, as JavaScript has it). Never mutates. */
export function canonicalize(value: JsonInput): Json {
  if (value === null || typeof value !== "object") return value;
  if (isList(value)) return value.map(canonicalize);
  const members: [string, Json][] = [];
  for (const key of Object.keys(value).sort()) {
    const member = value[key];
    if (member !== undefined) members.push([key, canonicalize(member)]);
  }
  // fromEntries defines own properties, so a key named __proto__ stays a key.
  return Object.fromEntries(members);
}

function isList(value: object): value is readonly JsonInput[] {
  return Array.isArray(value);
}
