// What draws messages is fetched after the first picture: until it is there one can type, and without it nothing is lost.
import { says } from "@margay/core/testing";
import { expect, test } from "vitest";
import { openBrowser, say, until } from "./support.ts";

const PARSER = /\/assets\/markdown-view-[\w-]{8}\.js$/;

test("before the part that reads Markdown is there one can type; then the chat stands as it stays", async (t) => {
  const place = await openBrowser(t);
  const { page, gateway } = place;
  gateway.model.replies(says("| a | b |\n| - | - |\n| 1 | 2 |\n\n**done**"));
  await say(page, "a table");
  await page.locator(".item-foot").waitFor({ state: "attached" });
  const held = Promise.withResolvers<undefined>();
  await page.route(PARSER, async (route) => {
    await held.promise;
    await route.continue();
  });
  await page.reload();
  await page.locator("#composer").fill("typed meanwhile");
  await page.locator('.feed[aria-busy="true"]').waitFor();
  expect(await page.locator(".feed-row").count()).toBe(0);
  held.resolve(undefined);
  await page.locator(".md table").waitFor();
  expect(await page.locator(".md strong").innerText()).toBe("done");
  expect(await page.locator("#composer").inputValue()).toBe("typed meanwhile");
  await place.isClean();
});

test("a part that reads Markdown which cannot be fetched leaves the messages as they were written", async (t) => {
  const place = await openBrowser(t, { expected: ["Failed to load resource"] });
  const { page, gateway } = place;
  gateway.model.replies(says("**done**"));
  await say(page, "once");
  await page.locator(".item-foot").waitFor({ state: "attached" });
  await page.route(PARSER, (route) => route.abort());
  await page.reload();
  await until(() => page.locator(".md .as-written").innerText()).toBe("**done**");
  await page.locator('.feed[aria-busy="false"]').waitFor();
  await place.isClean();
});
