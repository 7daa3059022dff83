/** What a person does on the page with every channel: from nothing to the first answer, without leaving it. */
import type { Json, JsonObject } from "@margay/core";
import type { ChannelPeer, ChannelSuite } from "@margay/core/internal/testing";
import { says } from "@margay/core/testing";
import type { Locator, Page } from "playwright-core";
import { expect, onTestFinished } from "vitest";
import { en as apiEn } from "../../src/features/channels/api-texts.en.ts";
import { zh as apiZh } from "../../src/features/channels/api-texts.zh.ts";
import { findKind } from "../../src/features/channels/kinds.ts";
import { kindView } from "../../src/features/channels/kind-view.ts";
import { en } from "../../src/features/channels/page/texts.en.ts";
import { zh } from "../../src/features/channels/page/texts.zh.ts";
import { isSecretAt } from "../../src/config/secrets/secret-names.ts";
import { openBrowser, until } from "./support.ts";

type Register = (name: string, body: () => Promise<void>) => void;

const LOOKS = {
  en: { words: en, said: apiEn, save: "Save", theme: "light", phone: false },
  "zh-CN": { words: zh, said: apiZh, save: "保存", theme: "dark", phone: true },
} as const;

/** Registers it in English at a desk, and in Chinese on a phone in the dark. */
export function channelPage(register: Register, suite: ChannelSuite): void {
  const title = "page: CH90 CH91 CH95 CH98 from nothing to the first answer";
  register(`${title}, in English at a desk`, () => fromNothing(suite, "en"));
  register(`${title}, in Chinese on a phone`, () => fromNothing(suite, "zh-CN"));
}

async function fromNothing(suite: ChannelSuite, language: keyof typeof LOOKS): Promise<void> {
  const { words, said, save, theme, phone } = LOOKS[language];
  const peer = await suite.peer({ clock: { now: () => Date.now() } });
  onTestFinished(() => peer[Symbol.asyncDispose]());
  const place = await openBrowser({ onTestFinished }, { theme, phone, language });
  const { page, gateway } = place;
  const { kind } = peer.plugin;
  const shot = async (name: string): Promise<void> => {
    const folder = process.env["MARGAY_SCREENS"];
    if (folder !== undefined) await picture(page, `${folder}/${kind}-${language}-${name}.png`);
    expect(await isWide(page)).toBe(false);
  };
  const found = findKind(kind, { home: gateway.home });
  if (found === undefined) throw new Error(`no plugin of ${kind} is here`);
  const { title, schema } = kindView(found, language);

  const begun = performance.now();
  let presses = 0;
  const press = (what: Locator): Promise<void> => {
    presses += 1;
    return what.click();
  };
  await page.goto(`${gateway.url}/?p=channels`);
  await press(page.getByRole("link", { name: title }));
  await page.getByText(words.guide).waitFor();
  await shot("1");
  await fill(page, schema, peer.settings);
  await press(page.getByRole("button", { name: words.test, exact: true }));
  await page.getByText(words.testOk).waitFor();
  // Who it is there is no secret; nothing needs a restart.
  expect(await page.locator(".p-test").innerText()).not.toContain("[redacted]");
  await page.locator(".p-test").getByText(said.startsWhenSaved).waitFor();
  await shot("2");
  await press(page.getByRole("button", { name: save, exact: true }));
  // How it is and what comes next stands where it was set up.
  await page.locator(`[data-state="up"]`).getByText(words.state_up).waitFor();
  await page.getByText(words.nowWrite).waitFor();
  await shot("3");

  const anna = await peer.person("Anna");
  const chat = await peer.chat(anna);
  const shown = async (): Promise<string> => (await peer.shown(chat)).at(-1)?.text ?? "";
  await peer.write(anna, chat, "hello?");
  const request = page.locator("[data-code]");
  await request.getByText("hello?").waitFor();
  await until(shown).toContain(String(await request.getAttribute("data-code")));
  await shot("4");
  await press(request.getByRole("button", { name: words.approveOperator }));
  await until(() => request.count()).toBe(0);
  gateway.model.replies(says("Good evening, Anna."));
  await peer.write(anna, chat, "it is me");
  await until(shown).toBe("Good evening, Anna.");
  const seconds = ((performance.now() - begun) / 1000).toFixed(1);
  if (process.env["MARGAY_FIGURES"] !== undefined)
    process.stdout.write(`${kind}, ${language}: ${presses} presses, ${seconds} s to the first answer\n`);
  expect(presses).toBe(4);
  await until(() => page.getByText(words.nowWrite).count()).toBe(0);
  const content = await page.content();
  for (const secret of secretsOf(peer)) expect(content).not.toContain(secret);
  await place.isClean();

  await page.goto(`${gateway.url}/?p=channels`);
  await page.locator(`[data-channel="${kind}"]`).waitFor();
  await shot("5");
  await place.isClean();
}

/** As the form asks for it: by what stands beside each field. */
async function fill(page: Page, schema: JsonObject, settings: ChannelPeer["settings"]): Promise<void> {
  const of = (value: Json | undefined): JsonObject => (value ?? {}) as JsonObject; // a manifest's
  const own = of(schema["properties"]);
  const fields = { ...own, ...of(of(own["options"])["properties"]) };
  for (const more of await page.locator(".p-form summary").all()) await more.click();
  for (const [name, value] of Object.entries(settings)) {
    if (Array.isArray(value)) continue; // rooms: there are none yet
    const field = of(fields[name]);
    const label = page.getByLabel(new RegExp(`^${String(field["title"])}( \\*)?$`));
    await (Array.isArray(field["enum"]) ? label.selectOption(String(value)) : label.fill(String(value)));
  }
}

function secretsOf({ settings }: ChannelPeer): readonly string[] {
  const named = Object.entries(settings).filter(
    ([name]) => name !== "baseUrl" && isSecretAt({ secret: "named" }, name),
  );
  return named.map(([, value]) => String(value));
}

/** Whether something is wider than the page. */
function isWide(page: Page): Promise<boolean> {
  return page.evaluate(() => document.documentElement.scrollWidth > document.documentElement.clientWidth);
}

/** To look at, of all that can be scrolled to. */
async function picture(page: Page, path: string): Promise<void> {
  const size = page.viewportSize() ?? { width: 1280, height: 800 };
  await page.setViewportSize({ ...size, height: 2000 });
  await page.screenshot({ path });
  await page.setViewportSize(size);
}
