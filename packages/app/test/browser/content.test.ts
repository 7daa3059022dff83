import { says } from "@margay/core/testing";
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

test("R401 R286 row 20: hostile markup in an answer is drawn as text or chips; nothing runs, nothing is loaded", async (t) => {
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
  await picture.waitFor({ timeout: 20_000 });
  expect(await picture.getAttribute("src")).toMatch(/^blob:/);
  await until(() => picture.evaluate((image: HTMLImageElement) => image.naturalWidth)).toBeGreaterThan(20);
  gateway.model.replies(says("```mermaid\ngraph TD\n  A[ --> ??\n```\n\nbroken"));
  await say(page, "again");
  await page.getByText(/The diagram can't be drawn/).waitFor({ timeout: 20_000 });
  await place.isClean();
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
