// Lines for the terminal: bounded width, nothing but colors and links, folded where long.
import { visibleWidth } from "@earendil-works/pi-tui";
import { expect, test } from "vitest";
import { renderRow } from "../../src/host/tui/layout/render-row.ts";
import type { Row } from "../../src/host/tui/rows.ts";
import { kit } from "./support.ts";

const HOSTILE =
  "a\u001b[2J\u009b1m\u001b]0;t\u0007 **bold \u001b[31m** `co\u0007de` [x](javascript:alert(1)\u001b[H) 长尾虎猫👨‍👩‍👧 | \u202e\n\n```\n\u001b[5mcode\n```\n\n| a | b |\n|---|---|\n| \u001b[1m长尾 | x |\n";
const ITEMS: readonly Row[] = [
  { kind: "user", text: HOSTILE, name: "so\u001b[2Jmeone" },
  { kind: "assistant", text: HOSTILE, live: false, cut: true },
  { kind: "thinking", text: HOSTILE, live: false },
  { kind: "note", tone: "answer", text: HOSTILE },
  { kind: "note", tone: "error", text: HOSTILE },
  {
    kind: "tool",
    name: "ex\u001b[2Jec",
    input: { command: HOSTILE },
    status: "error",
    progress: "",
    result: HOSTILE.repeat(20),
    durationMs: 1500,
  },
  { kind: "tool", name: "exec", input: {}, status: "running", progress: HOSTILE, result: "" },
];

for (const width of [20, 40, 80])
  for (const color of [true, false])
    test(`st-030 at ${width} columns${color ? " in color" : ""} no line is too long or holds more than colors and links`, () => {
      for (const item of ITEMS)
        for (const open of [true, false])
          for (const line of renderRow(item, width, { tools: open, thinking: open }, kit("en", color))) {
            expect(visibleWidth(line), line).toBeLessThanOrEqual(width);
            const rest = line.replaceAll(/\u001b\[[0-9;]*m|\u001b\]8;[^\u0007\u001b]*(?:\u0007|\u001b\\)/g, "");
            expect(rest).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u202e]/);
          }
    });

test("a long result is folded to its first lines, live output to its last; unfolding shows all", () => {
  const lines = Array.from({ length: 30 }, (_, index) => `line ${index + 1}`).join("\n");
  const card = (status: "ok" | "running"): Row => ({
    kind: "tool",
    name: "exec",
    input: {},
    status,
    progress: lines,
    result: lines,
  });
  const show = (item: Row, tools: boolean): string =>
    renderRow(item, 60, { tools, thinking: false }, kit("en")).join("\n");
  expect(show(card("ok"), false)).toContain("line 4\n │  … 26 more lines, Ctrl-O shows");
  expect(show(card("running"), false)).toMatch(/line 27[\s\S]*line 30/);
  expect(show(card("ok"), true)).toContain("line 30");
  expect(show(card("ok"), true)).not.toContain("more lines");
  const result = "line 1\nline 2\nline 3\nline 4";
  const short: Row = { kind: "tool", name: "exec", input: {}, status: "ok", progress: "", result };
  expect(show(short, false).split("\n").slice(1)).toEqual(result.split("\n").map((line) => ` │  ${line}`));
});

test("what a person wrote is marked at its first line, the others stand below it", () => {
  const item: Row = { kind: "user", text: "one\ntwo" };
  expect(renderRow(item, 60, { tools: false, thinking: false }, kit("en"))).toEqual([" › one", "   two"]);
});

test("SC33 the line about what was kept aside names the command, in both languages", () => {
  const lines = (count: number, language: "en" | "zh-CN"): readonly string[] =>
    renderRow({ kind: "quarantined", count }, 94, { tools: false, thinking: false }, kit(language));
  expect(lines(1, "en")).toEqual(["   1 thing of this turn would run by itself and was kept aside (/quarantine)"]);
  expect(lines(3, "en")).toEqual([
    "   3 things of this turn would run by themselves and were kept aside (/quarantine)",
  ]);
  expect(lines(3, "zh-CN")).toEqual(["   本轮有 3 项会自行运行的内容被另行保存（/quarantine）"]);
});

test("SC16 the line about files that became a stranger's names the command, in both languages", () => {
  const lines = (count: number, language: "en" | "zh-CN"): readonly string[] =>
    renderRow({ kind: "labelled", count }, 84, { tools: false, thinking: false }, kit(language));
  expect(lines(1, "en")).toEqual(["   1 file of this turn counts as strangers' text (/trust files)"]);
  expect(lines(3, "en")).toEqual(["   3 files of this turn count as strangers' text (/trust files)"]);
  expect(lines(3, "zh-CN")).toEqual(["   本轮有 3 个文件被视为外来内容（/trust files）"]);
});
