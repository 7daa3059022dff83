// Answers that come late: what is shown is what was asked for last.
import { callsTool } from "@margay/core/testing";
import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { openBrowser, until } from "./support.ts";

test("a log that comes after another level was chosen neither takes its place nor ends the following", async (t) => {
  const place = await openBrowser(t);
  const { page, gateway } = place;
  const late: (() => void)[] = [];
  const held = { on: false };
  await page.route(/\/system\/logs\?level=info/, async (route) => {
    if (held.on)
      await new Promise<void>((resolve) => {
        late.push(resolve);
      });
    await route.continue();
  });
  await page.goto(`${gateway.url}/?p=system/logs`);
  const shown = page.getByText("No line fits.");
  await shown.waitFor();
  held.on = true;
  await until(() => late.length).toBe(1); // it follows
  const chosen = page.waitForResponse(/level=error/);
  await page.getByLabel("Level").selectOption("error");
  await (await chosen).finished();
  await shown.waitFor();
  const arrived = page.waitForResponse(/level=info/);
  for (const go of late) go();
  await (await arrived).finished();
  for (const _round of [1, 2]) await page.waitForRequest(/level=error/);
  expect(await shown.count()).toBe(1);
  await place.isClean();
});

test("a list that could not be read while the gateway was away is read as soon as it is back", async (t) => {
  const place = await openBrowser(t, { expected: ["Failed to load resource"] });
  const { page, gateway } = place;
  const line = await breakable(page);
  await page.route(/\/tools\/calls\?/, (route) => (line.down ? route.abort() : route.continue()));
  await page.goto(`${gateway.url}/?p=tools`);
  await page.getByRole("tab", { name: "History" }).click();
  const nothing = page.getByText("No call fits.");
  await nothing.waitFor();
  line.break();
  await page.getByText("Reconnecting…").waitFor();
  await page.getByLabel("Search arguments and messages").fill("heron");
  await nothing.waitFor({ state: "detached" });
  await page.locator(".panel").getByRole("alert").waitFor();
  line.down = false;
  await nothing.waitFor();
  await place.isClean();
});

test("what happened while the line was down is on the pages that were open", async (t) => {
  const place = await openBrowser(t, { config: { tools: { exec: { sandbox: "none" } } } });
  const { page, gateway } = place;
  const line = await breakable(page);
  await page.goto(`${gateway.url}/?p=approvals`);
  await page.getByText("Nothing waits for your approval.").waitFor();
  line.break();
  await page.getByText("Reconnecting…").waitFor();
  gateway.model.replies(callsTool("exec", { command: "echo ran" }));
  gateway.app.agent.send("web:elsewhere", "from another tab");
  await until(async () => (await gateway.app.agent.approvals()).length).toBe(1);
  line.down = false;
  await page.locator(".session .title").getByText("from another tab").waitFor();
  await page.locator(".panel .approval").getByText("echo ran").waitFor();
  await place.isClean();
});

test("what happens after a list was read and before its changes are told is not missed", async (t) => {
  const place = await openBrowser(t, { config: { tools: { exec: { sandbox: "none" } } } });
  const { page, gateway } = place;
  const held: (() => void)[] = [];
  await page.routeWebSocket(/\/ws$/, (socket) => {
    const server = socket.connectToServer();
    socket.onMessage((frame) => {
      if (/"type":"subscribe"/.test(String(frame))) held.push(() => server.send(frame));
      else server.send(frame);
    });
  });
  const open = async (): Promise<void> => {
    await page.goto(`${gateway.url}/?p=approvals`);
    await until(() => held.length).toBe(4); // chats, approvals, what is spent, the state of everything
    await page.locator('.panel [data-page="approvals"]').waitFor();
  };
  const begin = (): void => {
    for (const send of held.splice(0)) send();
  };
  await open();
  // The list of chats is read when its changes are told, and not before.
  await page.getByText("Nothing waits for your approval.").waitFor();
  gateway.model.replies(callsTool("exec", { command: "echo ran" }));
  gateway.app.agent.send("web:elsewhere", "from another tab");
  await until(async () => (await gateway.app.agent.approvals()).length).toBe(1);
  begin();
  await page.locator(".session .title").getByText("from another tab").waitFor();
  await page.locator(".panel .approval").getByText("echo ran").waitFor();
  await open();
  await page.locator(".panel .approval").getByText("echo ran").waitFor();
  await gateway.api("/estop", { method: "PUT", body: { on: true } });
  begin();
  await page.locator(".banner").getByText("The emergency stop is on").waitFor();
  await place.isClean();
});

test("a page that is closed takes no news from the rest of the window", async (t) => {
  const place = await openBrowser(t);
  const { page, gateway } = place;
  await page.goto(`${gateway.url}/?p=security`);
  await page.getByRole("button", { name: "Stop everything" }).waitFor();
  await page.keyboard.press("Escape");
  await page.locator(".panel").waitFor({ state: "detached" });
  await gateway.api("/estop", { method: "PUT", body: { on: true } });
  await page.locator(".banner").getByText("The emergency stop is on").waitFor();
  await place.isClean();
});

test("a list that was asked for first and comes last takes nothing away", async (t) => {
  const place = await openBrowser(t, { config: { tools: { exec: { sandbox: "none" } } } });
  const { page, gateway } = place;
  const late: (() => void)[] = [];
  for (const list of [/\/approvals\?state=pending/, /\/sessions\?(?!standing).*limit=/])
    await page.route(
      list,
      async (route) => {
        const response = await route.fetch(); // as it was then
        await new Promise<void>((resolve) => {
          late.push(resolve);
        });
        await route.fulfill({ response });
      },
      { times: 1 },
    );
  const arrived = Promise.all(
    [/\/approvals\?state=pending/, /\/sessions\?(?!standing).*limit=/].map((one) => first(page, one)),
  );
  await page.goto(`${gateway.url}/?p=approvals`);
  await until(() => late.length).toBe(2);
  gateway.model.replies(callsTool("exec", { command: "echo ran" }));
  gateway.app.agent.send("web:elsewhere", "from another tab");
  const title = page.locator(".session .title").getByText("from another tab");
  const card = page.locator(".panel .approval").getByText("echo ran");
  await card.waitFor();
  for (const go of late) go();
  await arrived;
  await title.waitFor();
  await page.evaluate(async () => {
    for (const _frame of [1, 2, 3]) await new Promise((resolve) => requestAnimationFrame(resolve));
  });
  expect([await title.count(), await card.count()]).toEqual([1, 1]);
  await place.isClean();
});

/** From the next load of the page on. While it is `down`, no connection is made; `break` takes it down. */
async function breakable(page: Page): Promise<{ down: boolean; break(): void }> {
  let cut = (): void => undefined;
  const line = {
    down: false,
    break: () => {
      line.down = true;
      cut();
    },
  };
  await page.routeWebSocket(/\/ws$/, (socket) => {
    if (line.down) return void socket.close();
    socket.connectToServer();
    cut = () => void socket.close();
  });
  return line;
}

/** The end of the answer to the first request that fits. */
async function first(page: Page, url: RegExp): Promise<void> {
  const request = await page.waitForRequest(url);
  await (await request.response())?.finished();
}
