// What people set in their system or browser: less motion, own colors, larger text, a narrow window; language and theme.
import { callsTool, says } from "@margay/core/testing";
import { stalls } from "@margay/core/internal/testing";
import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { answers, openBrowser, say, until, type BrowserOptions } from "./support.ts";

const ASKS = { config: { tools: { exec: { sandbox: "none" } } } };
const PANELS = ["approvals", "cron/new", "memory", "personas", "models", "tools", "usage", "settings/browser", "help"];

interface Look {
  readonly what: string;
  readonly options?: BrowserOptions;
  readonly viewport?: { readonly width: number; readonly height: number };
  /** Pixels of a rem. */
  readonly text?: number;
}

const LOOKS: readonly Look[] = [
  { what: "400 % zoom of 1280 × 1024", viewport: { width: 320, height: 256 } },
  { what: "a window of 320 px", viewport: { width: 320, height: 640 } },
  { what: "200 % text", text: 32 },
  { what: "Chinese at 20 px", options: { language: "zh-CN" }, text: 20 },
  { what: "Chinese at 20 px on a phone", options: { language: "zh-CN", phone: true, theme: "dark" }, text: 20 },
];

test.for(LOOKS)("row 66: nothing is lost or overlaps with $what", async (look, t) => {
  const { page, gateway, ...place } = await openBrowser(t, { ...look.options, ...ASKS });
  if (look.viewport) await page.setViewportSize(look.viewport);
  if (look.text !== undefined)
    await page.evaluate((size) => {
      if (size <= 20) localStorage.setItem("margay.text-size", String(size));
      document.documentElement.style.setProperty("--text-size", `${String(size)}px`);
    }, look.text);
  const found: string[] = [];
  const check = async (what: string): Promise<void> => {
    await page.evaluate(async () => {
      const ending = document.getAnimations().filter((one) => Number.isFinite(one.effect?.getComputedTiming().endTime));
      await Promise.all(ending.map((one) => one.finished.catch(() => {}))); // taken back: it ended too
    });
    for (const fault of await page.evaluate(layoutFaults)) found.push(`${what}: ${fault}`);
  };
  await check("empty");
  gateway.model.replies(
    says(
      "A long answer with `code` and a [link](https://example.com).\n\n| one | two | three |\n|---|---|---|\n| a | b | c |\n",
    ),
    callsTool("exec", { command: "echo a-long-command-that-has-to-wrap --with=many --arguments=in --one=line" }),
  );
  await say(page, "hello there, this is a first message that is long enough for two lines");
  await page.locator(".item.assistant table").waitFor();
  await check("chat");
  await say(page, "run");
  const allow = page.locator(".chat .approval .primary");
  await until(() => allow.isEnabled()).toBe(true);
  await check("approval");
  await allow.scrollIntoViewIfNeeded();
  await page.locator("#composer").scrollIntoViewIfNeeded();
  expect(await inWindow(page, "#composer")).toBe(true);
  for (const panel of PANELS) {
    await open(page, panel);
    await check(panel);
  }
  expect(found).toEqual([]);
  await place.isClean();
});

test("row 66: with less motion nothing moves while an answer is written", async (t) => {
  const place = await openBrowser(t);
  const { page, gateway } = place;
  await page.emulateMedia({ reducedMotion: "reduce" });
  const gate = stalls({ after: "Half of us", rest: says(" and the rest") });
  gateway.model.replies(gate);
  await say(page, "go");
  await until(() => answers(page)).toEqual(["Half of us"]);
  await open(page, "settings");
  expect(await page.evaluate(() => document.getAnimations().length)).toBe(0);
  const smooth = await page.evaluate(
    () => [...document.querySelectorAll("*")].filter((one) => getComputedStyle(one).scrollBehavior === "smooth").length,
  );
  expect(smooth).toBe(0);
  gate.release();
  await until(() => answers(page)).toEqual(["Half of us and the rest"]);
  await place.isClean();
});

test("row 66: with forced colors controls keep an edge, the chosen one a mark, and the focus a ring", async (t) => {
  const place = await openBrowser(t, ASKS);
  const { page, gateway } = place;
  await page.emulateMedia({ forcedColors: "active" });
  gateway.model.replies(says("hi"), callsTool("exec", { command: "echo x" }));
  await say(page, "hello");
  await until(() => answers(page)).toEqual(["hi"]);
  await say(page, "run");
  await page.locator(".chat .approval").waitFor();
  await open(page, "approvals");
  await page.locator(".panel [role=tab]").first().waitFor();
  const edgeless = await page.evaluate(() =>
    [
      ...document.querySelectorAll<HTMLElement>(
        "button.primary, button.danger, input:not([type=range]), select, .composer, .approval, .p-card",
      ),
    ]
      .filter((one) => one.checkVisibility())
      .filter((one) => {
        const { borderTopWidth, borderTopStyle } = getComputedStyle(one);
        const own = one instanceof HTMLInputElement && /^(checkbox|radio)$/.test(one.type); // drawn by the browser
        return !own && (Number.parseFloat(borderTopWidth) < 1 || borderTopStyle === "none");
      })
      .map((one) => `${one.tagName}.${one.className}`),
  );
  expect(edgeless).toEqual([]);
  // Chosen and not chosen differ by more than their ground.
  for (const [chosen, other] of [
    [".session.current", undefined],
    ['[role=tab][aria-selected="true"]', '[role=tab][aria-selected="false"]'],
    ['.nav-item[aria-current="true"]', ".nav-item:not([aria-current])"],
  ] as const) {
    const mark = await edges(page, chosen);
    expect(mark, chosen).not.toBe(other === undefined ? "" : await edges(page, other));
  }
  await page.locator("#composer").focus();
  for (const selector of [".composer", ".panel [role=tab][tabindex='0']", ".panel select"]) {
    if (selector === ".panel select") await open(page, "settings/browser");
    if (selector !== ".composer") await page.locator(selector).first().focus();
    const ring = await page
      .locator(selector)
      .first()
      .evaluate((one) => {
        const { outlineStyle, outlineWidth } = getComputedStyle(one);
        return outlineStyle === "none" ? 0 : Number.parseFloat(outlineWidth);
      });
    expect(ring, selector).toBeGreaterThanOrEqual(2);
  }
  expect(place.faults).toEqual([]);
});

const SWITCHES = [
  ["on a desktop", {}, "en", "zh-CN"],
  ["on a phone", { phone: true, theme: "dark", language: "zh-CN" }, "zh-CN", "en"],
] as const;

test.for(SWITCHES)(
  "row 67: language and theme change in the middle of an answer; it goes on, and a reload keeps them without a flash, %s",
  async ([, look, before, after], t) => {
    const place = await openBrowser(t, look);
    const { page, gateway } = place;
    const gate = stalls({ after: "still here", rest: says(" and done") });
    gateway.model.replies(gate);
    await say(page, "go");
    await until(() => answers(page)).toEqual(["still here"]);
    await page.evaluate(() => {
      (document.querySelector(".item.live .md") as HTMLElement & { planted?: boolean }).planted = true;
    });
    const was = await texts(page);
    expect(await page.evaluate(() => document.documentElement.lang)).toBe(before);
    for (const choice of [after === "en" ? "English" : "简体中文", /^(Dark|深色)$/]) {
      if (place.page.viewportSize()?.width === 390) await page.keyboard.press("Control+b");
      await page.getByRole("button", { name: /^(Appearance and language|外观与语言)$/ }).click();
      const dark = typeof choice !== "string" && look === SWITCHES[1][1];
      await page.getByRole("menuitemradio", { name: dark ? /^(Light|浅色)$/ : choice }).click();
      if (place.page.viewportSize()?.width === 390) await page.keyboard.press("Escape");
    }
    const theme = look === SWITCHES[1][1] ? "light" : "dark";
    const root = (): Promise<string> =>
      page.evaluate(() => `${document.documentElement.lang} ${document.documentElement.dataset["theme"] ?? ""}`);
    await until(root).toBe(`${after} ${theme}`);
    await open(page, "settings/browser");
    const now = await texts(page);
    expect(wrongLanguage(now, after)).toEqual([]);
    expect(wrongLanguage(was, before)).toEqual([]);
    gate.release();
    await until(() => answers(page)).toEqual(["still here and done"]);
    expect(
      await page.evaluate(
        () => (document.querySelector(".item .md") as HTMLElement & { planted?: boolean }).planted === true,
      ),
    ).toBe(true);
    // Every look of the document, from the moment it has a body on.
    await page.addInitScript(() => {
      const seen: string[] = [];
      Object.assign(window, { seen });
      new MutationObserver(() => {
        const { lang, dataset } = document.documentElement;
        if (document.body !== null) seen.push(`${lang} ${dataset["theme"] ?? ""}`);
      }).observe(document, { childList: true, subtree: true, attributes: true });
    });
    await page.reload();
    await until(() => answers(page)).toEqual(["still here and done"]);
    const seen = await page.evaluate(() => (window as unknown as { seen: string[] }).seen);
    expect([...new Set(seen)]).toEqual([`${after} ${theme}`]);
    await place.isClean();
  },
);

async function open(page: Page, address: string): Promise<void> {
  await page.evaluate((panel) => {
    history.pushState(null, "", `${location.pathname}?p=${panel}`);
    dispatchEvent(new PopStateEvent("popstate"));
  }, address);
  await page.locator(`.panel [data-page="${address.split("/")[0] ?? ""}"]`).waitFor();
  await until(() => page.locator(".panel .skeleton").count()).toBe(0);
}

async function inWindow(page: Page, selector: string): Promise<boolean> {
  return page.locator(selector).evaluate((element) => {
    const { top, bottom, left, right } = element.getBoundingClientRect();
    return top >= 0 && bottom <= innerHeight + 1 && left >= 0 && right <= innerWidth + 1;
  });
}

/** The edges of what is drawn: borders and outlines that forced colors keep. */
async function edges(page: Page, selector: string): Promise<string> {
  return page
    .locator(selector)
    .first()
    .evaluate((one) => {
      const { borderBottom, borderInlineStart, outline, boxShadow, fontWeight } = getComputedStyle(one);
      const { content, borderTop } = getComputedStyle(one, "::after");
      return [borderBottom, borderInlineStart, outline, boxShadow, fontWeight, content, borderTop].join("|");
    });
}

/** Everything the interface says, without what people and models wrote. */
async function texts(page: Page): Promise<readonly string[]> {
  return page.evaluate(() => {
    const theirs = ".item-body, .session, .chat-title, .model-chip, kbd, code, option, [aria-live]";
    const said: string[] = [];
    const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_ELEMENT | NodeFilter.SHOW_TEXT);
    for (let node = walk.nextNode(); node !== null; node = walk.nextNode()) {
      const element = node instanceof Element ? node : node.parentElement;
      if (element === null || element.closest(theirs) !== null || !element.checkVisibility()) continue;
      if (node instanceof Element)
        for (const name of ["aria-label", "title", "placeholder", "aria-valuetext"])
          said.push(node.getAttribute(name) ?? "");
      else said.push(node.textContent ?? "");
    }
    return [...new Set(said.map((text) => text.trim()).filter((text) => text !== ""))];
  });
}

function wrongLanguage(said: readonly string[], language: "en" | "zh-CN"): readonly string[] {
  const names =
    /margay|mock-model|mock\/|Enter|Shift|Ctrl|Alt|Esc|MCP|English|Markdown|简体中文|“[^”]*”|still here|and done|\bgo\b/g;
  return said.filter((text) => {
    const own = text.replaceAll(names, "");
    return language === "en" ? /\p{Script=Han}/u.test(own) : /[A-Za-z]{3,}/.test(own);
  });
}

/** Runs in the page: what can't be read or pressed because of where it is. */
function layoutFaults(): string[] {
  const faults: string[] = [];
  if (document.documentElement.scrollWidth > innerWidth + 1)
    faults.push(`the page is ${String(document.documentElement.scrollWidth)} px wide`);
  const nameOf = (one: Element): string =>
    `${one.tagName.toLowerCase()}.${one.className} “${(one.getAttribute("aria-label") ?? one.textContent).trim().slice(0, 40)}”`;
  /** What of it can be seen: cut by everything around it that scrolls or hides. */
  const seenBox = (one: Element): DOMRect | undefined => {
    let { left, top, right, bottom } = one.getBoundingClientRect();
    for (let parent = one.parentElement; parent !== null; parent = parent.parentElement) {
      const { overflowX, overflowY } = getComputedStyle(parent);
      const box = parent.getBoundingClientRect();
      if (overflowX !== "visible") [left, right] = [Math.max(left, box.left), Math.min(right, box.right)];
      if (overflowY !== "visible") [top, bottom] = [Math.max(top, box.top), Math.min(bottom, box.bottom)];
    }
    return right - left > 1 && bottom - top > 1 ? new DOMRect(left, top, right - left, bottom - top) : undefined;
  };
  const covered = document.querySelector(".panel") !== null && innerWidth < 768;
  const controls = [...document.querySelectorAll<HTMLElement>("button, a[href], input, select, textarea, summary")]
    .filter((one) => one.checkVisibility({ visibilityProperty: true, opacityProperty: true }))
    .filter(
      (one) => one.closest("[inert], .visually-hidden, .skip, .feed-down") === null && !one.matches(".skip, .scrim"),
    )
    .filter((one) => !covered || one.closest(".panel") !== null);
  for (const one of controls) {
    if (!one.matches("button, a[href], summary")) continue;
    const box = one.getBoundingClientRect();
    const walk = document.createTreeWalker(one, NodeFilter.SHOW_TEXT);
    for (let node = walk.nextNode(); node !== null; node = walk.nextNode()) {
      if (node.parentElement?.closest(".truncate, .visually-hidden") || (node.textContent ?? "").trim() === "")
        continue;
      const range = document.createRange();
      range.selectNodeContents(node);
      const text = range.getBoundingClientRect();
      const display = getComputedStyle(one).display;
      if (
        display !== "inline" &&
        (text.right > box.right + 2 || text.left < box.left - 2 || text.bottom > box.bottom + 3)
      )
        faults.push(`text runs out of ${nameOf(one)}`);
    }
  }
  const boxes = controls.flatMap((one) => {
    const box = seenBox(one);
    return box ? [{ one, box }] : [];
  });
  boxes.forEach((a, at) => {
    for (const b of boxes.slice(at + 1)) {
      if (a.one.contains(b.one) || b.one.contains(a.one)) continue;
      const wide = Math.min(a.box.right, b.box.right) - Math.max(a.box.left, b.box.left);
      const high = Math.min(a.box.bottom, b.box.bottom) - Math.max(a.box.top, b.box.top);
      if (wide > 3 && high > 3) faults.push(`${nameOf(a.one)} overlaps ${nameOf(b.one)}`);
    }
  });
  // Headings and labels that are cut without a way to read the rest.
  for (const one of document.querySelectorAll<HTMLElement>("h1, h2, h3, label, legend, .badge, td, th, p")) {
    if (!one.checkVisibility() || one.closest("[inert], .visually-hidden, .p-table, table, .feed") !== null) continue;
    const { overflowX } = getComputedStyle(one);
    if (
      overflowX === "hidden" &&
      one.scrollWidth > one.clientWidth + 1 &&
      one.title === "" &&
      one.querySelector("[title]") === null
    )
      faults.push(`cut: ${nameOf(one)}`);
  }
  return [...new Set(faults)];
}
