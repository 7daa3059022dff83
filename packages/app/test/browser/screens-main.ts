// Draws every page in both looks: `screens-main.ts FOLDER`. A real gateway, a scripted model, a chat worth looking at.
import { join } from "node:path";
import { callsTool, says } from "@margay/core/testing";
import { thinks } from "@margay/core/internal/testing";
import type { Page } from "playwright-core";
import { LOOKS, PAGES, type Screen } from "./screens-looks.ts";
import { openBrowser, say, type BrowserPlace } from "./support.ts";

const ANSWER = [
  "Here is what I found in **three** places:\n",
  "| file | lines | 说明 |\n|---|--:|---|\n| `main.ts` | 120 | 入口 |\n| `loop.ts` | 86 | 循环 |\n",
  "```ts\n// the whole loop\nwhile (turn.open) {\n  const step = plan(state);\n  await drive(step, signal);\n}\n```\n",
  "1. First it plans.\n2. Then it acts:\n   - commits the intent\n   - performs the effect\n\n> 重点：**先写意图，**再执行。\n",
  "The energy is $E = mc^2$.",
].join("\n");

const MONTH = `<!doctype html><style>body { font: 16px system-ui; padding: 16px } i { display: block; height: 24px; background: #2f6f5e; margin: 4px 0 }</style>
<h1>November</h1><p>Rent</p><i style="width: 90%"></i><p>Food</p><i style="width: 45%"></i><p>Trips</p><i style="width: 20%"></i>`;

const [folder = "."] = process.argv.slice(2);
for (const look of LOOKS) {
  const cleanups: (() => Promise<void>)[] = [];
  try {
    const place = await openBrowser({ onTestFinished: (clean) => void cleanups.push(clean) }, look);
    await drawAll(place, (name) => join(folder, `${look.label}-${name}.png`));
    if (place.faults.length > 0) {
      process.stderr.write(`${look.label}: ${place.faults.join("\n")}\n`);
      process.exitCode = 1;
    }
  } finally {
    for (const clean of cleanups.reverse()) await clean();
  }
}

async function drawAll({ page, gateway }: BrowserPlace, file: (name: Screen) => string): Promise<void> {
  await settle(page);
  await page.screenshot({ path: file("empty") });
  gateway.model.replies(
    thinks("The person wants an overview.\nI look at the files first.", says(ANSWER)),
    says(`Your month:\n\n\`\`\`html\n${MONTH}\n\`\`\``),
    callsTool("exec", { command: "npm test -- --run" }, { text: "I run the tests now." }),
  );
  await say(page, "Explain the loop of this project, please.");
  await page.locator(".item-foot").first().waitFor({ state: "attached" });
  await settle(page);
  await page.screenshot({ path: file("chat") });
  await page.locator("#composer").press("Control+f");
  await page.getByRole("search").getByRole("searchbox").fill("three");
  await page.getByRole("search").getByRole("status").getByText(/1/).waitFor();
  await settle(page);
  await page.screenshot({ path: file("find") });
  await page.keyboard.press("Escape");
  await page.locator("#composer").press("Control+k");
  await page.locator(".palette [role=option]").first().waitFor();
  await settle(page);
  await page.screenshot({ path: file("palette") });
  await page.keyboard.press("Escape");
  await page.locator(".model-chip").click();
  await page.getByRole("dialog").first().waitFor();
  await settle(page);
  await page.screenshot({ path: file("picker") });
  await page.keyboard.press("Escape");
  await page.getByRole("dialog").first().waitFor({ state: "hidden" });
  await settle(page); // the focus is back at its place
  await page.locator("#composer").press("F2");
  await settle(page);
  await page.screenshot({ path: file("rename") });
  await page.keyboard.press("Escape");
  await go(page, "settings/notifications", "settings");
  await page.screenshot({ path: file("notifications") });
  await page.keyboard.press("Escape");
  await say(page, "Show me what this month has cost.");
  await page.getByRole("button", { name: /^(?:Preview|预览)$/ }).click();
  await page.locator(".preview-frame").waitFor();
  await settle(page);
  await page.screenshot({ path: file("preview") });
  await page.keyboard.press("Escape");
  await say(page, "Now run the tests.");
  await page.locator(".approval").waitFor();
  await settle(page);
  await page.screenshot({ path: file("approval") });
  for (const id of PAGES) {
    await go(page, id);
    await page.screenshot({ path: file(id) });
  }
}

async function go(page: Page, panel: string, id = panel): Promise<void> {
  await page.evaluate((to) => {
    history.pushState(null, "", `${location.pathname}?p=${to}`);
    dispatchEvent(new PopStateEvent("popstate"));
  }, panel);
  await page.locator(`.panel [data-page="${id}"]`).waitFor();
  await settle(page);
}

/** Until nothing is loading and what is drawn stays. */
async function settle(page: Page): Promise<void> {
  await page.waitForFunction(() => document.querySelectorAll(".skeleton").length === 0);
  await page.evaluate(() => document.fonts.ready);
  await page.waitForTimeout(500);
}
