// What margay does by itself, seen and changed in the browser.
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { crc32 } from "node:zlib";
import { fakeClock, says } from "@margay/core/testing";
import { expect, test } from "vitest";
import { openBrowser, say, until, type BrowserOptions } from "./support.ts";

const PHONE: BrowserOptions = { phone: true, theme: "dark", language: "zh-CN" };

const LOOKS = [
  ["on a desktop in English", {}, "on weekdays at 08:30", "Save", "The clock jumps over this time"],
  ["on a phone in Chinese", PHONE, "每个工作日 08:30", "保存", "夏令时跳过了该时刻"],
] as const;

test.for(LOOKS)("row 47: the builder of a job says five next times and a sentence, %s", async (look, t) => {
  const [, options, sentence, save, jumped] = look;
  const clock = fakeClock(Date.parse("2026-10-22T12:00Z")); // a Thursday; in Berlin the clock changes on Sunday
  const place = await openBrowser(t, { ...options, clock });
  const { page, gateway } = place;
  await say(page, "hello");
  await page.locator(".item.assistant .md").waitFor();
  await page.goto(`${gateway.url}/?p=cron/new`);
  const fields = page.locator(".panel input[type=text], .panel textarea");
  await fields.first().fill("Weekly");
  await page.locator(".panel textarea").fill("Plan the week");
  await page.locator(".panel input[list]").fill("Europe/Berlin");
  const preview = page.locator("[data-preview]");
  await preview.getByText(sentence).waitFor();
  expect(await preview.locator("tbody tr td:first-child").allInnerTexts()).toEqual([
    "2026-10-23T08:30+02:00 Friday",
    "2026-10-26T08:30+01:00 Monday",
    "2026-10-27T08:30+01:00 Tuesday",
    "2026-10-28T08:30+01:00 Wednesday",
    "2026-10-29T08:30+01:00 Thursday",
  ]);

  const form = page.locator(".panel fieldset select").first();
  await form.selectOption("expression");
  const expression = page.locator(".panel input.p-mono");
  expect(await expression.inputValue()).toBe("30 8 * * 1-5");
  await expression.fill("30 8 * * 9");
  await page.locator(".panel [aria-invalid=true]").waitFor();
  expect(await preview.count()).toBe(0);
  await page.getByRole("button", { name: save }).click(); // refused: the caret stands at the fault
  expect(await expression.evaluate((field) => document.activeElement === field)).toBe(true);
  expect(await expression.evaluate((field: HTMLInputElement) => field.selectionStart)).toBe("30 8 * * ".length);
  await expression.fill("30 2 28 3 *"); // a Sunday in 2027
  const gap = preview.locator("tbody tr", { hasText: "2027-03-28" });
  await gap.getByText(jumped).waitFor();
  expect(await preview.getByText(jumped).count()).toBe(1);
  await expression.fill("30 8 * * 1-5");
  await form.selectOption("days");
  await preview.getByText(sentence).waitFor();

  await page.locator(".panel select").nth(1).selectOption({ index: 1 });
  await page.getByRole("button", { name: save }).click();
  await page.locator("[data-job]").getByText(sentence).waitFor();
  const { body } = await gateway.api("/cron/jobs");
  expect(body.items).toMatchObject([
    { name: "Weekly", trigger: { expression: "30 8 * * 1-5", timeZone: "Europe/Berlin" } },
  ]);
  await place.isClean();
});

test("row 48: a job runs now, is paused, is deleted and comes back by Undo", async (t) => {
  const place = await openBrowser(t);
  const { page, gateway } = place;
  gateway.model.replies(says("hi"), says("The report is ready."));
  await say(page, "hello");
  await page.locator(".item.assistant .md").waitFor();
  const { body: sessions } = await gateway.api("/sessions");
  const { channel, chat } = sessions.items[0];
  const trigger = { kind: "cron", expression: "0 9 * * *", timeZone: "UTC" };
  await gateway.api("/cron/jobs", {
    method: "POST",
    body: { trigger, message: "Write the report", target: { channel, chat } },
  });
  await page.goto(`${gateway.url}/?p=cron`);
  const card = page.locator("[data-job]");
  await card.getByRole("button", { name: "Run now" }).click();
  await card.getByText("The report is ready.").waitFor();
  await card.getByText("1 run, 0 failed").waitFor();
  await card.getByRole("button", { name: "History" }).click();
  await card
    .getByRole("region", { name: /History of/ })
    .getByText("by hand")
    .waitFor();
  await card.getByRole("button", { name: "Pause" }).click();
  await card.getByText("paused", { exact: true }).waitFor();
  await card.getByRole("button", { name: /^Delete/ }).click();
  await until(() => card.count()).toBe(0);
  await page.getByRole("button", { name: "Undo", exact: true }).click();
  await card.getByText("Write the report").waitFor();
  await place.isClean();
});

const HOUR_MS = 3_600_000;
const POLICIES = ["skip", "latest_once", "all"] as const;

/** The journal of a process that ended three due times ago. */
function journalOfJobs(now: number): string {
  const createdAt = now - 3.5 * HOUR_MS;
  const records = POLICIES.map((misfire) => ({
    type: "job.added",
    job: {
      id: misfire.replace("_", "-"),
      name: misfire,
      trigger: { kind: "every", everyMs: HOUR_MS, fromMs: createdAt },
      message: `Report of ${misfire}`,
      mode: "agent",
      misfire,
      to: { channel: "web", chat: "reports" },
      createdAt,
    },
  }));
  const body = JSON.stringify({ seq: 1, at: createdAt, records }).slice(1);
  return `{"crc":"${crc32(body).toString(16).padStart(8, "0")}",${body}\n`;
}

test("row 48: what was missed while the process was down is skipped, run once or run thrice, and says why", async (t) => {
  const place = await openBrowser(t, {
    prepare: ({ home }) => {
      mkdirSync(join(home, "cron"), { mode: 0o700 });
      writeFileSync(join(home, "cron", "jobs.journal"), journalOfJobs(Date.now()), { mode: 0o600 });
    },
  });
  const { page, gateway } = place;
  await page.goto(`${gateway.url}/?p=cron`);
  const cardOf = (name: string): ReturnType<typeof page.locator> => page.locator(`[data-job="${name}"]`);
  await cardOf("skip").getByText("0 runs, 0 failed").waitFor();
  await cardOf("skip").getByText("margay was not running then").waitFor();
  await cardOf("latest-once").getByText("1 run, 0 failed").waitFor();
  await cardOf("latest-once").getByText("ran 30 min late").first().waitFor();
  await cardOf("all").getByText("3 runs, 0 failed").waitFor();
  const historyOf = async (name: string): Promise<readonly string[]> => {
    const card = cardOf(name);
    await card.getByRole("button", { name: "History" }).click();
    const rows = card.getByRole("region", { name: /History of/ }).locator("tbody tr");
    await rows.first().waitFor();
    const texts = await rows.allInnerTexts();
    await card.getByRole("button", { name: "History" }).click();
    return texts.map((text) => /skipped|ran .* late/.exec(text)?.[0] ?? text);
  };
  expect(await historyOf("skip")).toEqual(["skipped"]);
  expect(await historyOf("latest-once")).toEqual(["ran 30 min late", "skipped"]);
  expect(await historyOf("all")).toEqual(["ran 30 min late", "ran 1.5 hr late", "ran 2.5 hr late"]);
  expect(gateway.model.requests).toHaveLength(4);
  await cardOf("all").getByRole("button", { name: "History" }).click();
  await cardOf("all").getByRole("link", { name: "Transcript" }).first().click();
  await page.locator(".item", { hasText: "Report of all" }).first().waitFor();
  await place.isClean();
});

test("row 49: a heartbeat without an open task says that it would not call the model", async (t) => {
  const place = await openBrowser(t);
  const { page, gateway } = place;
  await page.goto(`${gateway.url}/?p=heartbeat`);
  await page.getByRole("switch").first().check();
  await page.locator(".panel .p-card").getByRole("button", { name: "Save" }).click();
  await page.getByText("0 open tasks").waitFor();
  await page.getByRole("button", { name: "Would it call the model now?" }).click();
  await page.getByText(/^No: /).waitFor();
  await page.getByRole("textbox", { name: "Text of HEARTBEAT.md" }).fill("- [ ] water the plants\n");
  await page.getByRole("button", { name: "Save" }).last().click();
  await page.getByText("1 open task", { exact: true }).waitFor();
  await page.getByRole("button", { name: "Would it call the model now?" }).click();
  await page.getByText(/^Yes: /).waitFor();
  expect(gateway.model.requests).toHaveLength(0);
  await place.isClean();
});

test("row 50: quiet hours over midnight are drawn, and a greeting is heard without being sent", async (t) => {
  const place = await openBrowser(t, { config: { channels: { telegram: { enabled: false, allowFrom: ["user"] } } } });
  const { page, gateway } = place;
  gateway.model.replies(says("hello"));
  const { pairing } = gateway.app.inside;
  await pairing.accept((await pairing.offer("telegram", "user")) ?? "", "operator");
  const origin = { channel: "telegram", chat: "42" };
  await gateway.app.agent.send("telegram:42", "hi there", { origin }).finished;
  await page.goto(`${gateway.url}/?p=heartbeat`);
  await page.getByRole("tab", { name: "Greeting" }).click();
  await page.getByLabel("from", { exact: true }).selectOption("22");
  await page.getByLabel("to", { exact: true }).selectOption("7");
  expect(await page.locator('.p-band [data-quiet="true"]').count()).toBe(9);
  await page.getByRole("button", { name: "Save" }).click();
  await until(async () => (await gateway.api("/greeting")).body.quietHours).toBe("22-07");
  gateway.model.replies(says("Good to see you!"));
  await page.getByRole("button", { name: "Preview" }).click();
  await page.getByText("Good to see you!").waitFor();
  expect((await gateway.api("/greeting")).body.sentToday).toBe(0);
  await place.isClean();
});
