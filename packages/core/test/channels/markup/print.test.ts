import { expect, test } from "vitest";
import type { Dialect } from "../../../src/contract/channel.ts";
import { renderPieces, type RenderOptions } from "../../../src/channels/markup/render.ts";

function whole(source: string, dialect: Dialect, more: Partial<RenderOptions> = {}): string {
  const options: RenderOptions = { dialect, max: 100_000, unit: "utf16", after: "rendered", ...more };
  return [...renderPieces(source, options)].map(({ text }) => text).join("|||");
}

const DIALECTS = ["plain", "markdown", "telegram-html", "html", "xep0393", "mrkdwn", "feishu-card"] as const;

/** What each of them makes of it, in the order of DIALECTS. */
const CONSTRUCTS: readonly (readonly [string, string, readonly string[]])[] = [
  [
    "marks",
    "**b** *e* ~~s~~",
    [
      "b e s",
      "**b** *e* ~~s~~",
      "<b>b</b> <i>e</i> <s>s</s>",
      "<p><strong>b</strong> <em>e</em> <s>s</s></p>",
      "*b* _e_ ~s~",
      "*b* _e_ ~s~",
      "**b** *e* ~~s~~",
    ],
  ],
  [
    "a mark in a mark",
    "**a *b***",
    [
      "a b",
      "**a *b***",
      "<b>a </b><b><i>b</i></b>",
      "<p><strong>a <em>b</em></strong></p>",
      "*a _b_*",
      "*a _b_*",
      "**a *b***",
    ],
  ],
  [
    "marks beside Chinese",
    "**中文。**中",
    [
      "中文。中",
      "**中文。**中",
      "<b>中文。</b>中",
      "<p><strong>中文。</strong>中</p>",
      "*中文。*中",
      "*中文。​*​中",
      "**中文。**中",
    ],
  ],
  [
    "a word with a mark inside",
    "a**b**c",
    ["abc", "a**b**c", "a<b>b</b>c", "<p>a<strong>b</strong>c</p>", "abc", "a​*b*​c", "a**b**c"],
  ],
  [
    "code in a mark",
    "**a `c`**",
    [
      "a c",
      "**a `c`**",
      "<b>a </b><code>c</code>",
      "<p><strong>a <code>c</code></strong></p>",
      "*a `c`*",
      "*a `c`*",
      "**a `c`**",
    ],
  ],
  [
    "code with backticks",
    "`` a`b ``",
    ["a`b", "``a`b``", "<code>a`b</code>", "<p><code>a`b</code></p>", "a`b", "a`​b", "``a`b``"],
  ],
  [
    "signs of HTML",
    "1 < 2 & <b>x</b>",
    [
      "1 < 2 & <b>x</b>",
      "1 \\< 2 & \\<b>x\\</b>",
      "1 &lt; 2 &amp; &lt;b&gt;x&lt;/b&gt;",
      "<p>1 &lt; 2 &amp; &lt;b&gt;x&lt;/b&gt;</p>",
      "1 < 2 & <b>x</b>",
      "1 &lt; 2 &amp; &lt;b&gt;x&lt;/b&gt;",
      "1 &#60; 2 & &#60;b&#62;x&#60;/b&#62;",
    ],
  ],
  [
    "a link",
    "[text](https://e.org/a)",
    [
      "text (https://e.org/a)",
      "[text](https://e.org/a)",
      '<a href="https://e.org/a">text</a>',
      '<p><a href="https://e.org/a" rel="noopener noreferrer">text</a></p>',
      "text (https://e.org/a)",
      "<https://e.org/a|text>",
      "[text](https://e.org/a)",
    ],
  ],
  [
    "an address",
    "see https://e.org/a_b.",
    [
      "see https://e.org/a_b.",
      "see https://e.org/a_b.",
      'see <a href="https://e.org/a_b">https://e.org/a_b</a>.',
      '<p>see <a href="https://e.org/a_b" rel="noopener noreferrer">https://e.org/a_b</a>.</p>',
      "see https://e.org/a_b.",
      "see <https://e.org/a_b>.",
      "see [https://e.org/a&#95;b](https://e.org/a_b).",
    ],
  ],
  [
    "another scheme",
    "[x](javascript:alert)",
    [
      "[x](javascript:alert)",
      "\\[x\\](javascript:alert)",
      "[x](javascript:alert)",
      "<p>[x](javascript:alert)</p>",
      "[x](javascript:alert)",
      "[x](javascript:alert)",
      "&#91;x&#93;(javascript:alert)",
    ],
  ],
  [
    "an image",
    "![alt](https://e.org/i.png)",
    [
      "alt (https://e.org/i.png)",
      "[alt](https://e.org/i.png)",
      '<a href="https://e.org/i.png">alt</a>',
      '<p><a href="https://e.org/i.png" rel="noopener noreferrer">alt</a></p>',
      "alt (https://e.org/i.png)",
      "<https://e.org/i.png|alt>",
      "[alt](https://e.org/i.png)",
    ],
  ],
  [
    "an image without words",
    "![](https://e.org/i.png)",
    [
      "https://e.org/i.png",
      "https://e.org/i.png",
      '<a href="https://e.org/i.png">https://e.org/i.png</a>',
      '<p><a href="https://e.org/i.png" rel="noopener noreferrer">https://e.org/i.png</a></p>',
      "https://e.org/i.png",
      "<https://e.org/i.png>",
      "[https://e.org/i.png](https://e.org/i.png)",
    ],
  ],
  [
    "line breaks",
    "a\nb  \nc",
    ["a\nb\nc", "a\nb  \nc", "a\nb\nc", "<p>a<br>\nb<br>\nc</p>", "a\nb\nc", "a\nb\nc", "a\nb\nc"],
  ],
  [
    "a heading",
    "## Title",
    ["Title", "## Title", "<b>Title</b>", "<h2>Title</h2>", "*Title*", "*Title*", "#### Title"],
  ],
  [
    "bullets",
    "* a\n* b",
    ["- a\n- b", "- a\n- b", "• a\n• b", "<ul>\n<li>a</li>\n<li>b</li>\n</ul>", "• a\n• b", "• a\n• b", "- a\n- b"],
  ],
  [
    "numbers",
    "7. a\n8. b",
    [
      "7. a\n8. b",
      "7. a\n8. b",
      "7. a\n8. b",
      '<ol start="7">\n<li>a</li>\n<li>b</li>\n</ol>',
      "7. a\n8. b",
      "7. a\n8. b",
      "7. a\n8. b",
    ],
  ],
  [
    "tasks",
    "- [x] a\n- [ ] b",
    [
      "- [x] a\n- [ ] b",
      "- [x] a\n- [ ] b",
      "• ☑ a\n• ☐ b",
      "<ul>\n<li>☑ a</li>\n<li>☐ b</li>\n</ul>",
      "• ☑ a\n• ☐ b",
      "• ☑ a\n• ☐ b",
      "- ☑ a\n- ☐ b",
    ],
  ],
  [
    "a list in a list",
    "1. a\n   - b",
    [
      "1. a\n   - b",
      "1. a\n   - b",
      "1. a\n   • b",
      "<ol>\n<li>a\n<ul>\n<li>b</li>\n</ul></li>\n</ol>",
      "1. a\n   • b",
      "1. a\n   • b",
      "1. a\n    - b",
    ],
  ],
  [
    "code in a list",
    "- a\n  ~~~js\n  1 < 2\n  ~~~",
    [
      "- a\n1 < 2",
      "- a\n  ```js\n  1 < 2\n  ```",
      '• a\n<pre><code class="language-js">1 &lt; 2</code></pre>',
      '<ul>\n<li>a\n<pre><code class="language-js">1 &lt; 2</code></pre></li>\n</ul>',
      "• a\n```js\n1 < 2\n```",
      "• a\n```\n1 &lt; 2\n```",
      "- a\n    ```js\n    1 < 2\n    ```",
    ],
  ],
  [
    "a fence of four",
    "````\n```\n````",
    [
      "```",
      "````\n```\n````",
      "<pre>```</pre>",
      "<pre><code>```</code></pre>",
      "```\n⁠```\n```",
      "```\n`​``\n```",
      "````\n```\n````",
    ],
  ],
  [
    "indented code",
    "    a\n\n    b",
    [
      "a\n\nb",
      "```\na\n\nb\n```",
      "<pre>a\n\nb</pre>",
      "<pre><code>a\n\nb</code></pre>",
      "```\na\n\nb\n```",
      "```\na\n\nb\n```",
      "```\na\n\nb\n```",
    ],
  ],
  [
    "a quote in a quote",
    "> a\n>\n> > b",
    [
      "> a\n>\n> > b",
      "> a\n>\n> > b",
      "<blockquote>a\n\n&gt; b</blockquote>",
      "<blockquote>\n<p>a</p>\n<blockquote>\n<p>b</p>\n</blockquote>\n</blockquote>",
      "> a\n>\n> > b",
      "> a\n>\n> > b",
      "> a\n>\n> > b",
    ],
  ],
  [
    "a rule",
    "a\n\n---\n\nb",
    [
      "a\n\n———\n\nb",
      "a\n\n***\n\nb",
      "a\n\n———\n\nb",
      "<p>a</p>\n<hr>\n<p>b</p>",
      "a\n\n———\n\nb",
      "a\n\n———\n\nb",
      "a\n\n---\n\nb",
    ],
  ],
  [
    "a table",
    "|n|age|\n|:-|-:|\n|中文|7|",
    [
      "n | age\n中文 | 7",
      "| n | age |\n| :-- | --: |\n| 中文 | 7 |",
      "<pre>n    | age\n-----+----\n中文 |   7</pre>",
      '<table>\n<thead>\n<tr><th style="text-align:left">n</th><th style="text-align:right">age</th></tr>\n</thead>\n<tbody>\n<tr><td style="text-align:left">中文</td><td style="text-align:right">7</td></tr>\n</tbody>\n</table>',
      "```\nn    | age\n-----+----\n中文 |   7\n```",
      "```\nn    | age\n-----+----\n中文 |   7\n```",
      "| n | age |\n| :-- | --: |\n| 中文 | 7 |",
    ],
  ],
  [
    "text that looks like marks",
    "\\*a\\* \\`b\\`\n\\> c",
    [
      "*a* `b`\n> c",
      "\\*a\\* \\`b\\`\n\\> c",
      "*a* `b`\n&gt; c",
      "<p>*a* `b`<br>\n&gt; c</p>",
      "⁠*a* ⁠`b`\n⁠> c",
      "*​a* `​b`​\n​&gt; c",
      "&#42;a&#42; &#96;b&#96;\n&#62; c",
    ],
  ],
];

for (const [name, source, expected] of CONSTRUCTS)
  for (const [index, dialect] of DIALECTS.entries())
    test(`CH62 CH63 ${name} in ${dialect}`, () => {
      expect(whole(source, dialect)).toBe(expected[index]);
    });

test("CH62 a mark within its own kind is one mark: printed twice it would open a fence", () => {
  const source = "a\n    ~~~~b~~~~ c";
  expect(DIALECTS.map((dialect) => whole(source, dialect))).toEqual([
    "a\nb c",
    "a\n~~b~~ c",
    "a\n<s>b</s> c",
    "<p>a<br>\n<s>b</s> c</p>",
    "a\n~b~ c",
    "a\n~b~ c",
    "a\n~~b~~ c",
  ]);
});

test("CH65 text calls nobody in a card of Feishu, and names no picture", () => {
  const source = "<at id=all></at> `<at id=all>` :OK: 10:30:00\n```\n<AT user_id='all'>\n```";
  expect(whole(source, "feishu-card")).toBe(
    "&#60;\u2060at id=all&#62;&#60;/at&#62; `<\u2060at id=all>` &#58;OK: 10:30:00\n\n```\n<\u2060AT user_id='all'>\n```",
  );
});

test("CH62 a mark in its own kind is one mark in a card of Feishu, and no fence", () => {
  expect(whole("- a\n      ~~~~b~~ c~~", "feishu-card")).toBe("- a\n    ~~b c~~");
});

test("CH244 a card of Feishu draws three tables; more of them, and those in lists and quotes, are code", () => {
  const table = "|a|b|\n|-|-|\n|1|2|";
  const code = "```\na   | b\n----+----\n1   | 2\n```";
  const drawn = "| a | b |\n| --- | --- |\n| 1 | 2 |";
  expect(whole([table, table, table, table].join("\n\n"), "feishu-card")).toBe(
    [drawn, drawn, drawn, code].join("\n\n"),
  );
  expect(whole("> |a|b|\n> |-|-|\n> |1|2|", "feishu-card")).toBe(code.replaceAll(/^/gm, "> "));
});

test("CH63 a table is code where a platform has none", () => {
  expect(whole("|a|b|\n|-|-|\n|1|2|", "markdown", { tables: "code" })).toBe("```\na   | b\n----+----\n1   | 2\n```");
});

test("CH65 text calls nobody in Markdown, unless it may", () => {
  const source = "hey @everyone, @here, <@123>, <@&7> and `@everyone`";
  const quiet = "hey @\u200beveryone, @\u200bhere, \\<@\u200b123>, \\<@\u200b&7> and `@everyone`";
  expect(whole(source, "markdown")).toBe(quiet);
  expect(whole(source, "markdown", { mentions: true })).toBe(source.replaceAll("<", "\\<"));
});

test("CH65 CH234 in Slack's markup no text opens a mention, a link or a command, wherever it stands", () => {
  const signs = "<!channel> <!here> <@U0123ABC> <#C0123ABC> <!subteam^S1>";
  const safe = signs.replaceAll("<", "&lt;").replaceAll(">", "&gt;");
  for (const [source, printed] of [
    [signs.replaceAll("<", "\\<"), safe],
    [`\`${signs}\``, `\`${safe}\``],
    [`\`\`\`\n${signs}\n\`\`\``, `\`\`\`\n${safe}\n\`\`\``],
    ["[<!channel>](https://a.example)", "<https://a.example|&lt;!channel&gt;>"],
    ["[a|b\nc > d](https://a.example/x|y)", "<https://a.example/x%7Cy|a¦b c &gt; d>"],
    ["\\&lt;!channel&gt;", "&amp;lt;!channel&gt;"],
  ] as const)
    expect(whole(source, "mrkdwn")).toBe(printed);
});

test("CH62 what the parser says nothing about is said as it was written", () => {
  for (const source of ["```", "[a]: https://e.org"]) expect(whole(source, "plain")).toBe(source);
  expect(whole(`${">".repeat(150)} deep`, "plain")).toContain("deep");
  expect(whole(`${"- ".repeat(150)}deep`, "plain")).toContain("deep");
});
