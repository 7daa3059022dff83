import { says } from "@margay/core/testing";
import { stalls } from "@margay/core/internal/testing";
import { expect, test } from "vitest";
import { answers, openBrowser, say, until } from "./support.ts";

const PAGES =
  "approvals tasks cron heartbeat memory skills personas channels mcp models tools usage security audit system settings files help".split(
    " ",
  );

test("row 43: every page opens beside an answer that is being written; the chat is never made anew", async (t) => {
  const place = await openBrowser(t);
  const { page, gateway } = place;
  const gate = stalls({ after: "still here", rest: says(" and done") });
  gateway.model.replies(gate);
  await say(page, "go");
  await until(() => answers(page)).toEqual(["still here"]);
  await page.evaluate(() => {
    (document.querySelector(".feed") as HTMLElement & { planted?: boolean }).planted = true;
  });
  for (const id of PAGES) {
    await page.evaluate((panel) => {
      history.pushState(null, "", `${location.pathname}?p=${panel}`);
      dispatchEvent(new PopStateEvent("popstate"));
    }, id);
    await page.locator(`.panel [data-page="${id}"]`).waitFor();
    await until(() => page.locator(".panel .skeleton").count()).toBe(0);
  }
  gate.release();
  await until(() => answers(page)).toEqual(["still here and done"]);
  expect(
    await page.evaluate(() => (document.querySelector(".feed") as HTMLElement & { planted?: boolean }).planted),
  ).toBe(true);
  await place.isClean();
});

test("row 44: the page beside the chat is resized by keys and by mouse, within bounds, and keeps its width", async (t) => {
  const place = await openBrowser(t);
  const { page } = place;
  await page.getByRole("link", { name: "Settings" }).click();
  const separator = page.getByRole("separator", { name: "Width of the page" });
  const width = (): Promise<number> => page.locator(".panel").evaluate((panel) => panel.getBoundingClientRect().width);
  await until(width).toBe(480);
  await separator.focus();
  await page.keyboard.press("ArrowLeft");
  await until(width).toBe(496);
  await page.keyboard.press("Home");
  await until(width).toBe(360);
  const box = await separator.boundingBox();
  await page.mouse.move((box?.x ?? 0) + 4, 300);
  await page.mouse.down();
  await page.mouse.move((box?.x ?? 0) - 96, 300);
  await page.mouse.up();
  await until(width).toBe(460);
  await page.reload();
  await until(width).toBe(460);
  await separator.dblclick();
  await until(width).toBe(480);
  await place.isClean();
});

test("row 45: on a phone the list is a drawer, a page a sheet that Back closes, and the composer is in view", async (t) => {
  const place = await openBrowser(t, { phone: true, theme: "dark", language: "zh-CN" });
  const { page } = place;
  await say(page, "你好");
  await until(() => answers(page)).toEqual(["ok"]);
  await page.getByRole("button", { name: "对话列表" }).click();
  await page.getByRole("button", { name: "更多页面" }).click();
  await page.getByRole("menuitem", { name: "设置" }).click();
  await page.locator('.panel [data-page="settings"]').waitFor();
  expect(await page.locator(".panel").evaluate((panel) => panel.getBoundingClientRect().width)).toBe(390);
  await page.goBack();
  await page.locator(".panel").waitFor({ state: "detached" });
  const composer = await page.locator("#composer").boundingBox();
  expect((composer?.y ?? 0) + (composer?.height ?? 0)).toBeLessThan(844);
  await page.keyboard.press("Escape");
  await page.keyboard.press("Control+f");
  const bar = await page.locator(".find-bar").boundingBox();
  expect([(bar?.x ?? -1) >= 0, (bar?.x ?? 0) + (bar?.width ?? 999) <= 390]).toEqual([true, true]);
  await page.keyboard.press("Escape");
  await page.setViewportSize({ width: 844, height: 390 });
  await page.locator("#composer").waitFor();
  expect(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth)).toBe(true);
  await place.isClean();
});

test("row 64: palette, new chat, messages and pages by keyboard alone", async (t) => {
  const place = await openBrowser(t);
  const { page } = place;
  await until(() => page.evaluate(() => document.activeElement?.id)).toBe("composer");
  await page.keyboard.type("hello");
  await page.keyboard.press("Enter");
  await until(() => answers(page)).toEqual(["ok"]);
  await page.keyboard.press("Control+k");
  await page.locator(".palette [role=option]").first().waitFor();
  await page.keyboard.type("memory");
  await page.locator("#palette-page-memory[aria-selected=true]").waitFor();
  await page.keyboard.press("Enter");
  await page.locator('.panel [data-page="memory"]').waitFor();
  await page.keyboard.press("Escape");
  await page.locator(".panel").waitFor({ state: "detached" });
  await page.keyboard.press("Alt+n");
  await until(() => new URL(page.url()).pathname).toBe("/");
  await page.keyboard.press("Alt+ArrowDown");
  await until(() => new URL(page.url()).pathname).not.toBe("/");
  await page.locator(".item.user").waitFor(); // nobody goes through messages that are not there yet
  await page.locator(".feed").focus();
  await page.keyboard.press("[");
  await until(() => page.evaluate(() => document.activeElement?.className)).toContain("item user");
  await page.keyboard.press("/");
  expect(await page.evaluate(() => document.activeElement?.id)).toBe("composer");
  await place.isClean();
});
