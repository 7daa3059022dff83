// Texts and data of strangers: each bound at n, and at one more.
import { expect, test } from "vitest";
import type { CallId } from "../../src/contract/base.ts";
import { egressName, isEgressEntry } from "../../src/machine/egress/hosts.ts";
import { judgeGitConfig } from "../../src/lib/paths/git-config.ts";
import { messageOf } from "../../src/lib/errors/errors.ts";
import { parseJson } from "../../src/lib/parse-json.ts";
import { createRedactedText } from "../../src/lib/secrets/redacted-text.ts";
import { retryAfter } from "../../src/lib/errors/retry-after.ts";
import { toolHint } from "../../src/lib/tool-hint.ts";

test("parse-json/MAX_JSON_DEPTH: 256 levels are read, one more is not", () => {
  // Long enough to be looked at: what is shorter cannot be that deep.
  const nested = (levels: number): string => `${"[".repeat(levels)}"${"x".repeat(600)}"${"]".repeat(levels)}`;
  expect(parseJson(nested(256))).toBeDefined();
  expect(parseJson(nested(257))).toBeUndefined();
});

test("git-config/MAX_SHOWN: of a line of a configuration that is not understood 60 characters are shown", () => {
  const shown = (chars: number): readonly string[] => judgeGitConfig("x".repeat(chars)).bad;
  expect(shown(60)).toEqual(["x".repeat(60)]);
  expect(shown(61)).toEqual([`${"x".repeat(59)}…`]);
});

test("tool-hint/MAX_CHARS: 40 characters of an argument are shown", () => {
  const hint = (chars: number): string =>
    toolHint([{ type: "tool-call", callId: "c" as CallId, name: "read", input: { path: "长".repeat(chars) } }]);
  expect(hint(40)).toBe(`read("${"长".repeat(40)}")`);
  expect(hint(41)).toBe(`read("${"长".repeat(40)}…")`);
});

test("retry-after/MAX_RETRY_AFTER_MS: a minute is waited for, a millisecond more is not", () => {
  const asked = (ms: number): string =>
    retryAfter((name) => (name === "retry-after-ms" ? `${ms}` : undefined), "", 0).kind;
  expect([asked(60_000), asked(60_001)]).toEqual(["wait", "final"]);
});

test("hosts/MAX_NAME_CHARS: a name of 253 characters is one, a longer one is none", () => {
  const name = (chars: number): string => `${"a.".repeat(126)}${"b".repeat(chars - 252)}`;
  expect([egressName(name(253)), isEgressEntry(name(253))]).toEqual([name(253), true]);
  expect([egressName(name(254)), isEgressEntry(name(254))]).toEqual([undefined, false]);
});

test("errors/MAX_MESSAGE_CHARS: 1,000 characters of an error are kept", () => {
  expect(messageOf(new Error("e".repeat(1000)))).toBe("e".repeat(1000));
  expect(messageOf(new Error("e".repeat(1001)))).toBe(`${"e".repeat(999)}…`);
});

test("redacted-text/MAX_HELD_CHARS: what may be a secret waits for 8,192 characters, not for more", () => {
  const shown = (chars: number): number =>
    createRedactedText(
      (text) => text,
      () => 0,
    ).push("a".repeat(chars)).length;
  expect([shown(8192), shown(8193)]).toEqual([0, 8193]);
});
