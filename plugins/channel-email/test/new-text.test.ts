import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { newText } from "../src/new-text.ts";
import { fixture } from "./fixtures.ts";

describe("mails of the programs people use", () => {
  const INLINE = "On 3/3/26 10:11, Margay wrote:\n> When?\n\nOn Friday.\n\n> Where?\n\nIn the big room.\n\n--\nAnna";
  test.each<[name: string, text: string, quoted: readonly string[]]>([
    [
      "gmail-reply",
      "Friday at ten works for me.\n\nCould you book the room?",
      ["wrote:", "> Margay", ">> First question"],
    ],
    [
      "gmail-german-html",
      "Das passt.\n- Raum buchen\n- Kaffee bestellen (https://example.org/kaffee)",
      ["Beispiel GmbH", "Wann treffen"],
    ],
    [
      "outlook-web",
      "Here are the numbers:\nMonth | Sum\nMarch | 1,200",
      ["Sales, Example Ltd", "Sent: Tuesday", "Please send"],
    ],
    [
      "outlook-desktop-german",
      "Hallo,\n\nich nehme das zweite Angebot.\n\nMit freundlichen Grüßen\nAnna Example",
      ["Von: Margay", "Welches Angebot"],
    ],
    ["outlook-original-message", "I take the second one.", ["-----Original Message-----", "Which offer"]],
    ["outlook-french", "La deuxième, merci.", ["____", "Envoyé :", "Quelle offre"]],
    ["outlook-chinese", "我选第二个报价。", ["发件人: Margay", "您选哪个报价"]],
    ["apple-mail", "Take the first photo.", ["Sent from my iPhone", "Which photo?"]],
    ["apple-mail-html", "Prenez la première.", ["a écrit :", "Quelle photo ?"]],
    ["thunderbird-bottom", "Am Freitag.", ["schrieb Margay:", "> Wann?", "Beispiel GmbH"]],
    ["thunderbird-html", "El viernes.", ["Anna Example", "escribió:", "¿Cuándo?"]],
    ["qq", "星期五可以。", ["原始邮件", "主题:", "星期五见面吗"]],
    ["qq-html", "星期五可以。", ["发自我的iPhone", "原始邮件", "星期五见面吗"]],
    ["netease-163", "可以，星期五上午十点。", ["写道：", ">谢谢"]],
    ["netease-163-html", "可以，星期五上午十点。", ["wrote:", "> 星期五见面吗"]],
    ["gmail-japanese", "金曜日で大丈夫です。", ["2026年3月3日", "どうですか"]],
  ])("CH215 %s: what is new, and what is cut", async (name, text, quoted) => {
    const result = newText(await fixture(name));
    expect(result.text).toBe(text);
    for (const part of quoted) expect(result.quoted).toContain(part);
  });

  test("CH215 answers between the quotes stay where they are, with the quotes", async () => {
    expect(newText(await fixture("thunderbird-inline"))).toEqual({ text: INLINE });
  });
});

describe("introductions of quotes", () => {
  test.each([
    "On Tue, 3 Mar 2026 at 10:11, Margay <bot@mail.test> wrote:",
    "On Tue, 3 Mar 2026 at 10:11, Margay\n<bot@mail.test> wrote:",
    "On Tue, 3 Mar 2026 at 10:11, Margay of a Very Long\nCompany Name <bot@mail.test>\nwrote:",
    "Am Di., 3. März 2026 um 10:11 Uhr schrieb Margay <\nbot@mail.test>:",
    "Margay <bot@mail.test> schrieb am Di., 3. März 2026, 10:11:",
    "Le mar. 3 mars 2026 à 10:11, Margay <bot@mail.test> a écrit :",
    "El mar, 3 mar 2026 a las 10:11, Margay (<bot@mail.test>) escribió:",
    "Il giorno mar 3 mar 2026 alle ore 10:11 Margay <bot@mail.test> ha scritto:",
    "Op di 3 mrt 2026 om 10:11 schreef Margay <bot@mail.test>:",
    "2026年3月3日(火) 10:11 Margay <bot@mail.test>:",
    "2026/03/03 10:11、Margay <bot@mail.test>のメール:",
    "Margay <bot@mail.test> 于2026年3月3日周二 10:11写道：",
    "在 2026年3月3日，10:11，Margay <bot@mail.test> 写道：",
    "Margay <bot@mail.test> 於 2026年3月3日 週二 上午10:11寫道：",
  ])("CH215 %j with > and without", (introduction) => {
    for (const mark of ["> ", ""]) {
      const { text, quoted } = newText({ text: `Yes.\n\n${introduction}\n\n${mark}old words\n${mark}more\n` });
      expect(text).toBe("Yes.");
      expect(quoted).toBe(`${introduction}\n\n${mark}old words\n${mark}more`);
    }
  });

  test("CH215 one of a language nobody listed is known by the quote below it", () => {
    const { text } = newText({
      text: "Igen.\n\nMargay <bot@mail.test> ezt írta (2026. márc. 3., K, 10:11):\n\n> régi\n",
    });
    expect(text).toBe("Igen.");
  });

  test.each([
    "On Monday Anna wrote:\nthe plan is good.",
    "From: the beginning\nI did not understand it.",
    "Please compare:\n\n1) apples\n2) pears",
    "To: do\nDate: open\nall of it",
    "a -- b\n\n---\n\nc",
    "> only a quotation, typed by hand",
    "Hello,\n> can you come?\nYes.",
  ])("CH215 %j is all new", (text) => {
    expect(newText({ text })).toEqual({ text });
  });

  test("CH215 a forwarded mail without a word of one's own is quoted as a whole", () => {
    const raw = "---------- Forwarded message ---------\nFrom: x <x@example.org>\nDate: Tue\nSubject: s\nTo: y\n\nbody";
    expect(newText({ text: raw })).toEqual({ text: "", quoted: raw });
  });

  test("CH215 what stands right above an introduction stays", () => {
    expect(newText({ text: "see x.org\nOn Tue, 3 Mar 2026 at 10:11, Margay wrote:\n> old" }).text).toBe("see x.org");
  });

  test.each([
    "-- \nAnna\nExample Ltd",
    "--\nAnna",
    "Sent from my Pixel",
    "Von meinem iPhone gesendet",
    "Get Outlook for iOS",
  ])("CH215 the signature %j is cut", (signature) => {
    expect(newText({ text: `Yes.\n\n${signature}` })).toEqual({ text: "Yes.", quoted: signature.replace("-- ", "--") });
  });
});

describe("HTML without text", () => {
  test.each<[what: string, html: string, text: string]>([
    [
      "headings and paragraphs",
      "<h1>Plan</h1><p>One &amp; two</p><h3>Then</h3>three",
      "# Plan\n\nOne & two\n\n### Then\n\nthree",
    ],
    ["lists", "<ol><li>a</li><li>b<ul><li>c</li></ul></li></ol>", " 1. a\n 2. b\n    - c"],
    [
      "a link is its words and where it leads",
      '<a href="https://evil.example/">https://bank.example</a>',
      "https://bank.example (https://evil.example/)",
    ],
    [
      "a link that says where it leads, once",
      '<a href="https://x.example/">x.example</a> <a href="mailto:a@x.example">a@x.example</a>',
      "x.example a@x.example",
    ],
    ["no link that is a program", '<a href="javascript:alert(1)">click</a>', "click"],
    ["a table row by row", "<table><tr><th>A<th>B<tr><td><p>1</p><td>2</table>", "A | B\n1 | 2"],
    [
      "a table that lays out a page",
      "<table><tr><td><p>left</p><p>more</p></td><td><div>right</div></td></tr></table>",
      "left\n\nmore\n\nright",
    ],
    [
      "nothing of scripts and styles",
      "<style>p{}</style><script>x</script><title>t</title><p>seen</p><!-- no -->",
      "seen",
    ],
    [
      "nothing that is hidden",
      '<p style="DISPLAY : none">a</p><i hidden>b</i><b style="font-size:0px">c</b><u style="opacity:0">d</u><p>seen</p>',
      "seen",
    ],
    [
      "pictures by their words",
      '<img src="http://t.example/1.gif" width=1><img src="cid:1" alt="Chart of March">',
      "[Chart of March]",
    ],
    ["entities and blanks", "a&nbsp;b   \n c<br>d", "a\u00a0b c\nd"],
    ["what is not closed", "<div><p>a<div>b", "a\n\nb"],
  ])("CH215 %s", (_, html, text) => {
    expect(newText({ html })).toEqual({ text });
  });

  test("CH215 the text part is used where there is one, and HTML where it is blank", () => {
    expect(newText({ text: "t", html: "<p>h</p>" }).text).toBe("t");
    expect(newText({ text: " \n", html: "<p>h</p>" }).text).toBe("h");
    expect(newText({})).toEqual({ text: "" });
  });

  test("CH215 HTML deeper than any parser likes keeps its words", () => {
    const started = performance.now();
    for (const tag of ["<div>", "<div></x>", "<blockquote>", "<ul><li>", "<a href=https://x.example>", "<my-tag>"])
      expect(newText({ html: `${tag.repeat(20_000)}deep` }).text.trim()).toBe("deep");
    expect(performance.now() - started).toBeLessThan(10_000);
  });

  test("CH215 marks of ours in a strange mail cut nothing", () => {
    expect(newText({ html: "<p>\u{e0f1}all\u{e0f2} of it</p>" })).toEqual({ text: "all of it" });
    expect(newText({ text: "\u{e0f1}all\u{e0f2} of it" })).toEqual({ text: " all  of it" });
  });
});

describe("whatever comes", () => {
  const piece = fc.oneof(
    fc.string({ unit: "grapheme", maxLength: 30 }),
    fc.constantFrom(
      ..."\n|\r\n|\n\n|> |>> |-- |--|On Tue 10:11 a@b wrote:|在 2026 写道：|From: a|Sent: b|To: c|Subject: d|发件人: x|_______________|-----Original Message-----".split(
        "|",
      ),
      ..."a@b.c 10:11:|Sent from my iPhone|\u{e0f0}|\u{e0f1}|\u{e0f2}|\u{e0f3}|*From:* x|&nbsp;".split("|"),
    ),
  );
  const words = (text: string): readonly string[] => (text.match(/[\p{L}\p{N}]+/gu) ?? []).toSorted();

  test("CH215 no text throws, and every word is in one of the halves", () => {
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 40 }), (pieces) => {
        const text = pieces.join("");
        const result = newText({ text });
        expect(words(`${result.text}\n${result.quoted ?? ""}`)).toEqual(words(text));
      }),
      { numRuns: 1_000 },
    );
  });

  test("CH215 no HTML throws, and every word that is shown is in one of the halves", () => {
    const classes = ["gmail_quote", "gmail_attr", "moz-cite-prefix", "gmail_signature", "yahoo_quoted"];
    const tags = ["div", "p", "blockquote", "table", "tr", "td", "ul", "li", "h2", "a", "b", "span", "pre"];
    const { node } = fc.letrec<{ node: string }>((tie) => ({
      node: fc.oneof(
        { maxDepth: 4 },
        fc.stringMatching(/^[a-z0-9]{1,8}$/).map((word) => ` ${word} `),
        fc.constantFrom("<br>", "<hr>", " On Tue 10:11 x wrote: ", '<div id="divRplyFwdMsg">z</div>'),
        fc
          .tuple(
            fc.constantFrom(...tags),
            fc.option(fc.constantFrom(...classes)),
            fc.array(tie("node"), { maxLength: 4 }),
          )
          .map(([tag, name, inner]) => `<${tag}${name === null ? "" : ` class="${name}"`}>${inner.join("")}</${tag}>`),
      ),
    }));
    fc.assert(
      fc.property(fc.array(node, { maxLength: 6 }), (nodes) => {
        const html = nodes.join("");
        const result = newText({ html });
        expect(words(`${result.text}\n${result.quoted ?? ""}`)).toEqual(words(html.replace(/<[^>]*>/g, " ")));
      }),
      { numRuns: 200 },
    );
  });

  test("CH215 any bytes as HTML", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary", maxLength: 300 }), fc.string({ maxLength: 100 }), (a, b) => {
        newText({ html: `${a}<${b}` });
      }),
      { numRuns: 100 },
    );
  });

  test("CH215 a mail that is made to take long does not", () => {
    const started = performance.now();
    newText({ text: "On 10:11 a@b:\n".repeat(100_000) });
    newText({ text: "--\nx\n".repeat(100_000) });
    newText({ text: `> x\n${"\n".repeat(100_000)}> y` });
    newText({ html: `<table><tr>${"<td>x".repeat(20_000)}` });
    expect(performance.now() - started).toBeLessThan(20_000);
  });
});
