// What a new chat begins with: what waits, what ran, what comes, what it cost; then what one could ask.
import { callsTool, says } from "@margay/core/testing";
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

test("a home that cannot be read leaves the question, the field and what one could ask", async (t) => {
  const place = await openBrowser(t, { expected: ["Failed to load resource"] });
  const { page } = place;
  await page.route("**/api/v1/home*", (route) => route.abort());
  await page.reload();
  await page.locator(".home-suggestions button").first().click();
  await until(() => page.locator("#composer").inputValue()).not.toBe("");
  await place.isClean();
});
