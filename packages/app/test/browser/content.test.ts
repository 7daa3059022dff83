import { readFileSync } from "node:fs";
import { says } from "@margay/core/testing";
import type { Locator } from "playwright-core";
import { expect, test } from "vitest";
import { openBrowser, say, until } from "./support.ts";

const HOSTILE = [
  '<img src=x onerror="window.hit=1">',
  "<script>window.hit=1</script>",
  "[click](javascript:window.hit=1)",
  "[data](data:text/html,<script>window.hit=1</script>)",
  '<svg onload="window.hit=1"><a xlink:href="javascript:1">x</a></svg>',
  "![pixel](https://tracker.example/p.png)",
  '<iframe src="https://evil.example"></iframe>',
  "<style>body{display:none}</style>",
  "`<b>code</b>`",
].join("\n\n");

test("R401 R286 UI9 row 20: hostile markup in an answer is drawn as text or chips; nothing runs, nothing is loaded", async (t) => {
  const place = await openBrowser(t);
  const { page, gateway } = place;
  gateway.model.replies(says(HOSTILE, { chunks: 40 }));
  await say(page, "hit me");
  await page.locator(".item-foot").waitFor({ state: "attached" });
  const shown = await page.locator(".md").innerText();
  for (const text of ["<script>window.hit=1</script>", "[click](javascript:window.hit=1)", "<iframe", "<style>"])
    expect(shown).toContain(text);
  await page.getByText("Image from tracker.example").waitFor();
  expect(await page.locator(".md :is(script, iframe, style, svg[onload], img)").count()).toBe(0);
  expect(await page.locator('a[href^="javascript:"], a[href^="data:"]').count()).toBe(0);
  expect(await page.evaluate(() => (window as { hit?: number }).hit)).toBeUndefined();
  await place.isClean();
});

test("R401 row 21: the same in a title and in a message", async (t) => {
  const place = await openBrowser(t, { expected: ["412"] }); // the title is made at the end of the first turn
  const { page } = place;
  await say(page, HOSTILE);
  await page.locator(".item-foot").waitFor({ state: "attached" });
  await page.locator(".chat-title button").click();
  await page.getByLabel("Title").fill('<img src=x onerror="window.hit=2">');
  await page.getByLabel("Title").press("Enter");
  await until(() => page.locator(".session .title").innerText()).toBe('<img src=x onerror="window.hit=2">');
  expect(await page.locator(".bubble :is(script, iframe, style, svg, img)").count()).toBe(0);
  expect(await page.evaluate(() => (window as { hit?: number }).hit)).toBeUndefined();
  await place.isClean();
});

test("row 23: a link that shows another host than it leads to says where it leads", async (t) => {
  const place = await openBrowser(t);
  const { page, gateway } = place;
  gateway.model.replies(
    says("See [https://bank.example/login](https://evil.example/x) and [docs](https://docs.example/y)."),
  );
  await say(page, "links");
  await page.getByText("goes to evil.example").waitFor();
  expect(await page.locator(".host-chip").count()).toBe(1);
  expect(await page.locator(".md a").first().getAttribute("rel")).toBe("noopener noreferrer nofollow");
  await place.isClean();
});

test("row 24: a diagram is a picture from a sandboxed frame; a broken one shows its source and why", async (t) => {
  const place = await openBrowser(t);
  const { page, gateway } = place;
  gateway.model.replies(says("```mermaid\ngraph TD\n  A[Start] --> B[End]\n```\n\ndone"));
  await say(page, "draw");
  const picture = page.locator(".diagram img");
  await picture.waitFor();
  expect(await picture.getAttribute("src")).toMatch(/^blob:/);
  await until(() => picture.evaluate((image: HTMLImageElement) => image.naturalWidth)).toBeGreaterThan(20);
  gateway.model.replies(says("```mermaid\ngraph TD\n  A[ --> ??\n```\n\nbroken"));
  await say(page, "again");
  await page.getByText(/The diagram can't be drawn/).waitFor();
  await place.isClean();
});

test("row 24: a diagram is zoomed, seen large, and saved as SVG and PNG", async (t) => {
  const place = await openBrowser(t);
  const { page, gateway } = place;
  gateway.model.replies(says("```mermaid\ngraph TD\n  A[Start] --> B[End]\n```\n"));
  await say(page, "draw");
  const picture = page.locator(".diagram img");
  await picture.waitFor();
  const width = async (): Promise<number> => (await picture.boundingBox())?.width ?? 0;
  const before = await width();
  await page.getByRole("button", { name: "Zoom in" }).click();
  await until(width).toBeGreaterThan(before * 1.2);
  await page.getByRole("button", { name: "back to the original size" }).click();
  await until(width).toBe(before);
  await page.getByRole("button", { name: "Show large" }).click();
  await page.getByRole("dialog").locator("img").waitFor();
  await place.isClean();
  await page.keyboard.press("Escape");
  await until(() => page.getByRole("dialog").count()).toBe(0);
  const saved = async (click: Locator): Promise<Buffer> => {
    const download = page.waitForEvent("download");
    await click.click();
    return readFileSync(await (await download).path());
  };
  const svg = (await saved(page.getByRole("link", { name: "Download SVG" }))).toString();
  expect(svg).toMatch(/^<svg[\s\S]*Start/);
  const png = await saved(page.getByRole("button", { name: "Download PNG" }));
  expect(png.toString("latin1", 1, 4)).toBe("PNG");
  expect(png.readUInt32BE(16)).toBeGreaterThan(before);
  await page.getByRole("button", { name: "Source" }).click();
  await page.locator(".diagram code").getByText("A[Start] --> B[End]").waitFor();
  await place.isClean();
});

test("row 25: 300 lines of code arrive without a flicker, are colored once closed, and copied exactly", async (t) => {
  const place = await openBrowser(t, { expected: ["412"] }); // the title is made at the end of the turn
  const { page, gateway, context } = place;
  await context.grantPermissions(["clipboard-read", "clipboard-write"]);
  const lines = Array.from(
    { length: 300 },
    (_, at) => `${at % 3 === 0 ? "\t" : "  "}const line${String(at)} = "<${String(at)}>"; `,
  );
  const code = lines.join("\n");
  gateway.model.replies(says(`Here:\n\n\`\`\`ts\n${code}\n\`\`\`\n\nDone.`, { chunks: 150, chunkDelayMs: 20 }));
  // Every painted state of the block: its text only grows, its node is never another one, and it is not colored while open.
  await page.evaluate(() => {
    const seen = { nodes: new Set<Element>(), shrank: 0, colored: 0, frames: 0, length: 0 };
    (window as unknown as { seen: typeof seen }).seen = seen;
    const look = (): void => {
      const block = document.querySelector(".md pre");
      const closed = document.querySelector(".code-fold") !== null;
      if (block && !closed) {
        const length = block.textContent.length;
        seen.nodes.add(block);
        if (length < seen.length) seen.shrank += 1;
        if (length > seen.length) seen.frames += 1;
        if (block.querySelector("[class^='hl-'], .hljs-keyword, code span") !== null) seen.colored += 1;
        seen.length = length;
      }
      requestAnimationFrame(look);
    };
    look();
  });
  await say(page, "code");
  await page.locator(".item-foot").waitFor({ state: "attached" });
  const seen = await page.evaluate(() => {
    const { nodes, ...rest } = (
      window as unknown as { seen: { nodes: Set<Element>; shrank: number; colored: number; frames: number } }
    ).seen;
    return { ...rest, nodes: nodes.size, same: nodes.has(document.querySelector(".md pre") ?? document.body) };
  });
  expect(seen).toMatchObject({ shrank: 0, colored: 0, nodes: 1, same: true });
  expect(seen.frames).toBeGreaterThan(10);
  // Closed: folded to 20 of 300, numbered, colored.
  await page.getByRole("button", { name: "Show all 300 lines" }).waitFor();
  await until(() => page.locator(".md pre code span").count()).toBeGreaterThan(20);
  expect((await page.locator(".md pre").innerText()).split("\n")).toHaveLength(20);
  expect((await page.locator(".code-lines").innerText()).split("\n")).toHaveLength(20);
  await page.locator(".code").getByRole("button", { name: "Copy" }).click();
  await until(() => page.evaluate(() => navigator.clipboard.readText())).toBe(code);
  await page.getByRole("button", { name: "Show all 300 lines" }).click();
  await until(() => page.locator(".md pre").evaluate((pre) => pre.textContent)).toBe(code);
  await until(() => page.locator(".md pre code span").count()).toBeGreaterThan(500);
  await page.getByRole("button", { name: "Wrap lines" }).click();
  expect(await page.locator(".code-lines").count()).toBe(0);
  await place.isClean();
});

test("row 26: a footnote is a mark that leads to its note and back; a mark without a note stays text", async (t) => {
  const place = await openBrowser(t);
  const { page, gateway } = place;
  const text =
    "Otters hold hands[^paws] while they sleep。它们很可爱[^2]，也许[^none]。\n\n[^paws]: So that they do not **drift** apart.\n[^2]: 见 [资料](https://docs.example/otter)。\n";
  gateway.model.replies(says(text, { chunks: 30 }));
  await say(page, "otters");
  await page.locator(".item-foot").waitFor({ state: "attached" });
  expect(await page.locator(".md sup").allInnerTexts()).toEqual(["1", "2"]);
  expect(await page.locator(".footnote-text").allInnerTexts()).toEqual([
    "So that they do not drift apart.",
    "见 资料。",
  ]);
  expect(await page.locator(".md > div").first().innerText()).toContain("也许[^none]。");
  const address = page.url();
  await page.getByRole("button", { name: "Footnote 2", exact: true }).click();
  await until(() => page.evaluate(() => document.activeElement?.getAttribute("aria-label"))).toBe(
    "Back to the mark of footnote 2",
  );
  await page.keyboard.press("Enter");
  await until(() => page.evaluate(() => document.activeElement?.getAttribute("aria-label"))).toBe("Footnote 2");
  expect(page.url()).toBe(address);
  await place.isClean();
  await page.reload();
  await until(() => page.locator(".md sup").allInnerTexts()).toEqual(["1", "2"]);
});

test("row 26: tables, lists, tasks, formulas and bold beside Chinese punctuation are drawn as what they are", async (t) => {
  const place = await openBrowser(t);
  const { page, gateway } = place;
  gateway.model.replies(
    says(
      "**重点：**后面\n\n| a | b |\n|---|--:|\n| 1 | 2 |\n\n1. one\n   - nested\n\n- [x] done\n\nEuler: $e^{i\\pi}+1=0$\n\n$$\\int_0^1 x\\,dx$$\n",
      { chunks: 25 },
    ),
  );
  await say(page, "all");
  await page.locator(".item-foot").waitFor({ state: "attached" });
  expect(await page.locator(".md strong").innerText()).toBe("重点：");
  expect(await page.locator(".md td").allInnerTexts()).toEqual(["1", "2"]);
  expect(await page.locator(".md ol ul li").innerText()).toBe("nested");
  expect(await page.locator(".md li.task input").isChecked()).toBe(true);
  await until(() => page.locator(".math math").count()).toBe(2);
  await place.isClean();
});

const SNIPPETS: readonly (readonly [string, string])[] = [
  ["js", "const a = 1;"],
  ["javascript", "const a = 1;"],
  ["jsx", "const a = <b>hi</b>;"],
  ["C#", "public class A { }"],
  ["csharp", "public class A { }"],
  ["php", "<?php function a() { return 1; }"],
  ["ruby", "def a; end"],
  ["kotlin", "fun a() { }"],
  ["swift", "func a() { }"],
  ["Dockerfile", "FROM node:24\nRUN npm ci"],
  ["scss", "$a: 1px; .b { color: red; }"],
  ["lua", "local a = 1"],
  ["ini", "[part]\na = 1"],
  ["toml", "[part]\na = 1"],
  ["html", "<script>const a = 1;</script>"],
];

test("DF53 code of the languages people ask about is colored, each loaded when it is first seen", async (t) => {
  const place = await openBrowser(t);
  const { page, gateway } = place;
  const loaded: string[] = [];
  page.on("request", (request) => loaded.push(new URL(request.url()).pathname));
  gateway.model.replies(
    says(SNIPPETS.map(([language, code]) => `\`\`\`${language}\n${code}\n\`\`\`\n`).join("\n")),
    says("```python\ndef a(): pass\n```\n"),
  );
  await say(page, "all of them");
  await until(() => page.locator(".md .code").count()).toBe(SNIPPETS.length);
  for (const at of SNIPPETS.keys())
    await until(() => page.locator(".md .code").nth(at).locator("code span").count()).toBeGreaterThan(0);
  expect(await page.locator(".md .code").last().locator(".hl-keyword").innerText()).toBe("const");
  expect(loaded.filter((path) => path.includes("python"))).toEqual([]);
  await say(page, "one more");
  await until(() => page.locator(".md .code").count()).toBe(SNIPPETS.length + 1);
  await until(() => page.locator(".md .code").last().locator(".hl-keyword").count()).toBeGreaterThan(0);
  expect(loaded.filter((path) => path.includes("python"))).toHaveLength(1);
  await place.isClean();
});

test("DF53 formulas between backslash brackets are drawn, escaped ones stay text", async (t) => {
  const place = await openBrowser(t);
  const { page, gateway } = place;
  const text =
    "Euler: \\(e^{i\\pi}+1=0\\), and \\[a^2+b^2=c^2\\] too.\n\n\\[\n\\int_0^1 x\\,dx\n\\]\n\nIt costs \\$5, see \\[this\\](there).\n";
  gateway.model.replies(says(text, { chunks: 20 }));
  await say(page, "formulas");
  await page.locator(".item-foot").waitFor({ state: "attached" });
  await until(() => page.locator(".math math").count()).toBe(3);
  expect(await page.locator(".math.block").count()).toBe(2);
  expect(await page.locator(".md p").last().innerText()).toBe("It costs $5, see [this](there).");
  await place.isClean();
});

test("DF53 what is written from right to left runs from right to left: answers, own messages, the field, titles; code does not", async (t) => {
  const place = await openBrowser(t);
  const { page, gateway } = place;
  gateway.model.replies(says("שלום עולם.\n\n- אחת\n- שתיים\n\nEnglish here.\n\n```js\nlet א = 1;\n```\n"));
  const direction = (selector: string, at = 0): Promise<string> =>
    page
      .locator(selector)
      .nth(at)
      .evaluate((one) => getComputedStyle(one).direction);
  await page.locator("#composer").fill("مرحبا بالعالم");
  expect(await direction("#composer")).toBe("rtl");
  await page.locator("#composer").press("Enter");
  await page.locator(".item-foot").waitFor({ state: "attached" });
  expect(await direction(".user-text")).toBe("rtl");
  expect(await direction(".md p")).toBe("rtl");
  expect(await direction(".md ul")).toBe("rtl");
  expect(await direction(".md p", 1)).toBe("ltr");
  expect(await direction(".md pre")).toBe("ltr");
  await until(() => direction(".session.current .title")).toBe("rtl");
  await until(() => direction(".chat-title")).toBe("rtl");
  await place.isClean();
});
