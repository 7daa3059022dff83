import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { callsTool, fails, fakeClock, says } from "@margay/core/testing";
import { callsTools, lengthStop, refuses, stalls } from "@margay/core/internal/testing";
import { expect, test } from "vitest";
import { answers, openBrowser, say, until } from "./support.ts";

const ASKS = { config: { tools: { exec: { sandbox: "none" } } } };

test("row 13: Stop in the middle of a text keeps it, discards what waits, and offers it back", async (t) => {
  const place = await openBrowser(t);
  const { page, gateway } = place;
  gateway.model.replies(stalls({ after: "So far", rest: says(" never") }));
  await say(page, "go");
  await until(() => answers(page)).toEqual(["So far"]);
  await say(page, "waits one");
  await page.locator(".strip.queue").getByText("waits one").waitFor();
  await page.getByRole("button", { name: /^Stop/ }).click();
  await page.getByText("Stopped by you").waitFor();
  await page.getByText("1 waiting message was discarded").waitFor();
  await page.getByRole("button", { name: "Put back" }).click();
  await until(() => page.locator("#composer").inputValue()).toBe("waits one");
  expect(await answers(page)).toEqual(["So far"]);
  gateway.model.replies(says("works"));
  await page.locator("#composer").press("Enter");
  await until(() => answers(page)).toEqual(["So far", "works"]);
  await place.isClean();
});

test("R429 after 20 s without a word the page says that it still waits, and no longer when words come", async (t) => {
  const clock = fakeClock();
  const place = await openBrowser(t, { clock });
  const { page, gateway } = place;
  const late = stalls({ rest: says("at last") });
  gateway.model.replies(late);
  await say(page, "go");
  await gateway.model.received(1);
  await clock.advance(20_000);
  await page.getByText("No answer from mock-model yet, still waiting").first().waitFor();
  await page.reload(); // who comes later is told too
  await page.locator(".turn-status").getByText("No answer from mock-model yet, still waiting").waitFor();
  late.release();
  await until(() => answers(page)).toEqual(["at last"]);
  await until(() => page.locator(".turn-status").count()).toBe(0);
  await place.isClean();
});

test("row 14: what is sent during a tool is seen at the next step and stands below it", async (t) => {
  const place = await openBrowser(t, ASKS);
  const { page, gateway } = place;
  gateway.model.replies(callsTool("exec", { command: "echo one" }, { text: "I run it." }), says("I saw your note."));
  await say(page, "run");
  await page.getByRole("button", { name: "Allow once" }).waitFor();
  await say(page, "also this");
  await page.locator(".strip.queue").getByText("next step").waitFor();
  await page.getByRole("button", { name: "Allow once" }).click();
  await until(() => answers(page)).toEqual(["I run it.", "I saw your note."]);
  const order = (): Promise<string[]> => page.locator(".item .user-text, .item .md").allInnerTexts();
  await until(order).toEqual(["run", "I run it.", "also this", "I saw your note."]);
  await page.reload();
  await until(order).toEqual(["run", "I run it.", "also this", "I saw your note."]);
  await place.isClean();
});

test("row 15: messages for after the turn can be removed and edited, and survive a reload", async (t) => {
  const place = await openBrowser(t);
  const { page, gateway } = place;
  const gate = stalls({ after: "Busy", rest: says(" done") });
  gateway.model.replies(gate, says("second answer"));
  await say(page, "first");
  await until(() => answers(page)).toEqual(["Busy"]);
  for (const text of ["keep", "drop"]) {
    await page.locator("#composer").fill(text);
    await page.locator("#composer").press("Control+Enter");
    await page.locator(".strip.queue").getByText(text).waitFor();
  }
  await page.locator(".strip.queue li").nth(1).getByRole("button", { name: "Remove" }).click();
  await until(() => page.locator(".strip.queue li").count()).toBe(1);
  await page.locator(".strip.queue li").first().getByRole("button", { name: "Edit" }).click();
  await until(() => page.locator("#composer").inputValue()).toBe("keep");
  await page.locator("#composer").fill("kept");
  await page.locator("#composer").press("Control+Enter");
  await page.locator(".strip.queue").getByText("after this turn").waitFor();
  await page.reload();
  await page.locator(".strip.queue").getByText("kept").waitFor();
  gate.release();
  await until(() => answers(page)).toEqual(["Busy done", "second answer"]);
  expect(await page.locator(".item.user:not(.withdrawn) .user-text").allInnerTexts()).toEqual(["first", "kept"]);
  await place.isClean();
});

test("row 16: stop and send ends the running turn and starts the next", async (t) => {
  const place = await openBrowser(t);
  const { page, gateway } = place;
  gateway.model.replies(stalls({ after: "Long story", rest: says("") }), says("short"));
  await say(page, "tell");
  await until(() => answers(page)).toEqual(["Long story"]);
  await page.locator("#composer").fill("shorter");
  await page.getByRole("button", { name: "How to send" }).click();
  await page.getByRole("menuitem", { name: "Stop and send" }).click();
  await until(() => answers(page)).toEqual(["Long story", "short"]);
  await place.isClean();
});

test("row 27: a command shows its lines while it runs and its result afterwards; a long one can be searched", async (t) => {
  const place = await openBrowser(t, ASKS);
  const { page, gateway } = place;
  const command = "echo begin; sleep 1.5; seq 1 30000";
  gateway.model.replies(callsTool("exec", { command }), says("Counted."));
  await say(page, "count");
  await page.getByRole("button", { name: "Allow once" }).click();
  await page.locator(".call.running .terminal").getByText("begin").waitFor();
  await until(() => answers(page)).toEqual(["Counted."]);
  await page.locator(".call-head").click();
  await page.getByRole("button", { name: /Show all/ }).click();
  const viewer = page.locator(".viewer");
  await viewer.locator(".viewer-line").first().waitFor();
  expect(await viewer.locator(".viewer-line").count()).toBeLessThan(100);
  await place.isClean();
});

test("row 29: two calls of the same tool at once are two cards, each with its own result", async (t) => {
  const place = await openBrowser(t, { prepare: ({ workspace }) => plant(workspace) });
  const { page, gateway } = place;
  gateway.model.replies(
    callsTools([
      { name: "read_file", args: { path: "a.txt" } },
      { name: "read_file", args: { path: "b.txt" } },
    ]),
    says("Read both."),
  );
  await say(page, "read");
  await until(() => answers(page)).toEqual(["Read both."]);
  const cards = page.locator(".call");
  expect(await cards.count()).toBe(2);
  await cards.nth(0).locator(".call-head").click();
  await cards.nth(1).locator(".call-head").click();
  await cards.nth(0).locator(".call-body").getByText("content of a").waitFor();
  await cards.nth(1).locator(".call-body").getByText("content of b").waitFor();
  await place.isClean();
});

test("row 31: a call waits for its yes; a denial gives its reason", async (t) => {
  const place = await openBrowser(t, ASKS);
  const { page, gateway } = place;
  gateway.model.replies(
    callsTool("exec", { command: "echo allowed > out.txt" }),
    says("It ran."),
    callsTool("exec", { command: "echo no" }),
    says("I will not."),
  );
  await say(page, "run");
  const card = page.locator(".approval");
  await card.waitFor();
  expect(await card.getByText("echo allowed > out.txt").count()).toBeGreaterThan(0);
  await card.getByRole("button", { name: "Allow once" }).click();
  await until(() => answers(page)).toEqual(["It ran."]);
  await say(page, "again");
  await card.waitFor();
  await page.locator("#composer").press("Enter");
  expect(await card.count()).toBe(1);
  await card.getByRole("button", { name: "Deny with a reason…" }).click();
  await page.getByLabel("Reason for the model (optional)").fill("not today");
  await card.getByRole("button", { name: "Deny", exact: true }).click();
  await until(() => answers(page)).toEqual(["It ran.", "I will not."]);
  await page.locator(".call.denied").waitFor();
  expect(JSON.stringify(gateway.model.requests.at(-1))).toContain("not today");
  await place.isClean();
});

test("row 32: a direction mark in a command is drawn as what it is", async (t) => {
  const place = await openBrowser(t, ASKS);
  const { page, gateway } = place;
  gateway.model.replies(callsTool("exec", { command: "echo \u202Etxt.exe" }), says("done"));
  await say(page, "run");
  await page.locator(".approval-call").waitFor();
  expect(await page.locator(".approval-call").innerText()).toMatch(/202e/i);
  expect(await page.locator(".approval-call").innerText()).not.toContain("\u202E");
  await place.isClean();
});

test("UI5 row 72: a failed turn and a busy provider each have their words", async (t) => {
  const place = await openBrowser(t);
  const { page, gateway } = place;
  gateway.model.replies(fails(400, { error: { message: "no such thing" } }));
  await say(page, "fail");
  await page.locator(".note-box.danger").waitFor();
  expect(await page.locator(".note-box.danger").innerText()).toContain("provider.bad-request");
  gateway.model.replies(fails(429, { error: { message: "slow down" } }, { "retry-after": "2" }), says("at last"));
  await say(page, "busy");
  await page.getByText(/Next try in/).waitFor();
  await until(() => answers(page)).toEqual(["at last"]);
  await place.isClean();
});

for (const { language, limit, go, send, phone } of [
  { language: "en", limit: "[reached the maximum of 1 tool calls]", go: "Continue", send: "Send", phone: false },
  { language: "zh-CN", limit: "[达到最大工具调用次数 1]", go: "继续", send: "发送", phone: true },
] as const)
  test(`row 72: a reached limit is said in ${language}, and going on from there works`, async (t) => {
    const config = { language, agent: { maxIterations: 1, limitSummary: false } };
    const place = await openBrowser(t, { config, language, phone, theme: phone ? "dark" : "light" });
    const { page, gateway } = place;
    gateway.model.replies(callsTool("list_dir", { path: "." }, { text: "First I look." }), says("The rest."));
    await page.locator("#composer").fill("go");
    await page.getByRole("button", { name: send, exact: true }).click(); // Enter of a phone is a new line
    await page.locator(".note-box").getByText(limit).waitFor();
    await page.getByRole("button", { name: go, exact: true }).click();
    await until(() => answers(page)).toEqual(["First I look.", "The rest."]);
    expect(gateway.model.requests.at(-1)?.texts("user").at(-1)).toContain(go);
    await place.isClean();
  });

test("row 72: an answer that stays cut says so; a refusal and a model that stood in have their words", async (t) => {
  const place = await openBrowser(t, {
    config: (url) => ({
      fallbackModels: ["spare/spare-model"],
      providers: {
        mock: { api: "openai-chat", baseUrl: `${url}/v1`, apiKey: "test-key-for-mock" },
        spare: { api: "openai-chat", baseUrl: `${url}/v1`, apiKey: "test-key-for-spare" },
      },
    }),
  });
  const { page, gateway } = place;
  gateway.model.replies(...Array.from({ length: CONTINUED + 1 }, (_, part) => lengthStop(`part ${part} `)));
  await say(page, "tell me all");
  await page.getByText("The answer was cut by the length limit").first().waitFor();
  await gateway.app.agent.idle();
  expect(gateway.model.requests).toHaveLength(CONTINUED + 1);

  await page.goto(gateway.url);
  gateway.model.replies(refuses("I cannot help with that."));
  await say(page, "help me with that");
  await page.getByText("The model declined to answer").waitFor();

  gateway.model.replies(fails(401, { error: { message: "bad key" } }), says("The spare one speaks."));
  await say(page, "who speaks");
  await page.getByText("The spare one speaks.").waitFor();
  await page.getByText("Answered by spare/spare-model, because mock/mock-model could not answer").waitFor();
  expect(gateway.model.requests.at(-1)?.body).toMatchObject({ model: "spare-model" });
  await place.isClean();
});

/** How often an answer that was cut goes on by itself (PR8). */
const CONTINUED = 3;

function plant(workspace: string): void {
  writeFileSync(join(workspace, "a.txt"), "content of a");
  writeFileSync(join(workspace, "b.txt"), "content of b");
}
