import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { answers, openBrowser, say, until } from "./support.ts";

const PIXEL = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
  "base64",
);

test("row 18: a picture is sent and seen after a reload; a file that is too large is refused with the reason", async (t) => {
  const place = await openBrowser(t);
  const { page } = place;
  const attach = async (name: string, bytes: Buffer): Promise<void> => {
    writeFileSync(join(place.gateway.home, name), bytes);
    const chooser = page.waitForEvent("filechooser");
    await page.getByRole("button", { name: "Attach files" }).click();
    await (await chooser).setFiles(join(place.gateway.home, name));
  };
  await attach("dot.png", PIXEL);
  await page.locator(".attachments .chip.ready").getByText("dot.png").waitFor();
  await attach("big.bin", Buffer.alloc(26 * 1024 * 1024));
  await page.locator(".attachments .chip.failed").getByText("larger than 25 MB").waitFor();
  await page.getByRole("button", { name: "Remove big.bin" }).click();
  await say(page, "look");
  await page.locator(".bubble img.media").waitFor();
  await until(() => answers(page)).toEqual(["ok"]);
  await page.reload();
  await until(() => page.locator(".bubble img.media").evaluate((image: HTMLImageElement) => image.naturalWidth)).toBe(
    1,
  );
  await place.isClean();
});

test("row 19: a long paste becomes an attachment, and text again on request", async (t) => {
  const place = await openBrowser(t);
  const { page } = place;
  const long = "word ".repeat(4000).trim();
  await page.locator("#composer").focus();
  await page.evaluate((text) => {
    const data = new DataTransfer();
    data.setData("text/plain", text);
    document
      .querySelector("#composer")
      ?.dispatchEvent(new ClipboardEvent("paste", { clipboardData: data, bubbles: true, cancelable: true }));
  }, long);
  await page.locator(".attachments .chip").getByText("Pasted text").waitFor();
  expect(await page.locator("#composer").inputValue()).toBe("");
  await page.getByRole("button", { name: "Insert as text" }).click();
  expect(await page.locator("#composer").inputValue()).toBe(long);
  expect(await page.locator(".attachments").count()).toBe(0);
  await place.isClean();
});
