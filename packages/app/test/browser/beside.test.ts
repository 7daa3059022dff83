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
  await page.getByRole("button", { name: "Message actions" }).click();
  await page.getByRole("menuitem", { name: "Explain this turn" }).click();
  await page.getByText("Replaying the journal gives exactly these steps").waitFor();
  await page.getByRole("heading", { name: "Ran a tool" }).first().waitFor();
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
  await page.getByRole("button", { name: "Open its conversation" }).click();
  await page.locator(".transcript").getByText("count the beans please").first().waitFor();
  await until(() => page.locator("main .item.user").count()).toBeGreaterThan(0);
  expect(new URL(page.url()).search).toMatch(/^\?p=session\//);
  await place.isClean();
});
