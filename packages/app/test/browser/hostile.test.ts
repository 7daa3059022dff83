// Row 21: hostile text from every place it can come from is drawn as text, wherever it is shown.
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { callsTool, says } from "@margay/core/testing";
import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { approveNew, fakeServer } from "../mcp/support.ts";
import { answers, openBrowser, say, until, type BrowserOptions, type BrowserPlace } from "./support.ts";

/** On one line, as a name or a title is. */
const LINE = '<img src=x onerror="window.hit=1"><script>window.hit=2</script><svg onload="window.hit=3">';
const HOSTILE = [
  LINE,
  "[click](javascript:window.hit=4) [data](data:text/html,<script>window.hit=5</script>)",
  "![pixel](https://tracker.example/p.png)",
  '<iframe src="https://evil.example"></iframe><style>body{display:none}</style>',
].join("\n\n");
/** Of a file name: it can't hold a slash. */
const NAME = '<img src=x onerror="window.hit=1">.txt';

interface Origin {
  /** Made by each test: servers end with it. */
  readonly options?: () => BrowserOptions;
  /** Makes it, and goes where it is shown. */
  readonly show: (place: BrowserPlace) => Promise<void>;
  /** Text that a person must see as it is. */
  readonly seen?: string;
}

const ORIGINS: Readonly<Record<string, Origin>> = {
  "a tool result": {
    options: () => file("evil.md", HOSTILE),
    show: async ({ page, gateway }) => {
      gateway.model.replies(callsTool("read_file", { path: "evil.md" }), says("read"));
      await say(page, "read it");
      await openCall(page, "read");
    },
  },
  "a result of an MCP server": {
    options: () => ({
      config: {
        mcpServers: { fake: { ...fakeServer().config } },
        policy: { rules: [{ tool: "mcp_*", action: "allow" }] },
      },
    }),
    show: async ({ page, gateway }) => {
      await approveNew(gateway.app);
      gateway.model.replies(callsTool("mcp_fake_echo", { text: HOSTILE }), says("echoed"));
      await say(page, "echo it");
      await openCall(page, "echoed");
    },
  },
  "a file name": {
    options: () => file(NAME, "nothing in it"),
    seen: NAME,
    show: async ({ page, gateway }) => {
      await page.goto(`${gateway.url}/?p=files`);
      await page.locator(".panel").getByText(NAME).click();
      await page.locator(".panel").getByText("nothing in it").waitFor();
    },
  },
  "the name of an attachment": {
    seen: NAME,
    show: async ({ page }) => {
      const chooser = page.waitForEvent("filechooser");
      await page.getByRole("button", { name: "Attach files" }).click();
      await (await chooser).setFiles({ name: NAME, mimeType: "text/html", buffer: Buffer.from(HOSTILE) });
      await page.locator(".attachments .chip.ready").waitFor();
      await say(page, "look at it");
      await until(() => answers(page)).toEqual(["ok"]);
      await page.locator(".bubble .chip").getByText(NAME).waitFor();
    },
  },
  "the title of a session": {
    show: async ({ page }) => {
      await say(page, "hello");
      await until(() => answers(page)).toEqual(["ok"]);
      await page.locator(".chat-title button").click();
      await page.getByLabel("Title").fill(LINE);
      await page.getByLabel("Title").press("Enter");
      await until(() => page.locator(".session .title").innerText()).toBe(LINE);
    },
  },
  "the name of a sender in a chat app": {
    options: () => ({ config: { channels: { webhook: { enabled: false, allowFrom: ["ada"] } } } }),
    show: async ({ page, gateway }) => {
      await gateway.app.agent.bus.accept({
        key: "m1",
        origin: { channel: "webhook", chat: "room" },
        from: { id: "ada", kind: "person", name: LINE },
        parts: [{ type: "text", text: HOSTILE }],
      });
      await gateway.app.agent.idle();
      await page.locator(".session a").first().click();
      await page.locator(".bubble .who").waitFor();
    },
  },
  "the memory": {
    options: () => file("memory/MEMORY.md", `# Facts\n\n${HOSTILE}\n`),
    show: async ({ page, gateway }) => {
      await page.goto(`${gateway.url}/?p=memory/MEMORY.md`);
      await page.getByRole("tab", { name: "Preview" }).click();
      await page.locator(".panel .md").waitFor();
    },
  },
  "a skill": {
    options: () =>
      file("skills/evil/SKILL.md", `---\nname: evil\ndescription: ${JSON.stringify(LINE)}\n---\n\n${HOSTILE}\n`),
    show: async ({ page, gateway }) => {
      await page.goto(`${gateway.url}/?p=skills/evil`);
      await page.locator(".panel").getByText("window.hit=1").first().waitFor();
    },
  },
  "the text of a job": {
    show: async ({ page, gateway }) => {
      await say(page, "hello");
      await until(() => answers(page)).toEqual(["ok"]);
      const { channel, chat } = (await gateway.api("/sessions")).body.items[0];
      const trigger = { kind: "cron", expression: "0 9 * * *", timeZone: "UTC" };
      const made = await gateway.api("/cron/jobs", {
        method: "POST",
        body: { name: LINE, trigger, message: HOSTILE, target: { channel, chat } },
      });
      expect(made.status).toBe(201);
      await page.goto(`${gateway.url}/?p=cron`);
      await page.locator("[data-job]").waitFor();
    },
  },
  "an entry of the audit": {
    options: () => file("a.txt", "a"),
    show: async ({ page, gateway }) => {
      gateway.model.replies(callsTool("search_files", { pattern: LINE, path: "." }), says("searched"));
      await say(page, LINE);
      await until(() => answers(page)).toContain("searched");
      await page.goto(`${gateway.url}/?p=audit`);
      await page.locator(".panel").getByText("search_files").first().click();
      await page.locator(".panel").getByText("window.hit=1").first().waitFor();
    },
  },
};

test.for(Object.entries(ORIGINS))("R401 UI9 row 21: hostile text in %s is drawn as text", async ([, origin], t) => {
  const { options, show, seen = 'onerror="window.hit=1"' } = origin;
  // The title is made at the end of the first turn; a file that is no picture is not fetched.
  const place = await openBrowser(t, { ...options?.(), expected: ["412"] });
  const { page } = place;
  await show(place);
  const shown = page.locator("body");
  await until(() => shown.innerText()).toContain(seen);
  const made = "img[src='x'], img[src^='http'], body script:not([src]), iframe, svg[onload], body style, [onerror]";
  expect(await page.locator(made).count()).toBe(0);
  expect(await page.locator('a[href^="javascript:" i], a[href^="data:" i]').count()).toBe(0);
  expect(await page.evaluate(() => (window as { hit?: number }).hit)).toBeUndefined();
  await place.isClean();
  await page.reload();
  await page.locator("#composer").waitFor();
  expect(await page.evaluate(() => (window as { hit?: number }).hit)).toBeUndefined();
});

/** A file of the workspace, there before the first start. */
function file(path: string, text: string): BrowserOptions {
  return {
    prepare: ({ workspace }) => {
      mkdirSync(dirname(join(workspace, path)), { recursive: true });
      writeFileSync(join(workspace, path), text);
    },
  };
}

/** Folded once it is done. */
async function openCall(page: Page, answer: string): Promise<void> {
  await until(async () => (await answers(page)).at(-1)).toBe(answer);
  const head = page.locator(".call .call-head").first();
  await head.click();
  await page.locator(".call").getByText("window.hit=1").first().waitFor();
}
