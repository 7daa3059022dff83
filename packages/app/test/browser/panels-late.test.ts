// Answers that come late: what is shown is what was asked for last.
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
  const line = { down: false, cut: () => {} };
  await page.routeWebSocket(/\/ws$/, (socket) => {
    if (line.down) return void socket.close();
    socket.connectToServer();
    line.cut = () => void socket.close();
  });
  await page.route(/\/tools\/calls\?/, (route) => (line.down ? route.abort() : route.continue()));
  await page.goto(`${gateway.url}/?p=tools`);
  await page.getByRole("tab", { name: "History" }).click();
  const nothing = page.getByText("No call fits.");
  await nothing.waitFor();
  line.down = true;
  line.cut();
  await page.getByText("Reconnecting…").waitFor();
  await page.getByLabel("Search arguments and messages").fill("heron");
  await nothing.waitFor({ state: "detached" });
  await page.locator(".panel").getByRole("alert").waitFor();
  line.down = false;
  await nothing.waitFor();
  await place.isClean();
});
