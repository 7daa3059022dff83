import { expect, test } from "vitest";
import { createCutter, type Block } from "../../../src/web/markdown/blocks.ts";
import { createParser } from "../../../src/web/markdown/parser.ts";

const SECTION = `## Part

A paragraph with **bold**, \`code\` and a [link](https://example.org/page), long enough to wrap around the line.

- one
- two with *emphasis*
  - nested

\`\`\`ts
const answer: number = 42;
for (const part of parts) draw(part);
\`\`\`

| a | b |
|---|---|
| 1 | 2 |

`;
const ANSWER = SECTION.repeat(60); // 18 kB

test("an answer written in 250 frames is parsed less than eight times over, and closed blocks stay the same objects", () => {
  const cutter = createCutter(createParser());
  const frames = 250;
  let before: readonly Block[] = [];
  for (let frame = 1; frame <= frames; frame += 1) {
    const text = ANSWER.slice(0, Math.round((ANSWER.length * frame) / frames));
    const { blocks } = cutter.cut(text, true);
    before.slice(0, -1).forEach((block, place) => expect(blocks[place]).toBe(block));
    before = blocks;
  }
  const settled = cutter.cut(ANSWER, false).blocks;
  before.slice(0, -1).forEach((block, place) => expect(settled[place]).toBe(block));
  expect(cutter.parsed).toBeLessThan(ANSWER.length * 8);
});

test("however the text was cut, the blocks are those of the whole text", () => {
  const whole = createCutter(createParser()).cut(ANSWER, false).blocks;
  for (const step of [1, 7, 333]) {
    const short = SECTION.repeat(2);
    const cutter = createCutter(createParser());
    for (let end = 0; end < short.length; end += step) cutter.cut(short.slice(0, end), true);
    const { blocks } = cutter.cut(short, false);
    expect(blocks.map(({ source }) => source)).toEqual(whole.slice(0, blocks.length).map(({ source }) => source));
  }
});

test("an open fence is shown as text without being parsed, and is a block once it is closed", () => {
  const cutter = createCutter(createParser());
  const open = cutter.cut("Before.\n\n```ts\nconst a = 1;\n", true);
  expect(open.blocks.map(({ source }) => source)).toEqual(["Before.\n\n"]);
  expect(open.fence).toEqual({ info: "ts", text: "const a = 1;\n" });
  const parsed = cutter.parsed;
  cutter.cut("Before.\n\n```ts\nconst a = 1;\nconst b = 2;\n", true);
  expect(cutter.parsed).toBe(parsed);
  const closed = cutter.cut("Before.\n\n```ts\nconst a = 1;\n```\n\nAfter.", false);
  expect(closed.fence).toBeUndefined();
  expect(closed.blocks).toHaveLength(3);
});

test("a definition that comes last makes links of the blocks before it", () => {
  const cutter = createCutter(createParser());
  const text = "See [the page][1].\n\nMore.\n\n[1]: https://example.org\n";
  for (let end = 1; end < text.length; end += 1) cutter.cut(text.slice(0, end), true);
  const { blocks } = cutter.cut(text, false);
  const types = blocks[0]?.tokens.flatMap(({ children }) => children ?? []).map(({ type }) => type);
  expect(types).toContain("link_open");
});

test("footnotes are numbered by their first mention, however the text arrived; a mark without a note stays text", () => {
  const text = [
    "Second[^b] first[^a] again[^b], none[^c], `code[^a]`.",
    "Between.",
    "[^a]: Note a\n[^b]: Note **b**,\ncontinued\n\n    and a second paragraph",
    "After[^a].",
  ].join("\n\n");
  const shown = (blocks: readonly Block[]): readonly string[] =>
    blocks.flatMap(({ tokens }) =>
      tokens.flatMap(({ type, meta, children }) =>
        type === "footnote_open"
          ? [`note ${String((meta as { number: number }).number)}`]
          : (children ?? []).flatMap((child) =>
              child.type === "footnote_ref" ? [`mark ${String((child.meta as { number: number }).number)}`] : [],
            ),
      ),
    );
  const expected = ["mark 1", "mark 2", "mark 1", "note 2", "note 1", "mark 2"];
  const whole = createCutter(createParser()).cut(text, false).blocks;
  expect(shown(whole)).toEqual(expected);
  expect(whole.map(({ source }) => source).join("")).toBe(text);
  for (const step of [1, 5, 40]) {
    const cutter = createCutter(createParser());
    let live: readonly Block[] = [];
    for (let end = 0; end < text.length; end += step) live = cutter.cut(text.slice(0, end), true).blocks;
    const settled = cutter.cut(text, false).blocks;
    expect(shown(settled)).toEqual(expected);
    expect(settled[1]).toBe(live[1]); // mentions nothing: drawn once
  }
});

test("a note in a note is text, and a thousand of them do no harm", () => {
  const [block] = createCutter(createParser()).cut(`[^1]: ${"[^1]: ".repeat(10_000)}x`, false).blocks;
  expect(block?.tokens.filter(({ type }) => type === "footnote_open")).toHaveLength(1);
});
