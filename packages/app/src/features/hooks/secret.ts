/** What a signing secret must be: long, no example from a page, and used for nothing else. */
import { randomBytes } from "node:crypto";

/** Standard Webhooks: 24 to 64 random bytes behind `whsec_`. */
const MADE_BYTES = 32;
const MIN_CHARS = 16;
const PLACEHOLDERS = /^(changeme|change-me|secret|password|test|example|placeholder|your[-_ ].*|whsec_test)[-_0-9]*$/i;

export type SecretFault = "short" | "placeholder" | "used";

export function makeSecret(): string {
  return `whsec_${randomBytes(MADE_BYTES).toString("base64")}`;
}

/**
 * @param others Secrets of the configuration besides this hook's own.
 * @returns what is wrong with it.
 */
export function secretFault(secret: string, others: readonly string[]): SecretFault | undefined {
  if (others.includes(secret)) return "used";
  if (PLACEHOLDERS.test(secret) || /^(.)\1*$/.test(secret)) return "placeholder";
  return secret.length < MIN_CHARS ? "short" : undefined;
}
