// The wizard of the first start, from practice mode to the first answer.
import { fails, says } from "@margay/core/testing";
import { expect, test } from "vitest";
import { answers, openBrowser, until, type BrowserOptions } from "./support.ts";

const LOOKS = [
  ["on a desktop in English", {}, "en"],
  ["on a phone in Chinese", { phone: true, theme: "dark", language: "zh-CN" } satisfies BrowserOptions, "zh-CN"],
] as const;

test.for(LOOKS)("row 6: the wizard tests a model before it is used and sends a first task, %s", async (look, t) => {
  const [, options, language] = look;
  const place = await openBrowser(t, { ...options, config: { model: null }, env: { GROQ_API_KEY: "planted-key" } });
  const { page, gateway } = place;
  const next = page.locator(".welcome-card > .p-row .button.primary");
  await next.click();
  await page.getByText("GROQ_API_KEY").waitFor();
  expect(await page.content()).not.toContain("planted-key");
  expect(await next.isDisabled()).toBe(true);
  const form = page.locator(".welcome-card section.p-card");
  await form.locator("select").selectOption("mock");
  await form.locator("input[type=password]").fill("my-new-key");
  await form.locator(".picker-field").click();
  await page.locator(".picker input").fill("mock-model");
  await page.locator(".picker [role=option]").first().click();
  gateway.model.replies(fails(401));
  await form.locator(".button.primary").click();
  await page.locator('.p-test li[data-state="failed"]').waitFor();
  expect((await gateway.api("/models/active")).body.practice).toBe(true);
  gateway.model.replies(says("ok"));
  await form.locator(".button.primary").click();
  await page.locator(".p-test.p-good").waitFor();
  await until(() => next.isDisabled()).toBe(false);
  await place.isClean();

  await page.reload();
  await next.waitFor(); // the step it was at
  await until(() => next.isDisabled()).toBe(false);
  await next.click();
  await page.locator(".welcome-card input").nth(1).fill("Lin");
  await next.click();
  await until(async () => (await gateway.api("/settings")).body.values.persona.userName).toBe("Lin");
  await page.locator(".welcome-card .p-good, .welcome-card .p-bad").waitFor();
  await next.click();
  gateway.model.replies(says("Here is what I can do."));
  await page.locator(".welcome-examples .button").first().click();
  await until(() => answers(page)).toEqual(["Here is what I can do."]);
  expect((await gateway.api("/settings")).body.values.language).toBe(language);
  await place.isClean();
});
