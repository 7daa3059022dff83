/** Which values of a key are secret: all of them, or those of a map whose names say so. */
import type { Json } from "@margay/core/internal/state";
import type { Key } from "../key.ts";

/** An address may hold a secret of its own: those of web hooks do. */
const NAME = /(?:token|secret|password|key|url)$/i;

export function isSecretName(name: string): boolean {
  return NAME.test(name);
}

/** @param path Of the value itself: `channels.mail.options.password`. */
export function isSecretAt({ secret }: Pick<Key, "secret">, path: string): boolean {
  return secret === true || (secret === "named" && isSecretName(path));
}

/** The value with each of its texts that is secret changed. @param path Where it stands. */
export function mapSecrets(
  key: Pick<Key, "secret">,
  value: Json,
  path: string,
  change: (text: string, path: string) => Json,
): Json {
  if (typeof value === "string") return isSecretAt(key, path) ? change(value, path) : value;
  if (value === null || typeof value !== "object") return value;
  if (isList(value)) return value.map((item, index) => mapSecrets(key, item, `${path}.${index}`, change));
  return Object.fromEntries(
    Object.entries(value).map(([name, item]) => [name, mapSecrets(key, item, `${path}.${name}`, change)]),
  );
}

function isList(value: object): value is readonly Json[] {
  return Array.isArray(value);
}
