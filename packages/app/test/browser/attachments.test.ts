import { createHash } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
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

const SCRIPT = "window.top.evil = 1; fetch('/api/v1/estop'); alert(1)";
const EVIL = {
  "evil.svg": `<svg xmlns="http://www.w3.org/2000/svg" onload="${SCRIPT}"><script>${SCRIPT}</script></svg>`,
  "evil.html": `<!doctype html><body onload="${SCRIPT}"><script>${SCRIPT}</script><img src=x onerror="${SCRIPT}">`,
} as const;

test("row 22: an uploaded evil.svg and evil.html are downloaded when they are opened, and never run", async (t) => {
  const place = await openBrowser(t);
  const { page, context, gateway } = place;
  const acted: string[] = [];
  context.on("dialog", (dialog) => {
    acted.push(dialog.message());
    void dialog.dismiss();
  });
  context.on("page", (other) => acted.push(`opened ${other.url()}`));
  page.on("request", (request) => {
    if (request.url().endsWith("/estop") && request.frame() !== page.mainFrame()) acted.push(request.url());
  });
  const chooser = page.waitForEvent("filechooser");
  await page.getByRole("button", { name: "Attach files" }).click();
  for (const [name, text] of Object.entries(EVIL)) writeFileSync(join(gateway.home, name), text);
  await (await chooser).setFiles(Object.keys(EVIL).map((name) => join(gateway.home, name)));
  await until(() => page.locator(".attachments .chip.ready").count()).toBe(2);
  await say(page, "look");
  await until(() => answers(page)).toEqual(["ok"]);
  for (const [name, text] of Object.entries(EVIL)) {
    const download = page.waitForEvent("download");
    await page.getByTitle(`Download ${name}`).click();
    const file = await download;
    expect(file.suggestedFilename()).toBe(name);
    expect(readFileSync(await file.path(), "utf8")).toBe(text);
  }
  expect(await page.locator(".bubble").locator("img, svg svg, iframe, object, embed").count()).toBe(0);
  // Also by its own address, with all that the page has, it can only be kept as a file.
  const key = await page.evaluate(() => localStorage.getItem("margay.key") ?? "");
  for (const text of Object.values(EVIL)) {
    const address = `${gateway.url}/api/v1/media/${createHash("sha256").update(text).digest("hex")}`;
    const [cookie] = await context.cookies();
    const headers = { cookie: `${cookie?.name ?? ""}=${cookie?.value ?? ""}`, "sec-fetch-site": "same-origin" };
    expect((await fetch(address, { headers })).status).toBe(401);
    const whole = await fetch(address, { headers: { ...headers, "margay-key": key } });
    expect(whole.status).toBe(200);
    expect(whole.headers.get("content-disposition")).toBe("attachment");
    expect(whole.headers.get("content-security-policy")).toBe("default-src 'none'; sandbox");
    expect(whole.headers.get("x-content-type-options")).toBe("nosniff");
    expect(whole.headers.get("content-type")).not.toMatch(/svg|html/);
  }
  expect(await page.evaluate(() => "evil" in window)).toBe(false);
  expect(acted).toEqual([]);
  await place.isClean();
});
