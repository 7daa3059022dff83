/** Changes single keys of `config.json`: order, `${VAR}`, unrelated keys and indentation stay; the write is atomic. */
import { dirname } from "node:path";
import { RuntimeError, type Json, type JsonObject } from "@margay/core";
import { makeDirectory, replaceFile } from "@margay/core/internal";
import type { Translate } from "../texts/translate.ts";
import { expand, type Missing } from "./expand.ts";
import { freshHome } from "./fresh.ts";
import { check } from "./kinds.ts";
import { hashOf, readConfigFile, refused, type ConfigFile } from "./load.ts";
import { findKey, kindOf, nearestKey } from "./schema.ts";
import { writeSecret, type Secret } from "./secrets.ts";

/** `undefined` removes the key. */
export interface Change {
  readonly path: string;
  readonly value: Json | undefined;
  /** The files that `value` names, written with it. */
  readonly secrets?: readonly Secret[];
}

export interface SaveOptions {
  readonly path: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly t: Translate;
  /** The file as the caller saw it, when it showed it to somebody; otherwise it is read now. */
  readonly seen?: ConfigFile;
  /** Looks at the file as it would be. What it throws leaves everything as it was. */
  readonly inspect?: (before: JsonObject, after: JsonObject) => void;
}

/**
 * Validates, then writes; a file that did not exist gets the bounds of a new home, too. Nothing is written when a value is wrong.
 * @returns the new content.
 * @throws RuntimeError `config.invalid`, `config.unreadable`, or `config.changed` when the file is not the one that was seen.
 */
export function saveChanges(changes: readonly Change[], options: SaveOptions): ConfigFile {
  const { path, t } = options;
  const file = options.seen ?? readConfigFile(path, t);
  let raw = file.raw;
  for (const change of [...changes, ...freshHome(file, changes)]) raw = apply(raw, change, options);
  const text = `${JSON.stringify(raw, null, indentOf(file.text))}\n`;
  const secrets = changes.flatMap((change) => change.secrets ?? []);
  if (text === file.text && secrets.length === 0) return file;
  options.inspect?.(file.raw, raw);
  makeDirectory(dirname(path));
  if (readConfigFile(path, t).hash !== file.hash)
    throw new RuntimeError("config.changed", t("config.changed", { path }), { details: { path } });
  // First: what config.json names is there. A new value under the name it had may change the secret alone.
  for (const secret of secrets) writeSecret(secret);
  if (text === file.text) return file;
  replaceFile(path, text);
  return { raw, text, hash: hashOf(text) };
}

function apply(raw: JsonObject, change: Change, { path: file, env, t }: SaveOptions): JsonObject {
  const found = findKey(change.path);
  if (found === undefined) {
    const hint = nearestKey(change.path);
    throw refused(file, [{ path: change.path, problem: "unknown", ...(hint !== undefined && { hint }) }], t);
  }
  const { key, names, inside } = found;
  const place = [...names, ...inside];
  if (change.value === undefined) return remove(raw, place);
  const missing: Missing[] = [];
  // Files, vault and keyring are looked at when the configuration is loaded; here only the shape of the value matters.
  const value = expand(
    change.value,
    change.path,
    { env, readFile: () => "file", vault: () => "vault", keyring: () => "keyring" },
    missing,
  );
  if (missing.length > 0)
    throw refused(
      file,
      missing.map((one) => ({ path: one.path, problem: one.kind, hint: one.name })),
      t,
    );
  const faults = check(kindOf(found), value, change.path);
  if (faults.length > 0)
    throw refused(file, key.secret === true ? faults.map(({ value: _hidden, ...rest }) => rest) : faults, t);
  return put(raw, place, change.value);
}

function put(object: JsonObject, names: readonly string[], value: Json): JsonObject {
  const [name = "", ...rest] = names;
  if (rest.length === 0) return { ...object, [name]: value };
  const below = object[name];
  return { ...object, [name]: put(isObject(below) ? below : {}, rest, value) };
}

/** Objects that become empty go too. */
function remove(object: JsonObject, names: readonly string[]): JsonObject {
  const [name = "", ...rest] = names;
  const below = object[name];
  if (below === undefined) return object;
  const { [name]: _removed, ...others } = object;
  if (rest.length === 0 || !isObject(below)) return rest.length === 0 ? others : object;
  const left = remove(below, rest);
  return Object.keys(left).length === 0 ? others : { ...object, [name]: left };
}

function indentOf(text: string): string {
  return /^\{\r?\n([ \t]+)"/.exec(text)?.[1] ?? "  ";
}

function isObject(value: Json | undefined): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
