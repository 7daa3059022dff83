// What of a reply is read aloud.
import { expect, test } from "vitest";
import { secondsOf } from "../../../src/lib/voice/seconds.ts";
import { spokenText } from "../../../src/channels/voice/spoken-text.ts";

test("CH78a code, tables, addresses and pictures are not read aloud; words of all else are", () => {
  const reply = [
    "# Done 🎉",
    "",
    "I ran `npm test` in **two** folders, see [the report](https://example.org/long?x=1) or https://example.org/raw.",
    "",
    "```sh\nrm -rf build\n```",
    "",
    "| file | lines |\n| --- | --- |\n| a.ts | 10 |",
    "",
    "- first thing",
    "- second thing!",
    "",
    "> quoted words",
    "",
    "![a chart](https://example.org/chart.png)",
    "",
    "---",
  ].join("\n");
  expect(spokenText(reply).split("\n")).toEqual([
    "Done.",
    "I ran npm test in two folders, see the report or.",
    "first thing.",
    "second thing!",
    "quoted words.",
  ]);
  expect(spokenText("```\nonly code\n```")).toBe("");
  expect(spokenText("https://example.org/only")).toBe("");
  expect(spokenText("你好，世界")).toBe("你好，世界。");
});

test("CH78a spoken-text/MAX_SECONDS at most 90 s are read, to the end of a sentence, then that the rest is in the text, in its language", () => {
  const sentence = "This is one of many sentences that nobody wants to hear to the end. ";
  const spoken = spokenText(sentence.repeat(60));
  const lines = spoken.split("\n");
  expect(lines.at(-1)).toBe("The rest is in the text.");
  expect(lines.at(-2)).toMatch(/to the end\.$/);
  expect(secondsOf(lines.slice(0, -1).join("\n"))).toBeGreaterThan(80);
  expect(secondsOf(lines.slice(0, -1).join("\n"))).toBeLessThanOrEqual(90);
  const chinese = spokenText("这是一句没有人想听到最后的话，因为它太长了。".repeat(60));
  expect(chinese.split("\n").at(-1)).toBe("其余内容请看文字。");
  expect(secondsOf(chinese)).toBeLessThan(95);
  const unbroken = spokenText("a".repeat(5000));
  expect(secondsOf(unbroken)).toBeLessThan(95);
  expect(spokenText(sentence.repeat(3))).not.toContain("The rest");
});
