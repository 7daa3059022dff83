// How long a provider asked us to wait: header in seconds, milliseconds or as a date, or a sentence in the body.
import type { Millis } from "../../contract/base.ts";

/** A longer wait makes the error final: a person should hear about it instead of waiting in silence. */
export const MAX_RETRY_AFTER_MS = 60_000;
/** Added to what was asked: clocks differ and limits are refilled at the end of a window. */
const MARGIN_MS = 1000;

export type RetryAfter =
  | { readonly kind: "none" }
  /** Wait this long, margin included. */
  | { readonly kind: "wait"; readonly ms: Millis }
  /** Longer than {@link MAX_RETRY_AFTER_MS}: do not retry. */
  | { readonly kind: "final"; readonly ms: Millis };

/**
 * Reads `retry-after-ms`, `retry-after` (seconds or HTTP date) and, when neither says anything usable, the body text.
 * Negative values and words are ignored.
 * @param header Looks up a response header by its lower-case name.
 * @param now Wall clock, for HTTP dates.
 */
export function retryAfter(header: (name: string) => string | undefined, body: string, now: Millis): RetryAfter {
  const asked = milliseconds(header("retry-after-ms")) ?? fromHeader(header("retry-after"), now) ?? fromText(body);
  if (asked === undefined) return { kind: "none" };
  const ms = Math.ceil(asked) + MARGIN_MS;
  return asked > MAX_RETRY_AFTER_MS ? { kind: "final", ms } : { kind: "wait", ms };
}

function milliseconds(value: string | undefined): Millis | undefined {
  return value !== undefined && /^\s*\d{1,15}(?:\.\d+)?\s*$/.test(value) ? Number(value) : undefined;
}

function fromHeader(value: string | undefined, now: Millis): Millis | undefined {
  if (value === undefined) return undefined;
  const seconds = milliseconds(value);
  if (seconds !== undefined) return seconds * 1000;
  // An HTTP date has letters, digits and a time of day; Date.parse alone would read "-5" as a year.
  if (!/[a-z]{3}.*\d{2}:\d{2}:\d{2}/i.test(value)) return undefined;
  const at = Date.parse(value);
  return Number.isNaN(at) ? undefined : Math.max(0, at - now);
}

/** "Please try again in 1m2.5s", "retry after 20 seconds", Google's `"retryDelay": "34s"`. */
function fromText(body: string): Millis | undefined {
  const text = body.slice(0, 8192);
  const match =
    /(?:try again in|retry in|retry after|retry-after|retryDelay"?\s*:\s*"?|wait)\s*:?\s*((?:\d+(?:\.\d+)?\s*(?:milliseconds?|ms|minutes?|mins?|m(?![a-z])|seconds?|secs?|s(?![a-z])|hours?|h(?![a-z]))\s*)+)/i.exec(
      text,
    );
  if (match?.[1] === undefined) return undefined;
  let total = 0;
  for (const [, amount, unit] of match[1].matchAll(/(\d+(?:\.\d+)?)\s*([a-z]+)/gi))
    total += Number(amount) * unitMs(unit ?? "");
  return total;
}

function unitMs(unit: string): Millis {
  const name = unit.toLowerCase();
  if (name === "ms" || name.startsWith("milli")) return 1;
  if (name.startsWith("h")) return 3_600_000;
  return name.startsWith("m") ? 60_000 : 1000;
}
