// What nobody was sent: a badge and a list, in two browsers at once.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { callsTool, says } from "@margay/core/testing";
import { expect, test } from "vitest";
import { openBrowser, until, violations } from "./support.ts";

for (const [look, options, words] of [
  ["on a desktop", {}, { name: "Notifications", read: "Read", seen: "Seen", did: "The heartbeat did something" }],
  [
    "on a phone in Chinese",
    { phone: true, theme: "dark", language: "zh-CN" },
    { name: "通知", read: "查看", seen: "已读", did: "心跳完成了任务" },
  ],
] as const)
  test(`PE88 R223 the badge and the list are the same in two browsers, and what one saw the other has seen, ${look}`, async (t) => {
    const place = await openBrowser(t, { ...options, config: { heartbeat: { enabled: true } } });
    const { page, gateway, browser } = place;
    const other = await (await browser.newContext()).newPage();
    await other.goto(place.loginLink());
    await other.locator("#composer").waitFor();
    writeFileSync(join(gateway.workspace, "HEARTBEAT.md"), "- [ ] water the plants\n");
    gateway.model.replies(callsTool("heartbeat", { action: "run", task: "water" }), says("The plants are watered."));
    await gateway.app.schedule.heartbeat.checkNow(AbortSignal.timeout(60_000));

    const badge = other.locator('.side-nav a[href*="notifications"] .badge');
    await until(() => badge.allInnerTexts()).toEqual(["1"]);
    await badge.click();
    await other.getByText("The heartbeat did something").waitFor();

    await page.goto(`${gateway.url}/?p=notifications`);
    const card = page.locator('[data-about="heartbeat"]');
    await card.getByText(words.did).waitFor();
    expect(await violations(page)).toEqual([]);
    await card.getByRole("button", { name: words.seen }).click();
    await until(() => card.getByRole("button", { name: words.seen }).count()).toBe(0);
    await until(() => other.getByRole("button", { name: "Seen" }).count()).toBe(0);
    await until(() => badge.count()).toBe(0);

    await card.getByRole("link", { name: words.read }).click();
    await page.getByText("The plants are watered.").waitFor();
    await place.isClean();
  });
