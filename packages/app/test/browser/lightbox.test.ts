// A picture of a chat, looked at alone: by pointer and by keyboard, larger and smaller, and back to where one was.
import { deflateSync } from "node:zlib";
import type { Page } from "playwright-core";
import { says } from "@margay/core/testing";
import { expect, test } from "vitest";
import { answers, openBrowser, say, until } from "./support.ts";

test.for([
  { phone: false, language: "en", theme: "light", enlarge: "Enlarge", next: "Next picture", larger: "Larger" },
  { phone: true, language: "zh-CN", theme: "dark", enlarge: "放大", next: "下一张", larger: "放大" },
] as const)(
  "W§13.13 pictures open alone, in $language with phone $phone",
  async ({ phone, language, theme, enlarge, next, larger }, t) => {
    const place = await openBrowser(t, { phone, language, theme });
    const { page, gateway } = place;
    await attach(page, "first.png", 400, 100);
    await attach(page, "second.png", 80, 300);
    gateway.model.replies(says("ok"));
    await say(page, "look");
    await until(async () => (await answers(page)).length).toBe(1);
    const opener = page.getByRole("button", { name: `${enlarge} first.png` });
    await opener.focus();
    await page.keyboard.press("Enter");
    const dialog = page.getByRole("dialog", { name: "first.png" });
    const picture = dialog.getByRole("img", { name: "first.png" });
    await picture.waitFor();
    const width = (): Promise<number> => page.locator(".lightbox img").evaluate((image) => image.clientWidth);
    const fitted = await width();
    expect(fitted).toBeLessThanOrEqual(phone ? 390 : 400);
    await page.keyboard.press("+");
    await until(width).toBe(Math.round(fitted * 1.25));
    await page.keyboard.press("-");
    await until(width).toBe(fitted);
    await dialog.getByRole("button", { name: larger, exact: true }).click();
    await until(width).toBe(Math.round(fitted * 1.25));
    await place.isClean();
    await page.locator(".lightbox img").dblclick();
    await until(width).toBe(fitted);
    await page.locator(".lightbox-scroll").press("ArrowRight");
    await page.getByRole("dialog", { name: "second.png" }).waitFor();
    expect(await page.getByRole("button", { name: next }).isDisabled()).toBe(true);
    await page.keyboard.press("Escape");
    await until(() => page.locator("dialog").count()).toBe(0);
    const focused = (): Promise<string | null | undefined> =>
      page.evaluate(() => document.activeElement?.getAttribute("aria-label"));
    await until(focused).toBe(`${enlarge} first.png`);
    await place.isClean();
  },
);

async function attach(page: Page, name: string, width: number, height: number): Promise<void> {
  await page.evaluate(
    ([file, base64]) => {
      const bytes = Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));
      const data = new DataTransfer();
      data.items.add(new File([bytes], file, { type: "image/png" }));
      const event = { dataTransfer: data, bubbles: true, cancelable: true };
      for (const type of ["dragenter", "dragover", "drop"])
        document.querySelector(".chat .composer")?.dispatchEvent(new DragEvent(type, event));
    },
    [name, png(width, height)] as const,
  );
  await page.locator(".attachments .chip.ready").getByText(name).waitFor();
}

/** One colour. @returns base64. */
function png(width: number, height: number): string {
  const chunk = (type: string, data: Buffer): Buffer => {
    const body = Buffer.concat([Buffer.from(type), data]);
    const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
    length.writeUInt32BE(data.length);
    sum.writeUInt32BE(crc(body));
    return Buffer.concat([length, body, sum]);
  };
  const head = Buffer.alloc(13);
  head.writeUInt32BE(width);
  head.writeUInt32BE(height, 4);
  head.set([8, 0], 8); // eight bits, grey
  const rows = Buffer.concat(Array.from({ length: height }, () => Buffer.alloc(width + 1, 120).fill(0, 0, 1)));
  const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
  const parts = [chunk("IHDR", head), chunk("IDAT", deflateSync(rows)), chunk("IEND", Buffer.alloc(0))];
  return Buffer.concat([signature, ...parts]).toString("base64");
}

function crc(bytes: Buffer): number {
  let sum = 0xffffffff;
  for (const byte of bytes) {
    sum ^= byte;
    for (let bit = 0; bit < 8; bit++) sum = sum & 1 ? (sum >>> 1) ^ 0xedb88320 : sum >>> 1;
  }
  return (sum ^ 0xffffffff) >>> 0;
}
