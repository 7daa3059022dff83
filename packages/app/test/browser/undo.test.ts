import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { callsTool, says } from "@margay/core/testing";
import { test } from "vitest";
import { answers, openBrowser, say, until } from "./support.ts";

test("S4 a turn's file changes are listed and undone from its answer, and the undo is undone by its toast", async (t) => {
  const place = await openBrowser(t);
  const { page, gateway } = place;
  const file = (name: string): string => join(gateway.workspace, name);
  writeFileSync(file("a.txt"), "old");
  writeFileSync(file("c.txt"), "old");
  gateway.model.replies(
    callsTool("write_file", { path: "a.txt", content: "new" }),
    callsTool("write_file", { path: "b.txt", content: "made" }),
    callsTool("write_file", { path: "c.txt", content: "new" }),
    says("Written."),
  );
  await say(page, "write");
  await until(() => answers(page)).toEqual(["Written."]);
  writeFileSync(file("c.txt"), "by hand");
  await page.locator(".item-foot").getByRole("button", { name: "Message actions" }).click();
  await page.getByRole("menuitem", { name: "Undo file changes…" }).click();
  const dialog = page.getByRole("dialog", { name: "Undo file changes" });
  await until(() => dialog.getByRole("listitem").allInnerTexts()).toEqual([
    "a.txt restored",
    "b.txt deleted",
    "c.txt left alone: changed since by somebody else",
  ]);
  if (process.env["MARGAY_SHOT"] !== undefined) await page.screenshot({ path: process.env["MARGAY_SHOT"] });
  await place.isClean();
  await dialog.getByRole("button", { name: "Undo 2 changes" }).click();
  const toast = page.locator(".toast", { hasText: "2 files restored" });
  await toast.waitFor();
  await until(() => readFileSync(file("a.txt"), "utf8")).toBe("old");
  await until(() => existsSync(file("b.txt"))).toBe(false);
  await until(() => readFileSync(file("c.txt"), "utf8")).toBe("by hand");
  await toast.getByRole("button", { name: "Undo" }).click();
  await until(() => existsSync(file("b.txt"))).toBe(true);
  await until(() => readFileSync(file("a.txt"), "utf8")).toBe("new");
  await place.isClean();
});

test("S4 an answer of a turn that wrote nothing offers no undo of files", async (t) => {
  const place = await openBrowser(t);
  const { page, gateway } = place;
  gateway.model.replies(says("Hello."));
  await say(page, "hi");
  await until(() => answers(page)).toEqual(["Hello."]);
  await page.locator(".item-foot").getByRole("button", { name: "Message actions" }).click();
  await page.getByRole("menuitem", { name: "Explain this turn" }).waitFor();
  await until(() => page.getByRole("menuitem", { name: "Undo file changes…" }).count()).toBe(0);
  await place.isClean();
});
