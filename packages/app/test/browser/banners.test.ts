// The one line above the chat about the whole gateway: the most urgent of what holds.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { says } from "@margay/core/testing";
import { stalls } from "@margay/core/internal/testing";
import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { answers, openBrowser, say, until } from "./support.ts";

const banners = (page: Page): Promise<string[]> => page.locator(".banner .grow").allInnerTexts();

test("W§3 the banner over plain HTTP says what others on the way can read", async (t) => {
  const place = await openBrowser(t, {
    name: "margay.test",
    config: { gateway: { auth: { passwordFile: "password.txt" } } },
    prepare: ({ home }) => writeFileSync(join(home, "password.txt"), "four unrelated words here", { mode: 0o600 }),
  });
  const { page } = place;
  await until(() => banners(page)).toEqual([expect.stringContaining("over plain HTTP")]);
  await page.locator(".banner").getByRole("button", { name: "Security" }).click();
  await page.locator('[data-page="security"]').waitFor();
  await place.isClean();
});

test("W§3 of several banners the most urgent is shown: stop, budget, restart; each goes with its cause", async (t) => {
  const place = await openBrowser(t, { config: { budgets: [{ scope: "day", tokens: 1000, action: "warn" }] } });
  const { page, gateway } = place;
  await until(() => banners(page)).toEqual([expect.stringContaining("The sandbox is off")]);

  const { headers } = await gateway.api("/settings");
  const change = { method: "PATCH", headers: { "if-match": headers.get("etag") ?? "" } };
  const changed = await gateway.api("/settings", { ...change, body: { gateway: { port: 18999 } } });
  expect(changed.status).toBe(200);
  await until(() => banners(page)).toEqual([expect.stringMatching(/next start on: gateway\.port\..*margay gateway/)]);
  await place.isClean();

  const usage = { input: 800, output: 50, cacheRead: 0, cacheWrite: 0 };
  gateway.model.replies(says("one", { usage }), says("two", { usage }));
  await say(page, "first");
  await until(() => answers(page)).toEqual(["one"]);
  await until(() => banners(page)).toEqual(["A budget is nearly used: 850 of 1,000 tokens per day."]);
  await say(page, "second");
  await until(() => banners(page)).toEqual(["A budget is used up: 1,700 of 1,000 tokens per day."]);
  await place.isClean();

  await gateway.api("/estop", { method: "PUT", body: { on: true } });
  await until(() => banners(page)).toEqual(["The emergency stop is on: nothing runs."]);
  await place.isClean();
  await gateway.api("/estop", { method: "PUT", body: { on: false } });
  await until(() => banners(page)).toEqual([expect.stringContaining("A budget is used up")]);
  const budgets = await gateway.api("/budgets");
  const match = { "if-match": budgets.headers.get("etag") ?? "" };
  expect((await gateway.api("/budgets", { method: "PUT", body: { items: [] }, headers: match })).status).toBe(200);
  await until(() => banners(page)).toEqual([expect.stringContaining("next start on")]);
});

test("DF50 W§3 without a model the wizard opens; who leaves it reads of practice mode in banner, composer and answers, each with a way back", async (t) => {
  const place = await openBrowser(t, { config: { model: null } });
  const { page, gateway } = place;
  await until(() => new URL(page.url()).pathname).toBe("/welcome");
  await place.isClean();
  await page.getByRole("button", { name: "Leave the setup" }).click();
  await until(() => banners(page)).toEqual([
    "Practice mode: no language model is connected. Answers are practice texts.",
  ]);
  await until(() => page.locator("#composer").getAttribute("placeholder")).toMatch(/^Practice mode/);
  await page.reload(); // this tab was told
  await page.locator("#composer").waitFor();
  await until(() => banners(page)).toHaveLength(1);
  await say(page, "hello");
  await page.locator(".item.assistant .practice-note").getByRole("button", { name: "Set up a model" }).waitFor();
  await place.isClean();
  const other = await place.context.newPage(); // a new visit
  await other.goto(`${place.origin}/`);
  await until(() => new URL(other.url()).pathname).toBe("/welcome");
  await page.locator(".practice-note button").click();
  await until(() => new URL(page.url()).pathname).toBe("/welcome");
  await page.getByRole("button", { name: "Leave the setup" }).click();
  await page.locator(".banner").getByRole("button", { name: "Set up a model" }).click();
  await until(() => new URL(page.url()).pathname).toBe("/welcome");

  // With a model nothing of it is left.
  expect((await gateway.api("/models/active", { method: "PUT", body: { model: "mock/mock-model" } })).status).toBe(200);
  const third = await place.tab();
  await until(() => third.locator("#composer").getAttribute("placeholder")).toBe("Write a message");
  expect(await banners(third)).toEqual([expect.stringContaining("The sandbox is off")]); // as the configuration of this place says
});

test("W§3 when another build answers than the page is of, the banner offers to reload it", async (t) => {
  const place = await openBrowser(t);
  const { page } = place;
  const next: { build?: string } = {};
  const welcomed: { close(): Promise<void> }[] = [];
  await page.routeWebSocket(/\/ws$/, (socket) => {
    const server = socket.connectToServer();
    server.onMessage((message) => {
      const frame = JSON.parse(String(message)) as { readonly type: string };
      const isWelcome = frame.type === "welcome";
      socket.send(isWelcome ? JSON.stringify({ ...frame, ...next }) : message);
      if (isWelcome) welcomed.push(socket);
    });
  });
  await page.reload();
  await until(() => welcomed.length).toBe(1); // what the page is of is what greeted it first
  await until(() => banners(page)).toEqual([expect.stringContaining("The sandbox is off")]);
  next.build = "of-tomorrow";
  await welcomed[0]?.close(); // as when it was updated: the line breaks, and comes back
  await until(() => banners(page)).toEqual(["A new version of margay is running."]);
  await place.isClean();
  await page.locator(".banner").getByRole("button", { name: "Reload" }).click();
  await until(() => banners(page)).toEqual([expect.stringContaining("The sandbox is off")]);
  await place.isClean();
});

for (const look of [{}, { phone: true, theme: "dark", language: "zh-CN" }] as const)
  test(`W§3 the banner says that the sandbox is missing, with the reason, as long as there are commands ${JSON.stringify(look)}`, async (t) => {
    const zh = "language" in look;
    // Whoever runs this: root gets none from srt, and others have no srt beside bubblewrap.
    const place = await openBrowser(t, { ...look, config: { tools: { exec: { sandbox: "srt" } } } });
    const { page, gateway } = place;
    const missing = zh ? /^沙箱不可用：命令不会执行：.*srt/ : /^The sandbox does not work: commands do not run: .*srt/;
    await until(() => banners(page)).toEqual([expect.stringMatching(missing)]);
    await place.isClean();
    await page
      .locator(".banner")
      .getByRole("button", { name: zh ? "安全" : "Security" })
      .click();
    await page.locator('[data-page="security"]').getByText("srt").first().waitFor();
    await place.isClean();

    const { headers } = await gateway.api("/settings");
    const change = { method: "PATCH", headers: { "if-match": headers.get("etag") ?? "" } };
    const { status } = await gateway.api("/settings", { ...change, body: { tools: { exec: { enabled: false } } } });
    expect(status).toBe(200);
    await until(() => banners(page)).not.toContainEqual(expect.stringMatching(missing));
  });

for (const look of [{}, { phone: true, theme: "dark", language: "zh-CN" }] as const)
  test(`W§3 LP27 the banner says that schedules are paused after three crashes, and lets them run again ${JSON.stringify(look)}`, async (t) => {
    const zh = "language" in look;
    const notes = { unclean: [1, 2, 3], heldSince: 3 };
    const place = await openBrowser(t, {
      ...look,
      prepare: ({ home }) => writeFileSync(join(home, "unclean-starts.json"), JSON.stringify(notes), { mode: 0o600 }),
    });
    const { page, gateway } = place;
    const text = zh ? "margay 在五分钟内崩溃了三次" : "margay crashed three times within five minutes";
    await until(() => banners(page)).toEqual([expect.stringContaining(text)]);
    expect((await gateway.api("/cron/upcoming")).body.paused).toBe(true);
    await place.isClean();
    await page
      .locator(".banner")
      .getByRole("button", { name: zh ? "恢复" : "Resume" })
      .click();
    await page.getByText(zh ? "定时功能已恢复。" : "Schedules run again.").waitFor();
    await until(() => banners(page)).not.toContainEqual(expect.stringContaining(text));
    expect((await gateway.api("/cron/upcoming")).body.paused).toBe(false);
    expect((await gateway.api("/system/schedules/resume", { method: "POST" })).body).toEqual({ released: false });
    await place.isClean();
  });

test("W§3 where something starts margay again, the banner restarts it once nothing is worked on", async (t) => {
  const restarts: number[] = [];
  const place = await openBrowser(t, { restart: () => restarts.push(1) });
  const { page, gateway } = place;
  const gate = stalls({ after: "Half", rest: says(" and done") });
  gateway.model.replies(gate);
  await say(page, "go");
  await until(() => answers(page)).toEqual(["Half"]);
  const { headers } = await gateway.api("/settings");
  const change = { method: "PATCH", headers: { "if-match": headers.get("etag") ?? "" } };
  await gateway.api("/settings", { ...change, body: { gateway: { port: 18999 } } });
  await until(() => banners(page)).toEqual(["Used from the next start on: gateway.port."]);
  await place.isClean();
  await page.locator(".banner").getByRole("button", { name: "Restart when idle" }).click();
  await page.getByText("margay restarts as soon as nothing is worked on.").waitFor();
  expect(restarts).toEqual([]);
  gate.release();
  await until(() => answers(page)).toEqual(["Half and done"]);
  await until(() => restarts).toEqual([1]);
});
