// Approvals as a person meets them: buttons that wait, tabs that agree, rules that are kept and taken back.
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { systemClock } from "@margay/core/internal";
import { callsTool, says } from "@margay/core/testing";
import { stalls } from "@margay/core/internal/testing";
import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { approveNew, fakeServer } from "../mcp/support.ts";
import { answers, holdEvents, openBrowser, say, until, type BrowserOptions, type BrowserPlace } from "./support.ts";

const ASKS: BrowserOptions = { config: { tools: { exec: { sandbox: "none" } } } };
const COUNT = { command: "echo ran >> count" };

function ran({ gateway }: BrowserPlace): string {
  try {
    return readFileSync(join(gateway.workspace, "count"), "utf8");
  } catch {
    return ""; // it did not run yet
  }
}

test("row 33: neither Enter nor a held Y allows anything, as the card appears and after", async (t) => {
  const place = await openBrowser(t, ASKS);
  const { page, gateway } = place;
  gateway.model.replies(callsTool("exec", COUNT), says("I will not."));
  await page.evaluate(() => {
    const watcher = new MutationObserver(() => {
      const appeared = document.querySelector<HTMLElement>(".approval");
      if (appeared === null) return;
      watcher.disconnect();
      for (const key of ["y", "Enter"]) appeared.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true }));
      appeared.querySelector<HTMLElement>(".primary")?.click(); // sooner than a person can
    });
    watcher.observe(document.body, { childList: true, subtree: true });
  });
  await say(page, "run");
  await page.keyboard.press("Enter");
  await page.locator(".item.user").waitFor();
  await page.keyboard.down("y"); // held from before
  const card = page.locator(".approval");
  await card.waitFor();
  await card.focus();
  const allow = card.getByRole("button", { name: "Allow once" });
  await until(() => allow.isEnabled()).toBe(true);
  for (let repeat = 0; repeat < 5; repeat++) await page.keyboard.down("y"); // held: the browser repeats it
  await page.keyboard.up("y");
  await page.locator("#composer").fill("");
  await page.locator("#composer").press("Enter");
  expect((await gateway.api("/approvals")).body.items).toHaveLength(1);
  expect(ran(place)).toBe("");
  await place.isClean();
  await page.keyboard.press("Alt+a");
  await page.keyboard.press("n");
  await page.getByLabel("Reason for the model (optional)").press("Enter");
  await until(() => answers(page)).toEqual(["I will not."]);
  await place.isClean();
});

test("row 34: an approval settled in one tab says so in the other, with who", async (t) => {
  const place = await openBrowser(t, ASKS);
  const { page, gateway } = place;
  gateway.model.replies(callsTool("exec", COUNT), says("done"));
  await say(page, "run");
  await page.locator(".approval").waitFor();
  const other = await place.tab(new URL(page.url()).pathname);
  await other.locator(".approval").waitFor();
  await other.getByRole("button", { name: "Deny", exact: true }).click();
  await page.locator(".approval").waitFor({ state: "detached" });
  for (const tab of [page, other]) {
    await until(() => answers(tab)).toEqual(["done"]);
    await tab.locator(".call.denied").getByText("Denied by you").waitFor();
  }
  await place.isClean();
});

test("row 34: an approval that nobody answers ends as one in both tabs, and the turn goes on", async (t) => {
  const place = await openBrowser(t, { config: { ...ASKS.config, policy: { approvalTimeoutSeconds: 10 } } });
  const { page, gateway } = place;
  gateway.model.replies(callsTool("exec", COUNT), says("Then not."));
  await say(page, "run");
  await page.locator(".approval").waitFor();
  const other = await place.tab(new URL(page.url()).pathname);
  await other.locator(".approval").waitFor();
  for (const tab of [page, other]) {
    await until(() => answers(tab)).toEqual(["Then not."]);
    await tab.locator(".approval").waitFor({ state: "detached" });
    await tab.locator(".call").getByText("Not answered in time").waitFor();
  }
  expect(gateway.model.requests[1]?.toolResults[0]?.text).toBe("Denied: nobody answered within 10 s.");
  expect(ran(place)).toBe("");
  await place.isClean();
});

test("a yes for this chat is asked about once; a call that differs is asked about again", async (t) => {
  const place = await openBrowser(t, { ...ASKS, phone: true, theme: "dark", language: "zh-CN" });
  const { page, gateway } = place;
  gateway.model.replies(callsTool("exec", COUNT), says("one"), callsTool("exec", COUNT), says("two"));
  await say(page, "run");
  const card = page.locator(".approval");
  await card.getByText("此处的命令不在沙箱中运行。").waitFor();
  await card.getByText(gateway.workspace).waitFor();
  await place.isClean();
  await card.getByRole("button", { name: "在此对话中允许" }).click();
  await until(() => answers(page)).toEqual(["one"]);
  await say(page, "again");
  await until(() => answers(page)).toEqual(["one", "two"]);
  expect(ran(place)).toBe("ran\nran\n");
  gateway.model.replies(callsTool("exec", { command: "echo ran >> count2" }), says("three"));
  await say(page, "other");
  await card.waitFor();
  await place.isClean();
});

test("row 35: Always allow shows the rule and asks for a proof; the rule is listed, and asks again once it is removed", async (t) => {
  const machine = systemClock();
  let later = 0;
  const clock = { ...machine, now: () => machine.now() + later };
  const place = await openBrowser(t, { ...ASKS, clock, expected: ["status of 403"] });
  const { page, gateway } = place;
  later = 11 * 60_000; // the proof of the login is over
  await page.reload();
  gateway.model.replies(callsTool("exec", COUNT), says("one"), callsTool("exec", COUNT), says("two"));
  await say(page, "run");
  const card = page.locator(".approval");
  await card.getByRole("button", { name: "Always allow…" }).click();
  await card.getByText("This rule is saved for all chats").waitFor();
  expect(await card.getByRole("region", { name: "This rule is saved for all chats" }).innerText()).toBe(
    `exec: echo ran >> count\n(in ${gateway.workspace})`,
  );
  await place.isClean();
  await card.getByRole("button", { name: "Save and allow" }).click();
  const proof = page.getByRole("dialog");
  await proof.waitFor();
  expect((await gateway.api("/policy/rules")).body).toEqual([]);
  await proof.getByRole("textbox").fill(gateway.gateway.auth.codes.mint("confirm").code);
  await proof.getByRole("button", { name: "Confirm" }).click();
  await until(() => answers(page)).toEqual(["one"]);
  await page.getByRole("button", { name: "New chat" }).first().click();
  await say(page, "in another chat");
  await until(() => answers(page)).toEqual(["two"]);
  expect(ran(place)).toBe("ran\nran\n");
  await page.goto(`${gateway.url}/?p=approvals`);
  await page.getByRole("tab", { name: "Saved rules" }).click();
  const rule = page.getByRole("row", { name: /echo ran/ });
  await rule.getByText(/allowed by user/).waitFor();
  await place.isClean();
  await rule.getByRole("button", { name: "Remove" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Remove" }).click();
  await until(() => rule.count()).toBe(0);
  gateway.model.replies(callsTool("exec", COUNT), says("three"));
  await say(page, "once more");
  await card.waitFor();
  await place.isClean();
});

test("a script that changes after it was shown: the card says so and shows the call again", async (t) => {
  const place = await openBrowser(t, { ...ASKS, expected: ["status of 412"] });
  const { page, gateway } = place;
  const line = await holdEvents(page);
  const script = join(gateway.workspace, "job.sh");
  writeFileSync(script, "echo good > out");
  gateway.model.replies(callsTool("exec", { command: "sh job.sh" }), says("done"));
  await say(page, "run");
  const allow = page.locator(".approval").getByRole("button", { name: "Allow once" });
  await until(() => allow.isEnabled()).toBe(true);
  line.hold();
  writeFileSync(script, "echo bad > out");
  await allow.click();
  await page.getByText("The call changed: look again.").waitFor();
  expect(await allow.isDisabled()).toBe(true); // what it is now has not arrived
  expect(existsSync(join(gateway.workspace, "out"))).toBe(false);
  line.release();
  await until(() => allow.isEnabled()).toBe(true);
  await allow.click();
  await until(() => answers(page)).toEqual(["done"]);
  await place.isClean();
});

test("row 28: a tool that fails twice and then works says so", async (t) => {
  const fake = fakeServer({ tools: [{ name: "slow_twice", annotations: { readOnlyHint: true } }] });
  const place = await openBrowser(t, {
    config: { mcp: { callTimeoutSeconds: 1 }, mcpServers: { fake: fake.config } },
  });
  const { page, gateway } = place;
  await approveNew(gateway.app);
  gateway.model.replies(callsTool("mcp_fake_slow_twice", {}), says("It answered."));
  await say(page, "ask it");
  await until(() => answers(page)).toEqual(["It answered."]);
  const call = page.locator(".call.ok");
  await call.getByText("retried 2 of 3").waitFor();
  await page.reload();
  await call.getByText("retried 2 of 3").waitFor();
  await place.isClean();
});

test("row 68: a tab in the background is told without content, gets no deltas, and is complete on return", async (t) => {
  const place = await openBrowser(t, ASKS);
  const { page, gateway } = place;
  await place.context.grantPermissions(["notifications"], { origin: gateway.url });
  await page.addInitScript(() => {
    const shown: unknown[] = [];
    class Notification extends EventTarget {
      static readonly permission = "granted";
      static requestPermission = (): Promise<string> => Promise.resolve("granted");
      constructor(title: string, options: object) {
        super();
        shown.push({ title, ...options });
      }
    }
    Object.assign(window, { Notification, shown });
  });
  const live: string[] = [];
  page.on("websocket", (socket) => {
    socket.on("framereceived", ({ payload }) => {
      if (String(payload).startsWith('{"type":"live"')) live.push(String(payload));
    });
  });
  await page.goto(`${gateway.url}/?p=settings/browser`);
  await page.getByLabel(/^Notify me/).check();
  await place.isClean();
  await page.goto(gateway.url);
  const long = stalls({ after: "A secret plan", rest: callsTool("exec", COUNT) });
  gateway.model.replies(long, says("and its end"));
  await say(page, "secret words");
  await until(() => answers(page)).toEqual(["A secret plan"]);
  await look(page, "hidden");
  long.release();
  const notes = (): Promise<unknown> => page.evaluate(() => (window as unknown as { shown: unknown }).shown);
  await until(notes).toEqual([{ title: "margay", body: "A call waits for your yes.", tag: "approval" }]);
  await until(() => page.title()).toMatch(/^\(1\)/);
  const [asked] = (await gateway.api("/approvals")).body.items;
  const before = live.length;
  await gateway.api(`/sessions/${asked.session}/approvals/${asked.call}`, {
    method: "POST",
    body: { verdict: "allow", hash: asked.hash },
  });
  await until(() => gateway.model.requests.length).toBe(2);
  await gateway.app.agent.idle();
  await until(notes).toContainEqual({ title: "margay", body: "A turn is finished.", tag: "finished" });
  expect(JSON.stringify(await notes())).not.toMatch(/secret|count/);
  expect(live.length).toBe(before);
  await until(() => page.title()).toMatch(/^\(1\)/);
  await look(page, "visible");
  await until(() => answers(page)).toEqual(["A secret plan", "and its end"]);
  await until(() => page.title()).not.toMatch(/^\(/);
  await place.isClean();
});

/** What the browser says when another tab is in front, and when this one is again. */
async function look(page: Page, state: "hidden" | "visible"): Promise<void> {
  await page.evaluate((value) => {
    Object.defineProperty(document, "visibilityState", { value, configurable: true });
    document.dispatchEvent(new Event("visibilitychange"));
  }, state);
}
