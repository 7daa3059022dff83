// An answer is read by a voice of the device. Headless Chromium has none: one is given to it where the browser would ask the system.
import { says } from "@margay/core/testing";
import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { openBrowser, say, until } from "./support.ts";

const ANSWER =
  "# First\n\n**Bold** and [a link](https://example.com/a).\n\n```js\nconst secret = 1;\n```\n\n- one\n- two";

test("W§13.13 an answer is read aloud without its code and markup, and stopped by its button and Escape", async (t) => {
  const place = await openBrowser(t);
  const { page, gateway } = place;
  await giveVoices(page, ["zh-CN", "en-US"]);
  gateway.model.replies(says(ANSWER), says("明天有雨，记得带伞。"));
  await say(page, "hello");
  await page.getByRole("button", { name: "Read aloud" }).click();
  const stop = page.getByRole("button", { name: "Stop reading (Esc)" });
  await stop.waitFor();
  await until(() => said(page)).toEqual(["en-US: First", "en-US: Bold and a link.", "en-US: one", "en-US: two"]);
  await place.isClean();
  await page.keyboard.press("Escape");
  await stop.waitFor({ state: "detached" });
  await until(() => said(page)).toEqual([]);
  await page.getByRole("button", { name: "Read aloud" }).click();
  await stop.click();
  await until(() => said(page)).toEqual([]);
  await say(page, "weather");
  await page.getByRole("button", { name: "Read aloud" }).nth(1).waitFor();
  await page.getByRole("button", { name: "Read aloud" }).nth(0).click();
  await page.getByRole("button", { name: "Read aloud" }).click(); // the other one, whose name has not changed
  await until(() => said(page)).toEqual(["zh-CN: 明天有雨，记得带伞。"]);
  await until(() => stop.count()).toBe(1);
});

test("W§13.13 there is no such button where no voice of the device speaks the answer's language", async (t) => {
  const place = await openBrowser(t);
  await giveVoices(place.page, ["zh-CN", "en-GB by a service"]);
  place.gateway.model.replies(says("An answer."), says("一个回答。"));
  await say(place.page, "hello");
  await place.page.getByRole("button", { name: "Copy as Markdown" }).waitFor();
  expect(await place.page.getByRole("button", { name: "Read aloud" }).count()).toBe(0);
  await say(place.page, "again");
  await place.page.getByRole("button", { name: "Read aloud" }).waitFor();
  expect(await place.page.getByRole("button", { name: "Read aloud" }).count()).toBe(1);
});

/** They speak until they are stopped. Loads the page anew. */
async function giveVoices(page: Page, languages: readonly string[]): Promise<void> {
  await page.addInitScript((given) => {
    const queue: SpeechSynthesisUtterance[] = [];
    const voices = given.map((name) => ({
      name,
      lang: name.split(" ")[0],
      localService: !name.includes("service"),
      default: false,
    }));
    const synthesis = Object.assign(new EventTarget(), {
      queue,
      getVoices: () => voices,
      speak: (one: SpeechSynthesisUtterance) => queue.push(one),
      cancel: () => {
        for (const one of queue.splice(0)) one.dispatchEvent(new Event("error"));
      },
    });
    Object.defineProperty(globalThis, "speechSynthesis", { value: synthesis });
    // The real one takes the browser's own voices alone.
    class Utterance extends EventTarget {
      voice: unknown;
      lang = "";
      readonly text: string;
      constructor(text: string) {
        super();
        this.text = text;
      }
    }
    Object.defineProperty(globalThis, "SpeechSynthesisUtterance", { value: Utterance });
  }, languages);
  await page.reload();
  await page.locator("#composer").waitFor();
}

/** What is being said, and what comes after it. */
function said(page: Page): Promise<readonly string[]> {
  return page.evaluate(() => {
    const { queue } = speechSynthesis as unknown as { queue: readonly SpeechSynthesisUtterance[] };
    return queue.map(({ lang, text }) => `${lang}: ${text}`);
  });
}
