import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { callsTool, says } from "@margay/core/testing";
import { expect, test } from "vitest";
import { answers, openBrowser, say, until, type BrowserPlace } from "./support.ts";

const CONFINED = { config: { tools: {} } };

async function leaves({ page, gateway }: BrowserPlace, command: string, answer: string): Promise<void> {
  gateway.model.replies(callsTool("exec", { command }), says(answer));
  await say(page, "make it");
  await until(() => answers(page)).toContain(answer);
}

async function picture({ page }: BrowserPlace, name: string): Promise<void> {
  const folder = process.env["MARGAY_SHOTS"];
  if (folder !== undefined) await page.screenshot({ path: join(folder, `${name}.png`) });
}

test("SC33 a call names what was kept aside, Show shows it as text, and it is taken back as it was shown", async (t) => {
  const place = await openBrowser(t, CONFINED);
  const { page, gateway } = place;
  const kept = async (): Promise<readonly string[]> =>
    (await gateway.app.inside.quarantine.list()).map(({ path }) => path).toSorted();
  const hostile = "export A=1\\n<img src=x onerror=alert(1)>\\n\\342\\200\\256evil";
  await leaves(place, `printf '${hostile}' > .envrc; mkdir .vscode; echo run > .vscode/tasks.json`, "Made.");
  await page.getByText("2 things of this turn would run by themselves and were kept aside (/quarantine)").waitFor();
  const items = page.locator(".kept-aside").getByRole("listitem");
  await until(() => items.allInnerTexts()).toEqual([
    expect.stringContaining(".envrc"),
    expect.stringContaining(".vscode"),
  ]);
  await picture(place, "call");
  await place.isClean();

  await page.getByRole("button", { name: "Show .envrc" }).click();
  const dialog = page.getByRole("dialog", { name: "Kept aside" });
  const content = dialog.getByRole("region", { name: "What is in it" });
  await until(() => content.innerText()).toBe("export A=1\n<img src=x onerror=alert(1)>\nU+202Eevil");
  expect(await dialog.locator("img").count()).toBe(0);
  await picture(place, "dialog");
  await place.isClean();

  const [id = ""] = (await gateway.app.inside.quarantine.list()).flatMap((one) =>
    one.path === ".envrc" ? one.id : [],
  );
  writeFileSync(join(gateway.home, "quarantine", id, "content"), "something else by now\n");
  await dialog.getByRole("button", { name: "Take back" }).click();
  await page
    .locator(".toast", { hasText: "It is not what was shown, so nothing was changed. Look at it again." })
    .waitFor();
  expect(existsSync(join(gateway.workspace, ".envrc"))).toBe(false);
  await until(() => content.innerText()).toBe("something else by now\n"); // shown anew
  await dialog.getByRole("button", { name: "Take back" }).click();
  await page.locator(".toast", { hasText: ".envrc is back at its place, and yours." }).waitFor();
  expect(readFileSync(join(gateway.workspace, ".envrc"), "utf8")).toBe("something else by now\n");
  expect(await kept()).toEqual([".vscode"]);

  await page.getByRole("button", { name: "Show .envrc" }).click();
  await dialog.getByText("It is no longer kept: it was taken back, deleted, or older than 30 days.").waitFor();
  await dialog.getByRole("button", { name: "Close" }).last().click();
  await until(() => page.getByText("of this turn").count()).toBe(1);
});

test("SC33 Security lists all that is kept aside; deleting asks once more; in Chinese too", async (t) => {
  const place = await openBrowser(t, { ...CONFINED, language: "zh-CN" });
  const { page, gateway } = place;
  await leaves(place, "git init -q lib; git -C lib config core.fsmonitor ./x; echo run > .vimrc", "好了。");
  await page.getByText("本轮有 2 项会自行运行的内容被另行保存（/quarantine）").waitFor();
  await page.goto(`${gateway.url}/?p=security`);
  await page.getByRole("tab", { name: "另行保存" }).click();
  await page.getByRole("cell", { name: "core.fsmonitor" }).waitFor();
  await picture(place, "panel");
  await place.isClean();
  await page.getByRole("button", { name: "查看 lib/.git/config" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByText("fsmonitor = ./x").waitFor();
  await dialog.getByRole("button", { name: "删除…" }).click();
  await dialog.getByText("彻底删除 lib/.git/config？之后无法取回。").waitFor();
  await place.isClean();
  await dialog.getByRole("button", { name: "彻底删除" }).click();
  await page.locator(".toast", { hasText: "lib/.git/config 已删除。" }).waitFor();
  await until(() => page.getByRole("cell", { name: "core.fsmonitor" }).count()).toBe(0);
  await page.getByRole("button", { name: "查看 .vimrc" }).click();
  await dialog.getByRole("button", { name: "取回" }).click();
  await page.getByText("没有另行保存的内容。").waitFor();
  expect(readFileSync(join(gateway.workspace, ".vimrc"), "utf8")).toBe("run\n");
  await place.isClean();
});

test("SC34 the list of a turn's changes marks what runs when started", async (t) => {
  const place = await openBrowser(t, CONFINED);
  const { page } = place;
  await leaves(place, "echo 'all:' > Makefile; echo plain > notes.txt", "Made.");
  await page.locator(".item-foot").getByRole("button", { name: "Message actions" }).click();
  await page.getByRole("menuitem", { name: "Undo file changes…" }).click();
  const dialog = page.getByRole("dialog", { name: "Undo file changes" });
  await until(() => dialog.getByRole("listitem").allInnerTexts()).toEqual([
    "Makefile runs when started deleted",
    "notes.txt deleted",
  ]);
  await picture(place, "undo");
  await place.isClean();
});
