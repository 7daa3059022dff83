/** Objects are merged by the gateway (RFC 7396): what was taken out of one has to be sent as `null`. */
import { isRecord } from "@margay/core/internal/state";

export function withRemovals(before: unknown, after: unknown): unknown {
  if (!isRecord(before) || !isRecord(after) || Object.hasOwn(after, "$secret")) return after;
  const gone = Object.keys(before).filter((name) => !Object.hasOwn(after, name) || after[name] === undefined);
  return { ...after, ...Object.fromEntries(gone.map((name) => [name, null])) };
}
