/** A secret typed on the command line goes to a file of its own (0600); `config.json` only names it (R282). */
import { rmSync } from "node:fs";
import { join } from "node:path";
import { makeDirectory, replaceFile } from "@margay/core";
import type { Places } from "./paths.ts";

/** Stores the value. @returns the reference to put into `config.json`, and the file. */
export function storeSecret(
  places: Places,
  keyPath: string,
  value: string,
): { readonly reference: string; readonly file: string } {
  const name = fileName(keyPath);
  makeDirectory(places.secrets);
  const file = join(places.secrets, name);
  replaceFile(file, value);
  return { reference: `\${file:secrets/${name}}`, file };
}

/** Removes the file of a key, if it is one of ours. */
export function forgetSecret(places: Places, keyPath: string): void {
  rmSync(join(places.secrets, fileName(keyPath)), { force: true });
}

function fileName(keyPath: string): string {
  return keyPath.replaceAll(/[^A-Za-z0-9_.-]/g, "_");
}
