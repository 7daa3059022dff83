// What a page draws, takes and waits for: each bound at n, and at one more.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { callsTool, says } from "@margay/core/testing";
import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { answers, openBrowser, say, until } from "./support.ts";

const MIB = 1024 * 1024;

/** Stands where the drawer of diagrams does: a picture of as many characters as the source ends with. */
const DRAWER = `<script>
  addEventListener("message", ({ data }) => {
    const [begin, end] = ['<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9">', "</svg>"];
    parent.postMessage({ svg: begin.padEnd(Number(/\\d+\\s*$/.exec(data.source)) - end.length) + end }, "*");
  });
  parent.postMessage({ ready: true }, "*");
</script>`;

const fence = (language: string, text: string): string => `\`\`\`${language}\n${text}\n\`\`\`\n\n`;

test("diagram/MAX_SOURCE, diagram/MAX_SVG, code/MAX_COLORED_CHARS: 50,000 characters of a diagram, 2,000,000 of its picture, 200,000 of code", async (t) => {
  const place = await openBrowser(t);
  const { page, gateway } = place;
  await page.route(/diagram[^/]*\.html/, (route) => route.fulfill({ contentType: "text/html", body: DRAWER }));
  const source = (chars: number, svg: number): string => fence("mermaid", `${svg}`.padStart(chars - 1));
  const code = (chars: number): string => fence("js", "let a;\n".repeat(chars / 7 - 1).padEnd(chars, "x"));
  const show = async (text: string): Promise<void> => {
    gateway.model.replies(says(text));
    await say(page, "show");
  };
  await show(source(50_000, 1000));
  await until(() => page.locator(".diagram img").count()).toBe(1);
  await show(source(50_001, 1000));
  await page.getByText("it is larger than 50 kB").waitFor();
  await show(source(100, 2_000_000));
  await until(() => page.locator(".diagram img").count()).toBe(2);
  await show(source(100, 2_000_001));
  await page.getByText("The diagram can't be drawn: –").waitFor();
  await show(code(200_001) + code(200_000));
  await until(() => page.locator(".item.assistant").last().locator("pre").count()).toBe(2);
  const blocks = page.locator(".item.assistant").last().locator("pre");
  await until(() => blocks.last().locator("span").count()).toBeGreaterThan(10);
  expect(await blocks.first().locator("span").count()).toBe(0);
  expect(place.faults).toEqual([]);
});

test("diff-view/MAX_LINES, composer/MAX_LINES, attachments/MAX_BYTES: 400 lines of a change, 12 of a message, 25 MiB of a file", async (t) => {
  const place = await openBrowser(t);
  const { page, gateway } = place;
  const content = (lines: number): string => Array.from({ length: lines }, (_, n) => `l${n}`).join("\n");
  gateway.model.replies(
    callsTool("write_file", { path: "a.txt", content: content(400) }),
    callsTool("write_file", { path: "b.txt", content: content(401) }),
    says("written"),
  );
  await say(page, "write");
  await until(() => answers(page)).toEqual(["written"]);
  for (const card of await page.locator(".call-head").all()) await card.click();
  await until(() => page.locator(".diff-body").count()).toBe(2);
  const ends = await page
    .locator(".diff-body")
    .evaluateAll((all) => all.map(({ children }) => [children.length, children[children.length - 1]?.textContent]));
  expect(ends).toEqual([
    [400, "+l399"],
    [401, "… 1"],
  ]);

  const field = page.locator("#composer");
  const isWhole = async (lines: number): Promise<boolean> => {
    await field.fill("x\n".repeat(lines - 1) + "x");
    return field.evaluate((area) => area.scrollHeight <= area.clientHeight);
  };
  expect([await isWhole(12), await isWhole(13)]).toEqual([true, false]);
  await field.fill("");

  for (const bytes of [25 * MIB, 25 * MIB + 1]) await drop(page, `${bytes}`, bytes);
  await page
    .locator(".chip.failed")
    .getByText(`${25 * MIB + 1}`)
    .waitFor();
  await page.locator(".chip.failed").getByText("larger than 25 MB").waitFor();
  await page
    .locator(".chip.ready")
    .getByText(`${25 * MIB}`)
    .waitFor();
  expect(await page.locator(".attachments .chip").count()).toBe(2);
  expect(place.faults).toEqual([]);
});

/** As from a folder of the system. */
async function drop(page: Page, name: string, size: number): Promise<void> {
  await page.evaluate(
    ([file, bytes]) => {
      const dataTransfer = new DataTransfer();
      dataTransfer.items.add(new File([new Uint8Array(bytes)], file));
      const event = new DragEvent("drop", { dataTransfer, bubbles: true, cancelable: true });
      document.querySelector(".chat .composer")?.dispatchEvent(event);
    },
    [name, size] as const,
  );
}

test("page/MAX_SHOWN: a file of 500,000 bytes is shown, one of a byte more is not", async (t) => {
  const place = await openBrowser(t);
  const { page, gateway } = place;
  const open = async (bytes: number): Promise<void> => {
    writeFileSync(join(gateway.workspace, `${bytes}.txt`), "x".repeat(bytes));
    await page.goto(`${gateway.url}/?p=files/${bytes}.txt`);
  };
  await open(500_000);
  await until(async () => (await page.locator("pre.p-code").innerText()).length).toBe(500_000);
  await open(500_001);
  await page.getByText("This file is too large to show here.").waitFor();
  expect(place.faults).toEqual([]);
});

test("connection/MAX_WAIT_MS: without its gateway a page waits twice as long each time, and 15 seconds at most", async (t) => {
  const { page } = await openBrowser(t);
  await page.clock.install();
  await page.addInitScript(() => {
    Math.random = () => 1; // the whole wait
    const tries: number[] = [];
    /** Nobody is there. */
    class Refused {
      static readonly CONNECTING = 0;
      static readonly OPEN = 1;
      readonly readyState = 3;
      onclose: ((event: object) => void) | undefined;
      constructor() {
        tries.push(Date.now());
        queueMicrotask(() => this.onclose?.({ code: 1006 }));
      }
    }
    Object.assign(window, { tries, WebSocket: Refused });
  });
  await page.reload();
  const tries = (): Promise<readonly number[]> =>
    page.evaluate(() => (window as unknown as { readonly tries: readonly number[] }).tries);
  await until(async () => (await tries()).length).toBeGreaterThan(0);
  await page.clock.runFor(60_000);
  const waits = (await tries()).map((at, n, all) => at - (all[n - 1] ?? 0));
  expect(waits.slice(-2)).toEqual([15_000, 15_000]); // the first ones may have been waited for in real time
});
