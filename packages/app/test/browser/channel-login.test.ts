// A channel is logged in on the page: the code is drawn, and whoever leaves has cancelled it. The platform is a lamp.
import { expect, test } from "vitest";
import { expectQr, installLamp, startLamp, TOKEN } from "../channels/lamp.ts";
import type { Owner } from "../gateway/support.ts";
import { openBrowser, until, type BrowserOptions, type BrowserPlace } from "./support.ts";

const QR = { type: "qr", data: "https://lamp.example/scan?code=17", expiresAt: 4_000_000_000_000 } as const;

async function scene(
  t: Owner,
  options: BrowserOptions = {},
): Promise<BrowserPlace & { lamp: Awaited<ReturnType<typeof startLamp>> }> {
  const lamp = await startLamp();
  t.onTestFinished(async () => lamp[Symbol.asyncDispose]());
  const prepare = ({ home }: { readonly home: string }): Promise<void> => installLamp(home);
  return { lamp, ...(await openBrowser(t, { prepare, ...options })) };
}

/** The dark modules of the drawing, as they are painted. */
async function drawn(page: BrowserPlace["page"]): Promise<readonly (readonly boolean[])[]> {
  const { size, path } = await page.locator("svg.p-qr").evaluate((svg) => ({
    size: Number(svg.getAttribute("viewBox")?.split(" ")[2]),
    path: svg.querySelector("path")?.getAttribute("d") ?? "",
  }));
  const rows = Array.from({ length: size }, () => Array.from({ length: size }, () => false));
  for (const [, x, y, width] of path.matchAll(/M(\d+) (\d+)h(\d+)v1H\1z/g))
    rows[Number(y)]?.fill(true, Number(x), Number(x) + Number(width));
  return rows;
}

test("CH96 CH172 the page draws the code, says what became of it, ends with the channel up, and never sees the secret", async (t) => {
  const place = await scene(t);
  const { page, gateway, lamp } = place;
  const bodies: string[] = [];
  page.on("response", (response) => {
    if (response.url().includes("/api/"))
      response.text().then(
        (text) => void bodies.push(text),
        () => {}, // a stream that was left
      );
  });
  await page.goto(`${gateway.url}/?p=channels/lamp`);
  await page.getByLabel("baseUrl").fill(lamp.url);
  await page.getByRole("button", { name: "Log in" }).click();
  lamp.tell(QR);
  await page.getByRole("img", { name: "QR code to log in with" }).waitFor();
  expectQr(await drawn(page), 4);
  await place.isClean();
  lamp.tell({ fault: "It was refused on the phone. Begin again." });
  await page.getByText("It was refused on the phone. Begin again.").waitFor();
  await page.getByRole("button", { name: "Try again" }).click();
  await until(() => lamp.begun).toBe(2);
  lamp.tell({ ...QR, expiresAt: 1000 });
  await page.getByText("This one has expired.").waitFor();
  lamp.tell({ type: "scanned" });
  await page.getByText("The rest is done on the phone.").waitFor();
  lamp.tell({ type: "done", account: "the lamp", settings: { token: TOKEN, room: "kitchen" } });
  await page.getByText("lamp is logged in as the lamp.").waitFor();
  await until(async () => (await gateway.api("/channels/lamp")).body.state).toBe("up");
  await page.reload();
  await page.getByRole("button", { name: "Log in" }).waitFor();
  expect(bodies.length).toBeGreaterThan(0);
  expect(`${bodies.join("\n")}${await page.content()}`).not.toContain(TOKEN);
  await place.isClean();
});

test("CH96 whoever closes the page, goes elsewhere or cancels ends the login; in Chinese on a phone", async (t) => {
  const { page, gateway, lamp, tab } = await scene(t, { phone: true, theme: "dark", language: "zh-CN" });
  const begin = async (on = page): Promise<void> => {
    await on.goto(`${gateway.url}/?p=channels/lamp`);
    await on.getByLabel("baseUrl").fill(lamp.url);
    await on.getByRole("button", { name: "登录" }).click();
    lamp.tell({ type: "code", code: "1234-5678", expiresAt: QR.expiresAt });
    await on.getByText("1234-5678").waitFor();
  };
  await begin();
  await page.getByRole("button", { name: "取消" }).click();
  await until(() => lamp.left).toBe(1);
  await begin();
  await page.getByRole("link", { name: "全部渠道" }).click();
  await until(() => lamp.left).toBe(2);
  const other = await tab();
  await begin(other);
  await other.close();
  await until(() => lamp.left).toBe(3);
  expect((await gateway.api("/channels")).body).toEqual([]);
});
