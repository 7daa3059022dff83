// Settings, providers, usage: each change is seen where it is made and where it holds.
import { says } from "@margay/core/testing";
import { expect, test } from "vitest";
import { openBrowser, say, until } from "./support.ts";

test("row 57: a key is tested as a draft, saved, and never shown again", async (t) => {
  const place = await openBrowser(t);
  const { page, gateway } = place;
  const custom = {
    wire: "openai-chat",
    baseUrl: `${gateway.model.url}/v1`,
    key: { $secret: "first-key" },
    allowPrivate: true,
  };
  const headers = { "if-none-match": "*" };
  expect((await gateway.api("/providers/here", { method: "PUT", body: custom, headers })).status).toBeLessThan(300);
  await page.goto(`${gateway.url}/?p=models`);
  await page.getByRole("tab", { name: "Providers" }).click();
  const card = page
    .locator(".panel li", { hasText: "here" })
    .filter({ has: page.locator("code", { hasText: /^here$/ }) });
  await card.getByRole("button", { name: "Edit" }).click();
  await card.getByLabel("Key", { exact: true }).fill("planted-secret-key");
  await card.getByRole("button", { name: "Test connection" }).click();
  await card.getByText("The connection works.").waitFor();
  await card.getByText("which is not saved yet").waitFor();
  await card.getByRole("button", { name: "Save" }).click();
  await until(() => card.getByLabel("Key", { exact: true }).inputValue()).toBe("");
  expect(await page.content()).not.toContain("planted-secret-key");
  expect(JSON.stringify((await gateway.api("/providers")).body)).not.toContain("planted-secret-key");
  await place.isClean();
});

test("row 58: a profile shows what it would change, then changes it; one value is reset", async (t) => {
  const place = await openBrowser(t);
  const { page, gateway } = place;
  const temperature = async (): Promise<unknown> => (await gateway.api("/settings")).body.values.agent.temperature;
  await page.goto(`${gateway.url}/?p=settings`);
  await page.getByLabel("Temperature").fill("1.5");
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByText("Saved.", { exact: true }).waitFor();
  expect(await temperature()).toBe(1.5);
  const row = page.locator('[data-path="agent.temperature"]');
  await row.getByText("file", { exact: true }).waitFor();
  await row.getByRole("button", { name: /^Reset/ }).click();
  await page.getByRole("button", { name: "Save" }).click();
  await row.getByText("default", { exact: true }).waitFor();

  await page.getByRole("tab", { name: "Profile" }).click();
  const nanobot = page.locator(".panel li", { hasText: "nanobot" });
  await nanobot.getByRole("button", { name: "See what changes" }).click();
  const changes = page.getByRole("region", { name: /would change/ });
  await changes.getByRole("row", { name: /agent\.temperature.*0\.1/ }).waitFor();
  expect(await temperature()).toBeNull();
  await page.getByRole("button", { name: "Apply nanobot" }).click();
  await until(temperature).toBe(0.1);
  await page.getByRole("searchbox", { name: "Search all settings" }).fill("temperature");
  await row.getByText("profile: nanobot").waitFor();
  await place.isClean();
});

test("settings that are wrong are refused at their field, and nothing is written", async (t) => {
  const place = await openBrowser(t, { expected: ["422"] });
  const { page, gateway } = place;
  await page.goto(`${gateway.url}/?p=settings`);
  await page.getByLabel("Temperature").fill("7");
  await page.getByRole("button", { name: "Save" }).click();
  await page.locator('[data-path="agent.temperature"] .p-error').waitFor();
  expect((await gateway.api("/settings")).body.values.agent.temperature).toBeNull();
  await page.getByRole("button", { name: "Discard changes" }).click();
  expect(await page.getByLabel("Temperature").inputValue()).toBe("");
  await place.isClean();
});

test("row 67: the language is switched in place, the words of the gateway too, and a draft stays", async (t) => {
  const place = await openBrowser(t);
  const { page, gateway } = place;
  await page.goto(`${gateway.url}/?p=settings`);
  await page.getByLabel("Temperature").fill("1.2");
  await page.getByRole("tab", { name: "This browser" }).click();
  await page.getByLabel("Language", { exact: true }).selectOption("zh");
  await page.getByRole("tab", { name: "常用" }).click();
  await page.getByText("采样温度").first().waitFor();
  expect(await page.locator('[data-path="agent.temperature"] input').inputValue()).toBe("1.2");
  expect(await page.locator("html").getAttribute("lang")).toBe("zh-CN");
  await page.getByRole("button", { name: "放弃修改" }).click();
  await place.isClean();
});

test("row 59: usage shows the sums of what the model was paid for, and says when a price is unknown", async (t) => {
  const place = await openBrowser(t);
  const { page, gateway } = place;
  const usage = { input: 1000, output: 50, cacheRead: 400 };
  for (let turn = 0; turn < 3; turn += 1) {
    gateway.model.replies(says(`answer ${turn}`, { usage }));
    await say(page, `question ${turn}`);
    await page.getByText(`answer ${turn}`).waitFor();
  }
  await page.goto(`${gateway.url}/?p=usage`);
  const { body } = await gateway.api("/usage?group=model");
  const sums = page.locator("[data-sums]");
  await sums.getByText(new Intl.NumberFormat("en").format(body.total.input)).waitFor();
  await sums.getByText("price unknown").waitFor();
  await page.getByText("3 requests without price").waitFor();
  const foot = await page.locator(".panel tfoot td").allInnerTexts();
  expect(foot.at(-1)).toBe("3");
  await page.getByLabel("By", { exact: true }).selectOption("session");
  await page.getByRole("region", { name: "Usage by chat" }).getByRole("link").first().waitFor();
  await place.isClean();
});
