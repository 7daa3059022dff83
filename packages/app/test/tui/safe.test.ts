// Text of strangers on its way to a terminal (st-030), and the one-line hint of a call.
import { visibleWidth } from "@earendil-works/pi-tui";
import { expect, test } from "vitest";
import { approvalPanel, readAnswer } from "../../src/host/tui/layout/approval-panel.ts";
import { safeLine, safeText, visibleText } from "../../src/host/tui/safe.ts";
import { statusLines } from "../../src/host/tui/layout/status-line.ts";
import { toolHint } from "../../src/host/tui/tool-hint.ts";
import { CHAT_TEXTS } from "../../src/host/tui/texts.en.ts";
import { CHAT_TEXTS_ZH } from "../../src/host/tui/texts.zh.ts";
import type { PendingApproval } from "../../src/host/tui/conversation.ts";
import { kit } from "./support.ts";

const HOSTILE: readonly (readonly [string, string])[] = [
  ["a\u0000b\u001b[31mc", "abc"],
  ["\u001b]0;title\u0007x", "x"],
  ["\u001b]8;;http://evil\u001b\\link\u001b]8;;\u001b\\", "link"],
  ["\u001b]52;c;cGF3bmVk\u0007y", "y"],
  ["\u001bP1$r\u001b\\z", "z"],
  ["\u009b31mred\u009d0;t\u009c!", "red!"],
  ["half \u001b[3", "half "],
  ["half \u001b]0;never closed\nnext", "half "],
  ["\u001bcreset \u001b(0line", "reset line"],
  ["over\rwritten", "overwritten"],
  ["back\b\b\bspace", "backspace"],
  ["abc\u202edcba\u202c \u2066x\u2069 \u200bz", "abcdcba x z"],
  ["tag\u{e0041}\u{e0042}s", "tags"],
  ["tab\there", "tab    here"],
  ["lines\r\nstay\n", "lines\nstay\n"],
  ["长尾虎猫 👨‍👩‍👧 é", "长尾虎猫 👨‍👩‍👧 é"],
];

test.each(HOSTILE)("st-030 nothing in %j acts on the terminal", (text, expected) => {
  expect(safeText(text)).toBe(expected);
  expect(safeText(text)).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f]/);
});

test("one line stays one line", () => {
  expect(safeLine(" a\n  b \u001b[2J\n")).toBe("a b");
});

test("what is to be approved hides nothing: unseen characters are written out", () => {
  expect(visibleText("rm \u202etxt.\u200b\u0007\r\u001b[1m\u{e0041}")).toBe(
    "rm \\u202etxt.\\u200b\\x07\\r\\x1b[1m\\u{e0041}",
  );
});

test("the question shows the exact call and warns of what cannot be seen", () => {
  const pending = {
    call: "c1",
    name: "exec",
    input: { command: "echo hi\u202e", timeout: 5 },
    prompt: "deny list",
    ...{ rule: "exec deny list", why: "deny list", risk: ["destructive", "new-code"], cwd: "/w", expiresAt: 0 },
    grant: { shown: "exec: echo" },
  } as unknown as PendingApproval; // ids are branded
  const lines = approvalPanel([pending, pending], 40, false, kit("en"));
  expect(lines[0]).toMatch(/^─ May I run this command\? \(1 of 2\) ─+$/);
  expect(lines).toContain("   echo hi\\u202e");
  expect(lines).toContain("   where    /w");
  expect(lines).toContain("   covers   exec: echo");
  expect(lines.join(" ").replaceAll(/\s+/g, " ")).toContain("destroy data or stop the machine. new-code");
  expect(lines.join(" ")).toContain("[y] once   [c] this chat");
  // Words of two lines could look like ours: they are written as JSON.
  const two = { ...pending, input: { command: "ls\n   why      harmless" } };
  expect(approvalPanel([two], 80, false, kit("en")).join("\n")).toContain('command: "ls\\n   why      harmless"');
  expect(lines.join("\n")).toContain("timeout: 5");
  expect(lines.join(" ")).toContain("invisible");
  expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(40);
});

test.each([
  ["y", { type: "allow" }],
  ["Yes", { type: "allow" }],
  ["允许", { type: "allow" }],
  ["n", { type: "deny" }],
  ["否", { type: "deny" }],
  ["s", { type: "allow", remember: "session" }],
  ["always", { type: "allow", remember: "always" }],
  ["a", undefined],
  ["yesterday", undefined],
  ["no way, use ls", undefined],
  ["", undefined],
])("a typed answer %j means %j", (typed, expected) => {
  expect(readAnswer(typed, { grant: { shown: "exec: ls", always: true } })).toEqual(expected);
});

test("where nothing can be remembered, the words for it are ordinary messages", () => {
  expect(["s", "always"].map((word) => readAnswer(word, {}))).toEqual([undefined, undefined]);
  expect(readAnswer("always", { grant: { shown: "exec: ls" } })).toBe(undefined);
});

test.each([
  ["web_search", { query: "query" }, 'web_search("query")'],
  ["exec", { timeout: 3, command: "ls" }, 'exec("ls")'],
  ["list", {}, "list"],
  ["n", { count: 3 }, "n"],
  ["w", { text: "a\n  b" }, 'w("a b")'],
  ["w", { text: "长".repeat(41) }, `w("${"长".repeat(40)}…")`],
  ["w", { text: "x".repeat(40) }, `w("${"x".repeat(40)}")`],
])("R42 tool-hint/MAX_ARGUMENT_CHARS the hint of %s %j", (name, input, expected) => {
  expect(toolHint(name, input)).toBe(expected);
});

test("the status line fits any width and keeps the most important parts; what waits is never dropped", () => {
  const values = {
    model: "a/b",
    practice: false,
    session: "cli:direct",
    usage: { input: 12_345, output: 678, cacheRead: 10_000, cacheWrite: 0, costUsd: 0.0123 },
    contextTokens: 5000,
    contextWindow: 100_000,
    facts: { waits: 1, todayUsd: 0.42, dayUsd: 3, thinking: "medium" },
    isAtWork: false,
    waiting: 0,
  };
  const at = (width: number, more: object = {}): readonly string[] =>
    statusLines({ ...values, ...more }, width, kit("en"));
  const [wide = "", keys = ""] = at(140);
  expect(wide).toMatch(
    /^ a\/b medium · context 5 % of 100k · \$0\.0123 · today \$0\.42 of \$3 · cache 81 % · in 12k out 678 · cli:direct +1 waits elsewhere: \/waits$/,
  );
  expect(keys).toContain("/ commands · @ files · ? keys");
  expect(at(80)).toEqual([" a/b medium · context 5 % · $0.0123                   1 waits elsewhere: /waits"]);
  expect(at(40)).toEqual([" a/b medium · context 5 % · $0.0123"]);
  const [asked = ""] = at(40, { leftMs: 292_900 });
  expect(asked).toBe(" a/b medium          waits for you 4:52");
  expect(at(20, { leftMs: 1000 })).toEqual([" waits for you 0:01"]);
  expect(at(80, { isAtWork: true, waiting: 2 })[0]).toMatch(/Esc stops · Alt-↑ edits$/);
  for (const width of [3, 20, 59, 80, 120])
    for (const line of at(width, { leftMs: 60_000 })) expect(visibleWidth(line)).toBeLessThanOrEqual(width);
});

test("R315 every text of the chat exists in both languages, with the same blanks", () => {
  expect(Object.keys(CHAT_TEXTS_ZH)).toEqual(Object.keys(CHAT_TEXTS));
  for (const [key, english] of Object.entries(CHAT_TEXTS)) {
    const blanks = (words: string): readonly string[] => (words.match(/\{\w+\}/g) ?? []).toSorted();
    expect(english, key).not.toBe("");
    expect(blanks(CHAT_TEXTS_ZH[key as keyof typeof CHAT_TEXTS]), key).toEqual(blanks(english));
  }
});
