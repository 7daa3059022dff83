/** What helps against the reason for which a turn ended. */

export type Remedy = "key" | "budget" | "context" | "model" | "limit" | "log" | "other";

const OF_CODE: Readonly<Record<string, Remedy>> = {
  "provider.auth": "key",
  "provider.no-key": "key",
  "provider.context-length": "context",
  "provider.not-found": "model",
  "provider.unknown": "model",
  "provider.quota": "model",
  "provider.connection": "model",
  "provider.malformed": "model",
  "provider.bad-request": "model",
  "provider.media-rejected": "model",
  "model.empty": "model",
  "model.attempts": "log",
  "budget.exhausted": "budget",
};

/** @param code Of the error, when there was one. @returns undefined where there is nothing to do. */
export function remedyOf(reason: string, code: string | undefined): Remedy | undefined {
  if (reason === "budget") return "budget";
  if (reason === "limit") return "limit";
  if (reason !== "failed") return undefined;
  const known = code !== undefined && Object.hasOwn(OF_CODE, code) ? OF_CODE[code] : undefined;
  return known ?? (code?.startsWith("internal") === true ? "log" : "other");
}
