// From an empty home to the first answer on Telegram, by the page alone.
import { says } from "@margay/core/testing";
import { expect, test } from "vitest";
import { openBrowser, until } from "../../../../packages/app/test/browser/support.ts";
import { startTelegram } from "../emulator/telegram.ts";

test("CH90 CH91 CH95 a bot is set up, tested, its owner let in and answered, without leaving the page", async (t) => {
  const telegram = await startTelegram();
  t.onTestFinished(() => telegram[Symbol.asyncDispose]());
  const anna = telegram.person("Anna");
  const chat = telegram.privateChat(anna);
  const shown = (): string => telegram.shown(chat).at(-1)?.text ?? "";

  const place = await openBrowser(t);
  const { page, gateway } = place;
  await page.goto(`${gateway.url}/?p=channels`);
  await page.getByRole("link", { name: "Telegram" }).click();
  await page.getByText("BotFather").first().waitFor();
  const picture = process.env["MARGAY_SCREENS"];
  if (picture !== undefined) await page.screenshot({ path: `${picture}/telegram-1.png`, fullPage: true });
  await page.getByText("More settings").click();
  await page.getByLabel("Address of the Bot API").fill(telegram.url);
  await page.getByLabel("Token").fill("1:wrong-token-of-nobody");
  await page.getByRole("button", { name: "Test" }).click();
  await page.getByText("The channel does not work yet.").waitFor();
  await page.getByLabel("Token").fill(telegram.token);
  await page.getByRole("button", { name: "Test" }).click();
  await page.getByText(`as @${telegram.bot.username}`).waitFor();
  if (picture !== undefined) await page.screenshot({ path: `${picture}/telegram-2.png`, fullPage: true });
  await page.getByRole("button", { name: "Save" }).click();
  await until(async () => (await gateway.api("/channels")).body[0]?.state).toBe("up");
  expect(await page.content()).not.toContain(telegram.token);

  telegram.write(anna, chat, { document: { bytes: Buffer.from("x"), name: "x.txt" }, text: "hello?" });
  const request = page.locator("[data-code]");
  await request.getByText("hello?").waitFor();
  await until(shown).toContain(String(await request.getAttribute("data-code")));
  expect(telegram.requests.filter(({ method }) => method === "getFile")).toEqual([]); // of a stranger nothing is fetched
  await request.getByRole("button", { name: "Approve as operator" }).click();
  await until(() => request.count()).toBe(0);
  gateway.model.replies(says("**Good evening**, Anna."));
  telegram.write(anna, chat, "it is me");
  await until(shown).toBe("Good evening, Anna.");
  expect(telegram.shown(chat).at(-1)?.entities).toMatchObject([{ type: "bold" }]);
  await page
    .getByRole("link", { name: /it is me/ })
    .first()
    .waitFor();
  await page.goto(`${gateway.url}/?p=channels`);
  await page.locator('[data-channel="telegram"]').waitFor();
  if (picture !== undefined) await page.screenshot({ path: `${picture}/telegram-3.png`, fullPage: true });
  await place.isClean();
});
