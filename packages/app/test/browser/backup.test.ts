// The page of backups: how old the last one is, one that is made now, and where the schedule is set.
import { join } from "node:path";
import { rmSync, writeFileSync } from "node:fs";
import { expect, test } from "vitest";
import { openBrowser, until, violations } from "./support.ts";

const LONG = { timeout: 60_000 };

test(
  "BK6 the page says that there is no backup, makes one with its progress, and says what failed",
  LONG,
  async (t) => {
    const target = "../kept";
    const backup = { target, passphrase: "four unrelated words here" };
    const place = await openBrowser(t, { config: { backup } });
    const { page, gateway } = place;
    await page.goto(`${gateway.url}/?p=system/backup`);
    const card = page.getByRole("region", { name: "Backup of everything" });
    await card.getByText("never").first().waitFor();
    await card.getByText(target, { exact: true }).waitFor();
    await card.getByText("only when you say so").waitFor();
    await card.getByRole("button", { name: "Back up now" }).click();
    await card.getByText(/^Being made: /).waitFor();
    await card.getByText(/^The backup is made: [1-9]\d* files, /).waitFor(LONG);
    await until(() => card.getByText("never").count()).toBe(1); // it was not restored for trial yet
    expect(await violations(page)).toEqual([]);

    rmSync(join(gateway.home, "../kept"), { recursive: true });
    writeFileSync(join(gateway.home, "../kept"), "no folder");
    await card.getByRole("button", { name: "Back up now" }).click();
    await card.getByText(/^The backup could not be made: /).waitFor(LONG);
    await card.getByText(/^The backup of .* could not be made: /).waitFor();
    expect(await violations(page)).toEqual([]);

    await card.getByRole("link", { name: "Settings of the backup" }).click();
    await page.getByText("Back up by itself").waitFor();
    await place.isClean();
  },
);

test("the page in Chinese: without a target nothing can be made, and it says where to set one", LONG, async (t) => {
  const place = await openBrowser(t, { language: "zh-CN" });
  const { page, gateway } = place;
  await page.goto(`${gateway.url}/?p=system/backup`);
  const card = page.getByRole("region", { name: "完整备份" });
  await card.getByText("尚未设置").waitFor();
  expect(await card.getByRole("button", { name: "立即备份" }).isDisabled()).toBe(true);
  await card.getByRole("link", { name: "备份设置" }).click();
  await page.getByText("备份保存到").waitFor();
  await place.isClean();
});
