// The icons of an installed page, drawn from its sign: node scripts/icons.mjs. They are committed, so that a build needs no browser.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { onNode24, root } from "./lib/toolchain.mjs";

await onNode24(import.meta.url);
const { chromium } = await import("playwright-core");
const folder = join(root, "packages/app/src/web/public");
const sign = readFileSync(join(folder, "favicon.svg"), "utf8");

/** A mask may cut all but the middle four fifths; a phone that rounds corners wants no holes. */
const ICONS = [
  { name: "icon-192.png", size: 192, sign: 1, ground: "transparent" },
  { name: "icon-512.png", size: 512, sign: 1, ground: "transparent" },
  { name: "icon-maskable-512.png", size: 512, sign: 0.6, ground: "#fbfaf8" },
  { name: "icon-apple-180.png", size: 180, sign: 0.72, ground: "#fbfaf8" },
];

const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM_PATH ?? "/usr/bin/chromium",
  args: ["--no-sandbox"],
});
try {
  for (const { name, size, sign: share, ground } of ICONS) {
    const page = await browser.newPage({ viewport: { width: size, height: size } });
    const side = Math.round(size * share);
    await page.setContent(
      `<style>body{margin:0;height:100vh;display:grid;place-items:center;background:${ground}}svg{width:${side}px;height:${side}px}</style>${sign}`,
    );
    writeFileSync(join(folder, name), await page.screenshot({ omitBackground: true }));
    await page.close();
  }
} finally {
  await browser.close();
}
