import { createHash } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { Page } from "playwright-core";
import { answers, openBrowser, say, until, type BrowserOptions } from "./support.ts";

const PHONE: BrowserOptions = { phone: true, theme: "dark", language: "zh-CN" };

const PIXEL = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
  "base64",
);

const LOOKS = [
  ["on a desktop in English", {}, "larger than 25 MB", "Remove big.bin", "cannot see 1 picture here"],
  ["on a phone in Chinese", PHONE, "超过 25 MB", "移除 big.bin", "看不到此处的 1 张图片"],
] as const;

test.for(LOOKS)(
  "row 18: a pasted screenshot and a dropped PDF are sent and seen after a reload, a file of 30 MiB is refused, %s",
  async ([, options, tooLarge, remove, blind], t) => {
    const place = await openBrowser(t, {
      ...options,
      expected: ["412", "502"], // the title is made at the end of the turn; one provider is not there
      config: (url) => ({
        models: { "gone/deepseek-chat": { contextWindow: 100_000 } },
        providers: {
          mock: { api: "openai-chat", baseUrl: `${url}/v1`, apiKey: "test-key-for-mock" },
          gone: { api: "openai-chat", baseUrl: "http://127.0.0.1:9/v1", apiKey: "test-key-for-gone" },
        },
      }),
    });
    const { page, context } = place;
    await page.locator("#composer").focus();
    await page.evaluate((base64) => {
      const bytes = Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));
      const data = new DataTransfer();
      data.items.add(new File([bytes], "image.png", { type: "image/png" }));
      document
        .querySelector("#composer")
        ?.dispatchEvent(new ClipboardEvent("paste", { clipboardData: data, bubbles: true, cancelable: true }));
    }, PIXEL.toString("base64"));
    await page.locator(".attachments .chip.ready img").waitFor();
    const line = await context.newCDPSession(page);
    // Slow enough to see how far it is: 2 MB at 1 MB per second.
    const conditions = { offline: false, latency: 0, downloadThroughput: -1, uploadThroughput: 1_000_000 };
    await line.send("Network.enable");
    await line.send("Network.emulateNetworkConditions", conditions);
    await drop(page, "report.pdf", 2_000_000, "%PDF-1.7\n");
    const progress = page.locator(".attachments progress");
    await until(() => progress.evaluate((bar: HTMLProgressElement) => bar.value).catch(() => 0)).toBeGreaterThan(0);
    expect(await page.locator(".send-button").isDisabled()).toBe(true); // sending waits for it
    await until(() => page.locator(".attachments .chip.ready").count()).toBe(2);
    await line.send("Network.emulateNetworkConditions", { ...conditions, uploadThroughput: -1 });
    await drop(page, "big.bin", 30 * 1024 * 1024);
    await page.locator(".attachments .chip.failed").getByText(tooLarge).waitFor();
    expect(await page.locator(".send-button").isDisabled()).toBe(true);
    await place.isClean();
    await page.getByRole("button", { name: remove }).click();
    await say(page, "look");
    await until(() => answers(page)).toEqual(["ok"]);
    await page.reload();
    const picture = page.locator(".bubble img.media");
    await until(() => picture.evaluate((image: HTMLImageElement) => image.naturalWidth)).toBe(1);
    await page.locator(".bubble .chip").getByText("report.pdf").waitFor();
    await page.locator(".model-chip").click();
    const option = page.locator(".picker [role=option]", { hasText: "deepseek-chat" });
    await option.getByText(blind).waitFor();
    expect(await page.getByText(blind).count()).toBe(1); // the chosen one sees
    await place.isClean();
  },
);

/** As from a folder of the system. */
async function drop(page: Page, name: string, size: number, head = ""): Promise<void> {
  await page.evaluate(
    ([file, bytes, start]) => {
      const data = new DataTransfer();
      data.items.add(new File([start, new Uint8Array(bytes - start.length)], file));
      const event = { dataTransfer: data, bubbles: true, cancelable: true };
      for (const type of ["dragenter", "dragover", "drop"])
        document.querySelector(".chat .composer")?.dispatchEvent(new DragEvent(type, event));
    },
    [name, size, head] as const,
  );
}

test.for(["pasted", "dropped"] as const)(
  "row 19: 20,000 characters that are %s become an attachment, and text again on request",
  async (way, t) => {
    const place = await openBrowser(t);
    const { page } = place;
    const give = (text: string): Promise<void> =>
      page.evaluate(
        ([given, how]) => {
          const data = new DataTransfer();
          data.setData("text/plain", given);
          const common = { bubbles: true, cancelable: true };
          const event =
            how === "pasted"
              ? new ClipboardEvent("paste", { ...common, clipboardData: data })
              : new DragEvent("drop", { ...common, dataTransfer: data });
          document.querySelector("#composer")?.dispatchEvent(event);
        },
        [text, way] as const,
      );
    const long = "word ".repeat(4000).trim();
    await page.locator("#composer").fill("Before:");
    await give(long);
    await page.locator(".attachments .chip.ready").getByText("Pasted text").waitFor();
    expect(await page.locator("#composer").inputValue()).toBe("Before:");
    await place.isClean();
    await page.getByRole("button", { name: "Insert as text" }).click();
    expect(await page.locator("#composer").inputValue()).toBe(`Before:${long}`);
    expect(await page.locator(".attachments").count()).toBe(0);
    await place.isClean();
  },
);

test("row 19: a short text that is dropped goes into the message", async (t) => {
  const place = await openBrowser(t);
  const { page } = place;
  await page.locator("#composer").fill("Before:");
  await page.evaluate(() => {
    const data = new DataTransfer();
    data.setData("text/plain", "short");
    const event = { bubbles: true, cancelable: true, dataTransfer: data };
    document.querySelector(".chat .composer")?.dispatchEvent(new DragEvent("drop", event));
  });
  await until(() => page.locator("#composer").inputValue()).toBe("Before: short");
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
