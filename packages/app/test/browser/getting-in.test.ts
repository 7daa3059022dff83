// Getting in from elsewhere: the first password, wrong passwords, and a login that is taken away.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Locator } from "playwright-core";
import { expect, test } from "vitest";
import { openBrowser, say, until, type BrowserPlace } from "./support.ts";

const PASSWORD = "four unrelated words here";

test("row 3: where the code of the setup page cannot be fetched, before any line is open, it says so and Retry brings it", async (t) => {
  const place = await openBrowser(t, {
    outside: true,
    setup: true,
    name: "margay.test",
    expected: ["Failed to load resource: net::ERR"],
  });
  const { page, gateway, origin } = place;
  const code = "**/assets/setup-page-*.js";
  await page.route(code, (route) => route.abort());
  await page.goto(`${origin}/#setup=${gateway.gateway.auth.codes.mint("setup").code}`);
  const retry = page.getByRole("button", { name: "Retry" });
  await retry.waitFor();
  await page.unroute(code);
  await retry.click();
  await page.getByRole("heading", { name: "Set a password" }).waitFor();
  await place.isClean();
});

test("row 3: the first password of a remote gateway: a weak one is refused with the reason, a good one opens the wizard, the link works once", async (t) => {
  const place = await openBrowser(t, { outside: true, setup: true, name: "margay.test", expected: ["422", "503"] });
  const { page, gateway, origin } = place;
  const ready = async (): Promise<number> => (await gateway.api("/!/ready", { token: null })).status;
  const { code } = gateway.gateway.auth.codes.mint("setup");
  await page.goto(`${origin}/#setup=${code}`);
  await page.getByRole("heading", { name: "Set a password" }).waitFor();
  expect(page.url()).toBe(`${origin}/`);
  expect(await page.getByLabel("Set-up code").inputValue()).toBe(code);
  const password = page.getByRole("textbox", { name: /^Password/ });
  expect(await password.getAttribute("autocomplete")).toBe("new-password");
  await password.fill("pass");
  await page.getByText("length 4 of 12").waitFor();
  await password.fill("password1234");
  await page.getByText("long enough").waitFor();
  await page.getByRole("button", { name: "Set and go on" }).click();
  const reason = page.getByRole("alert");
  await reason.getByText("It is among the passwords that everybody tries first.").waitFor();
  await reason.getByText("Take four or five unrelated words.").waitFor();
  expect({ password: gateway.gateway.auth.hasPassword(), ready: await ready() }).toEqual({
    password: false,
    ready: 503,
  });
  await place.isClean();
  await paste(place, password, PASSWORD);
  expect(await password.inputValue()).toBe(PASSWORD);
  expect(await password.getAttribute("type")).toBe("password");
  await page.getByRole("button", { name: "Show" }).click();
  expect(await password.getAttribute("type")).toBe("text");
  await page.getByRole("button", { name: "Hide" }).click();
  expect(await password.getAttribute("type")).toBe("password");
  await page.getByRole("button", { name: "Set and go on" }).click();
  await until(() => page.url()).toBe(`${origin}/welcome`);
  await page.getByRole("heading", { level: 1 }).waitFor();
  await until(ready).toBe(200);
  await place.isClean();

  const another = await (await place.browser.newContext({ locale: "en" })).newPage();
  await another.goto(`${origin}/#setup=${code}`);
  await another.getByRole("heading", { name: "The set-up is over" }).waitFor();
  expect(await another.getByLabel("Set-up code").count()).toBe(0);
  const again = { method: "POST", body: { code, password: "another four words here" }, token: null };
  expect(await gateway.api("/auth/setup", again)).toMatchObject({ status: 403, body: { code: "auth.setup-closed" } });
  await another.getByRole("textbox", { name: "Password" }).fill(PASSWORD);
  await another.getByRole("button", { name: "Log in" }).click();
  await another.locator("#composer").waitFor();
  await place.isClean(another);
});

test("row 4: wrong passwords get one message, then a lock with its time; a link of the terminal still works", async (t) => {
  const place = await openBrowser(t, {
    outside: true,
    name: "margay.test",
    config: { gateway: { auth: { passwordFile: "password.txt" } } },
    prepare: ({ home }) => writeFileSync(join(home, "password.txt"), PASSWORD, { mode: 0o600 }),
    expected: ["401", "429"],
  });
  const { page, gateway, origin } = place;
  await page.goto(`${origin}/login`);
  const password = page.getByRole("textbox", { name: "Password" });
  expect(await password.getAttribute("autocomplete")).toBe("current-password");
  const fault = page.getByRole("alert");
  for (const wrong of ["a", "four unrelated words there", "x".repeat(300), "密码", "five"]) {
    await password.fill(wrong);
    const answer = page.waitForResponse(/\/auth\/login$/);
    await page.getByRole("button", { name: "Log in" }).click();
    expect((await answer).status()).toBe(401);
    await until(() => fault.innerText()).toBe("The password is wrong.");
  }
  await password.fill(PASSWORD);
  await page.getByRole("button", { name: "Log in" }).click();
  await until(() => fault.innerText()).toMatch(/^Too many tries/);
  const left = page.getByRole("timer");
  expect(await left.innerText()).toMatch(/^Next try in 1[45] min \d+ s$/);
  const first = await left.innerText();
  await until(() => left.innerText()).not.toBe(first);
  await place.isClean();

  await page.getByRole("button", { name: "I have a code" }).click();
  expect({ fault: await fault.count(), left: await left.count() }).toEqual({ fault: 0, left: 0 });
  const code = gateway.gateway.auth.codes.mint("login").code.toLowerCase();
  await page.getByLabel("Code from the terminal").fill(code);
  await page.getByRole("button", { name: "Log in" }).click();
  await page.locator("#composer").waitFor();
  const other = await (await place.browser.newContext()).newPage();
  await other.goto(place.loginLink());
  await other.locator("#composer").waitFor();
  await place.isClean();
});

test("row 69: a browser revoked from another one loses its socket within a second and says so; a rotated token too", async (t) => {
  const place = await openBrowser(t, { outside: true, expected: ["401", "WebSocket"] });
  const { page, gateway } = place;
  const opened = page.waitForEvent("websocket"); // the first one: chromium does not tell that a reload closed another
  await page.goto(place.loginLink());
  const line = await opened;
  await say(page, "hello");
  await page.locator(".item.assistant .md", { hasText: "ok" }).waitFor();
  await page.locator("#composer").fill("a draft");
  const revoker = await (await place.browser.newContext({ locale: "en" })).newPage();
  await revoker.goto(place.loginLink());
  await revoker.locator("#composer").waitFor();
  await revoker.goto(`${gateway.url}/?p=security`);
  await revoker.getByRole("tab", { name: "Access" }).click();
  await revoker.getByRole("row").getByRole("button", { name: "Revoke" }).click(); // its own row has no such button
  const answered = revoker.waitForResponse((response) => response.request().method() === "DELETE");
  await revoker.getByRole("dialog").getByRole("button", { name: "Revoke" }).click();
  expect((await answered).status()).toBe(204);
  await until(() => line.isClosed()).toBe(true); // the second is looked at without a browser, in server.test.ts and attacks.test.ts
  await page.getByRole("heading", { name: "You are logged out" }).waitFor();
  expect(await page.locator("#composer").inputValue()).toBe("a draft");
  await until(() => revoker.getByRole("button", { name: "Revoke" }).count()).toBe(0);
  await place.isClean();

  const { token } = await gateway.gateway.auth.createToken({ name: "my script", scopes: ["read"] });
  const socket = await gateway.ws("/ws", { token });
  const gone = new Promise<number>((resolve) => {
    socket.once("close", (code) => resolve(code));
  });
  await revoker.reload();
  await revoker.getByRole("tab", { name: "Access" }).click();
  const rotated = revoker.waitForResponse(/\/rotate$/);
  await revoker
    .getByRole("row", { name: /my script/ })
    .getByRole("button", { name: "Rotate" })
    .click();
  await revoker.getByRole("dialog").getByRole("button", { name: "Rotate" }).click();
  expect((await rotated).status()).toBe(200);
  expect(await gone).toBe(4401);
  await expect(gateway.ws("/ws", { token })).rejects.toMatchObject({ status: 401 });
  await place.isClean(revoker);
});

/** What a password manager or a person does: copied elsewhere, put into the empty field that has the focus. */
async function paste({ page, context }: BrowserPlace, field: Locator, text: string): Promise<void> {
  const elsewhere = await context.newPage();
  await elsewhere.setContent("<textarea aria-label='note'></textarea>");
  await elsewhere.getByLabel("note").fill(text);
  await elsewhere.keyboard.press("ControlOrMeta+a");
  await elsewhere.keyboard.press("ControlOrMeta+c");
  await elsewhere.close();
  await page.bringToFront();
  await field.fill("");
  await field.focus();
  await page.keyboard.press("ControlOrMeta+v");
}
