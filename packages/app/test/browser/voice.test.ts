// Speaking a message: chromium's own microphone (it beeps), the real gateway, the mock model where the provider is.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { openBrowser, until, type BrowserOptions, type BrowserPlace } from "./support.ts";
import type { Owner } from "../gateway/support.ts";

const PHONE: BrowserOptions = { phone: true, theme: "dark", language: "zh-CN" };
const EN = {
  start: "Speak the message",
  stop: "Stop",
  discard: "Discard",
  again: "Try again",
  recording: "Recording",
  writing: "Writing it down…",
  written: "What you said is in the message.",
  silence: "No words were heard. Speak closer to the microphone.",
};
const ZH: typeof EN = {
  start: "语音输入",
  stop: "停止",
  discard: "放弃",
  again: "重试",
  recording: "正在录音",
  writing: "正在转为文字…",
  written: "您说的话已写入消息。",
  silence: "没有听到话语。请靠近麦克风再说一次。",
};
const LOOKS = [
  ["on a desktop in English", {}, EN],
  ["on a phone in Chinese", PHONE, ZH],
] as const;

/** A page in which a message can be spoken. */
function speaking(t: Owner, options: BrowserOptions = {}): Promise<BrowserPlace> {
  return openBrowser(t, {
    microphone: "beeps",
    config: { agent: { transcriptionModel: "mock/whisper-9" } },
    ...options,
  });
}

const button = (page: Page, name: string) => page.locator(".composer").getByRole("button", { name, exact: true });
const field = (page: Page) => page.locator("#composer");
const focused = (page: Page): Promise<string> =>
  page.evaluate(() => document.activeElement?.getAttribute("aria-label") ?? document.activeElement?.textContent ?? "");

/** Until it has recorded for a while: a recording of nothing is no file. */
async function recorded(page: Page): Promise<void> {
  await until(() => page.locator(".voice-time").textContent()).toMatch(/^(?!0:00)\d+:\d\d$/);
}

test.for(LOOKS)(
  "voice: what is said comes to the cursor of the draft and is not sent, %s",
  async ([, options, words], t) => {
    const place = await speaking(t, options);
    const { page, gateway } = place;
    const answered = Promise.withResolvers<void>();
    gateway.model.hears(async () => {
      await answered.promise;
      return { status: 200, body: { text: "oat milk" } };
    });
    await field(page).fill("Buy , please");
    await field(page).evaluate((area: HTMLTextAreaElement) => area.setSelectionRange(4, 4));
    await button(page, words.start).click();
    await page.locator(".voice").getByText(words.recording).waitFor();
    await until(() => focused(page)).toBe(words.stop);
    await recorded(page);
    await place.isClean();
    await button(page, words.stop).click();
    await page.locator(".voice").getByText(words.writing).waitFor();
    await place.isClean();
    answered.resolve();
    await until(() => field(page).inputValue()).toBe("Buy oat milk, please");
    expect(await page.locator(".voice").count()).toBe(0);
    expect(await field(page).evaluate((area: HTMLTextAreaElement) => [area.selectionStart, area.selectionEnd])).toEqual(
      [12, 12],
    );
    await until(() => page.locator("[data-region=polite]").textContent()).toContain(words.written);
    expect(gateway.model.requests).toEqual([]); // nothing was sent
    expect(gateway.model.recordings).toHaveLength(1);
    const [recording] = gateway.model.recordings;
    expect(recording).toMatchObject({ model: "whisper-9", mediaType: "audio/webm" });
    expect(recording?.bytes.length).toBeGreaterThan(1000);
    await place.isClean();
  },
);

test("voice: by keys alone; Escape discards, and nothing is sent anywhere", async (t) => {
  const place = await speaking(t);
  const { page, gateway } = place;
  gateway.model.hears("hello");
  await button(page, EN.start).waitFor();
  await field(page).focus();
  await page.keyboard.press("Tab");
  await page.keyboard.press("Tab");
  await until(() => focused(page)).toBe(EN.start);
  await page.keyboard.press("Enter");
  await recorded(page);
  await page.keyboard.press("Escape");
  await until(() => page.locator(".voice").count()).toBe(0);
  await until(() => focused(page)).toBe("Message");
  await until(() => page.locator("[data-region=polite]").textContent()).toContain("Discarded");
  expect(gateway.model.recordings).toEqual([]);
  await button(page, EN.start).press("Space");
  await recorded(page);
  await page.keyboard.press("Space"); // on Stop
  await until(() => field(page).inputValue()).toBe("hello");
  await until(() => focused(page)).toBe("Message");
  await place.isClean();
});

test("voice: an answer that comes before the next frame leaves the message field with the focus", async (t) => {
  const place = await speaking(t);
  const { page, gateway } = place;
  gateway.model.hears("hello");
  await button(page, EN.start).press("Space");
  await recorded(page);
  await page.evaluate(() => {
    // Preact runs effects after the next frame, or soon when there is none.
    const later = window.setTimeout.bind(window);
    window.requestAnimationFrame = (draw) => later(() => draw(performance.now()), 1_000);
    Object.assign(window, { setTimeout: (run: () => void, ms = 0) => later(run, Math.max(ms, 1_000)) });
  });
  await page.keyboard.press("Space"); // on Stop
  await until(() => field(page).inputValue()).toBe("hello");
  await until(() => page.locator(".voice").count()).toBe(0);
  await until(() => focused(page)).toBe("Message");
});

test.for(LOOKS)("voice: what fails says what to do and can be tried again, %s", async ([, options, words], t) => {
  const place = await speaking(t, { ...options, expected: ["424", "502"] });
  const { page, gateway } = place;
  gateway.model.hears({ status: 401, body: {} }, "at last");
  await button(page, words.start).click();
  await recorded(page);
  await button(page, words.stop).click();
  const alert = page.locator(".voice [role=alert]");
  await until(() => alert.textContent()).toContain("mock refused the key (401). Set a valid key.");
  await place.isClean();
  await button(page, words.again).click();
  await until(() => field(page).inputValue()).toBe("at last");
  const [first, second] = gateway.model.recordings;
  expect(second?.bytes).toEqual(first?.bytes);
  await button(page, words.start).click(); // the mock hears nothing
  await recorded(page);
  await button(page, words.stop).click();
  await until(() => alert.textContent()).toBe(words.silence);
  expect(await button(page, words.again).count()).toBe(0);
  await place.isClean();
});

test("voice: the browser is not asked before the press; its no is explained", async (t) => {
  const place = await speaking(t, { microphone: "refused" });
  const { page } = place;
  await button(page, EN.start).waitFor();
  const asked = await page.evaluate(async () => (await navigator.permissions.query({ name: "microphone" })).state);
  expect(asked).not.toBe("granted");
  await button(page, EN.start).click();
  await page.locator(".voice [role=alert]").getByText("Allow it in the site settings of the browser.").waitFor();
  await place.isClean();
  await button(page, "Close").click();
  await until(() => page.locator(".voice").count()).toBe(0);
  await place.isClean();
});

test("voice: the microphone is given back when it is stopped, and when another chat is opened", async (t) => {
  const place = await speaking(t);
  const { page, gateway } = place;
  await page.evaluate(() => {
    const open = navigator.mediaDevices.getUserMedia.bind(navigator.mediaDevices);
    navigator.mediaDevices.getUserMedia = async (constraints) => {
      const stream = await open(constraints);
      Object.assign(window, { microphone: stream.getAudioTracks()[0] });
      return stream;
    };
  });
  const state = (): Promise<string> =>
    page.evaluate(() => (window as unknown as { readonly microphone: MediaStreamTrack }).microphone.readyState);
  gateway.model.hears("first");
  await button(page, EN.start).click();
  await recorded(page);
  await button(page, EN.stop).click();
  await until(() => field(page).inputValue()).toBe("first");
  expect(await state()).toBe("ended");
  await button(page, EN.start).click();
  await recorded(page);
  expect(await state()).toBe("live");
  await gateway.api("/sessions", {
    method: "POST",
    body: { title: "another", message: { parts: [{ type: "text", text: "hi" }] } },
  });
  await page.getByText("another").first().click();
  await until(() => page.locator(".voice").count()).toBe(0);
  await until(state).toBe("ended");
  expect(gateway.model.recordings).toHaveLength(1);
  await place.isClean();
});

test("voice: no button without a model for it; it comes when one is set", async (t) => {
  const place = await speaking(t, { config: {} });
  const { page, gateway } = place;
  const told = page.waitForResponse((response) => response.url().endsWith("/api/v1/system"));
  await page.reload();
  await told;
  await page.getByRole("button", { name: "Attach files" }).waitFor();
  expect(await button(page, EN.start).count()).toBe(0);
  await gateway.api("/settings", {
    method: "PATCH",
    body: { agent: { transcriptionModel: "mock/whisper-9" } },
    headers: { "if-match": "*" },
  });
  await button(page, EN.start).waitFor();
  await place.isClean();
});

test("voice: on plain HTTP from elsewhere there is no button, and the settings say why", async (t) => {
  const place = await speaking(t, {
    name: "margay.test",
    config: {
      agent: { transcriptionModel: "mock/whisper-9" },
      gateway: { auth: { passwordFile: "password.txt" } },
    },
    prepare: ({ home }) => writeFileSync(join(home, "password.txt"), "four unrelated words here", { mode: 0o600 }),
  });
  const { page, origin } = place;
  await page.goto(`${origin}/?p=settings/browser`);
  await page.getByText("browsers give a microphone only to pages that came over https").waitFor();
  expect(await button(page, EN.start).count()).toBe(0);
  await place.isClean();
});
