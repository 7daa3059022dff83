/** Keys whose change weakens safety, starts programs or sends a secret elsewhere: they need the owner (◆). */
import { SECURITY_KEYS } from "../../config/schema.ts";

/** A prefix covers everything below it. */
const SAFETY_PREFIXES: readonly string[] = [
  ...SECURITY_KEYS,
  "workspace",
  "policy",
  "gateway",
  "mcpServers",
  "speech.command",
  "channels.*",
  "people",
  "tools.exec",
  "tools.webFetch.allowHosts",
  // A key that is kept would be sent to the new address.
  "tools.webSearch.baseUrl",
  "providers.*.baseUrl",
  "providers.*.headers",
  "budgets",
];

/** Limits that guard against load, not against people. */
const HARMLESS_PREFIXES: readonly string[] = ["gateway.api.text", "gateway.api.reasoning", "gateway.seedView"];

/** @param pattern The key's path in the table, with `*`. */
export function isSafetyKey(pattern: string): boolean {
  const below = (prefix: string): boolean => pattern === prefix || pattern.startsWith(`${prefix}.`);
  return SAFETY_PREFIXES.some(below) && !HARMLESS_PREFIXES.some(below);
}
