// What a finger meets on a phone: nothing to press is so small, or so close to another, that the wrong thing is pressed.
import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { ADDRESSES, openPage, seedPages, throughLayers } from "./addresses.ts";
import { openBrowser } from "./support.ts";

/**
 * WCAG 2.5.5 (44 × 44 px), with the two exceptions that 2.5.8 (24 × 24 px) makes and this keeps: a link within a sentence, whose
 * size is that of its line, and a smaller thing (never under 24 px) with free room, so that no other one begins within the 44 px
 * around its middle. What a label or an `::before` makes larger counts as it is pressed: asked of the page by its points.
 */
test("W§13.13 at 390 px with touch everything to press is 44 px, or stands alone within 44 px", async (t) => {
  const place = await openBrowser(t, { phone: true, config: { tools: { exec: { sandbox: "none" } } } });
  const { page } = place;
  const { session, turn } = await seedPages(place);
  const found = new Set<string>();
  const check = async (what: string): Promise<void> => {
    for (const one of await small(page)) found.add(`${what}: ${one}`);
  };
  await check("chat");
  await throughLayers(page, check);
  for (const address of [...ADDRESSES, `explain/${session}/${turn}`, `session/${session}`, `share/${session}`]) {
    await openPage(page, address);
    await check(address);
  }
  await page.goto(`${place.gateway.url}/welcome`);
  await page.locator("h1, h2").first().waitFor();
  await check("welcome");
  expect([...found]).toEqual([]);
});

/** Everything to press that is too small where it stands: `button "Name" 30 × 20`. */
function small(page: Page): Promise<readonly string[]> {
  return page.evaluate(() => {
    const SIZE = 44;
    const LEAST = 24;
    const ROUNDING = 0.5;
    const what =
      "a[href], button, input, select, textarea, summary, [role=button], [role=tab], [role=switch], [role=option]";
    const layer = [...document.querySelectorAll("dialog[open], [aria-modal=true], [role=menu]")].at(-1) ?? document;
    const isSeen = (element: Element): boolean =>
      element.checkVisibility({ visibilityProperty: true, opacityProperty: true }) &&
      element.closest("[inert], .visually-hidden, .skip, [aria-hidden=true], :disabled") === null;
    const isInText = (element: Element): boolean =>
      element.matches("a") &&
      getComputedStyle(element).display === "inline" &&
      (element.parentElement?.textContent ?? "").trim() !== element.textContent?.trim();
    interface Target {
      readonly element: Element;
      readonly box: DOMRect;
    }
    const targets: Target[] = [...layer.querySelectorAll(what)].flatMap((element) => {
      if (!isSeen(element) || isInText(element)) return [];
      // A box or a circle is pressed by its label too; a hidden one by that alone.
      const label = element instanceof HTMLInputElement ? (element.closest("label") ?? element.labels?.[0]) : undefined;
      const isBox = element.matches("[type=checkbox], [type=radio], [type=file]");
      const own = element.getBoundingClientRect();
      const box =
        isBox && label && label.checkVisibility()
          ? union(grown(element, own), label.getBoundingClientRect())
          : grown(element, own);
      return box.width <= 1 || box.height <= 1 ? [] : [{ element, box }];
    });
    return targets.flatMap(({ element, box }) => {
      if (box.width >= SIZE - ROUNDING && box.height >= SIZE - ROUNDING) return [];
      const size = `${box.width.toFixed(0)} × ${box.height.toFixed(0)}`;
      const said = `${named(element)} ${size}`;
      if (box.width < LEAST - ROUNDING || box.height < LEAST - ROUNDING) return [said];
      const x = box.x + box.width / 2;
      const y = box.y + box.height / 2;
      const near = targets.find(
        (other) =>
          other.element !== element &&
          !other.element.contains(element) &&
          !element.contains(other.element) &&
          other.box.left < x + Math.max(SIZE, box.width) / 2 - ROUNDING &&
          other.box.right > x - Math.max(SIZE, box.width) / 2 + ROUNDING &&
          other.box.top < y + Math.max(SIZE, box.height) / 2 - ROUNDING &&
          other.box.bottom > y - Math.max(SIZE, box.height) / 2 + ROUNDING,
      );
      return near === undefined ? [] : [`${said}, beside ${named(near.element)}`];
    });

    function named(element: Element): string {
      const name = (element.getAttribute("aria-label") ?? element.textContent ?? "").trim().slice(0, 30);
      return `${element.localName}.${element.className} "${name}"`;
    }

    function union(a: DOMRect, b: DOMRect): DOMRect {
      const x = Math.min(a.left, b.left);
      const y = Math.min(a.top, b.top);
      return new DOMRect(x, y, Math.max(a.right, b.right) - x, Math.max(a.bottom, b.bottom) - y);
    }
    /** With an `::before` or `::after` that reaches out of it on all sides, as a switch has. */
    function grown(element: Element, own: DOMRect): DOMRect {
      const style = getComputedStyle(element, "::before");
      if (style.content === "none" || style.position !== "absolute") return own;
      const out = (side: string): number => Math.max(0, -parseFloat(style.getPropertyValue(side)) || 0);
      const [top, right, bottom, left] = [out("top"), out("right"), out("bottom"), out("left")];
      return new DOMRect(own.x - left, own.y - top, own.width + left + right, own.height + top + bottom);
    }
  });
}
