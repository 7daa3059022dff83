// What a new chat begins with: what waits, what ran, what comes, what it cost; then what one could ask.
import { chmodSync } from "node:fs";
import { join } from "node:path";
import { callsTool, fails, says } from "@margay/core/testing";
import { expect, test } from "vitest";
import { openBrowser, say, until, type BrowserOptions } from "./support.ts";

const LOOKS: readonly (readonly [string, BrowserOptions])[] = [
  ["wide, light, English", {}],
  ["phone, dark, Chinese", { phone: true, theme: "dark", language: "zh-CN" }],
];

test.for(LOOKS)(
  "the home says on the first day what one may rely on, and writes what one clicks without sending it: %s",
  async (look, t) => {
    const place = await openBrowser(t, look[1]);
    const { page, gateway } = place;
    await page.locator(".home-promises").waitFor();
    expect(await page.locator(".home-line").count()).toBe(0);
    await page.locator(".home-suggestions button").first().click();
    await until(() => page.locator("#composer").inputValue()).not.toBe("");
    expect(gateway.model.requests).toHaveLength(0);
    await place.isClean();
  },
);

test.for(LOOKS)(
  "the home leads to what waits, and shows the next job, today's cost and the health: %s",
  async (look, t) => {
    const place = await openBrowser(t, look[1]);
    const { page, gateway } = place;
    gateway.model.route(() => true, callsTool("exec", { command: "touch made" }), says("done"));
    await gateway.api("/cron/jobs", {
      method: "POST",
      body: {
        name: "Inbox triage",
        trigger: { kind: "every", everyMs: 3_600_000 },
        message: "Look at the inbox",
        target: { channel: "web", chat: "inbox" },
      },
    });
    await say(page, "Make it.");
    await page.locator(".approval").first().waitFor();
    await page.goto(gateway.url);
    const waits = page.locator(".home-line.waits");
    await waits.waitFor();
    expect(await page.locator(".home-line").count()).toBe(5);
    expect(await page.locator(".home-lines").innerText()).toContain("Inbox triage");
    await place.isClean();
    await waits.locator(".button.primary").click();
    await page.locator('.panel [data-page="approvals"]').waitFor();
  },
);

test("the home names a failed run and asks why, what of a day's budget is used and how many checks fail, each a click away", async (t) => {
  const place = await openBrowser(t, {
    outside: true, // nobody has looked yet
    config: (url) => ({
      budgets: [{ scope: "day", usd: 3 }],
      models: { "mock/mock-model": { price: { input: 10, output: 10 } } },
      providers: { mock: { api: "openai-chat", baseUrl: `${url}/v1`, apiKey: "mock-key-0123456789" } },
    }),
  });
  const { page, gateway } = place;
  chmodSync(join(gateway.home, "config.json"), 0o644); // a failing check
  gateway.model.replies(says("ok", { usage: { input: 40_000, output: 2000 } }));
  await gateway.app.agent.send("web:paid", "hello").finished;
  const { body: job } = await gateway.api("/cron/jobs", {
    method: "POST",
    body: {
      name: "Router backup",
      trigger: { kind: "every", everyMs: 3_600_000 },
      message: "Back it up",
      target: { channel: "web", chat: "backup" },
    },
  });
  gateway.model.replies(fails(401));
  await gateway.api(`/cron/jobs/${job.id}/run`, { method: "POST", body: {} });
  const { cron } = gateway.app.schedule;
  await until(async () => (await cron?.list())?.[0]?.last?.status).toBe("error");
  await page.goto(place.loginLink());
  const lines = page.locator(".home-lines");
  await lines.getByRole("link", { name: "Router backup failed" }).waitFor();
  await lines.getByRole("link", { name: "$0.42 of $3" }).waitFor();
  expect(await lines.getByRole("meter", { name: "Spent today" }).evaluate((one) => one.getAttribute("max"))).toBe("3");
  const checks: readonly { readonly state: string }[] = (await gateway.api("/system/doctor")).body;
  const failing = checks.filter(({ state }) => state === "fail").length;
  expect(failing).toBeGreaterThan(0);
  // The doctor looks at this visit: nobody has to come again.
  await until(() => lines.locator(".failed a").allInnerTexts()).toEqual([
    "Router backup failed",
    `${failing} ${failing === 1 ? "check fails" : "checks fail"}`,
  ]);
  await place.isClean();
  await page.getByRole("button", { name: "Find out why “Router backup” failed" }).click();
  await until(() => page.locator("#composer").inputValue()).toBe("Find out why “Router backup” failed");
  await lines.getByRole("link", { name: /checks? fails?$/ }).click();
  await page.locator('.panel [data-page="system"]').waitFor();
});

test("the home tells of a one-time job that ran, which the schedule has no more, and leads to what it did", async (t) => {
  const place = await openBrowser(t);
  const { page, gateway } = place;
  gateway.model.route(() => true, says("The candles burn."));
  const { body: job, status } = await gateway.api("/cron/jobs", {
    method: "POST",
    body: {
      name: "Candles",
      trigger: { kind: "at", at: Date.now() + 1500 },
      message: "Light the candles",
      target: { channel: "web", chat: "candles" },
    },
  });
  expect(status).toBe(201);
  const { cron } = gateway.app.schedule;
  await until(async () => (await cron?.list(true))?.find(({ id }) => id === job.id)?.last?.status).toBe("ok");
  await until(async () => (await cron?.list())?.length).toBe(0);
  await page.goto(gateway.url);
  const link = page.locator(".home-lines").getByRole("link", { name: "Candles" });
  await link.waitFor();
  await place.isClean();
  await link.click();
  await page.getByText("The candles burn.").first().waitFor();
});

test("a part of the home that cannot be read says so in its line, and is asked for again there", async (t) => {
  const place = await openBrowser(t);
  const { page, gateway } = place;
  await say(page, "hello");
  await until(() => page.locator(".item.assistant").count()).toBe(1);
  await page.route(
    "**/api/v1/home*",
    async (route) => {
      const answer = await route.fetch();
      await route.fulfill({ response: answer, json: { ...(await answer.json()), spent: null } });
    },
    { times: 1 },
  );
  await page.goto(gateway.url);
  const spent = page.locator(".home-line", { hasText: "Spent today" });
  await spent.getByText("could not be read.").waitFor();
  await page.locator(".home-line", { hasText: "Nothing is scheduled" }).waitFor();
  await place.isClean();
  await spent.getByRole("button", { name: "Try again" }).click();
  await spent.getByRole("link", { name: "set a budget" }).waitFor();
  expect(await spent.getByText("could not be read.").count()).toBe(0);
});

test("a home that cannot be read leaves the question, the field and what one could ask", async (t) => {
  const place = await openBrowser(t, { expected: ["Failed to load resource"] });
  const { page } = place;
  await page.route("**/api/v1/home*", (route) => route.abort());
  await page.reload();
  await page.locator(".home-suggestions button").first().click();
  await until(() => page.locator("#composer").inputValue()).not.toBe("");
  await place.isClean();
});
