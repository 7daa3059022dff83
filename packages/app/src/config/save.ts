/** Changes single keys of `config.json`: order, `${VAR}`, comments, unrelated keys and indentation stay; the write is atomic. */
import { rmSync } from "node:fs";
import { hasCode, RuntimeError, type Json, type JsonObject } from "@margay/core";
import { isRecord, readIfExists } from "@margay/core/internal";
import { applyEdits, modify } from "jsonc-parser";
import type { Translate } from "../texts/translate.ts";
import { expand, type Missing } from "./expand.ts";
import { freshHome } from "./fresh.ts";
import { check } from "./kinds.ts";
import { CONFIG_DOC, hashOf, readConfigFile, refused, type ConfigFile } from "./load.ts";
import type { Places } from "./paths.ts";
import { findKey, kindOf, nearestKey } from "./schema.ts";
import { withoutMark } from "./parse.ts";
import { withoutKey } from "./remove-key.ts";
import { writeSecret, type Secret } from "./secrets/secrets.ts";
import { agentFaults } from "./agent-faults.ts";
import { peopleFaults } from "./people-faults.ts";
import { saySame, valueAt, withValue } from "./value-at.ts";

/** `undefined` removes the key. */
export interface Change {
  readonly path: string;
  readonly value: Json | undefined;
  /** The files that `value` names, written with it. */
  readonly secrets?: readonly Secret[];
}

export interface SaveOptions {
  readonly places: Pick<Places, "config" | "docs">;
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
export async function saveChanges(changes: readonly Change[], options: SaveOptions): Promise<ConfigFile> {
  const { seen, places, t } = options;
  for (let file = seen ?? readConfigFile(places, t); ;) {
    try {
      return await attempt(file, changes, options);
    } catch (error) {
      // What nobody was shown is changed as it stands now, unless just that was changed: the value was made of what it was.
      if (seen !== undefined || !hasCode(error, "config.changed")) throw error;
      const now = readConfigFile(places, t);
      const names = changes.map((change) => namesOf(change, options));
      if (!saySame(file.raw, now.raw, names)) throw error;
      file = now;
    }
  }
}

async function attempt(file: ConfigFile, changes: readonly Change[], options: SaveOptions): Promise<ConfigFile> {
  const { places, t } = options;
  const path = places.config;
  let { raw } = file;
  let text = file.hash === undefined ? "{}" : withoutMark(file.text);
  for (const change of [...changes, ...freshHome(file, changes)]) {
    const names = namesOf(change, options);
    text = changedText(text, raw, names, change.value);
    raw = withValue(raw, names, change.value);
  }
  if (!text.endsWith("\n")) text += "\n";
  const secrets = changes.flatMap((change) => change.secrets ?? []);
  if (text === file.text && secrets.length === 0) return file;
  const { agents, bindings, people, channels } = raw;
  const hooks = valueAt(raw, ["gateway", "hooks"]);
  const faults = [...peopleFaults(people, channels), ...agentFaults({ agents, bindings, people, channels, hooks })];
  if (faults.length > 0) throw refused(path, faults, t);
  options.inspect?.(file.raw, raw);
  const changed = (): RuntimeError =>
    new RuntimeError("config.changed", t("config.changed", { path }), { details: { path } });
  if (readConfigFile(places, t).hash !== file.hash) throw changed();
  // First: what config.json names is there. A new value under the name it had may change the secret alone.
  const before = secrets.map(({ file }) => readIfExists(file)?.toString("utf8"));
  for (const secret of secrets) writeSecret(secret);
  if (text === file.text) return file;
  const rev = await places.docs.write(CONFIG_DOC, text, file.rev).catch((error: unknown) => {
    if (!hasCode(error, "doc.conflict")) throw error;
    for (const [at, secret] of secrets.entries()) putBack(secret, before[at]);
    throw changed();
  });
  return { raw, text, hash: hashOf(text), rev };
}

/** @param before Undefined: there was none. */
function putBack({ file, value }: Secret, before: string | undefined): void {
  if (readIfExists(file)?.toString("utf8") !== value) return; // it is that of who was faster
  if (before === undefined) rmSync(file, { force: true });
  else writeSecret({ file, value: before });
}

/** Where the change is made. @throws RuntimeError `config.invalid`. */
function namesOf(change: Change, { places: { config: file }, env, t }: SaveOptions): readonly string[] {
  const found = findKey(change.path);
  if (found === undefined) {
    const hint = nearestKey(change.path);
    throw refused(file, [{ path: change.path, problem: "unknown", ...(hint !== undefined && { hint }) }], t);
  }
  const { key, names, inside } = found;
  const place = [...names, ...inside];
  if (change.value === undefined) return place;
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
    throw refused(file, key.secret !== undefined ? faults.map(({ value: _hidden, ...rest }) => rest) : faults, t);
  return place;
}

/** The text with the value in it, or without the key and what becomes empty with it. What stands elsewhere stays. */
export function changedText(text: string, raw: JsonObject, names: readonly string[], value: Json | undefined): string {
  if (JSON.stringify(valueAt(raw, names)) === JSON.stringify(value)) return text;
  const after = withValue(raw, names, value);
  // The first place at which there is no object to go on in: the rest is new there, or gone.
  const end = names.findIndex((_name, index) => {
    const upTo = names.slice(0, index + 1);
    return !isRecord(valueAt(raw, upTo)) || !isRecord(valueAt(after, upTo));
  });
  const place = end < 0 ? names : names.slice(0, end + 1);
  const rest = valueAt(after, place);
  if (rest === undefined && Object.keys(after).length > 0) return withoutKey(text, place);
  const tabs = /^\{\r?\n(?<indent>[ \t]+)["/]/.exec(text)?.groups?.["indent"] ?? "  ";
  const formattingOptions = {
    insertSpaces: !tabs.startsWith("\t"),
    tabSize: tabs.length,
    eol: text.includes("\r\n") ? "\r\n" : "\n",
  };
  return applyEdits(text, modify(text, [...place], rest, { formattingOptions }));
}
