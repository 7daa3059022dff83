// Folders of chats: from the menu of a row, by key, from the palette; the list with one of them.
import { expect, test } from "vitest";
import { writeSession } from "../gateway/journals.ts";
import { openBrowser, until } from "./support.ts";

const PREPARED = {
  prepare: ({ home }: { readonly home: string }) => {
    writeSession(home, { key: "web:rome", turns: 1, question: () => "Rome in May" });
    writeSession(home, { key: "web:garden", turns: 1, question: () => "The garden" });
    writeSession(home, { key: "cron:digest", turns: 1, question: () => "The digest" });
  },
};

test("a chat is put into a folder from its row, by key and from the palette, and the list shows one folder", async (t) => {
  const place = await openBrowser(t, PREPARED);
  const { page } = place;
  const titles = async (): Promise<readonly string[]> =>
    (await page.locator(".session .title").allInnerTexts()).toSorted();
  const row = (title: string) => page.locator(".session", { hasText: title });
  const dialog = page.getByRole("dialog");
  await until(titles).toEqual(["Rome in May", "The digest", "The garden"]);

  await row("Rome in May").hover();
  await row("Rome in May").getByRole("button").click();
  await page.getByRole("menuitem", { name: /^Folder…/ }).click();
  await dialog.getByLabel("New folder").fill("Trips");
  await place.isClean();
  await page.keyboard.press("Enter");
  await until(() => page.locator('[data-about^="Trips · "]').count()).toBe(1);

  await row("The digest").locator("a").focus(); // of a job
  await page.keyboard.press("Shift+F2");
  await dialog.getByRole("button", { name: "Trips" }).click();
  await until(() => page.locator('[data-about^="Trips · "]').count()).toBe(2);
  await until(() => page.evaluate(() => document.activeElement?.textContent)).toContain("The digest");

  await page.getByRole("button", { name: "Filter" }).click();
  await page.getByRole("menuitemradio", { name: "Trips 2" }).click();
  await until(titles).toEqual(["Rome in May", "The digest"]);
  await place.isClean();
  await page.getByRole("button", { name: "Show all conversations" }).click();
  await until(titles).toHaveLength(3);

  await page.reload();
  await row("The garden").locator("a").click();
  await page.keyboard.press("Control+k");
  await page.getByRole("combobox").fill("Folder…");
  await page.getByRole("option", { name: "Folder…" }).click();
  await dialog.getByRole("button", { name: "Trips" }).click();
  await page.keyboard.press("Control+k");
  await page.getByRole("combobox").fill("Trips");
  await page.getByRole("option", { name: "Folder Trips" }).click();
  await until(titles).toHaveLength(3);

  await row("The garden").locator("a").click();
  await page.keyboard.press("Shift+F2"); // of the open chat where no row has the focus
  await dialog.getByRole("button", { name: "In no folder" }).click();
  await until(titles).toEqual(["Rome in May", "The digest"]);
});

test("on a phone a folder is chosen from the row, and the list says which one it shows", async (t) => {
  const place = await openBrowser(t, { ...PREPARED, phone: true, theme: "dark", language: "zh-CN" });
  const { page } = place;
  await page.getByRole("navigation", { name: "页面" }).getByRole("button", { name: "对话" }).click();
  const row = page.locator(".session", { hasText: "Rome in May" });
  await row.getByRole("button").click();
  await page.getByRole("menuitem", { name: /^文件夹…/ }).click();
  await page.getByRole("dialog").getByLabel("新建文件夹").fill("旅行");
  await page.getByRole("dialog").getByRole("button", { name: "放入", exact: true }).click();
  await until(() => page.locator('[data-about^="旅行 · "]').count()).toBe(1);
  await page.getByRole("button", { name: "筛选" }).click();
  await page.getByRole("menuitemradio", { name: "旅行 1" }).click();
  await until(() => page.locator(".session .title").allInnerTexts()).toEqual(["Rome in May"]);
  expect(await page.locator(".side-folder").innerText()).toBe("旅行");
  await place.isClean();
});
