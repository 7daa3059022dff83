import fc from "fast-check";

/** Markdown as models write it, and as nobody does. No `H` but in the headers of tables. */
const word = fc.constantFrom(
  ..."a word of text Lorem ipsum. dolor! sit? amet, 中文没有空格的句子。 日本語の文章、 한국어 <&> & < > @everyone snake_case 2*3 1. - # é e\u0301 x".split(
    " ",
  ),
  "\u{1f468}\u200d\u{1f469}\u200d\u{1f467}\u200d\u{1f466}",
  "\u{1f1e9}\u{1f1ea}\u{1f1eb}\u{1f1f7}",
  "averyveryverylongwordthatgoesonandonandonwithoutanyblank",
  "https://example.org/a/path?q=1&r=(2)",
  "&lt;&amp;",
  "\\*",
);
const words = fc.array(word, { minLength: 1, maxLength: 12 }).map((all) => all.join(" "));
const mess = fc.string({ unit: fc.constantFrom(..."*_`~[]()<>&|#>-+1. \n\ta!\\:"), maxLength: 40 });

const inline = fc.letrec<{ one: string; all: string }>((tie) => ({
  one: fc.oneof(
    { depthSize: "small", withCrossShrink: true },
    words,
    tie("all").map((text) => `**${text}**`),
    tie("all").map((text) => `*${text}*`),
    tie("all").map((text) => `~~${text}~~`),
    words.map((text) => `\`${text}\``),
    words.map((text) => `\`\`${text} \` x\`\``),
    tie("all").map((text) => `[${text}](https://example.org/some/path)`),
    words.map((text) => `[${text}][ref]`),
    words.map((text) => `![${text}](https://example.org/i.png)`),
    fc.constantFrom(
      "![](https://example.org/i.png)",
      "[](https://example.org/x)",
      "<https://a.example/b_c>",
      "[x](javascript:y)",
    ),
  ),
  all: fc.array(tie("one"), { minLength: 1, maxLength: 3 }).map((all) => all.join(" ")),
})).all;

const fence = fc
  .tuple(
    fc.constantFrom("```", "````", "~~~", "~~~~~"),
    fc.constantFrom("", "js", "c++"),
    fc.array(words, { maxLength: 6 }),
  )
  .map(([mark, lang, lines]) => `${mark}${lang}\n${lines.join("\n")}\n${mark}`);
const indented = fc
  .array(words, { minLength: 1, maxLength: 4 })
  .map((lines) => lines.map((line) => `    ${line}`).join("\n"));
const cell = inline.map((text) => text.replaceAll("|", "").replaceAll("\n", " "));
const table = fc
  .array(fc.tuple(cell, cell), { maxLength: 6 })
  .map((rows) => ["| HH | HHH |", "|:--|--:|", ...rows.map(([one, two]) => `| ${one} | ${two} |`)].join("\n"));
const moved = (text: string, first: string): string =>
  text
    .split("\n")
    .map((line, index) => (index === 0 ? first : line === "" ? "" : " ".repeat(first.length)) + line)
    .join("\n");

/** A source of several blocks. */
export const markdown = fc
  .letrec<{ block: string; blocks: string }>((tie) => ({
    block: fc.oneof(
      { depthSize: "small" },
      fc.array(inline, { minLength: 1, maxLength: 3 }).map((lines) => lines.join("\n")),
      fc.tuple(fc.integer({ min: 1, max: 6 }), words).map(([level, text]) => `${"#".repeat(level)} ${text}`),
      fence,
      indented,
      table,
      fc.constant("---"),
      mess,
      tie("blocks").map((text) =>
        text
          .split("\n")
          .map((line) => `> ${line}`)
          .join("\n"),
      ),
      fc
        .tuple(
          fc.integer({ min: 0, max: 99 }),
          fc.array(tie("blocks"), { minLength: 1, maxLength: 3 }),
          fc.constantFrom("\n", "\n\n"),
        )
        .map(([start, items, between]) => items.map((item, index) => moved(item, `${start + index}. `)).join(between)),
      fc
        .tuple(fc.constantFrom("- ", "* ", "- [ ] ", "- [x] "), fc.array(tie("blocks"), { minLength: 1, maxLength: 3 }))
        .map(([mark, items]) => items.map((item) => moved(item, mark)).join("\n")),
    ),
    blocks: fc.array(tie("block"), { minLength: 1, maxLength: 4 }).map((all) => all.join("\n\n")),
  }))
  .blocks.map((text) => `${text}\n\n[ref]: https://example.org/a/rather/long/address/that/stands/elsewhere\n`);
