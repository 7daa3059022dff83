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
  await page.locator(".picker input[role=combobox]").fill(letters);
  await until(() => page.locator(".picker [role=option]").count()).toBeGreaterThan(0);
  await page.locator(".picker input[role=combobox]").press("Enter");
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
  await until(() => options.count()).toBe(2); // as the chosen one, and in its provider's list
  expect(await options.first().textContent()).toMatch(/^mock-model mock, (chosen|已选), .*(tokens|词元)/);
  await place.isClean();
  await page.locator(".picker .segments input").nth(3).check();
  await until(async () => (await gateway.api("/settings")).body.values.agent.thinking).toBe("high");
  await page.locator(".picker input[role=combobox]").fill("ck-mod"); // letters of a name that it has
  await until(() => options.first().textContent()).toMatch(/^mock-model/);
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
  const again = page.waitForRequest(/\/providers\/gone\/models$/);
  await page.getByRole("button", { name: "Ask the providers again" }).click();
  await again;
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
  const place = await openBrowser(t, { config: { model: null, providers: {} }, expected: ["401", "424"] });
  const { page, gateway } = place;
  await page.locator(".welcome-foot .primary").click();
  await page.getByRole("button", { name: /^Other address…/ }).click();
  const form = page.locator(".welcome-form");
  await form.getByLabel("Address").fill(new URL(gateway.model.url).host); // as people type it
  await form.getByLabel("It is on this machine or in my network").check();
  await form.getByLabel("Key (if it asks for one)").fill("a-key-of-mine");
  await until(() => form.locator(".picker-field").innerText()).toBe("custom/mock-model");
  await form.locator(".picker-field").click();
  await until(() => page.locator(".picker [role=option]").count()).toBe(2);
  await place.isClean();
  await pick(page, "mock");
  gateway.model.replies(says("ok"));
  await form.getByRole("button", { name: "Test", exact: true }).click();
  await page.locator('.welcome-verdict[data-state="ok"]').waitFor();
  expect((await gateway.api("/models/active")).body.practice).toBe(true); // tested, and nothing is saved yet
  await page.getByRole("button", { name: "Use mock-model" }).click();
  await until(async () => (await gateway.api("/models/active")).body.chain[0]?.model).toBe("custom/mock-model");
  expect(await page.content()).not.toContain("a-key-of-mine");
  await place.isClean();
});

test("DF52 pinned and recent models come first, filters leave what can be used for it, and a choice can hold for all new chats", async (t) => {
  const place = await openBrowser(t, { expected: ["412"] });
  const { page, gateway } = place;
  await say(page, "hello");
  await until(() => answers(page)).toEqual(["ok"]);
  const open = async (): Promise<void> => {
    await page.locator(".model-chip").click();
    await page.locator(".picker [role=option]").first().waitFor();
  };
  await open();
  const search = page.locator(".picker input[role=combobox]");
  await search.fill("mock/pinned-one");
  await until(() => page.locator(".picker [role=option]").count()).toBe(1);
  await search.press("Control+p");
  await page.getByText("mock/pinned-one is pinned").waitFor();
  await pick(page, "mock/recent-one");
  await until(() => page.locator(".model-chip").innerText()).toBe("recent-one");
  await open();
  const kept = page.getByRole("group", { name: /^Chosen, pinned and recent/ }).getByRole("option");
  await until(() => kept.allTextContents()).toEqual(["recent-one mock, chosen", "pinned-one mock, pinned"]);
  await page.getByRole("button", { name: "Local" }).click();
  await until(() => page.locator(".picker [role=option]").count()).toBe(0);
  await page.getByRole("button", { name: "All", exact: true }).click();
  await page.getByLabel("all new chats").check();
  await page.locator(".picker [role=option]", { hasText: "pinned-one" }).click();
  await until(async () => (await gateway.api("/models/active")).body.chain[0]?.model).toBe("mock/pinned-one");
  await until(() => page.locator(".model-chip").innerText()).toBe("pinned-one");
  await place.isClean();
});

test("DF52 a provider without a key gets it where its models are looked for: tested, then kept, then listed", async (t) => {
  const place = await openBrowser(t, {
    config: (url) => ({
      providers: {
        mock: { api: "openai-chat", baseUrl: `${url}/v1`, apiKey: "test-key-for-mock" },
        deepseek: { baseUrl: `${url}/v1` },
        mistral: { baseUrl: "http://127.0.0.1:9/v1" },
      },
    }),
  });
  const { page, gateway } = place;
  await say(page, "hello");
  await until(() => answers(page)).toEqual(["ok"]);
  await page.locator(".model-chip").click();
  const search = page.locator(".picker input[role=combobox]");
  await page.getByText(/more providers: write a name/).waitFor();
  await search.fill("mistr");
  const key = page.locator(".picker-key");
  await key.getByLabel(/^Mistral/).fill("a-key-of-mine");
  await key.getByRole("button", { name: "Test" }).click();
  await key.getByRole("alert").getByText("127.0.0.1:9").waitFor();
  expect((await gateway.api("/providers")).body.find(({ id }: { id: string }) => id === "mistral").usable).toBe(false);
  await place.isClean();
  await search.fill("deepse");
  await key.getByLabel(/^DeepSeek/).fill("another-key-of-mine");
  await key.getByRole("link", { name: "Get a key" }).waitFor();
  await key.getByRole("button", { name: "Test" }).click();
  await page.getByRole("option", { name: /^mock-model ?, DeepSeek/ }).waitFor();
  await until(() => key.count()).toBe(0);
  expect(await page.content()).not.toContain("another-key-of-mine");
  await place.isClean();
});
