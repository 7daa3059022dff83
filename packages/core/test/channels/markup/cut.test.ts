import { expect, test } from "vitest";
import { renderPieces, type RenderedPiece, type RenderOptions } from "../../../src/channels/markup/render.ts";

function pieces(source: string, options: Partial<RenderOptions> = {}): readonly RenderedPiece[] {
  return [...renderPieces(source, { dialect: "markdown", max: 60, unit: "utf16", after: "rendered", ...options })];
}

function texts(source: string, options: Partial<RenderOptions> = {}): readonly string[] {
  return pieces(source, options).map(({ text }) => text);
}

const LINES = Array.from({ length: 8 }, (_, index) => `let value${index} = ${index};`).join("\n");

test("CH64 CH144 code is closed and opened again with its language, whatever its fence", () => {
  const sources = [
    `\`\`\`\`js\n${LINES}\n\`\`\`\``,
    `  \`\`\`js\n  ${LINES.replaceAll("\n", "\n  ")}\n  \`\`\``,
    `~~~~js\n${LINES}\n~~~~`,
    `1. \`\`\`js\n   ${LINES.replaceAll("\n", "\n   ")}\n   \`\`\``,
  ];
  for (const source of sources) {
    const all = texts(source, { dialect: "telegram-html", max: 100 });
    expect(all.length).toBeGreaterThan(1);
    const inside = all.map((text) => {
      const [, code] = /^(?:1\.\n)?<pre><code class="language-js">([^<]*)<\/code><\/pre>$/.exec(text) ?? [];
      return code;
    });
    expect(inside.join("\n")).toBe(LINES);
  }
});

test("CH64 CH144 code that has a fence in it has a longer one in each piece", () => {
  const all = texts(`\`\`\`\`\n${"```\na\n```\n".repeat(6)}\`\`\`\``, { max: 40 });
  expect(all.length).toBeGreaterThan(1);
  for (const text of all) expect(text).toMatch(/^````\n[^]*\n````$/);
});

test("CH64 CH144 a table repeats its header", () => {
  const all = texts(`|name|age|\n|-|-|\n${Array.from({ length: 9 }, (_, n) => `|person ${n}|${n}|`).join("\n")}`, {
    max: 90,
  });
  expect(all.length).toBeGreaterThan(1);
  for (const text of all) expect(text.startsWith("| name | age |\n| --- | --- |\n| person ")).toBe(true);
  expect(all.join("\n").match(/person \d/g)).toHaveLength(9);
});

test("CH64 a list keeps its numbers, a quote its marks", () => {
  const source = Array.from({ length: 6 }, (_, n) => `${n + 4}. the item of number ${n + 4}`).join("\n");
  expect(texts(source)).toEqual([
    "4. the item of number 4\n5. the item of number 5",
    "6. the item of number 6\n7. the item of number 7",
    "8. the item of number 8\n9. the item of number 9",
  ]);
  expect(texts(`> ${"Some words of a quote. ".repeat(4)}`)).toEqual([
    "> Some words of a quote. Some words of a quote.",
    "> Some words of a quote. Some words of a quote.",
  ]);
});

test("CH64 an item that goes on is not said to be another", () => {
  const all = texts(`1. ${"words of the first item ".repeat(4)}\n2. second`, { max: 60 });
  expect(all[0]).toMatch(/^1\. words/);
  expect(all.slice(1).join("\n")).not.toContain("1.");
  expect(all.at(-1)).toContain("2. second");
});

test("CH64 cuts stand between blocks, then sentences, then words", () => {
  expect(texts("One paragraph here.\n\nAnother paragraph that is longer.\n\nAnd a third one.", { max: 60 })).toEqual([
    "One paragraph here.\n\nAnother paragraph that is longer.",
    "And a third one.",
  ]);
  expect(texts("A first sentence. And a second one. Then a third.", { max: 40 })).toEqual([
    "A first sentence. And a second one.",
    "Then a third.",
  ]);
  expect(texts("words and words and words and words", { max: 20 })).toEqual(["words and words and", "words and words"]);
  expect(texts("# Title\n\nA text of some words.\n\n## Next\n\nMore words of it.", { max: 44 })).toEqual([
    "# Title\n\nA text of some words.",
    "## Next\n\nMore words of it.",
  ]);
});

test("CH64 CH144 characters that people see as one stay one", () => {
  const family = "\u{1f468}\u200d\u{1f469}\u200d\u{1f467}\u200d\u{1f466}";
  const all = texts(family.repeat(6), { max: 40 });
  expect(all).toEqual([family.repeat(3), family.repeat(3)]);
  const flags = "\u{1f1e9}\u{1f1ea}".repeat(20);
  for (const text of texts(flags, { max: 30 })) expect(text.length % 4).toBe(0);
  for (const text of texts("e\u0301".repeat(50), { max: 21 })) expect(text.length % 2).toBe(0);
});

test("CH64 one character that is longer than a message is cut between code points", () => {
  const source = `a${"\u0301".repeat(99)}`;
  const all = texts(source, { max: 20 });
  expect(all.join("")).toBe(source);
  for (const text of all) expect(text.length).toBeLessThanOrEqual(20);
});

test("CH64 CH144 Chinese without blanks is cut between words, and nothing is lost", () => {
  const source = "我们今天在北京大学学习人工智能的基本知识。".repeat(10);
  const all = texts(source, { max: 50 });
  expect(all.join("")).toBe(source);
  expect(all.every((text) => text.endsWith("。"))).toBe(true);
});

test("CH64 CH144 what grows when it is escaped is counted as it is sent, or as it is seen", () => {
  const source = "<&> ".repeat(100).trim();
  const sent = pieces(source, { dialect: "telegram-html" });
  for (const { text } of sent) expect(text.length).toBeLessThanOrEqual(60);
  const seen = pieces(source, { dialect: "telegram-html", after: "parsed" });
  for (const { plain } of seen) expect(plain.length).toBeLessThanOrEqual(60);
  expect(seen.length).toBeLessThan(sent.length);
  for (const all of [sent, seen]) expect(all.map(({ plain }) => plain).join(" ")).toBe(source);
});

test("CH64 each unit counts its own", () => {
  const source = "é\u{1f600} ".repeat(30).trim(); // 3 units, 2 characters, 6 bytes and a blank each
  const counts = (["utf16", "byte", "codepoint", "grapheme"] as const).map(
    (unit) => pieces(source, { unit, max: 27 }).length,
  );
  expect(counts).toEqual([5, 8, 4, 4]);
});

test("CH64 the rest is cut with another limit, for another platform, and nothing is said twice", () => {
  const source = `# Title\n\n${"Some words [of a link](https://e.org/a/path) and **more of them**. ".repeat(8)}\n\n- one\n- two\n\n\`\`\`js\n${LINES}\n\`\`\`\n`;
  const first = pieces(source, { dialect: "plain", max: 50 });
  const whole = pieces(source, { dialect: "plain", max: 100_000 })[0]?.plain ?? "";
  const bare = (text: string): string => text.replaceAll(/\s/g, "");
  for (const [index, { to }] of first.entries()) {
    const said = first.slice(0, index + 1).map(({ plain }) => plain);
    const rest = pieces(source, { dialect: "plain", max: 333, from: to });
    expect(rest[0]?.from ?? to).toBe(to);
    expect(bare([...said, ...rest.map(({ plain }) => plain)].join(""))).toBe(bare(whole));
    const other = pieces(source, { dialect: "telegram-html", max: 200, from: to }).map(({ text }) => text);
    expect(other.join("").includes(LINES.slice(-16))).toBe(to < source.length);
  }
});

test("CH64 the first piece leaves room for what is put before it", () => {
  const all = texts("words ".repeat(60), { max: 60, first: 20 });
  expect(all[0]?.length).toBeLessThanOrEqual(20);
  expect(all[1]?.length).toBeGreaterThan(20);
});

test("CH64 what is blank is no piece of its own, and an empty reply is one", () => {
  expect(pieces("")).toEqual([{ from: 0, to: 0, text: "", plain: "" }]);
  expect(pieces(" \n ")).toEqual([{ from: 0, to: 3, text: "", plain: "" }]);
  expect(pieces(`${"\n".repeat(500)}a${"\n".repeat(500)}`)).toEqual([{ from: 0, to: 1_001, text: "a", plain: "a" }]);
  expect(pieces("a\n\n", { from: 1 })).toEqual([]);
});

test("CH64 hostile sources come to an end, with all their words", () => {
  const sources = [
    "x".repeat(200_000),
    `${">".repeat(10_000)} x`,
    "`".repeat(100_000),
    "a`".repeat(25_000),
    "[".repeat(50_000),
  ];
  for (const source of sources) {
    const all = texts(source, { dialect: "plain", max: 4_000 });
    expect(all.every((text) => text.length <= 4_000)).toBe(true);
    const shown = source.startsWith("a`") ? source.replaceAll("`", "") : source;
    expect(all.join("").length).toBeGreaterThanOrEqual(shown.length - 200); // quotes have marks
  }
});
