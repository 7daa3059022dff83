// A person without a pointer: Tab until it is there, and at each stop the focus can be seen and lies under nothing.
import type { Locator, Page } from "playwright-core";
import { expect } from "vitest";

const MOST_STOPS = 120;

export interface KeyboardPerson {
  /** Tab (or Shift+Tab) until `target` has the focus. Fails when it can't be reached or a stop can't be seen. */
  reach(target: Locator, key?: "Tab" | "Shift+Tab"): Promise<void>;
  press(...keys: readonly string[]): Promise<void>;
  type(text: string): Promise<void>;
  /** To it, and Enter. */
  enter(target: Locator, key?: "Tab" | "Shift+Tab"): Promise<void>;
  /** Everything in the place of what the field holds. */
  rewrite(field: Locator, text: string): Promise<void>;
}

export function byKeyboard(page: Page): KeyboardPerson {
  const reach = async (target: Locator, key: "Tab" | "Shift+Tab" = "Tab"): Promise<void> => {
    await target.waitFor();
    const stops: string[] = [];
    while (!(await target.evaluate((element) => element === document.activeElement))) {
      expect(stops.length, `${String(target)} is not reached: ${stops.join(" → ")}`).toBeLessThan(MOST_STOPS);
      await page.keyboard.press(key);
      const { stop, faults } = await page.evaluate(lookAtFocus);
      expect(faults, stop).toEqual([]);
      stops.push(stop);
    }
  };
  return {
    reach,
    press: async (...keys) => {
      for (const key of keys) await page.keyboard.press(key);
    },
    type: (text) => page.keyboard.type(text),
    enter: async (target, key) => {
      await reach(target, key);
      await page.keyboard.press("Enter");
    },
    rewrite: async (field, text) => {
      await reach(field);
      await page.keyboard.press("Control+a");
      await page.keyboard.insertText(text);
    },
  };
}

/** Runs in the page: what has the focus, and whether a person sees that. */
function lookAtFocus(): { stop: string; faults: string[] } {
  const element = document.activeElement;
  if (!(element instanceof HTMLElement) || element === document.body) return { stop: "(the browser)", faults: [] };
  const name = element.getAttribute("aria-label") ?? element.textContent.trim().slice(0, 30);
  const type = element.getAttribute("type") ?? "";
  const stop = `${element.tagName.toLowerCase()}.${element.className} ${type} “${name}”`;
  const faults: string[] = [];
  // A radio in a labelled tile, the field in its frame: the ring stands around what is seen as the control.
  const around = [element, element.nextElementSibling, element.parentElement, element.parentElement?.parentElement];
  const ringed = around.some((one) => {
    if (!(one instanceof HTMLElement)) return false;
    const { outlineStyle, outlineWidth, boxShadow, backgroundImage } = getComputedStyle(one);
    const outlined = outlineStyle !== "none" && Number.parseFloat(outlineWidth) >= 2;
    const framed = one.matches(".composer:focus-within") && boxShadow !== "none";
    const drawn = one.matches("[role=separator]:focus-visible") && backgroundImage !== "none";
    return outlined || framed || drawn;
  });
  if (!ringed) faults.push("no visible focus");
  const box = element.getBoundingClientRect();
  const left = Math.max(box.left, 0);
  const top = Math.max(box.top, 0);
  const right = Math.min(box.right, innerWidth);
  const bottom = Math.min(box.bottom, innerHeight);
  if (right - left < 1 || bottom - top < 1) faults.push("outside of the window");
  else {
    // Some point of it is on top: not wholly under a bar (WCAG 2.4.11).
    const points = [0.5, 0.1, 0.9].flatMap((x) => [0.5, 0.1, 0.9].map((y) => [x, y] as const));
    const seen = points.some(([x, y]) => {
      const on = document.elementFromPoint(left + x * (right - left), top + y * (bottom - top));
      return on !== null && (element.contains(on) || on.contains(element) || on.closest("label")?.contains(element));
    });
    if (!seen) faults.push("hidden under something");
  }
  return { stop, faults };
}
