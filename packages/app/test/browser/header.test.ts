// The header of a chat and what stands at the edges of its messages.
import { says } from "@margay/core/testing";
import { thinks } from "@margay/core/internal/testing";
import { expect, test } from "vitest";
import { answers, openBrowser, say, until, type BrowserOptions } from "./support.ts";

const PHONE: BrowserOptions = { phone: true, theme: "dark", language: "zh-CN" };

test("row 51: the persona chip sets who answers in this chat from its next turn on, or in all chats", async (t) => {
  const place = await openBrowser(t);
  const { page, gateway } = place;
  gateway.model.replies(says("first"), says("second"));
  await say(page, "hello");
  await until(() => answers(page)).toEqual(["first"]);
  await page.getByRole("button", { name: "Persona: No persona" }).click();
  await page.getByRole("menuitemradio", { name: "Zen" }).click();
  await page.getByText("Used from the next turn of this chat").waitFor();
  await page.getByRole("button", { name: "Persona: Zen" }).waitFor();
  expect((await gateway.api("/personas")).body.active).toBe(null);
  await say(page, "again");
  await until(() => answers(page)).toEqual(["first", "second"]);
  const [before, after] = gateway.model.requests.map((request) => JSON.stringify(request));
  expect(after?.includes("Zen")).toBe(true);
  expect(before?.includes("Zen")).toBe(false);
  await page.getByRole("button", { name: "Persona: Zen" }).click();
  await page.getByRole("menuitem", { name: "Use Zen in all chats" }).click();
  await until(async () => (await gateway.api("/personas")).body.active).toBe("zen");
  await place.isClean();
});

for (const [where, look, names] of [
  ["on a desktop", {}, { title: "What fills the context", summarize: "Summarize now", memory: "Memory" }],
  ["on a phone", PHONE, { title: "上下文的组成", summarize: "立即摘要", memory: "记忆" }],
] as const)
  test(`W§4 header: the context ring tells of what it is full, and summarizes, ${where}`, async (t) => {
    const place = await openBrowser(t, look);
    const { page, gateway } = place;
    const memory = await gateway.api("/memory/files/MEMORY.md");
    await gateway.api("/memory/files/MEMORY.md", {
      method: "PUT",
      body: { text: "# Facts\n- likes tea, and everything else about tea that a person can like\n" },
      headers: { "if-match": `"${String(memory.body.hash)}"` },
    });
    await say(page, "hello");
    await until(() => answers(page)).toEqual(["ok"]);
    await page.locator(".context-ring").click();
    const dialog = page.getByRole("dialog", { name: names.title });
    const row = (name: string): Promise<number> =>
      dialog
        .getByRole("row", { name: new RegExp(`^${name} `) })
        .locator("td")
        .first()
        .innerText()
        .then((text) => Number(text.replaceAll(",", "")));
    expect(await row(names.memory)).toBeGreaterThan(10);
    expect(await dialog.getByRole("row").count()).toBe(7);
    await place.isClean();
    await dialog.getByRole("button", { name: names.summarize }).click();
    await dialog.waitFor({ state: "detached" });
    await until(() => page.evaluate(() => document.activeElement?.classList.contains("context-ring"))).toBe(true);
    await place.isClean();
  });

test("W§4 list: the rail goes to your messages by click and by arrow keys, and tells their first lines", async (t) => {
  const place = await openBrowser(t);
  const { page, gateway } = place;
  for (const name of ["one", "two", "three"]) {
    gateway.model.replies(says(`Answer ${name}.\n\n`.repeat(30)));
    await say(page, `question ${name}\nwith a second line`);
    await until(async () => (await page.locator(".item-foot").last().innerText()).length).toBeGreaterThan(0);
    await until(() => page.locator(".item.user.sending, .turn-status").count()).toBe(0);
  }
  const rail = page.getByRole("slider", { name: "Your messages in this chat" });
  await until(() => rail.getAttribute("aria-valuetext")).toBe("3 of 3: question three");
  const box = await rail.boundingBox();
  await page.mouse.move((box?.x ?? 0) + 12, (box?.y ?? 0) + 1);
  await page.locator(".rail-tip").getByText("question one").waitFor();
  await page.mouse.down();
  await page.mouse.up();
  await until(() => page.getByText("question one").first().isVisible()).toBe(true);
  await until(() => rail.getAttribute("aria-valuenow")).toBe("1");
  await rail.focus();
  await page.keyboard.press("ArrowDown");
  await until(() => rail.getAttribute("aria-valuetext")).toBe("2 of 3: question two");
  await page.keyboard.press("End");
  await until(() => rail.getAttribute("aria-valuenow")).toBe("3");
  await place.isClean();
});

test("W§4 list: answers that came while away stand below a line, those that come while reading above in a pill", async (t) => {
  const place = await openBrowser(t);
  const { page, gateway } = place;
  gateway.model.replies(says("Old.\n\n".repeat(40)), says("Fresh."), says("While up."));
  await say(page, "hello");
  await until(() => page.locator(".item-foot").count()).toBe(1);
  const { body } = await gateway.api("/sessions");
  const address = new URL(page.url()).pathname;
  await page.keyboard.press("Alt+n");
  await until(() => new URL(page.url()).pathname).toBe("/");
  const send = (text: string): Promise<unknown> =>
    gateway.api(`/sessions/${String(body.items[0].id)}/messages`, {
      method: "POST",
      body: { parts: [{ type: "text", text }] },
    });
  await send("from elsewhere");
  await until(() => page.locator(".session .unread-dot").count()).toBe(1);
  await page.locator(".session a").first().click();
  await until(() => new URL(page.url()).pathname).toBe(address);
  await page.locator(".feed-line.new").getByText("New").waitFor();
  await page.locator(".feed").hover();
  await page.mouse.wheel(0, -4000);
  await page.getByRole("button", { name: "To the newest message" }).waitFor();
  await send("and again");
  await page.getByRole("button", { name: /\d new · To the newest message/ }).click();
  await page.getByText("While up.").waitFor();
  await place.isClean();
});

test("W§7 settings: reasoning is folded, open or hidden", async (t) => {
  const place = await openBrowser(t);
  const { page, gateway } = place;
  gateway.model.replies(thinks("First I think about it.", says("Then I say it.")));
  await say(page, "hello");
  await until(() => answers(page)).toEqual(["Then I say it."]);
  await page.goto(`${page.url()}?p=settings/browser`);
  await page.getByText("Then I say it.").waitFor();
  expect(await page.getByText("First I think about it.").count()).toBe(0);
  await page.getByLabel("Reasoning of the model").selectOption("open");
  await page.getByText("First I think about it.").waitFor();
  await page.getByLabel("Reasoning of the model").selectOption("hidden");
  await page.locator(".thinking").waitFor({ state: "detached" });
  await page.reload();
  await page.getByText("Then I say it.").waitFor();
  expect(await page.locator(".thinking").count()).toBe(0);
  await place.isClean();
});
