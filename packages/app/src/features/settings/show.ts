/** The lines of `margay config show`: every key, its value and where it comes from; secrets as `set` or `unset`. */
import type { Key } from "../../config/key.ts";
import type { Entry } from "../../config/resolve.ts";
import { isSecretAt, mapSecrets } from "../../config/secrets/secret-names.ts";
import type { Translate } from "../../texts/translate.ts";
import type { Json } from "@margay/core";
import { plain, safeText } from "../../host/cli/output.ts";

export interface ShownKey {
  readonly key: string;
  /** A secret is `"set"` or `"unset"`. */
  readonly value: Json;
  readonly source: string;
  readonly restart: boolean;
}

export function shownKeys(entries: readonly Entry[]): readonly ShownKey[] {
  return entries.map((entry) => ({
    key: nameOf(entry),
    value: withoutSecrets(entry.key, entry.path, entry.value),
    source:
      entry.source.from === "profile" || entry.source.from === "environment"
        ? `${entry.source.from} ${entry.source.name}`
        : entry.source.from,
    restart: entry.key.restart === true,
  }));
}

/** What may be seen of a value: a secret is `set` or `unset`. */
export function withoutSecrets(key: Key, path: string, value: Json | undefined): Json {
  if (value === undefined) return isSecretAt(key, path) ? "unset" : null;
  return key.secret === true ? "set" : mapSecrets(key, value, path, () => "set");
}

export function shownRows(entries: readonly Entry[], t: Translate): readonly (readonly string[])[] {
  return entries.map((entry) => [nameOf(entry), safeText(shownValue(entry, t)), sourceText(entry, t)]);
}

/** A key nobody set shows its place: `providers.{id}.apiKey`. */
function nameOf(entry: Entry): string {
  return entry.path.replace(
    "*",
    entry.path.startsWith("models.")
      ? "{ref}"
      : ["mcpServers.", "plugins.", "gateway.", "people.", "agents."].some((start) => entry.path.startsWith(start))
        ? "{name}"
        : "{id}",
  );
}

function shownValue(entry: Entry, t: Translate): string {
  if (entry.key.secret === true) return t(entry.value === undefined ? "secret.unset" : "secret.set");
  return plain(entry.value === undefined ? undefined : withoutSecrets(entry.key, entry.path, entry.value));
}

function sourceText({ source }: Entry, t: Translate): string {
  return source.from === "profile" || source.from === "environment"
    ? t(`source.${source.from}`, { name: source.name })
    : t(`source.${source.from}`);
}
