/** Takes secrets out of text on its way to a log, the audit trail, a model or a person: by value and by shape. */
import type { Json } from "../../contract/base.ts";
import type { RedactedText, SecretGuard } from "../../contract/services.ts";
import { createRedactedText } from "./redacted-text.ts";
import { redactShapes, REPLACEMENT, shapeTail } from "./shapes.ts";
import { formsOf, MIN_SECRET_CHARS, type SecretForms } from "./values.ts";

export { redactShapes } from "./shapes.ts";

export interface Redactor extends SecretGuard {
  /** `text` with every known or secret-shaped value replaced by `[redacted]`. */
  redact(text: string): string;
  /** The same for every string and key inside a JSON value. */
  redactJson(value: Json): Json;
  /** Makes a value known: from now on its raw, base64, base64url, URL-encoded and hex forms are replaced. */
  register(secret: string): void;
}

export function createRedactor(secrets: readonly string[] = []): Redactor {
  const known = new Set<string>();
  let forms: SecretForms | undefined;
  const register = (secret: string): void => {
    const value = secret.trim();
    if (value.length < MIN_SECRET_CHARS || known.has(value)) return;
    known.add(value);
    forms = undefined;
  };
  const redactKnown = (text: string): string =>
    known.size === 0 ? text : text.replace((forms ??= formsOf(known)).pattern, REPLACEMENT);
  const redact = (text: string): string => redactShapes(redactKnown(text));
  const redactJson = (value: Json): Json => mapStrings(value, redact);
  const tail = (text: string): number =>
    Math.min(shapeTail(text), known.size === 0 ? text.length : (forms ??= formsOf(known)).tail(text));
  const stream = (): RedactedText => createRedactedText(redact, tail);
  secrets.forEach(register);
  return { redact, redactKnown, redactJson, register, stream };
}

export function mapStrings(value: Json, change: (text: string) => string): Json {
  if (typeof value === "string") return change(value);
  if (value === null || typeof value !== "object") return value;
  if (isList(value)) return value.map((item) => mapStrings(item, change));
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [change(key), mapStrings(item, change)]));
}

function isList(value: object): value is readonly Json[] {
  return Array.isArray(value);
}
