import { says } from "@margay/core/testing";
import { stalls, thinks } from "@margay/core/internal/testing";
import { expect, test } from "vitest";
import { answers, openBrowser, say, until } from "./support.ts";

for (const look of [{}, { phone: true, theme: "dark", language: "zh-CN" }] as const)
  test(`row 7: a message is answered as it is written${"phone" in look ? ", on a dark phone in Chinese" : ""}`, async (t) => {
    const place = await openBrowser(t, look);
    const { page, gateway } = place;
    const gate = stalls({ after: "Hello, **wor", rest: says("ld** and all.") });
    gateway.model.replies(gate);
    await say(page, "hello");
    await page.locator(".item.user").getByText("hello").waitFor();
    await until(() => answers(page)).toEqual(["Hello, wor"]);
    expect(await page.locator(".md strong").innerText()).toBe("wor");
    gate.release();
    await until(() => answers(page)).toEqual(["Hello, world and all."]);
    await page.locator(".item-foot").waitFor({ state: "attached" });
    expect(new URL(page.url()).pathname).toMatch(/^\/s\//);
    expect(await page.evaluate(() => document.documentElement.lang)).toBe("language" in look ? "zh-CN" : "en");
    await place.isClean();
  });

test("row 8: a reload in the middle of an answer shows the same text, then the rest, nothing twice", async (t) => {
  const place = await openBrowser(t);
  const { page, gateway } = place;
  const gate = stalls({ after: "One two", rest: says(" three.") });
  gateway.model.replies(thinks("Counting.", gate) as typeof gate);
  await say(page, "count");
  await until(() => answers(page)).toEqual(["One two"]);
  await page.reload();
  await until(() => answers(page)).toEqual(["One two"]);
  gate.release();
  await until(() => answers(page)).toEqual(["One two three."]);
  expect(await page.locator(".item.user").count()).toBe(1);
  await place.isClean();
});

test("row 9: two tabs on one chat that both send see the same order and nothing twice", async (t) => {
  const place = await openBrowser(t);
  const { page, gateway } = place;
  gateway.model.replies(says("first"), says("second"), says("third"));
  await say(page, "from one");
  await until(() => answers(page)).toEqual(["first"]);
  const other = await place.tab(new URL(page.url()).pathname);
  await until(() => answers(other)).toEqual(["first"]);
  await say(other, "from two");
  await until(() => answers(page)).toEqual(["first", "second"]);
  await say(page, "from one again");
  for (const tab of [page, other]) {
    await until(() => answers(tab)).toEqual(["first", "second", "third"]);
    expect(await tab.locator(".item.user .user-text").allInnerTexts()).toEqual([
      "from one",
      "from two",
      "from one again",
    ]);
  }
  await place.isClean();
});

test("row 17: Enter while an input method composes sends nothing", async (t) => {
  const place = await openBrowser(t);
  const { page } = place;
  const composer = page.locator("#composer");
  await composer.focus();
  const devtools = await page.context().newCDPSession(page);
  await devtools.send("Input.imeSetComposition", { text: "nihao", selectionStart: 5, selectionEnd: 5 });
  await composer.press("Enter");
  await devtools.send("Input.insertText", { text: "你好" });
  expect(await page.locator(".item.user").count()).toBe(0);
  await until(() => composer.inputValue()).toContain("你好");
  await composer.press("Enter");
  await page.locator(".item.user").getByText("你好").waitFor();
  await until(() => answers(page)).toEqual(["ok"]);
  await place.isClean();
});

test("row 25: the nodes of closed blocks are the same ones when the answer is settled", async (t) => {
  const place = await openBrowser(t);
  const { page, gateway } = place;
  const code = Array.from({ length: 300 }, (_, line) => `const line${String(line)} = ${String(line)};`).join("\n");
  const gate = stalls({
    after: `Before.\n\n\`\`\`ts\n${code.slice(0, 2000)}`,
    rest: says(`${code.slice(2000)}\n\`\`\`\n\nAfter.`),
  });
  gateway.model.replies(gate);
  await say(page, "code");
  await page.locator(".md p").getByText("Before.").waitFor();
  await page.locator(".code").waitFor();
  await page.evaluate(() => {
    for (const selector of [".md p", ".code"])
      (document.querySelector(selector) as HTMLElement & { planted?: boolean }).planted = true;
  });
  gate.release();
  await page.locator(".md p").getByText("After.").waitFor();
  await page.locator(".item-foot").waitFor({ state: "attached" });
  expect(
    await page.evaluate(() =>
      [".md p", ".code"].map(
        (selector) => (document.querySelector(selector) as HTMLElement & { planted?: boolean }).planted,
      ),
    ),
  ).toEqual([true, true]);
  await page.getByRole("button", { name: "Show all 300 lines" }).click();
  await page.locator(".hl-keyword").first().waitFor();
  expect(await page.locator(".code code").innerText()).toBe(code);
  await place.isClean();
});

test("row 38: scrolled up, the view stays while an answer grows; the button leads back to the end", async (t) => {
  const place = await openBrowser(t);
  const { page, gateway } = place;
  const paragraphs = Array.from({ length: 60 }, (_, line) => `Paragraph ${String(line)}.`).join("\n\n");
  gateway.model.replies(says(paragraphs));
  await say(page, "long");
  await page.getByText("Paragraph 59.").waitFor();
  const gate = stalls({ after: `${paragraphs}\n\nmore`, rest: says(`\n\n${paragraphs}\n\nthe end`) });
  gateway.model.replies(gate);
  await say(page, "again");
  await page.getByText("more", { exact: true }).waitFor();
  await page.locator(".feed").hover();
  await page.mouse.wheel(0, -900);
  const top = (): Promise<number> => page.locator(".feed").evaluate((feed) => feed.scrollTop);
  await page.getByRole("button", { name: "To the newest message" }).waitFor();
  const before = await top();
  gate.release();
  await until(() => page.locator(".feed").evaluate((feed) => feed.scrollHeight)).toBeGreaterThan(before + 3000);
  expect(Math.abs((await top()) - before)).toBeLessThanOrEqual(2);
  await page.getByRole("button", { name: "To the newest message" }).click();
  await page.getByText("the end", { exact: true }).waitFor();
  await place.isClean();
});

test("row 67: language and theme change while an answer is written, and hold after a reload", async (t) => {
  const place = await openBrowser(t);
  const { page, gateway } = place;
  const gate = stalls({ after: "still", rest: says(" here") });
  gateway.model.replies(gate);
  await say(page, "hello");
  await until(() => answers(page)).toEqual(["still"]);
  await page.getByRole("button", { name: "Appearance and language" }).click();
  await page.getByRole("menuitemradio", { name: "简体中文" }).click();
  await page.getByRole("button", { name: "新对话" }).first().waitFor();
  await page.getByRole("button", { name: "外观与语言" }).click();
  await page.getByRole("menuitemradio", { name: "深色" }).click();
  gate.release();
  await until(() => answers(page)).toEqual(["still here"]);
  await page.reload();
  await page.locator("#composer").waitFor();
  expect(await page.evaluate(() => [document.documentElement.lang, document.documentElement.dataset["theme"]])).toEqual(
    ["zh-CN", "dark"],
  );
  await place.isClean();
});
