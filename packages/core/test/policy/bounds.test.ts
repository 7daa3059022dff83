import { expect, test } from "vitest";
import type { CallId } from "../../src/contract/base.ts";
import type { Message } from "../../src/contract/message.ts";
import type { SessionState } from "../../src/contract/session.ts";
import { createEndorsement } from "../../src/policy/endorsement.ts";
import { sourceOf, sourcesText } from "../../src/policy/sources.ts";
import { state } from "../context/fixtures.ts";

test("endorsement/MAX_QUOTED_FETCHES: twenty links of a page are followed in a turn, the next is not vouched for", () => {
  const page: Message = {
    role: "tool",
    at: 0,
    callId: "c-0" as CallId,
    name: "web_search",
    parts: [{ type: "text", text: "see https://example.com/next" }],
    status: "ok",
    integrity: "untrusted",
  };
  const fetched = (count: number): SessionState =>
    state({
      turn: { calls: [] as unknown } as NonNullable<SessionState["turn"]>, // that there is one
      messages: [
        page,
        ...Array.from({ length: count }, (_, n): Message => ({
          ...page,
          callId: `c-${n + 1}` as CallId,
          name: "web_fetch",
        })),
      ],
    });
  const isQuoted = (count: number): boolean =>
    createEndorsement().isQuoted("https://example.com/next", fetched(count), page.callId);
  expect([isQuoted(19), isQuoted(20)]).toEqual([true, false]);
});

test("SE5 a summary of what strangers wrote is named as one, and a change that was announced as a notice", () => {
  const notice = { role: "notice", at: 0, text: "x", integrity: "untrusted" } as const;
  expect(sourceOf({ ...notice, kind: "summary" })).toBe("a summary");
  expect(sourceOf({ ...notice, kind: "files" })).toBe("a notice");
  expect(sourceOf({ role: "notice", at: 0, text: "x", kind: "summary" })).toBeUndefined();
});

test("sources/MAX_NAMED: three sources are named, of more how many there are", () => {
  expect(sourcesText(["a", "b", "c"])).toContain("(a, b, c)");
  expect(sourcesText(["a", "b", "c", "d"])).toContain("(a, b, c and 1 more)");
});
