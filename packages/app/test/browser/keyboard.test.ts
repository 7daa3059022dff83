// The keys of lib/keys.ts, each pressed once where it acts; and the switch that turns single letters off.
import { callsTool, says } from "@margay/core/testing";
import { stalls } from "@margay/core/internal/testing";
import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { answers, openBrowser, say, until, type BrowserPlace } from "./support.ts";

const ASKS = { config: { tools: { exec: { sandbox: "none" } } } };

interface Case {
  readonly keys: string;
  /** As the help page writes them. */
  readonly shown: string;
  readonly from?: (place: BrowserPlace) => Promise<void>;
  readonly see: (place: BrowserPlace) => Promise<void>;
}

const focused = (page: Page): Promise<string> =>
  page.evaluate(() => {
    const element = document.activeElement;
    return element === null ? "" : `${element.tagName.toLowerCase()}#${element.id}.${element.className}`;
  });
const focusOn =
  (part: string) =>
  async ({ page }: BrowserPlace) => {
    await until(() => focused(page)).toContain(part);
  };
const inFeed = async ({ page }: BrowserPlace): Promise<void> => page.locator(".feed").focus();
const onLastAnswer = async ({ page }: BrowserPlace): Promise<void> => page.locator(".item.assistant").last().focus();
const gone =
  (selector: string) =>
  async ({ page }: BrowserPlace) =>
    page.locator(selector).waitFor({ state: "detached" });
const there =
  (selector: string) =>
  async ({ page }: BrowserPlace) =>
    page.locator(selector).first().waitFor();
const polite = (page: Page): Promise<string> => page.locator("[data-region=polite]").innerText();

/** In the order they are pressed: each leaves the page as the next expects it. */
const CASES: readonly Case[] = [
  { keys: "Control+k", shown: "Ctrl K", see: there(".palette [role=option]") },
  { keys: "Escape", shown: "Esc", see: gone(".palette") },
  { keys: "Control+b", shown: "Ctrl B", see: there(".shell.no-list") },
  { keys: "Control+Shift+F", shown: "Ctrl Shift F", see: focusOn("list-search") },
  { keys: "Control+j", shown: "Ctrl J", see: there(".panel") },
  { keys: "Escape", shown: "Esc", see: gone(".panel") },
  { keys: "Control+f", shown: "Ctrl F", see: there(".find-bar input") },
  { keys: "Escape", shown: "Esc", see: gone(".find-bar") },
  { keys: "/", shown: "/", from: inFeed, see: focusOn("#composer") },
  { keys: "[", shown: "[", from: inFeed, see: focusOn("item user") },
  { keys: "[", shown: "[", see: async ({ page }) => onItem(page, "first question") },
  { keys: "]", shown: "]", see: async ({ page }) => onItem(page, "second question") },
  { keys: "j", shown: "j", see: async ({ page }) => onItem(page, "the second answer") },
  { keys: "k", shown: "k", see: async ({ page }) => onItem(page, "second question") },
  { keys: "Home", shown: "Home", from: onLastAnswer, see: async ({ page }) => onItem(page, "first question") },
  {
    keys: "c",
    shown: "c",
    from: onLastAnswer,
    see: async ({ page }) => until(() => polite(page)).toContain("Copied"),
  },
  { keys: "Enter", shown: "Enter", from: onLastAnswer, see: there(".menu [role=menuitem]") },
  { keys: "Escape", shown: "Esc", see: gone(".menu") },
  { keys: "Alt+r", shown: "Alt R", see: async ({ page }) => until(() => polite(page)).toContain("the second answer") },
  { keys: "?", shown: "?", from: inFeed, see: there('.panel [data-page="help"]') },
  { keys: "F6", shown: "F6", see: focusOn("nav-item") },
  { keys: "Shift+F6", shown: "Shift F6", see: focusOn("h2") },
  { keys: "Escape", shown: "Esc", see: gone(".panel") },
  { keys: "F2", shown: "F2", from: inFeed, see: focusOn("input") },
  { keys: "Escape", shown: "Esc", see: async ({ page }) => until(() => focused(page)).not.toContain("input") },
  { keys: "Shift+F2", shown: "Shift F2", from: inFeed, see: there("[role=dialog] .folder-new, dialog .folder-new") },
  { keys: "Escape", shown: "Esc", see: gone(".folder-new") },
  { keys: "Alt+n", shown: "Alt N", see: async ({ page }) => until(() => new URL(page.url()).pathname).toBe("/") },
  { keys: "Alt+ArrowDown", shown: "Alt ↓", see: async ({ page }) => until(() => page.url()).toContain("/s/") },
  { keys: "Alt+ArrowDown", shown: "Alt ↓", see: async ({ page }) => shownTitle(page, "other chat") },
  { keys: "Alt+ArrowUp", shown: "Alt ↑", see: async ({ page }) => shownTitle(page, "first question") },
];

test("W§9: every key of the table does what the help page says it does", async (t) => {
  const place = await openBrowser(t, ASKS);
  const { page, gateway } = place;
  gateway.model.replies(says("in the other chat"), says("the first answer"), says("the second answer"));
  await say(page, "other chat");
  await until(() => answers(page)).toEqual(["in the other chat"]);
  await page.keyboard.press("Alt+n");
  await until(() => new URL(page.url()).pathname).toBe("/");
  await say(page, "first question");
  await until(() => answers(page)).toEqual(["the first answer"]);
  await say(page, "second question");
  await until(() => answers(page)).toEqual(["the first answer", "the second answer"]);
  const pressed = new Set<string>();
  for (const { keys, shown, from, see } of CASES) {
    await from?.(place);
    await page.keyboard.press(keys);
    await see(place).catch((error: unknown) => {
      throw new Error(`${keys}: ${String(error)}`);
    });
    pressed.add(shown);
  }
  await stopAndOtherMode(place, pressed);
  await approvals(place, pressed);
  await page.locator("#composer").focus();
  await page.keyboard.press("Control+k");
  await page.locator(".palette [role=option]").first().waitFor();
  await page.keyboard.type("help");
  await page.locator("#palette-page-help[aria-selected=true]").waitFor();
  await page.keyboard.press("Enter");
  const table = page.locator('[data-page="help"] table').first();
  await table.waitFor();
  const listed = await table
    .locator("tbody tr")
    .evaluateAll((rows) => rows.map((row) => [...row.querySelectorAll("kbd")].map((key) => key.textContent).join(" ")));
  expect([...pressed].sort()).toEqual([...listed].sort());
  await place.isClean();
});

test("W§9: a key that is pressed in the same frame as the Escape that closes a page keeps the focus it asked for", async (t) => {
  const place = await openBrowser(t, ASKS);
  const { page, gateway } = place;
  gateway.model.replies(says("the answer"));
  await say(page, "a question");
  await until(() => answers(page)).toEqual(["the answer"]);
  await page.keyboard.press("Control+j");
  await page.locator(".panel h2").waitFor();
  // A frame that comes late, as on a busy machine.
  await page.evaluate(() => {
    const next = globalThis.requestAnimationFrame.bind(globalThis);
    globalThis.requestAnimationFrame = (run) => Number(setTimeout(() => next(run), 500));
  });
  await page.keyboard.press("Escape");
  await page.keyboard.press("F2");
  await page.locator(".chat-title-input").waitFor();
  await page.evaluate(async () => new Promise((done) => requestAnimationFrame(done)));
  expect(await focused(page)).toContain("chat-title-input");
  await place.isClean();
});

/** Ctrl+Enter sends for after the turn, Ctrl+. stops it. */
async function stopAndOtherMode({ page, gateway }: BrowserPlace, pressed: Set<string>): Promise<void> {
  gateway.model.replies(stalls({ after: "Long", rest: says(" never") }));
  await say(page, "a long one");
  await until(async () => (await answers(page)).at(-1)).toBe("Long");
  await page.locator("#composer").fill("for afterwards");
  await page.keyboard.press("Control+Enter");
  await page.locator(".strip.queue").getByText("after this turn").waitFor();
  await page.keyboard.press("Control+.");
  await page.getByText("Stopped by you").waitFor();
  pressed.add("Ctrl Enter").add("Ctrl .");
}

/** Alt+A from another chat opens the page with all of them; in the chat it goes to the card, then Enter, N and Y. */
async function approvals({ page, gateway }: BrowserPlace, pressed: Set<string>): Promise<void> {
  gateway.model.replies(
    callsTool("exec", { command: "echo no" }),
    callsTool("exec", { command: "echo yes" }),
    says("It ran."),
  );
  await say(page, "run");
  const card = page.locator(".chat .approval");
  await card.getByText("echo no").first().waitFor();
  await page.keyboard.press("Alt+a");
  await until(() => focused(page)).toContain("approval");
  // A key that comes in the first half second was meant for something else.
  await until(() => card.getByRole("button", { name: "Allow once" }).isEnabled()).toBe(true);
  await page.keyboard.press("Enter");
  await page.locator('.panel [data-page="approvals"]').waitFor();
  await page.keyboard.press("Escape");
  await page.locator(".panel").waitFor({ state: "detached" });
  await until(() => focused(page)).toContain("approval");
  await page.keyboard.press("n");
  await page.keyboard.type("not this one");
  await page.keyboard.press("Enter");
  await card.getByText("echo yes").first().waitFor();
  await until(() => card.locator(".primary").isEnabled()).toBe(true);
  await page.keyboard.press("Alt+a");
  await page.keyboard.press("y");
  await until(async () => (await answers(page)).at(-1)).toBe("It ran.");
  expect(JSON.stringify(gateway.model.requests.at(-1))).toContain("not this one");
  pressed.add("Alt A");
}

test("W§9: single letters can be switched off; combinations still act", async (t) => {
  const place = await openBrowser(t);
  const { page } = place;
  await say(page, "hello");
  await until(() => answers(page)).toEqual(["ok"]);
  await page.goto(`${new URL(page.url()).href}?p=settings/browser`);
  await page.getByLabel(/Shortcuts of a single letter/).uncheck();
  await page.reload();
  expect(await page.getByLabel(/Shortcuts of a single letter/).isChecked()).toBe(false);
  await page.locator(".feed").focus();
  await page.keyboard.press("k");
  await page.keyboard.press("/");
  await page.keyboard.press("?");
  expect(await focused(page)).toContain(".feed");
  expect(await page.locator('[data-page="help"]').count()).toBe(0);
  await page.keyboard.press("Control+k");
  await page.locator(".palette").waitFor();
  await place.isClean();
});

test("W§7 settings: Ctrl+Enter sends when it is chosen, Enter then breaks the line; reasoning is hidden or open", async (t) => {
  const place = await openBrowser(t);
  const { page, gateway } = place;
  await page.goto(`${gateway.url}/?p=settings/browser`);
  await page.getByLabel("What sends a message").selectOption({ index: 1 });
  await page.locator("#composer").fill("one");
  await page.locator("#composer").press("Enter");
  await page.keyboard.type("two");
  expect(await page.locator("#composer").inputValue()).toBe("one\ntwo");
  await page.getByText("Ctrl+Enter sends, Enter breaks the line").waitFor();
  await page.locator("#composer").press("Control+Enter");
  await until(() => answers(page)).toEqual(["ok"]);
  expect(await page.locator(".user-text").innerText()).toBe("one\ntwo");
  await page.reload();
  await page.getByLabel("What sends a message").waitFor();
  expect(await page.getByLabel("What sends a message").inputValue()).toBe("mod-enter");
  await place.isClean();
});

async function onItem(page: Page, text: string): Promise<void> {
  await until(() => page.evaluate(() => document.activeElement?.textContent ?? "")).toContain(text);
}

async function shownTitle(page: Page, title: string): Promise<void> {
  await until(() => page.locator(".chat-title").innerText()).toBe(title);
}
