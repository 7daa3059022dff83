// Prompts kept under a name: made on their page, written by `/name`, their places gone through by Tab.
import { expect, test } from "vitest";
import { openBrowser, until } from "./support.ts";

test.for([
  { phone: false, language: "en", theme: "light", called: "Name", text: "Text", keep: "Keep it", forget: "Forget" },
  { phone: true, language: "zh-CN", theme: "dark", called: "名称", text: "内容", keep: "保存", forget: "删除" },
] as const)("W§13.13 a prompt is kept and written by its name, in $language", async (look, t) => {
  const { called, text, keep, forget } = look;
  const place = await openBrowser(t, look);
  const { page, gateway } = place;
  await page.goto(`${place.origin}/?p=presets`);
  const form = page.locator("[data-page=presets] section");
  await form.getByLabel(called, { exact: true }).fill("翻译 it");
  expect(await form.getByRole("button", { name: keep }).isDisabled()).toBe(true);
  await form.getByLabel(called, { exact: true }).fill("翻译");
  await form.getByLabel(text, { exact: true }).fill("Translate into {language}:\n{}\nThank you.");
  await form.getByRole("button", { name: keep }).click();
  await page.locator("[data-page=presets] li").getByText("/翻译").waitFor();
  await place.isClean();
  await page.goto(`${place.origin}/`);
  const composer = page.locator("#composer");
  await composer.fill("");
  await composer.pressSequentially("/翻");
  await page.getByRole("option", { name: "/翻译" }).waitFor();
  await place.isClean();
  await composer.press("Enter");
  await until(() => composer.inputValue()).toBe("Translate into {language}:\n{}\nThank you.");
  const selected = (): Promise<string> =>
    composer.evaluate((field: HTMLTextAreaElement) => field.value.slice(field.selectionStart, field.selectionEnd));
  await until(selected).toBe("{language}");
  await page.keyboard.type("German");
  await composer.press("Tab");
  await until(selected).toBe("{}");
  await page.keyboard.type("good night");
  await composer.press("Tab");
  expect(await composer.inputValue()).toBe("Translate into German:\ngood night\nThank you.");
  // The last Tab led out of the field.
  expect(await composer.evaluate((field) => field === document.activeElement)).toBe(false);
  expect((await gateway.api("/sessions")).body.items).toEqual([]); // nothing was sent
  await page.goto(`${place.origin}/?p=presets`);
  await page
    .getByRole("button", { name: new RegExp(`^${forget}`) })
    .first()
    .click();
  await until(async () => (await gateway.api("/presets")).body.items).toEqual([]);
});
