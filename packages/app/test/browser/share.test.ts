// A chat as one file: seen before it leaves, without a script, a secret or an address that loads.
import { readFileSync } from "node:fs";
import { callsTool, says } from "@margay/core/testing";
import { expect, test } from "vitest";
import { answers, openBrowser, say, until, violations } from "./support.ts";

const HOSTILE = `**Bold** and [a link](https://example.com/a?b=1&c=2), [bad](javascript:alert(1)), <script>alert(1)</script> <img src=x onerror=alert(1)>

| a | b |
| --- | --- |
| 1 | \`code\` |

\`\`\`js
const x = "<b>";
\`\`\`

![remote](https://tracker.example/pixel.png) and $x^2$, the key sk-ant-api03-${"A1b2C3d4".repeat(10)}-AAAA`;

test.for([
  { phone: false, language: "en", theme: "light", save: "Save the page", tools: "What tools were asked" },
  { phone: true, language: "zh-CN", theme: "dark", save: "保存网页", tools: "工具的调用与结果" },
] as const)(
  "W§13.13 a chat is shared as one file, in $language",
  async ({ phone, language, theme, save, tools }, t) => {
    const place = await openBrowser(t, { phone, language, theme });
    const { page, gateway } = place;
    gateway.model.replies(callsTool("recall", { query: "the plants" }), says(HOSTILE));
    await say(page, "look & <tell>");
    await until(async () => (await answers(page)).length).toBe(1);
    const session = /\/s\/([^?#]+)/.exec(page.url())?.[1];
    await page.goto(`${place.origin}/s/${session}?p=share/${session}`);
    const button = page.getByRole("button", { name: save });
    const saved = async (): Promise<string> => {
      const [download] = await Promise.all([page.waitForEvent("download"), button.click()]);
      expect(download.suggestedFilename()).toMatch(/\.html$/);
      return readFileSync(await download.path(), "utf8");
    };
    const html = await saved();
    await place.isClean();
    expect(html).toContain("look &amp; &lt;tell&gt;");
    expect(html).toContain("<strong>Bold</strong>");
    expect(html).toContain('<a href="https://example.com/a?b=1&amp;c=2" rel="noreferrer">a link</a>');
    expect(html).toContain("const x = &quot;&lt;b&gt;&quot;;");
    expect(html).toContain("<td>1</td>");
    expect(html).toContain("<msup>");
    expect(html).toContain("[redacted]");
    expect(html).not.toContain("sk-ant-api03");
    expect(html).not.toMatch(
      /<(?:script|img|button|iframe|link)|href="(?!https:\/\/example|https:\/\/tracker)|class="(?!user|assistant)/,
    );
    expect(html).not.toContain("the plants");
    expect(html).toMatch(/<html lang="(en|zh-CN)">/);
    // What tools said leaves when it is chosen.
    await page.getByRole("checkbox", { name: tools }).check();
    await until(async () => (await saved()).includes("the plants")).toBe(true);
    // Opened anywhere: it asks for nothing, and reads well.
    const reader = await place.context.newPage();
    const asked: string[] = [];
    reader.on("request", (request) => asked.push(request.url()));
    await reader.setContent(html);
    expect(asked.filter((url) => /^https?:/.test(url))).toEqual([]);
    expect(await reader.locator("article").count()).toBe(2);
    expect(await violations(reader)).toEqual([]);
    const handlers = reader
      .locator("main *")
      .evaluateAll((all) => all.flatMap((one) => one.getAttributeNames().filter((name) => name.startsWith("on"))));
    expect(await handlers).toEqual([]);
    expect(await reader.evaluate(() => document.documentElement.scrollWidth <= innerWidth)).toBe(true);
  },
);

test("W§13.13 the menu of a chat leads to its shared page", async (t) => {
  const place = await openBrowser(t);
  const { page, gateway } = place;
  gateway.model.replies(says("ok"));
  await say(page, "hello");
  await until(async () => (await answers(page)).length).toBe(1);
  await page
    .getByRole("button", { name: /^Actions for/ })
    .last()
    .click();
  await page.getByRole("menuitem", { name: "Share as a page" }).click();
  await page.getByRole("button", { name: "Save the page" }).waitFor();
  await page.frameLocator("iframe.preview-frame").getByText("A chat with margay.").waitFor();
  await place.isClean();
});
