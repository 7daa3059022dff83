// Safety in the browser: the audit chain, the emergency stop, tokens, the doctor; and every page once.
import { createHmac } from "node:crypto";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { systemClock } from "@margay/core/internal";
import { callsTool, says } from "@margay/core/testing";
import { stalls } from "@margay/core/internal/testing";
import { expect, test } from "vitest";
import { openBrowser, say, until } from "./support.ts";

const PAGES = [
  "approvals",
  "notifications",
  "tasks",
  "cron",
  "heartbeat",
  "memory",
  "skills",
  "personas",
  "presets",
  "channels",
  "mcp",
].concat(["models", "tools", "usage", "security", "audit", "system", "settings", "files", "help"]);

const WEB = { channel: "web", chat: "me" };

test("row 61: the chain is intact until one byte is changed", async (t) => {
  const place = await openBrowser(t);
  const { page, gateway } = place;
  gateway.model.replies(callsTool("list_dir", { path: "." }), says("I looked."));
  await say(page, "look around");
  await page.getByText("I looked.").waitFor();
  await page.goto(`${gateway.url}/?p=audit`);
  await page.getByRole("button", { name: "Verify the chain" }).click();
  await page.getByText(/entries intact to/).waitFor();
  const folder = join(gateway.home, "audit");
  const name = readdirSync(folder).find((one) => one.endsWith(".jsonl")) ?? "";
  const text = readFileSync(join(folder, name), "utf8");
  // One byte of the second entry, in its time.
  const lines = text.split("\n");
  const second = lines[1] ?? "";
  const at = second.search(/\d(?=,"|})/);
  lines[1] = second.slice(0, at) + String((Number(second[at]) + 1) % 10) + second.slice(at + 1);
  expect(lines.join("\n")).toHaveLength(text.length);
  writeFileSync(join(folder, name), lines.join("\n"));
  await page.getByRole("button", { name: "Verify the chain" }).click();
  const { n } = JSON.parse(second) as { n: number };
  await page.getByText(`Broken at entry ${String(n)}: it was edited`, { exact: true }).waitFor();
  await page.getByText(`The line was changed (${name}, line 2).`).waitFor();
  // What stands behind it is told apart.
  const after = lines.slice(2).filter((line) => line !== "").length;
  await until(() => page.getByText("after the break", { exact: true }).count()).toBe(after);
  await place.isClean();
});

test("rows 31 and 32: the page of approvals shows the exact call, and a denial with its reason is kept", async (t) => {
  const place = await openBrowser(t, { config: { tools: { exec: { sandbox: "none" } } } });
  const { page, gateway } = place;
  gateway.model.replies(callsTool("exec", { command: "echo \u202eone" }), says("I will not."));
  await say(page, "run");
  await until(async () => (await gateway.api("/approvals")).body.items.length).toBe(1);
  await page.goto(`${gateway.url}/?p=approvals`);
  const card = page.locator("[data-call]").first();
  await card.getByText("\\u{202e}one").first().waitFor();
  await card.getByRole("button", { name: "Deny with a reason…" }).click();
  await card.getByLabel(/^Reason/).fill("not now");
  await card.getByRole("button", { name: "Deny", exact: true }).click();
  await page.getByText("Nothing waits for your approval.").waitFor();
  await page.getByRole("tab", { name: "Settled" }).click();
  await page
    .getByRole("row", { name: /denied by/ })
    .getByText("not now")
    .waitFor();
  await place.isClean();
});

test("row 62: the emergency stop ends two turns and keeps a due job from running; releasing it asks for a proof", async (t) => {
  let shiftMs = 0;
  const system = systemClock();
  const clock = { ...system, now: () => system.now() + shiftMs };
  const place = await openBrowser(t, { clock, expected: ["403"] });
  const { page, gateway } = place;
  gateway.model.replies(
    stalls({ after: "So far", rest: says(" never") }),
    stalls({ after: "Here too", rest: says(" never") }),
  );
  await say(page, "go");
  await page.locator(".item.assistant .md", { hasText: "So far" }).waitFor();
  const second = gateway.app.agent.send("web:second", "go on").finished;
  await gateway.model.received(2);
  await page.goto(`${gateway.url}/?p=security`);
  await page.getByRole("button", { name: "Stop everything" }).click();
  await page.getByText(/The emergency stop is on since/).waitFor();
  await page.getByText(/^Stopped: 2 turns/).waitFor();
  expect((await second).reason).toBe("cancelled");
  await until(async () => (await gateway.api("/sessions?state=running")).body.items).toEqual([]);

  const at = clock.now() + 1000;
  await gateway.app.schedule.cron?.add({ id: "tea", name: "tea", message: "drink tea", at, to: WEB });
  await until(() => clock.now() > at + 1000).toBe(true);
  expect(gateway.model.requests).toHaveLength(2);

  shiftMs = 11 * 60_000; // the proof of the login holds for ten minutes
  await page.getByRole("button", { name: "Release the stop" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.waitFor();
  expect((await gateway.api("/estop")).body.on).toBe(true);
  await dialog.getByRole("textbox").fill(gateway.gateway.auth.codes.mint("confirm").code);
  await dialog.getByRole("button", { name: "Confirm" }).click();
  await page.getByRole("button", { name: "Stop everything" }).waitFor();
  expect((await gateway.api("/estop")).body.on).toBe(false);
  await place.isClean();
});

test("a token is shown once, works, and is revoked after a question that names it", async (t) => {
  const place = await openBrowser(t);
  const { page, gateway } = place;
  await page.goto(`${gateway.url}/?p=security`);
  await page.getByRole("tab", { name: "Access" }).click();
  await page.getByRole("button", { name: "New token" }).click();
  await page.getByLabel("Name").fill("my script");
  await page.getByRole("button", { name: "Create" }).click();
  const token = await page.locator(".p-copy code").first().innerText();
  expect(token).toMatch(/^mgy_/);
  const models = (): Promise<number> => gateway.api("/!/v1/models", { token }).then(({ status }) => status);
  expect(await models()).toBe(200);
  await page.reload();
  await page.getByRole("tab", { name: "Access" }).click();
  const row = page.getByRole("row", { name: /my script/ });
  await row.getByRole("button", { name: "Revoke" }).click();
  await page.getByRole("dialog").getByText("Revoke my script?").waitFor();
  expect(await page.content()).not.toContain(token);
  await page.getByRole("dialog").getByRole("button", { name: "Revoke" }).click();
  await until(() => row.count()).toBe(0);
  expect(await models()).toBe(401);
  await place.isClean();
});

test("row 63: the doctor puts what is wrong first, with the command that repairs it", async (t) => {
  const place = await openBrowser(t);
  const { page, gateway } = place;
  await page.goto(`${gateway.url}/?p=system/doctor`);
  const first = page.locator("[data-check]").first();
  await first.waitFor();
  const { body } = await gateway.api("/system/doctor");
  const worst = body.some((check: { state: string }) => check.state === "fail") ? "fail" : "warn";
  expect(await first.getAttribute("data-state")).toBe(worst);
  await first.getByRole("button", { name: "Copy" }).waitFor();
  const commands = page.locator('[data-check="exec"]');
  expect(await commands.getAttribute("data-state")).not.toBe("ok");
  await commands
    .getByText(/sandbox/)
    .first()
    .waitFor();
  await commands
    .getByText(/margay config (?:set|unset)/)
    .first()
    .waitFor();
  await place.isClean();
});

for (const look of [{}, { phone: true, theme: "dark", language: "zh-CN" }] as const)
  test(`row 63: with the sandbox missing the doctor fails the check of commands and shows the one that repairs it ${JSON.stringify(look)}`, async (t) => {
    // Root gets no sandbox from srt, and others have none unless they installed it: bubblewrap is found at fixed places.
    const place = await openBrowser(t, { ...look, config: { tools: { exec: { sandbox: "srt" } } } });
    const { page, gateway } = place;
    const { body } = await gateway.api("/system/doctor");
    const found = body.find((check: { readonly id: string }) => check.id === "exec");
    const command = "npm install -g @anthropic-ai/sandbox-runtime";
    expect(found).toMatchObject({ state: "fail", detail: expect.stringContaining("srt"), command });
    await page.goto(`${gateway.url}/?p=system/doctor`);
    const check = page.locator('[data-check="exec"]');
    await check.waitFor();
    expect(await check.getAttribute("data-state")).toBe("fail");
    await check.getByText(command).waitFor();
    await check.getByRole("button", { name: "language" in look ? "复制" : "Copy" }).waitFor();
    await place.isClean();
    await page.goto(gateway.url);
    gateway.model.replies(callsTool("exec", { command: "echo free > escaped.txt" }), says("It did not run."));
    await say(page, "run it");
    await page.getByText("It did not run.").waitFor();
    expect(gateway.model.requests[1]?.toolResults.at(-1)?.text).toMatch(/srt/);
    expect(existsSync(join(gateway.workspace, "escaped.txt"))).toBe(false);
    await place.isClean();
  });

test("row 63: a backup has no secret; on a fresh install it is compared, taken over, and the settings are equal", async (t) => {
  const old = await openBrowser(t, {
    config: { agent: { temperature: 0.4, maxIterations: 17 }, persona: { preset: "zen" } },
  });
  await old.page.goto(`${old.gateway.url}/?p=system/backup`);
  const [download] = await Promise.all([
    old.page.waitForEvent("download"),
    old.page.getByRole("button", { name: "Save the file" }).click(),
  ]);
  const file = await download.path();
  const text = readFileSync(file, "utf8");
  expect(text).toContain('"temperature":0.4');
  expect(text).not.toContain("test-key");

  const place = await openBrowser(t);
  const { page, gateway } = place;
  type Values = { readonly agent: object; readonly persona: object };
  const values = async (from: typeof gateway): Promise<Values> => (await from.api("/settings")).body.values;
  const before = await values(gateway);
  await page.goto(`${gateway.url}/?p=system/backup`);
  await page.locator("input[type=file]").setInputFiles(file);
  await page.getByRole("button", { name: "Compare" }).click();
  for (const changed of ["agent.temperature", "agent.maxIterations", "persona.preset"])
    await page.getByText(changed).waitFor();
  expect(await values(gateway)).toEqual(before);
  await page.getByRole("button", { name: "Apply" }).click();
  const wanted = await values(old.gateway);
  await until(async () => (await values(gateway)).agent).toEqual(wanted.agent);
  expect((await values(gateway)).persona).toEqual(wanted.persona);
  await old.isClean();
  await place.isClean();
});

test("a webhook is made with a secret that is shown once, and what is signed with it comes in", async (t) => {
  const place = await openBrowser(t);
  const { page, gateway } = place;
  await page.goto(`${gateway.url}/?p=security`);
  await page.getByRole("tab", { name: "Webhooks" }).click();
  await page.getByRole("button", { name: "New webhook" }).click();
  await page.getByLabel("Name").fill("build");
  await page.getByRole("button", { name: "Create" }).click();
  const card = page.locator('[data-hook="build"]');
  await card.getByText(`${gateway.url}/hooks/build`).waitFor();
  await page.getByText("This secret is shown only now.").waitFor();
  await card.getByRole("button", { name: "Try it" }).click();
  await card.getByText("A call would be accepted.").waitFor();
  const secret = await page.locator(".note-box .p-copy code").innerText();
  const key = Buffer.from(secret.replace("whsec_", ""), "base64");
  const [id, seconds, body] = ["msg-1", String(Math.floor(Date.now() / 1000)), '{"state":"green"}'];
  const signature = createHmac("sha256", key).update(`${id}.${seconds}.${body}`).digest("base64");
  const headers = { "webhook-id": id, "webhook-timestamp": seconds, "webhook-signature": `v1,${signature}` };
  gateway.model.replies(says("Noted."));
  const raw = { method: "POST", raw: body, token: null, headers: { ...headers, "content-type": "application/json" } };
  expect((await gateway.api("/!/hooks/build", raw)).status).toBe(202);
  await card.getByRole("button", { name: "Deliveries" }).click();
  await card.getByText("accepted", { exact: true }).waitFor();
  await place.isClean();
});

test("row 43: every page opens beside a running answer, which is never drawn anew", { timeout: 300_000 }, async (t) => {
  const place = await openBrowser(t);
  const { page, gateway } = place;
  gateway.model.replies(stalls({ after: "So far", rest: says(" and on") }));
  await say(page, "go");
  const answer = page.locator(".item.assistant .md", { hasText: "So far" });
  await answer.waitFor();
  await answer.evaluate((node) => node.setAttribute("data-same", "yes"));
  for (const id of PAGES) {
    await page.evaluate((address) => {
      history.pushState(null, "", `${location.pathname}?p=${address}`); // as the links do
      dispatchEvent(new PopStateEvent("popstate"));
    }, id);
    await page.locator(`.panel [data-page="${id}"]`).waitFor();
    await until(() => page.locator(".panel .skeleton").count()).toBe(0);
    expect(await page.locator(".panel .note-box.danger").allInnerTexts()).toEqual([]);
    expect(await page.locator('[data-same="yes"]').count()).toBe(1);
    await place.isClean();
  }
});
