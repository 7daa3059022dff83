/** Secrets on the wire: whether there is one and where it comes from, never a part of it. */
import { statSync } from "node:fs";
import { join } from "node:path";
import type { Json } from "@margay/core";
import { isRecord } from "@margay/core/internal";
import type { Loaded } from "../../config/load.ts";
import type { Entry } from "../../config/resolve.ts";
import { mapSecrets } from "../../config/secrets/secret-names.ts";
import { valueAt } from "../../config/value-at.ts";

export interface Mask {
  readonly $secret: { readonly set: boolean; readonly source?: string; readonly updatedAt?: number };
}

export const UNSET: Mask = { $secret: { set: false } };

/** The entry's value with every secret text replaced. */
export function maskedValue({ key, names, value, source }: Entry, loaded: Loaded): Json | undefined {
  if (value === undefined) return undefined;
  const at = names.join(".");
  const raw = new Map<string, string>(); // as it stands in the file
  const standing = valueAt(loaded.raw, names);
  if (standing !== undefined)
    mapSecrets(key, standing, at, (text, path) => {
      raw.set(path, text);
      return text;
    });
  return mapSecrets(key, value, at, (_text, path): Json => {
    const mask = source.from === "environment" ? fromEnvironment(source.name) : maskOf(raw.get(path), loaded);
    return { $secret: { ...mask.$secret } };
  });
}

/** Of a key that stands in the environment only. */
export function fromEnvironment(name: string): Mask {
  return { $secret: { set: true, source: `env:${name}` } };
}

/** @param raw As it stands in the file: a reference says where the secret is. */
export function maskOf(raw: Json | undefined, { places }: Pick<Loaded, "places">): Mask {
  if (typeof raw !== "string") return { $secret: { set: true, source: "flag" } };
  const variable = /^\$\{(?:env:)?([A-Za-z_][A-Za-z0-9_]*)\}$/.exec(raw)?.[1];
  if (variable !== undefined) return fromEnvironment(variable);
  const kept = /^\$\{((?:vault|keyring):[^}]+)\}$/.exec(raw)?.[1];
  if (kept !== undefined) return { $secret: { set: true, source: kept } };
  const file = /^\$\{file:([^}]+)\}$/.exec(raw)?.[1];
  const updatedAt = modifiedAt(file === undefined ? places.config : join(places.home, file));
  return { $secret: { set: true, source: "file", ...(updatedAt !== undefined && { updatedAt }) } };
}

/** What a client sends back for "as it was". */
export function isReadForm(value: Json | undefined): boolean {
  const secret = secretIn(value);
  return typeof secret === "object" && secret !== null;
}

/** The text of `{"$secret": "…"}`; undefined for anything else. */
export function writtenSecret(value: Json | undefined): string | undefined {
  const secret = secretIn(value);
  return typeof secret === "string" ? secret : undefined;
}

function secretIn(value: Json | undefined): Json | undefined {
  if (!isRecord(value) || !Object.hasOwn(value, "$secret") || Object.keys(value).length !== 1) return undefined;
  return value["$secret"];
}

function modifiedAt(path: string): number | undefined {
  const ms = statSync(path, { throwIfNoEntry: false })?.mtimeMs;
  return ms === undefined ? undefined : Math.floor(ms);
}
