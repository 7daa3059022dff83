// What margay is connected to, set up in the browser: channels with the people behind them, MCP servers.
import { says } from "@margay/core/testing";
import { expect, test } from "vitest";
import { SECRET, startReceiver } from "../channels/support.ts";
import { fakeServer } from "../mcp/support.ts";
import { openBrowser, until } from "./support.ts";

test("row 53: a channel is tested and saved; a stranger's request is approved and the next message admitted", async (t) => {
  const receiver = await startReceiver();
  t.onTestFinished(async () => receiver[Symbol.asyncDispose]());
  const place = await openBrowser(t);
  const { page, gateway } = place;
  await page.goto(`${gateway.url}/?p=channels/webhook`);
  await page.getByText("Choose a long random secret").waitFor();
  await page.getByLabel("secret").fill(SECRET);
  await page.getByLabel("url").fill(receiver.url);
  await page.getByRole("button", { name: "Test" }).click();
  await page.locator(".p-test li").first().waitFor();
  await page.getByRole("button", { name: "Save" }).click();
  await until(async () => (await gateway.api("/channels")).body.length).toBe(1);
  expect(await page.content()).not.toContain(SECRET);

  const write = (text: string): Promise<unknown> =>
    gateway.app.agent.bus.accept({
      key: text,
      origin: { channel: "webhook", chat: "ada" },
      from: { id: "ada", kind: "person", name: "Ada" },
      parts: [{ type: "text", text }],
      private: true,
    });
  await write("let me in");
  const request = page.locator("[data-code]");
  await page.reload();
  await request.getByText("Ada on webhook").waitFor();
  await request.getByText("let me in").waitFor();
  gateway.model.replies(says("Hello Ada."));
  await request.getByRole("button", { name: "Approve", exact: true }).click();
  await until(() => request.count()).toBe(0);
  await write("hello again");
  await until(async () => (await gateway.api("/sessions?source=channel")).body.items.length).toBe(1);
  await page.goto(`${gateway.url}/?p=channels`);
  await page.getByRole("tab", { name: "People" }).click();
  await page.getByRole("row", { name: /ada.*webhook/i }).waitFor();
  await place.isClean();
});

test("row 56: a program is added only after its exact command was confirmed, tested, then saved", async (t) => {
  const place = await openBrowser(t);
  const { page, gateway } = place;
  const { command, args } = fakeServer().config as { readonly command: string; readonly args: readonly string[] };
  await page.goto(`${gateway.url}/?p=mcp/~new`);
  await page.getByLabel("Name").fill("fake");
  await page.getByLabel("Program").fill(command);
  await page.getByLabel("Arguments, one per line").fill(args.join("\n"));
  const test = page.getByRole("button", { name: "Test" });
  expect(await test.isDisabled()).toBe(true);
  expect(await page.locator(".note-box pre").innerText()).toBe([command, ...args].join(" "));
  await page.getByLabel("I want this program to run").check();
  await test.click();
  await page.getByText("The server works.").waitFor();
  await page.locator(".panel li", { hasText: "echo" }).first().waitFor();
  expect((await gateway.api("/mcp/servers")).body).toEqual([]);
  await page.getByRole("button", { name: "Save" }).click();
  await until(async () => (await gateway.api("/mcp/servers")).body.length).toBe(1);
  await page.goto(`${gateway.url}/?p=mcp`);
  await page.locator('[data-server="fake"]').waitFor();
  await place.isClean();
});
