// The wizard of the first start, from practice mode to the first answer.
import { existsSync, mkdirSync, renameSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { dirname, join } from "node:path";
import { fails } from "@margay/core/testing";
import type { Page } from "playwright-core";
import { expect, onTestFinished, test } from "vitest";
import { nanobotToday } from "../import/real-nanobot.ts";
import { answers, openBrowser, until, type BrowserOptions } from "./support.ts";

const LOOKS = [
  ["on a desktop in English", {}, "en"],
  ["on a phone in Chinese", { phone: true, theme: "dark", language: "zh-CN" } satisfies BrowserOptions, "zh-CN"],
] as const;

const next = (page: Page) => page.locator(".welcome-foot .button.primary");
const verdict = (page: Page, state: "ok" | "failed") => page.locator(`.welcome-verdict[data-state="${state}"]`);

/** Ollama, as its variable says where it is: what a list and an answer need. */
async function ollama(): Promise<string> {
  const server = createServer((request, response) => {
    if (request.url === "/v1/models") {
      response.setHeader("content-type", "application/json");
      const data = ["nomic-embed-text", "qwen3:32b", "gemma3:12b"].map((id) => ({ id, object: "model" }));
      return response.end(JSON.stringify({ object: "list", data }));
    }
    response.setHeader("content-type", "text/event-stream");
    const chunk = { id: "1", object: "chat.completion.chunk", created: 1, model: "qwen3:32b" };
    const choice = (delta: object, finish_reason: string | null): string =>
      `data: ${JSON.stringify({ ...chunk, choices: [{ index: 0, delta, finish_reason }] })}\n\n`;
    response.end(`${choice({ content: "ok" }, null)}${choice({}, "stop")}data: [DONE]\n\n`);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  return `127.0.0.1:${String((server.address() as AddressInfo).port)}`;
}

test.for(LOOKS)("row 6: the wizard tests a model before it is used and sends a first task, %s", async (look, t) => {
  const [, options, language] = look;
  const env = { OLLAMA_HOST: await ollama(), GROQ_API_KEY: "planted-key" };
  const place = await openBrowser(t, { ...options, config: { model: null }, env });
  const { page, gateway } = place;
  await next(page).click();
  await page.getByText("GROQ_API_KEY").waitFor();
  await page.getByText(env.OLLAMA_HOST).waitFor();
  expect(await page.content()).not.toContain("planted-key");
  expect(await next(page).isDisabled()).toBe(true);
  await place.isClean();

  // A service that was typed before is a card: its test starts with the click, and what fails is one sentence.
  gateway.model.replies(fails(401));
  await page.locator(".welcome-choice > button", { hasText: "mock" }).click();
  await verdict(page, "failed").waitFor();
  await verdict(page, "failed").locator("summary").click();
  await page.locator('.p-test li[data-state="failed"]').waitFor();
  expect(await next(page).isDisabled()).toBe(true);
  await place.isClean();

  // The one that was found: one click tests its first model that talks, another makes it the one.
  await page.locator(".welcome-choice > button", { hasText: "Ollama" }).click();
  await verdict(page, "ok").waitFor();
  expect(await verdict(page, "ok").innerText()).toMatch(/qwen3:32b .*[0-9] s/);
  expect((await gateway.api("/models/active")).body.practice).toBe(true);
  await place.isClean();
  await next(page).click();
  await until(async () => (await gateway.api("/models/active")).body.chain[0]?.model).toBe("ollama/qwen3:32b");

  await page.reload(); // the step it was at
  await page.locator(".welcome-personas").waitFor();
  await page.locator(".welcome-card input.input").nth(1).fill("Lin");
  await page.locator(".welcome-personas input").nth(1).check();
  await place.isClean();
  await next(page).click();
  await until(async () => (await gateway.api("/settings")).body.values.persona).toMatchObject({
    userName: "Lin",
    preset: expect.stringMatching(/./),
  });
  await page.locator(".welcome-card .p-good, .welcome-card .p-bad").waitFor();
  await next(page).click();
  await page.locator(".welcome-examples .button").first().click();
  await until(() => answers(page)).toEqual(["ok"]);
  expect((await gateway.api("/settings")).body.values.language).toBe(language);
  await place.isClean();
});

test("DF52 a key says whose it is, a provider is found by letters of its name, its alias and its pinyin", async (t) => {
  const place = await openBrowser(t, { config: { model: null, providers: {} }, expected: ["502", "424"] });
  const { page } = place;
  await next(page).click();
  const provider = page.getByRole("combobox", { name: "Provider" });
  const options = page.locator(".welcome-search [role=option]");
  for (const [letters, title] of [
    ["openr", "OpenRouter"],
    ["claude", "Anthropic"],
    ["zp", "智谱 GLM"],
    ["豆包", "火山方舟"],
  ] as const) {
    await provider.fill(letters);
    await until(() => options.allInnerTexts()).toEqual(
      expect.arrayContaining([expect.stringContaining(title.slice(0, 2))]),
    );
  }
  await provider.fill("mistr");
  await provider.press("Enter");
  expect(await provider.inputValue()).toBe("Mistral");
  await page.getByRole("link", { name: "Get a key at console.mistral.ai" }).waitFor();
  await page.getByLabel("Key", { exact: true }).fill("sk-ant-api03-short");
  await until(() => provider.inputValue()).toBe("Anthropic");
  await page.getByRole("link", { name: "Get a key at console.anthropic.com" }).waitFor();
  await provider.press("ArrowDown");
  await options.first().waitFor();
  await place.isClean();
  await provider.press("Escape");
  await until(() => page.locator(".welcome-search [role=listbox]").isVisible()).toBe(false);
});

test("the folder of the workspace is gone to, and one that cannot be it is refused before it is saved", async (t) => {
  const place = await openBrowser(t, {
    expected: ["422", "409"],
    prepare: ({ workspace }) => {
      mkdirSync(join(dirname(workspace), "projects", "garden"), { recursive: true });
      writeFileSync(join(dirname(workspace), "a-file"), "");
    },
  });
  const { page, gateway } = place;
  const directory = dirname(gateway.workspace);
  await page.evaluate(() => sessionStorage.setItem("margay.welcome", "safety"));
  await page.goto(`${gateway.url}/welcome`);
  const folder = page.getByLabel("Folder the assistant works in");
  await folder.fill("~/a-file");
  await next(page).click();
  await page.getByRole("alert").getByText("cannot be the workspace").waitFor();
  expect((await gateway.api("/settings")).body.values.workspace).toBe(gateway.workspace);
  await page.getByRole("button", { name: "Browse…" }).click();
  const dialog = page.getByRole("dialog", { name: "Choose a folder" });
  await dialog.getByRole("button", { name: "projects" }).click();
  await dialog.getByRole("button", { name: "garden" }).waitFor();
  await place.isClean();
  await page.keyboard.press("Tab"); // past the way up, where the focus is
  await page.keyboard.press("Enter");
  await dialog.getByText("No folders in it").waitFor();
  await dialog.getByRole("button", { name: "Use this folder" }).click();
  expect(await folder.inputValue()).toBe(join(directory, "projects", "garden"));
  await next(page).click();
  await page.getByText("It is used from the next start").waitFor(); // nothing begins this gateway of a test anew
  expect((await gateway.api("/settings")).body.values.workspace).toBe(join(directory, "projects", "garden"));
  await place.isClean();
});

test("a home of another assistant is offered in the wizard, with what would come", async (t) => {
  const restarts: (() => Promise<void>)[] = [];
  const place = await openBrowser(t, {
    config: { model: null },
    restart: (meanwhile) => {
      if (meanwhile !== undefined) restarts.push(meanwhile);
    },
    prepare: ({ home }) => renameSync(nanobotToday(dirname(home)), join(dirname(home), ".nanobot")),
  });
  const { page } = place;
  await next(page).click();
  const home = page.getByRole("region", { name: "nanobot was here before" });
  await home.getByRole("button", { name: "See what comes" }).click();
  await home.getByText(/\d+ chats? · /).waitFor();
  await home.getByText(/Stays there \(\d+\)/).click();
  await place.isClean();
  expect(existsSync(join(place.gateway.workspace, "memory"))).toBe(false);
  await home.getByRole("button", { name: "Take it over" }).click();
  await home.getByText("Taking it over; margay begins anew…").waitFor();
  await until(() => restarts.length).toBe(1);
  await place.isClean();
});
