import { stalls } from "@margay/core/internal/testing";
import { callsTool, fails, says } from "@margay/core/testing";
import { expect, test } from "vitest";
import { answers, openBrowser, say, until } from "./support.ts";

test("row 60: a turn is explained step by step, replays, and shows the exact prompt", async (t) => {
  const place = await openBrowser(t);
  const { page, gateway } = place;
  gateway.model.replies(callsTool("list_dir", { path: "." }), says("Nothing there."));
  await say(page, "look around");
  await until(() => answers(page)).toEqual(["Nothing there."]);
  await page.locator(".item-foot").hover();
  await page.locator(".item-foot").getByRole("button", { name: "Message actions" }).click();
  await page.getByRole("menuitem", { name: "Explain this turn" }).click();
  await page.getByText("Replaying the journal gives exactly these steps").waitFor();
  await page.getByRole("heading", { name: "Judged a call and ran it" }).first().waitFor();
  await page.getByRole("button", { name: "Exact prompt" }).first().click();
  await page.getByRole("dialog").getByText("look around").first().waitFor();
  await page.keyboard.press("Escape");
  await page.getByRole("dialog").waitFor({ state: "detached" });
  await place.isClean();
});

test("row 60: a turn with a retry, an approval and a compaction is explained: each step with its reason, what the cache gave and why it missed", async (t) => {
  const place = await openBrowser(t, { config: { tools: { exec: { sandbox: "none" } } } });
  const { page, gateway } = place;
  for (const n of [1, 2, 3]) {
    gateway.model.replies(says(`answer ${n}`));
    await say(page, `message ${n}`);
    await until(async () => (await answers(page)).at(-1)).toBe(`answer ${n}`);
  }
  gateway.model.replies(
    fails(429, { error: { message: "slow down" } }, { "retry-after": "1" }),
    callsTool("exec", { command: "echo hi" }, { usage: { input: 4000, output: 10, cacheRead: 3000 } }),
    fails(400, { error: { message: "maximum context length is 10 tokens", code: "context_length_exceeded" } }),
    callsTool("save_memory", { history_entry: "They said three things.", memory_update: "- says three things" }),
    says("All done.", { usage: { input: 3000, output: 10, cacheRead: 0 } }),
  );
  await say(page, "run it");
  await page.getByRole("button", { name: "Allow once" }).click();
  await page.getByText("All done.").waitFor();
  await page.locator(".item-foot").last().hover();
  await page.getByRole("button", { name: "Message actions" }).last().click();
  await page.getByRole("menuitem", { name: "Explain this turn" }).click();
  await page.getByText("Replaying the journal gives exactly these steps").waitFor();
  const steps = page.locator(".explain-steps");
  await steps.getByText(/^The request failed \(provider\.rate-limited\); the next attempt is due at/).waitFor();
  await steps.getByText("The request before failed: attempt 2.").waitFor();
  await steps.getByText("The model answered and asks for exec.").waitFor();
  await steps.getByText("The model asked for exec: ask the policy.").waitFor();
  await steps.getByText(/^asked by the rule exec without sandbox/).waitFor();
  await steps.getByText("The policy allowed it: run exec.").first().waitFor();
  await steps.getByText("exec ended: ok.").waitFor();
  await steps.getByText("The provider refused the prompt as too long: compact it.").first().waitFor();
  await steps.getByText(/3k from the cache|3,000 from the cache/).waitFor();
  await steps.getByText("Not from the cache: epoch:compacted").waitFor();
  await place.isClean();
});

for (const look of [{}, { phone: true, theme: "dark", language: "zh-CN" }] as const)
  test(`row 60: the exact prompt is searched: each hit is counted, marked and reached, also where it is folded ${JSON.stringify(look)}`, async (t) => {
    const place = await openBrowser(t, look);
    const { page, gateway } = place;
    const zh = "language" in look;
    gateway.model.replies(says("A teapot."));
    await say(page, 'which "pot" is short\nand stout?');
    await until(() => answers(page)).toEqual(["A teapot."]);
    await gateway.app.agent.idle(); // a turn ends after its last word
    const { body } = await gateway.api("/sessions");
    const { id } = body.items[0] as { readonly id: string };
    const turns = await gateway.api(`/sessions/${id}/turns`);
    await page.goto(`${place.origin}/s/${id}?p=explain/${id}/${String(turns.body.items[0].id)}`);
    await page.getByRole("button", { name: zh ? "确切的提示" : "Exact prompt" }).click();
    const dialog = page.getByRole("dialog");
    const field = dialog.getByRole("searchbox");
    const count = dialog.getByRole("status");
    const marks = dialog.locator("mark.found");
    const current = dialog.locator("mark.found[aria-current]");
    await field.waitFor();
    await page.keyboard.press("Control+f");
    await until(() => field.evaluate((element) => element === document.activeElement)).toBe(true);

    await field.fill('WHICH "pot" is short');
    await until(() => marks.allInnerTexts()).toEqual([String.raw`which \"pot\" is short`]);
    await until(() => count.innerText()).toBe(zh ? "1 / 1" : "1 of 1");
    await until(() => current.count()).toBe(1);

    await field.fill("inputSchema that is nowhere");
    await until(() => count.innerText()).toBe(zh ? "未找到" : "not found");
    expect(await marks.count()).toBe(0);

    await field.fill("path"); // mostly among the tools, which are folded
    await until(() => marks.count()).toBeGreaterThan(1);
    const all = await marks.count();
    await until(() => count.innerText()).toBe(zh ? `1 / ${all}` : `1 of ${all}`);
    await field.press("Shift+Enter");
    await until(() => count.innerText()).toBe(zh ? `${all} / ${all}` : `${all} of ${all}`);
    const last = dialog.getByRole("region", { name: "json" }).last().locator("mark.found[aria-current]");
    await until(() => last.count()).toBe(1);
    const isSeen = (): Promise<boolean> =>
      last.evaluate((mark) => {
        const { left, top, width, height } = mark.getBoundingClientRect();
        return mark.contains(document.elementFromPoint(left + width / 2, top + height / 2));
      });
    await until(isSeen).toBe(true);
    await dialog.getByRole("button", { name: zh ? "下一个" : "Next" }).click();
    await until(() => count.innerText()).toBe(zh ? `1 / ${all}` : `1 of ${all}`);
    await place.isClean();
    await page.keyboard.press("Escape");
    await page.keyboard.press("Escape"); // chromium's search field takes the first to empty itself
    await dialog.waitFor({ state: "detached" });
    await place.isClean();
  });

for (const look of [{}, { phone: true, theme: "dark", language: "zh-CN" }] as const)
  test(`row 60: a step is compared with the same step of a branch: model, tokens, calls and answer, and what differs ${JSON.stringify(look)}`, async (t) => {
    const place = await openBrowser(t, look);
    const { page, gateway } = place;
    const zh = "language" in look;
    const usage = (output: number): { usage: { input: number; output: number; cacheRead: number } } => ({
      usage: { input: 900, output, cacheRead: 100 },
    });
    gateway.model.replies(callsTool("list_dir", { path: "." }, usage(20)), says("Nothing there.", usage(5)));
    await say(page, "look around");
    await until(() => answers(page)).toEqual(["Nothing there."]);
    await gateway.app.agent.idle(); // a turn ends after its last word
    const { body } = await gateway.api("/sessions");
    const { id } = body.items[0] as { readonly id: string };
    const turn = String((await gateway.api(`/sessions/${id}/turns`)).body.items[0].id);
    const address = `${place.origin}/s/${id}?p=explain/${id}/${turn}`;
    await page.goto(address);
    await page
      .getByRole("button", { name: zh ? "确切的提示" : "Exact prompt" })
      .first()
      .waitFor();
    expect(await page.getByRole("button", { name: zh ? "与分支比较" : "Compare with a branch" }).count()).toBe(0);

    gateway.model.replies(says("It is empty, I think.", usage(70)));
    const again = { method: "POST", body: { turn } };
    const branch = (await gateway.api(`/sessions/${id}/regenerate`, again)).body.session as string;
    await until(async () => (await gateway.api(`/sessions/${branch}/turns`)).body.items.length).toBe(1);
    await page.goto(address);
    await page
      .getByRole("button", { name: zh ? "与分支比较" : "Compare with a branch" })
      .first()
      .click();
    const dialog = page.getByRole("dialog");
    const fact = (name: string): Promise<string[]> =>
      dialog
        .locator("tbody")
        .filter({ has: page.locator("th", { hasText: name }) })
        .locator("th .badge, td")
        .allInnerTexts();
    const differs = zh ? "不同" : "differs";
    await until(() => fact(zh ? "回答" : "Answer")).toContain("It is empty, I think.");
    expect(await fact(zh ? "模型" : "Model")).toEqual(["mock/mock-model", "mock/mock-model"]);
    expect(await fact(zh ? "输出的词元" : "Tokens written")).toEqual([differs, "20", "70"]);
    expect(await fact(zh ? "来自缓存的词元" : "Tokens from the cache")).toEqual(["100", "100"]);
    const none = zh ? "无" : "none";
    expect(await fact(zh ? "工具调用" : "Tool calls")).toEqual([differs, 'list_dir {"path":"."}', none]);
    await place.isClean();
    await dialog.getByRole("button", { name: zh ? "打开分支" : "Open the branch" }).click();
    await until(() => new URL(page.url()).pathname).toBe(`/s/${branch}`);
    await place.isClean();

    await page.goto(address); // the second answer has no counterpart: that turn ended with its first
    await page
      .getByRole("button", { name: zh ? "与分支比较" : "Compare with a branch" })
      .nth(1)
      .click();
    await dialog.getByText(zh ? "该分支的这一轮没有对应的步骤。" : "The turn has no such step there.").waitFor();
    await place.isClean();
  });

test("row 60: of two answers the words are marked that the other does not have", async (t) => {
  const place = await openBrowser(t);
  const { page, gateway } = place;
  gateway.model.replies(says("The sky is blue today, I hear."));
  await say(page, "the weather?");
  await until(() => answers(page)).toEqual(["The sky is blue today, I hear."]);
  await gateway.app.agent.idle(); // a turn ends after its last word
  const { body } = await gateway.api("/sessions");
  const { id } = body.items[0] as { readonly id: string };
  const turn = String((await gateway.api(`/sessions/${id}/turns`)).body.items[0].id);
  gateway.model.replies(says("The sky is \u202egrey\u202c today, and wet."));
  const branch = (await gateway.api(`/sessions/${id}/regenerate`, { method: "POST", body: { turn } })).body.session;
  await until(async () => (await gateway.api(`/sessions/${branch}/turns`)).body.items.length).toBe(1);
  await page.goto(`${place.origin}/s/${id}?p=explain/${id}/${turn}`);
  await page.getByRole("button", { name: "Compare with a branch" }).first().click();
  const marks = page.getByRole("dialog").locator(".explain-answer mark:not(.hidden-char)");
  await until(() => marks.allInnerTexts()).toEqual(["blue", "I", "hear", "U+202EgreyU+202C", "and", "wet"]);
  await place.isClean();
});

test("while a helper works its line says at which step of how many it is, and what it took so far", async (t) => {
  const place = await openBrowser(t, { config: { subagents: { maxIterations: 7 } } });
  const { page, gateway } = place;
  const held = stalls({ rest: says("There are 12 beans.") });
  gateway.model.replies(
    callsTool("spawn", { task: "count the beans please", label: "beans", wait: true }),
    callsTool("list_dir", { path: "." }), // the helper
    held,
    says("Twelve."),
  );
  await say(page, "delegate");
  const line = page.locator(".subagent");
  await until(() => line.locator(".step").allInnerTexts()).toEqual([expect.stringMatching(/^step [12] of 7$/)]);
  await line.getByText(/^[\d.,]+K? tokens/).waitFor();
  held.release();
  await until(() => answers(page)).toEqual(["Twelve."]);
  await until(() => line.locator(".step").count()).toBe(0);
  await place.isClean();
});

test("row 30: a subagent's conversation opens beside the chat that made it", async (t) => {
  const place = await openBrowser(t);
  const { page, gateway } = place;
  gateway.model.route(
    (request) => JSON.stringify(request).includes("count the beans please"),
    says("There are 12 beans."),
  );
  gateway.model.replies(
    callsTool("spawn", { task: "count the beans please", label: "beans" }),
    says("I sent someone."),
  );
  await say(page, "delegate");
  await page
    .locator(".subagent")
    .getByText(/^[\d.,]+K? tokens/)
    .waitFor(); // a number without its unit says nothing
  expect(await page.locator(".subagent .step").count()).toBe(0); // it has ended
  await page.getByRole("button", { name: "Open its conversation" }).click();
  await page.locator(".transcript").getByText("count the beans please").first().waitFor();
  await until(() => page.locator("main .item.user").count()).toBeGreaterThan(0);
  expect(new URL(page.url()).search).toMatch(/^\?p=session\//);
  await place.isClean();
});
