import { expect, test } from "vitest";
import { retryAfter } from "../../src/lib/errors/retry-after.ts";

const NOW = Date.parse("2026-11-21T12:00:00Z");

/** Headers, body, milliseconds including the added second; `final`: too long; none: nothing was asked. */
const TABLE: readonly (readonly [
  headers: Readonly<Record<string, string>>,
  body: string,
  expected: number | "final" | "none",
])[] = [
  [{ "retry-after": "7" }, "", 8000],
  [{ "retry-after": "0" }, "", 1000],
  [{ "retry-after": "1.5" }, "", 2500],
  [{ "retry-after": "60" }, "", 61_000],
  [{ "retry-after": "61" }, "", "final"],
  [{ "retry-after": "99999" }, "", "final"],
  [{ "retry-after": "-5" }, "", "none"],
  [{ "retry-after": "abc" }, "", "none"],
  [{ "retry-after": "" }, "", "none"],
  [{ "retry-after-ms": "250", "retry-after": "9" }, "", 1250],
  [{ "retry-after-ms": "x", "retry-after": "2" }, "", 3000],
  [{ "retry-after": "Sat, 21 Nov 2026 12:00:10 GMT" }, "", 11_000],
  [{ "retry-after": "Sat, 21 Nov 2026 11:00:00 GMT" }, "", 1000],
  [{ "retry-after": "Sun, 22 Nov 2026 12:00:00 GMT" }, "", "final"],
  [{}, "Rate limit reached. Please try again in 1.2s.", 2200],
  [{}, "Please try again in 250ms", 1250],
  [{}, "try again in 1m2.5s", "final"],
  [{}, '{"details":[{"@type":"RetryInfo","retryDelay":"34s"}]}', 35_000],
  [{}, "Please retry after 20 seconds", 21_000],
  [{}, "come back tomorrow", "none"],
  [{}, "", "none"],
];

for (const [headers, body, expected] of TABLE) {
  test(`R72 PR11 ${JSON.stringify(headers)} ${body} asks for ${expected}`, () => {
    const asked = retryAfter((name) => headers[name], body, NOW);
    expect(asked.kind === "wait" ? asked.ms : asked.kind).toBe(expected);
  });
}
