/** Secrets on the wire: whether there is one and where it comes from, never a part of it. */
import { statSync } from "node:fs";
import { join } from "node:path";
import type { Json } from "@margay/core";
import { isRecord } from "@margay/core/internal";
import type { Loaded } from "../../config/load.ts";
import type { Entry } from "../../config/resolve.ts";
import { valueAt } from "../../config/value-at.ts";

export interface Mask {
  readonly $secret: { readonly set: boolean; readonly source?: string; readonly updatedAt?: number };
}

export const UNSET: Mask = { $secret: { set: false } };

/** The entry's value with every text replaced; numbers and switches inside a map of options stay readable. */
export function maskedValue({ names, value, source }: Entry, loaded: Loaded): Json | undefined {
  if (source.from === "environment") return maskAll(value, () => fromEnvironment(source.name));
  return maskWith(value, valueAt(loaded.raw, names), (raw) => maskOf(raw, loaded));
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

function maskAll(value: Json | undefined, mask: () => Mask): Json | undefined {
  return maskWith(value, undefined, mask);
}

function maskWith(
  value: Json | undefined,
  raw: Json | undefined,
  mask: (raw: Json | undefined) => Mask,
): Json | undefined {
  if (typeof value === "string") return { $secret: { ...mask(raw).$secret } };
  if (value === null || typeof value !== "object") return value;
  if (Array.isArray(value)) return value.map((item: Json, index) => maskWith(item, itemAt(raw, index), mask) ?? null);
  return Object.fromEntries(
    Object.entries(value).map(([name, item]: [string, Json]) => [
      name,
      maskWith(item, isRecord(raw) ? raw[name] : undefined, mask) ?? null,
    ]),
  );
}

function itemAt(raw: Json | undefined, index: number): Json | undefined {
  return Array.isArray(raw) ? (raw[index] as Json) : undefined; // of a JSON list
}

function modifiedAt(path: string): number | undefined {
  const ms = statSync(path, { throwIfNoEntry: false })?.mtimeMs;
  return ms === undefined ? undefined : Math.floor(ms);
}
