import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { answers, openBrowser, say, until } from "./support.ts";

test("row 1: the printed link opens the chat, its code is gone from the address, and works once", async (t) => {
  const place = await openBrowser(t, { expected: ["410"] });
  const { page, context, gateway } = place;
  expect(new URL(page.url()).hash).toBe("");
  const link = place.loginLink();
  const other = await context.browser()?.newContext();
  const first = await other?.newPage();
  await first?.goto(link);
  await first?.locator("#composer").waitFor();
  const again = await (await context.browser()?.newContext())?.newPage();
  await again?.goto(link);
  await again?.getByRole("heading", { name: "This link was already used" }).waitFor();
  await again?.getByText("margay open", { exact: true }).waitFor();
  expect(again?.url()).toBe(`${gateway.url}/`);
  await place.isClean(again);
});

test("row 2: the cookie alone opens nothing", async (t) => {
  const place = await openBrowser(t, { expected: ["401"] });
  const { context, gateway } = place;
  const thief = await context.browser()?.newContext();
  await thief?.addCookies(await context.cookies());
  const page = await thief?.newPage();
  await page?.goto(gateway.url);
  await page?.getByRole("heading", { name: "Log in to margay" }).waitFor();
  expect(await page?.evaluate(async () => (await fetch("/api/v1/sessions")).status)).toBe(401);
  await place.isClean(page);
});

test("row 5: a logout in one tab is seen in the other, the draft is kept, and a new login goes on there", async (t) => {
  const place = await openBrowser(t, { expected: ["401", "WebSocket"] });
  const { page, gateway } = place;
  await say(page, "hello");
  await until(() => answers(page)).toContain("ok");
  const other = await place.tab(new URL(page.url()).pathname);
  await page.locator("#composer").fill("half a thought");
  await other.evaluate(() => sessionStorage.setItem("margay.outgoing.a", "[]"));
  await other.getByRole("button", { name: "Appearance and language" }).click();
  // The other tab keeps its draft when this one goes: only what this tab stored is cleared.
  await other.getByRole("menuitem", { name: "Log out" }).click();
  await other.getByRole("heading", { name: "Log in to margay" }).waitFor();
  expect(await other.evaluate(() => Object.keys(sessionStorage))).toEqual([]);
  await page.getByRole("heading", { name: "You are logged out" }).waitFor();
  await page.getByLabel("Code from the terminal").fill(gateway.gateway.auth.codes.mint("login").code);
  await page.getByRole("button", { name: "Log in", exact: true }).click();
  await page.getByRole("heading", { name: "You are logged out" }).waitFor({ state: "detached" });
  expect(await page.locator("#composer").inputValue()).toBe("half a thought");
  await say(page, "and again");
  await until(async () => (await answers(page)).length).toBe(2);
});

test("DF51 without a password the login says one sentence with the command, and a fresh link pasted into the open tab logs in and leaves the address", async (t) => {
  const place = await openBrowser(t, { expected: ["401", "410"], outside: true });
  const { page, gateway } = place;
  await page.goto(`${gateway.url}/`);
  await page.getByText("No password is set").waitFor();
  await page.getByText("margay open", { exact: true }).waitFor();
  expect(await page.locator("input[type=password]").count()).toBe(0);
  expect(await page.getByRole("button", { name: "Use the password" }).count()).toBe(0);
  await place.isClean();

  const link = place.loginLink();
  await paste(page, link);
  await page.locator("#composer").waitFor();
  expect(page.url()).toBe(`${gateway.url}/`);
  await page.goBack().catch(() => null);
  expect(page.url()).not.toContain("login=");

  // The same link once more, in a tab that is out: said there, and gone from the address too.
  const other = await (await place.browser.newContext({ locale: "en" })).newPage();
  await other.goto(`${gateway.url}/`);
  await other.getByText("No password is set").waitFor();
  await paste(other, link);
  await other.getByRole("heading", { name: "This link was already used" }).waitFor();
  expect(other.url()).toBe(`${gateway.url}/`);
  await paste(other, place.loginLink());
  await other.locator("#composer").waitFor();

  // Who is in stays in, and the code is in no address.
  await other.evaluate(() => history.pushState(null, "", "/"));
  await paste(other, place.loginLink());
  await until(() => other.url()).toBe(`${gateway.url}/`);
  await place.isClean(other);
});

/** As typed into the address bar: the page stays, only the part behind # is new. */
async function paste(page: Page, link: string): Promise<void> {
  await page.evaluate((address) => location.assign(address), link);
}
