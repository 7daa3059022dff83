// The page as a program of its own: what a browser asks of one before it offers to install it.
import { expect, test } from "vitest";
import { openBrowser } from "./support.ts";

test("W§13.13 the page can be installed: the browser finds its manifest whole, and icons of the sizes that it needs", async (t) => {
  const place = await openBrowser(t, { phone: true, whole: true });
  const { page, context } = place;
  const devtools = await context.newCDPSession(page);
  const { errors, data = "{}" } = await devtools.send("Page.getAppManifest");
  expect(errors).toEqual([]);
  const manifest = JSON.parse(data) as { icons: readonly { src: string; sizes: string; type: string }[] };
  const shown = await page.evaluate(async (icons) => {
    const drawn = async ({ src, type }: { src: string; type: string }): Promise<string> => {
      const answer = await fetch(src);
      if (answer.headers.get("content-type") !== type) return `${src} is ${String(answer.headers.get("content-type"))}`;
      const { width, height } = await createImageBitmap(await answer.blob());
      return `${width}x${height}`;
    };
    return Promise.all(icons.filter(({ type }) => type === "image/png").map(drawn));
  }, manifest.icons);
  expect(shown).toEqual(manifest.icons.filter(({ type }) => type === "image/png").map(({ sizes }) => sizes));
  expect(shown).toEqual(expect.arrayContaining(["192x192", "512x512"]));
  const { installabilityErrors } = await devtools.send("Page.getInstallabilityErrors");
  // A private window, which this one is, installs nothing; all else is as it should be.
  expect(installabilityErrors.map(({ errorId }) => errorId)).toEqual(["in-incognito"]);
  const touch = await page.locator('link[rel="apple-touch-icon"]').getAttribute("href");
  expect((await page.request.get(`${place.origin}${String(touch)}`)).headers()["content-type"]).toBe("image/png");
  await place.isClean();
});
