// Draws the ways in, in both looks: `screens-door-main.ts FOLDER`. A gateway that others reach, before and after its password.
import { join } from "node:path";
import type { Page } from "playwright-core";
import { LOOKS, type Screen } from "./screens-looks.ts";
import { openBrowser } from "./support.ts";

const PASSWORD = "four unrelated words here";

const [folder = "."] = process.argv.slice(2);
for (const look of LOOKS) {
  const cleanups: (() => Promise<void>)[] = [];
  const owner = { onTestFinished: (clean: () => Promise<void>) => void cleanups.push(clean) };
  try {
    const place = await openBrowser(owner, { ...look, outside: true, setup: true, name: "margay.test" });
    const { page, context, gateway, origin } = place;
    const draw = async (name: Screen, on: Page = page): Promise<void> => {
      await on.waitForTimeout(300);
      await on.screenshot({ path: join(folder, `${look.label}-${name}.png`) });
    };
    const { code } = gateway.gateway.auth.codes.mint("setup");
    await page.goto(`${origin}/#setup=${code}`);
    const password = page.locator("input[name=password]");
    const submit = page.locator("button[type=submit]");
    await password.fill("pass");
    await draw("setup");
    await submit.click();
    await page.getByRole("alert").waitFor();
    await draw("setup-weak");
    await password.fill(PASSWORD);
    await submit.click();
    await page.waitForURL(/welcome/);
    await draw("welcome");
    const other = await context.newPage();
    await other.goto(`${origin}/#setup=${code}`);
    await draw("setup-closed", other);
    await context.clearCookies();
    await other.evaluate(() => localStorage.clear());
    await other.goto(`${origin}/login`);
    for (let wrong = 0; wrong < 6; wrong++) {
      await other.locator("input[name=password]").fill("wrong");
      const answer = other.waitForResponse(/login$/);
      await other.locator("button[type=submit]").click();
      await answer;
      if (wrong === 0) await draw("login-wrong", other);
    }
    await other.getByRole("timer").waitFor();
    await draw("login-locked", other);
    await other.goto(`${origin}/#login=${"A".repeat(26)}`);
    await draw("login-failed", other);
  } finally {
    for (const clean of cleanups.reverse()) await clean();
  }
}
