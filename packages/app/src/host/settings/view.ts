/** What `GET /settings` shows: values with masks, and of each key where its value comes from. */
import { keyText, keyTitle } from "../../config/key-text.ts";
import type { Json, JsonObject } from "@margay/core";
import { kindText } from "../../config/faults.ts";
import { hashOf } from "../../config/load.ts";
import type { Loaded } from "../../config/load.ts";
import type { Entry } from "../../config/resolve.ts";
import type { Language } from "../../texts/text.ts";
import type { Translate } from "../../texts/translate.ts";
import type { Services } from "../api/services.ts";
import { configSchema } from "./json-schema.ts";
import { maskedValue } from "./mask.ts";
import { isSafetyKey } from "./safety.ts";

export interface FieldView {
  readonly source: "default" | "profile" | "file" | "env" | "flag";
  /** Of the variable or the profile. */
  readonly name?: string;
  /** A flag of this start holds over what is written. */
  readonly locked: boolean;
  readonly restart: boolean;
  readonly secret: boolean;
  /** A change needs the owner's proof. */
  readonly safety: boolean;
  readonly title: string;
  readonly help: string;
  /** What the key takes, in words. */
  readonly takes: string;
  readonly default?: Json;
}

export interface SettingsView {
  readonly values: JsonObject;
  readonly fields: Readonly<Record<string, FieldView>>;
  readonly schema: JsonObject;
  readonly profile: string;
  readonly pendingRestart: readonly string[];
  readonly hash: string;
}

export function settingsView(services: Services, language: Language, t: Translate): SettingsView {
  const loaded = services.app.inside.loaded();
  return {
    values: maskedValues(loaded),
    fields: Object.fromEntries(loaded.entries.map((entry) => [entry.path, fieldOf(entry, language, t)])),
    schema: configSchema(language),
    profile: loaded.config.profile,
    pendingRestart: pendingRestart(services),
    hash: settingsHash(loaded),
  };
}

/** The shape of `config.json` with every value, also those of defaults. */
export function maskedValues(loaded: Loaded): JsonObject {
  const root: Record<string, unknown> = Object.create(null) as Record<string, unknown>; // names are the user's
  for (const entry of loaded.entries) {
    const value = shownValue(entry, loaded);
    if (value === undefined || entry.names.includes("*")) continue;
    let at = root;
    for (const name of entry.names.slice(0, -1)) at = (at[name] ??= Object.create(null)) as Record<string, unknown>; // made by this loop
    at[entry.names.at(-1) ?? ""] = value;
  }
  return root as JsonObject; // of JSON values only
}

export function shownValue(entry: Entry, loaded: Loaded): Json | undefined {
  return entry.key.secret !== undefined ? maskedValue(entry, loaded) : entry.value;
}

/** Changes with the file and with every secret that was written beside it. */
export function settingsHash(loaded: Loaded): string {
  const secrets = loaded.entries
    .filter(({ key }) => key.secret !== undefined)
    .map((entry) => maskedValue(entry, loaded));
  return hashOf(JSON.stringify([loaded.raw, secrets]));
}

/** Keys whose value differs from the one this process started with, and that are only read at the start. */
export function pendingRestart({ app }: Services): readonly string[] {
  return differing(app.loaded, app.inside.loaded())
    .filter(({ restart }) => restart)
    .map(({ path }) => path);
}

export interface Difference {
  readonly path: string;
  readonly restart: boolean;
  readonly from: Json | undefined;
  readonly to: Json | undefined;
}

/** Values of secrets are masks on both sides. */
export function differing(before: Loaded, after: Loaded): readonly Difference[] {
  const old = new Map(before.entries.map((entry) => [entry.path, entry]));
  const now = new Map(after.entries.map((entry) => [entry.path, entry]));
  return [...new Set([...old.keys(), ...now.keys()])].flatMap((path) => {
    const [was, is] = [old.get(path), now.get(path)];
    if (JSON.stringify(was?.value) === JSON.stringify(is?.value)) return [];
    return [
      {
        path,
        restart: (is ?? was)?.key.restart === true,
        from: was === undefined ? undefined : shownValue(was, before),
        to: is === undefined ? undefined : shownValue(is, after),
      },
    ];
  });
}

const SOURCES = { flag: "flag", config: "file", default: "default", profile: "profile", environment: "env" } as const;

function fieldOf({ key, source }: Entry, language: Language, t: Translate): FieldView {
  return {
    source: SOURCES[source.from],
    ...("name" in source && { name: source.name }),
    locked: source.from === "flag",
    restart: key.restart === true,
    secret: key.secret === true,
    safety: isSafetyKey(key.path),
    title: keyTitle(key.path, language),
    help: keyText(key.path, language),
    takes: kindText(key.kind, t),
    ...(key.default !== undefined && { default: key.default }),
  };
}
