// One way to choose a model, everywhere: it shows what the providers list, with what is known of each.
import { says } from "@margay/core/testing";
import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { answers, openBrowser, say, until, type BrowserOptions } from "./support.ts";

const LOOKS: readonly (readonly [string, BrowserOptions])[] = [
  ["wide, light, English", {}],
  ["phone, dark, Chinese", { phone: true, theme: "dark", language: "zh-CN" }],
];

async function pick(page: Page, letters: string): Promise<void> {
  await page.locator(".picker input").fill(letters);
  await until(() => page.locator(".picker [role=option]").count()).toBeGreaterThan(0);
  await page.locator(".picker input").press("Enter");
  await until(() => page.locator(".picker").count()).toBe(0);
}

test.for(LOOKS)("DF52 the model of a chat is searched in what the providers list, by keyboard: %s", async (look, t) => {
  const place = await openBrowser(t, { ...look[1], expected: ["412"] });
  const { page, gateway } = place;
  await say(page, "hello");
  await until(() => answers(page)).toEqual(["ok"]);
  await gateway.app.agent.idle();
  await page.locator(".model-chip").focus();
  await page.keyboard.press("Enter");
  const options = page.locator(".picker [role=option]");
  await until(() => options.allInnerTexts()).toEqual([expect.stringMatching(/^mock\/mock-model\n.*(tokens|词元)/)]);
  await place.isClean();
  await page.locator(".picker select").selectOption("high");
  await until(async () => (await gateway.api("/settings")).body.values.agent.thinking).toBe("high");
  await page.locator(".picker input").fill("ck-mod"); // letters of a name that it has
  await until(async () => (await options.allInnerTexts()).join("\n")).toContain("mock/mock-model\n");
  await pick(page, "mock/another-one"); // a name that the list has not
  await until(() => page.locator(".model-chip").innerText()).toBe("another-one");
  const [{ id }] = (await gateway.api("/sessions")).body.items;
  expect((await gateway.api(`/sessions/${String(id)}`)).body.model).toEqual({ provider: "mock", model: "another-one" });
  await place.isClean();
});

test("DF52 fallbacks and the model of the memory are chosen in the same field, and a provider that fails says so in it", async (t) => {
  const place = await openBrowser(t, {
    expected: ["502"],
    config: (url) => ({
      providers: {
        mock: { api: "openai-chat", baseUrl: `${url}/v1`, apiKey: "test-key-for-mock" },
        gone: { api: "openai-chat", baseUrl: "http://127.0.0.1:9/v1", apiKey: "test-key-for-gone" },
      },
    }),
  });
  const { page, gateway } = place;
  await page.goto(`${gateway.url}/?p=models`);
  await page.getByRole("button", { name: "Add a model" }).click();
  await page.locator(".picker").getByText("gone was not reached").waitFor();
  await place.isClean();
  await pick(page, "gone/by-name");
  await page.getByRole("button", { name: /Model that writes the memory/ }).click();
  await pick(page, "mock-model");
  await page.getByRole("button", { name: "Save", exact: true }).click();
  await until(async () => (await gateway.api("/models/active")).body).toMatchObject({
    chain: [{ model: "mock/mock-model" }, { model: "gone/by-name" }],
    memoryModel: "mock/mock-model",
  });
  await place.isClean();
});

test("DF52 the wizard takes an address that is in no list, fills the models from it, and answers with one", async (t) => {
  const place = await openBrowser(t, { config: { model: null, providers: {} } });
  const { page, gateway } = place;
  await page.locator(".welcome-card > .p-row .button.primary").click();
  const form = page.locator(".welcome-card section.p-card");
  await form.getByLabel("Provider").selectOption({ label: "Other address…" });
  await form.getByLabel("Address of the service").fill(`${gateway.model.url}/v1`);
  await form.getByLabel("It is on this machine or in my network").check();
  await form.locator("input[type=password]").fill("a-key-of-mine");
  await form.locator(".picker-field").click();
  await until(() => page.locator(".picker [role=option]").allInnerTexts()).toEqual([
    expect.stringContaining("custom/mock-model"),
  ]);
  await place.isClean();
  await pick(page, "mock");
  gateway.model.replies(says("ok"));
  await form.getByRole("button", { name: "Test and use" }).click();
  await page.locator(".p-test.p-good").waitFor();
  await until(async () => (await gateway.api("/models/active")).body.chain[0]?.model).toBe("custom/mock-model");
  expect(await page.content()).not.toContain("a-key-of-mine");
  await place.isClean();
});
