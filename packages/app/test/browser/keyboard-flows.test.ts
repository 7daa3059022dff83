// Whole errands without a pointer, on a desktop and on a phone with a keyboard.
import { callsTool, says } from "@margay/core/testing";
import { stalls } from "@margay/core/internal/testing";
import { expect, test } from "vitest";
import { byKeyboard } from "./by-keyboard.ts";
import { answers, openBrowser, until, type BrowserOptions } from "./support.ts";

const ASKS = { config: { tools: { exec: { sandbox: "none" } } } };
const EN = {
  memory: "Memory",
  schedule: "Schedule",
  newJob: "New job",
  putBack: "Put back",
  allow: "Allow once",
  denyWhy: "Deny with a reason…",
  deny: "Deny",
  stop: /^Stop/,
  text: "Text of MEMORY.md",
  save: "Save",
  saveMerged: "Save the merged text",
  both: "both",
  sentence: "on weekdays at 08:30",
};
const ZH: typeof EN = {
  memory: "记忆",
  schedule: "日程",
  newJob: "新建任务",
  putBack: "放回输入框",
  allow: "允许一次",
  denyWhy: "附原因拒绝…",
  deny: "拒绝",
  stop: /^停止/,
  text: "MEMORY.md 的内容",
  save: "保存",
  saveMerged: "保存合并结果",
  both: "两者都保留",
  sentence: "每个工作日 08:30",
};
const PHONE: BrowserOptions = { phone: true, theme: "dark", language: "zh-CN" };
const LOOKS = [
  ["on a desktop", {}, EN],
  ["on a phone", PHONE, ZH],
] as const;

test.for(LOOKS)("row 64: sending, stopping and putting back by keyboard alone, %s", async ([, look, words], t) => {
  const place = await openBrowser(t, look);
  const { page, gateway } = place;
  const person = byKeyboard(page);
  const composer = page.locator("#composer");
  await person.enter(page.locator("a.skip"));
  await until(() => composer.evaluate((field) => field === document.activeElement)).toBe(true);
  await person.type("hello");
  await person.enter(page.locator(".send-button"));
  await until(() => answers(page)).toEqual(["ok"]);
  await person.reach(page.locator(".item-foot button").first(), "Shift+Tab");
  await person.reach(composer);
  gateway.model.replies(stalls({ after: "So far", rest: says(" never") }));
  await person.type("go");
  await person.press("Enter");
  await until(async () => (await answers(page)).at(-1)).toBe("So far");
  await person.type("waits");
  await person.press("Enter");
  await page.locator(".strip.queue").getByText("waits").waitFor();
  await person.enter(page.getByRole("button", { name: words.stop }));
  await person.enter(page.getByRole("button", { name: words.putBack }), "Shift+Tab");
  await until(() => composer.inputValue()).toBe("waits");
  expect((await answers(page)).at(-1)).toBe("So far");
  await place.isClean();
});

test.for(LOOKS)("row 64: allowing one call and denying the next by keyboard alone, %s", async ([, look, words], t) => {
  const place = await openBrowser(t, { ...look, ...ASKS });
  const { page, gateway } = place;
  const person = byKeyboard(page);
  gateway.model.replies(
    callsTool("exec", { command: "echo allowed" }),
    callsTool("exec", { command: "echo second" }),
    says("I will not."),
  );
  await person.reach(page.locator("#composer"));
  await person.type("run");
  await person.press("Enter");
  const card = page.locator(".chat .approval");
  await card.getByText("echo allowed").first().waitFor();
  const allow = card.getByRole("button", { name: words.allow });
  await until(() => allow.isEnabled()).toBe(true);
  await person.press("Alt+a");
  await person.enter(allow);
  await card.getByText("echo second").first().waitFor();
  await until(() => allow.isEnabled()).toBe(true);
  await person.press("Alt+a");
  await person.enter(card.getByRole("button", { name: words.denyWhy }));
  await until(() => page.evaluate(() => document.activeElement?.tagName)).toBe("INPUT");
  await person.type("not today");
  await person.enter(card.getByRole("button", { name: words.deny, exact: true }));
  await until(() => answers(page)).toEqual(["I will not."]);
  expect(JSON.stringify(gateway.model.requests.at(-1))).toContain("not today");
  expect(await page.locator(".call.ok").count()).toBe(1);
  await place.isClean();
});

test.for(LOOKS)(
  "row 64: what the agent wrote meanwhile is merged by keyboard alone, %s",
  async ([, look, words], t) => {
    const place = await openBrowser(t, { ...look, expected: ["412"] });
    const { page, gateway } = place;
    const person = byKeyboard(page);
    const file = "/memory/files/MEMORY.md";
    const write = async (text: string): Promise<void> => {
      const { body } = await gateway.api(file);
      await gateway.api(file, { method: "PUT", body: { text }, headers: { "if-match": `"${String(body.hash)}"` } });
    };
    await write("# Facts\n- likes tea\n");
    await person.press("Control+k");
    await page.locator(".palette input:focus").waitFor();
    await person.type(words.memory);
    await person.press("Enter");
    await person.enter(page.getByRole("link", { name: "MEMORY.md" }));
    const editor = page.getByRole("textbox", { name: words.text });
    await person.reach(editor);
    await person.press("Control+End");
    await person.type("- lives in Berlin\n");
    await write("# Facts\n- likes green tea\n");
    await person.enter(page.locator(".panel").getByRole("button", { name: words.save, exact: true }));
    const hunk = page.locator(".panel fieldset").filter({ hasText: "lives in Berlin" });
    await hunk.waitFor();
    await person.reach(hunk.locator("input:checked"));
    const both = hunk.getByLabel(words.both);
    for (let tries = 0; tries < 3 && !(await both.isChecked()); tries += 1) await person.press("ArrowRight");
    expect(await both.isChecked()).toBe(true);
    await person.enter(page.getByRole("button", { name: words.saveMerged }));
    await until(async () => (await gateway.api(file)).body.text).toContain("lives in Berlin");
    expect((await gateway.api(file)).body.text).toContain("likes green tea"); // which stood there before
    await person.press("Escape");
    await page.locator(".panel").waitFor({ state: "detached" });
    await place.isClean();
  },
);

test.for(LOOKS)("row 64: a job is built by keyboard alone; the caret goes to what is wrong, %s", async (row, t) => {
  const [, look, words] = row;
  const place = await openBrowser(t, look);
  const { page, gateway } = place;
  const person = byKeyboard(page);
  await person.reach(page.locator("#composer"));
  await person.type("hello");
  await person.press("Enter");
  await until(() => answers(page)).toEqual(["ok"]);
  await person.press("Control+k");
  await page.locator(".palette input:focus").waitFor();
  await person.type(words.schedule);
  await person.press("Enter");
  await person.enter(
    page.getByRole("button", { name: words.newJob }).or(page.getByRole("link", { name: words.newJob })),
  );
  const panel = page.locator(".panel");
  await person.rewrite(panel.locator("input[type=text]").first(), "Weekly");
  await person.rewrite(panel.locator("textarea"), "Plan the week");
  await person.rewrite(panel.locator("input[list]"), "Europe/Berlin");
  await panel.locator("[data-preview]").getByText(words.sentence).waitFor();
  const kind = panel.locator("fieldset select").first();
  await person.reach(kind, "Shift+Tab");
  const expression = panel.locator("input.p-mono");
  for (let tries = 0; tries < 8 && (await expression.count()) === 0; tries += 1) await person.press("ArrowDown");
  await person.rewrite(expression, "30 8 * * 9");
  await panel.locator("[aria-invalid=true]").waitFor();
  const save = panel.getByRole("button", { name: words.save, exact: true });
  await person.enter(save);
  await until(() => expression.evaluate((field) => field === document.activeElement)).toBe(true);
  await person.rewrite(expression, "30 8 * * 1-5");
  await panel.locator("[data-preview]").getByText(words.sentence).waitFor();
  await person.reach(panel.locator("select").nth(1));
  await person.press("ArrowDown");
  await person.enter(save);
  await page.locator("[data-job]").getByText(words.sentence).waitFor();
  expect((await gateway.api("/cron/jobs")).body.items).toMatchObject([
    { name: "Weekly", trigger: { expression: "30 8 * * 1-5", timeZone: "Europe/Berlin" } },
  ]);
  await place.isClean();
});
