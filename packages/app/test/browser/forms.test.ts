// Forms that are drawn from the schemas of their routes: faults beside the field, what was changed elsewhere meanwhile, what is left out.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { openBrowser, until } from "./support.ts";

const every = (page: Page): ReturnType<Page["getByLabel"]> => page.getByLabel("Every … minutes");

for (const choice of ["Keep mine", "Take the saved one"])
  test(`what was changed elsewhere meanwhile is not written over unseen: ${choice}`, async (t) => {
    const place = await openBrowser(t);
    const { page, gateway } = place;
    await page.goto(`${gateway.url}/?p=heartbeat`);
    await every(page).fill("45");
    const before = (await gateway.api("/heartbeat")).body;
    const elsewhere = { enabled: before.enabled, intervalMinutes: 20 };
    const headers = { "if-match": `"${before.hash}"` };
    expect((await gateway.api("/heartbeat", { method: "PUT", body: elsewhere, headers })).status).toBe(200);
    const save = page.locator(".panel .p-card").getByRole("button", { name: "Save", exact: true });
    await page.locator(".panel").getByText("Changed elsewhere").waitFor(); // the page is told by its topic
    expect(await save.isDisabled()).toBe(true);
    expect(await every(page).inputValue()).toBe("45");
    await page.getByRole("button", { name: choice }).click();
    if (choice === "Keep mine") await save.click();
    const minutes = choice === "Keep mine" ? 45 : 20;
    await until(async () => (await gateway.api("/heartbeat")).body.intervalMinutes).toBe(minutes);
    await until(() => every(page).inputValue()).toBe(String(minutes));
    await page.locator(".panel").getByText("Changed elsewhere").waitFor({ state: "detached" });
    await place.isClean();
  });

test("a persona: lines are a list, what is emptied is gone, and a fault stands beside its field", async (t) => {
  const place = await openBrowser(t, { expected: ["422"] });
  const { page, gateway } = place;
  await page.goto(`${gateway.url}/?p=personas`);
  await page.getByRole("button", { name: "New persona" }).click();
  const form = page.locator(".panel .p-form");
  await form.getByLabel("Short name").fill("Not Allowed");
  await form.getByRole("textbox", { name: "Name", exact: true }).fill("  Ada  ");
  await form.getByLabel("Traits").fill("calm\n\nexact\n");
  await form.getByLabel("Own text instead").fill("You are Ada.");
  await form.getByRole("button", { name: "Save" }).click();
  const short = form.getByLabel("Short name");
  await until(() => short.getAttribute("aria-invalid")).toBe("true");
  const describedBy = ((await short.getAttribute("aria-describedby")) ?? "").split(" ");
  const fault = page.locator(`[id="${describedBy.find((id) => id.endsWith("-fault")) ?? ""}"]`);
  expect((await fault.innerText()).length).toBeGreaterThan(0);
  await short.fill("ada");
  await form.getByRole("button", { name: "Save" }).click();
  const mine = async () =>
    (await gateway.api("/personas")).body.items.find(({ id }: { readonly id: string }) => id === "ada");
  await until(mine).toMatchObject({ name: "Ada", traits: ["calm", "exact"], custom: "You are Ada." });
  await page.locator(".panel li", { hasText: "Ada" }).getByRole("button", { name: "Edit" }).click();
  await form.getByLabel("Own text instead").fill("");
  await form.getByRole("button", { name: "Save" }).click();
  await until(async () => (await mine()).custom).toBeUndefined();
  await place.isClean();
});

test("a persona that was changed elsewhere: the form stays open, and says so", async (t) => {
  const place = await openBrowser(t, { expected: ["412"] });
  const { page, gateway } = place;
  const ada = { id: "ada", name: "Ada", description: "", traits: [], style: "" };
  await gateway.api("/personas", { method: "POST", body: ada });
  await page.goto(`${gateway.url}/?p=personas`);
  await page.locator(".panel li", { hasText: "Ada" }).getByRole("button", { name: "Edit" }).click();
  const form = page.locator(".panel .p-form");
  await form.getByLabel("Traits").fill("calm");
  // Past the gateway: the page learns of it when it saves.
  const file = join(gateway.home, "personas.json");
  writeFileSync(file, readFileSync(file, "utf8").replace('"description": ""', '"description": "of another editor"'));
  await form.getByRole("button", { name: "Save" }).click();
  await page.locator(".panel").getByText("Changed elsewhere").waitFor();
  expect(await form.getByLabel("Traits").inputValue()).toBe("calm");
  await page.getByRole("button", { name: "Keep mine" }).click();
  await form.getByRole("button", { name: "Save" }).click();
  const mine = async () =>
    (await gateway.api("/personas")).body.items.find(({ id }: { readonly id: string }) => id === "ada");
  await until(mine).toMatchObject({ traits: ["calm"] });
  await form.waitFor({ state: "detached" });
  await place.isClean();
});

test("a budget that names no channel to count is refused beside it", async (t) => {
  const place = await openBrowser(t, { expected: ["422"] });
  const { page, gateway } = place;
  await page.goto(`${gateway.url}/?p=usage`);
  await page.getByRole("tab", { name: "Budgets" }).click();
  await page.getByRole("button", { name: "Add a budget" }).click();
  await page.getByLabel("For", { exact: true }).last().selectOption("source");
  await page.getByRole("button", { name: "Save" }).click();
  await until(() => page.getByLabel("Channel").getAttribute("aria-invalid")).toBe("true");
  await page.getByLabel("Channel").fill("webhook");
  await page.getByRole("button", { name: "Save" }).click();
  await until(async () => (await gateway.api("/budgets")).body.items.at(-1)).toMatchObject({
    scope: "source",
    source: "webhook",
  });
  await place.isClean();
});

test("a server in the sandbox: what it may reach and write to are lines of its form; a secret that was typed and taken back stays", async (t) => {
  const config = { mcpServers: { notes: { command: "/bin/true", disabled: true, env: { KEY: "kept-secret" } } } };
  const place = await openBrowser(t, { config });
  const { page, gateway } = place;
  await page.goto(`${gateway.url}/?p=mcp/notes`);
  await page.getByRole("tab", { name: "Settings" }).click();
  await page.getByLabel("Hosts it may reach").fill("api.example.com\n");
  await page.getByLabel("Folders it may write to").fill("/srv/notes");
  const secret = page.getByLabel("Value KEY");
  await secret.fill("another");
  await secret.fill("");
  await page.getByRole("button", { name: "Save" }).click();
  const saved = async () => (await gateway.api("/mcp/servers/notes")).body;
  await until(saved).toMatchObject({ network: ["api.example.com"], writable: ["/srv/notes"] });
  expect((await saved()).env.KEY.$secret.set).toBe(true);
  await place.isClean();
});

test("a webhook with a condition that is not understood is refused beside its field, and nothing of the form is lost", async (t) => {
  const place = await openBrowser(t, { expected: ["422"] });
  const { page, gateway } = place;
  await page.goto(`${gateway.url}/?p=security`);
  await page.getByRole("tab", { name: "Webhooks" }).click();
  await page.getByRole("button", { name: "New webhook" }).click();
  await page.getByLabel("Name").fill("build");
  await page.getByLabel("Only when").fill("json.action is opened");
  await page.getByLabel("Dollars a day").fill("2.5");
  await page.getByRole("button", { name: "Create" }).click();
  await until(() => page.getByLabel("Only when").getAttribute("aria-invalid")).toBe("true");
  await page.getByLabel("Only when").fill('json.action == "opened"');
  expect(await page.getByLabel("Dollars a day").inputValue()).toBe("2.5");
  await page.getByRole("button", { name: "Create" }).click();
  await page.locator('[data-hook="build"]').waitFor();
  const [hook] = (await gateway.api("/hooks")).body;
  expect(hook).toMatchObject({ filter: 'json.action == "opened"', budgetUsdPerDay: 2.5, session: "own" });
  await place.isClean();
});
