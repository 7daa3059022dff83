// Every address of the UI with something on it, for what is held true on all of them.
import { callsTool, says } from "@margay/core/testing";
import type { Page } from "playwright-core";
import { expect } from "vitest";
import { say, until, type BrowserPlace } from "./support.ts";

/** Of the panel. */
export const ADDRESSES: readonly string[] =
  "approvals notifications tasks cron cron/new heartbeat memory memory/MEMORY.md memory/USER.md skills skills/cron personas presets channels channels/webhook channels/~new/telegram mcp models tools usage security audit system settings settings/assistant settings/safety settings/notifications settings/limits settings/machine settings/browser settings/profile settings/everything files help".split(
    " ",
  );

/** A chat with an answer and a call that waits, a job, a memory: pages are looked at with something on them. */
export async function seedPages({ page, gateway }: BrowserPlace): Promise<{ session: string; turn: string }> {
  gateway.model.replies(
    says("**Done.** See `main.ts`:\n\n```ts\nconst a = 1;\n```\n\n| a | b |\n|---|---|\n| 1 | 2 |\n"),
    callsTool("exec", { command: "echo waits" }),
  );
  await say(page, "hello");
  await page.locator(".item.assistant table").waitFor();
  await gateway.app.agent.idle(); // a turn ends after its last word
  const { body: sessions } = await gateway.api("/sessions");
  const { id: session, channel, chat } = sessions.items[0];
  const { body: turns } = await gateway.api(`/sessions/${String(session)}/turns`);
  const memory = await gateway.api("/memory/files/MEMORY.md");
  await gateway.api("/memory/files/MEMORY.md", {
    method: "PUT",
    body: { text: "# Facts\n- likes tea\n" },
    headers: { "if-match": `"${String(memory.body.hash)}"` },
  });
  const job = await gateway.api("/cron/jobs", {
    method: "POST",
    body: {
      name: "Weekly",
      mode: "agent",
      message: "Plan the week",
      trigger: { kind: "cron", expression: "30 8 * * 1-5", timeZone: "Europe/Berlin" },
      target: { channel, chat },
    },
  });
  expect(job.status).toBeLessThan(300);
  await gateway.app.inside.notifications.add({ id: "1", kind: "result", session: "heartbeat" });
  await gateway.app.inside.notifications.add({ id: "2", kind: "paused", session: `cron:${job.body.id}` });
  await say(page, "run it");
  await page.locator(".approval").waitFor();
  return { session: String(session), turn: String(turns.items[0].turn ?? turns.items[0].id) };
}

/** As a link within the page does; ready when it stands. */
export async function openPage(page: Page, address: string): Promise<void> {
  await page.evaluate((panel) => {
    history.pushState(null, "", `${location.pathname}?p=${panel}`);
    dispatchEvent(new PopStateEvent("popstate"));
  }, address);
  const [id = ""] = address.split("/");
  const shown = ["explain", "session", "share"].includes(id) ? ".panel-body > *" : `.panel [data-page="${id}"]`;
  await page.locator(shown).first().waitFor();
  await until(() => page.locator(".panel .skeleton").count()).toBe(0);
}

/** What opens over the chat: palette, list, menus, the breakdown of the context. */
export async function throughLayers(page: Page, check: (what: string) => Promise<void>): Promise<void> {
  const layers = [
    ["palette", "Control+k", ".palette [role=option]"],
    ["list", "Control+Shift+F", ".shell:not(.no-list) > .side"],
    ["context", ".context-ring", "dialog .context-table"],
    ["persona", ".persona-chip", ".menu [role=menuitemradio]:nth-of-type(3)"],
    ["menu of the chat", ".chat-head > .menu-anchor > button", ".menu [role=menuitem]"],
  ] as const;
  for (const [what, how, shown] of layers) {
    if (how.startsWith(".")) await page.locator(how).click();
    else await page.keyboard.press(how);
    await page.locator(shown).first().waitFor();
    await check(what);
    await page.keyboard.press("Escape");
    if (what !== "list") await page.locator(shown).first().waitFor({ state: "detached" });
  }
}
