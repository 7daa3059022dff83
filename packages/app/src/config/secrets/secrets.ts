/** A secret typed on the command line goes to a file of its own (0600); `config.json` only names it. */
import { rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { type Json } from "@margay/core";
import { makeDirectory, replaceFile } from "@margay/core/internal";
import { hasReference } from "../expand.ts";
import type { Key } from "../key.ts";
import type { Places } from "../paths.ts";
import { mapSecrets } from "./secret-names.ts";

/** A value and the file it belongs into. */
export interface Secret {
  readonly file: string;
  readonly value: string;
}

/**
 * Every secret text in `value` that is not a reference already becomes one. Writes nothing: a change that is refused must leave
 * the secret that works.
 * @returns what `config.json` says, and the files a save has to write.
 */
export function setApart(
  places: Places,
  keyPath: string,
  value: Json,
  key: Pick<Key, "secret"> = { secret: true },
): { readonly value: Json; readonly secrets: readonly Secret[] } {
  const secrets: Secret[] = [];
  const named = mapSecrets(key, value, keyPath, (text, path) => {
    if (hasReference(text)) return text;
    const name = fileName(path);
    secrets.push({ file: join(places.secrets, name), value: text });
    return `\${file:secrets/${name}}`;
  });
  return { value: named, secrets };
}

export function writeSecret({ file, value }: Secret): void {
  makeDirectory(dirname(file));
  replaceFile(file, value);
}

/** Removes the files of a key and of what was inside it, as far as they are ours. */
export function forgetSecrets(places: Places, keyPath: string, value: Json): void {
  mapSecrets({ secret: true }, value, keyPath, (text, path) => {
    rmSync(join(places.secrets, fileName(path)), { force: true });
    return text;
  });
}

function fileName(keyPath: string): string {
  return keyPath.replaceAll(/[^A-Za-z0-9_.-]/g, "_");
}
