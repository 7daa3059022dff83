import { readFileSync } from "node:fs";
import { callsTool, says } from "@margay/core/testing";
import { expect, test } from "vitest";
import { answers, openBrowser, say, until } from "./support.ts";

test("row 39: renaming, pinning, archiving and deleting with Undo; list and reload agree", async (t) => {
  // Its title is made while it is renamed; a read may be on its way when it is deleted.
  const place = await openBrowser(t, { expected: ["412", "410"] });
  const { page } = place;
  await say(page, "first chat");
  await until(() => answers(page)).toEqual(["ok"]);
  const titles = (): Promise<string[]> => page.locator(".session .title").allInnerTexts();
  await until(titles).toEqual(["first chat"]);
  const row = page.locator(".session").first();
  const choose = async (name: string): Promise<void> => {
    await row.hover();
    await row.getByRole("button").click();
    await page.getByRole("menuitem", { name, exact: true }).click();
  };
  await row.locator("a").focus();
  await page.keyboard.press("F2");
  await page.locator("input.rename").fill("Plans");
  await page.keyboard.press("Enter");
  await until(titles).toEqual(["Plans"]);
  await choose("Pin");
  await page.locator(".side-group").getByText("Pinned").waitFor();
  await choose("Delete");
  await page.getByText("“Plans” was deleted").waitFor();
  await until(titles).toEqual([]);
  await page.getByRole("button", { name: "Undo" }).click();
  await until(titles).toEqual(["Plans"]);
  await choose("Archive");
  await until(titles).toEqual([]);
  await page.reload();
  await page.getByText("No conversations yet").waitFor();
  await page.getByRole("button", { name: "Filter" }).click();
  await page.getByRole("menuitemradio", { name: "Archived" }).click();
  await until(titles).toEqual(["Plans"]);
  await place.isClean();
});

test("row 40: two Chinese characters find the messages that hold them, in the right chats", async (t) => {
  const place = await openBrowser(t);
  const { page, gateway } = place;
  gateway.model.replies(says("今天部署到服务器。"));
  await say(page, "计划");
  await until(() => answers(page)).toEqual(["今天部署到服务器。"]);
  await page.getByRole("button", { name: "New chat" }).first().click();
  await say(page, "something else");
  await until(() => answers(page)).toEqual(["ok"]);
  await page.getByLabel("Search conversations").fill("部署");
  await until(() => page.locator(".hit mark").allInnerTexts()).toEqual(["部署"]);
  await page.locator(".hit").click();
  await until(() => answers(page)).toEqual(["今天部署到服务器。"]);
  await place.isClean();
});

test("row 41: answering a turn again that wrote a file lists what it wrote, and makes a branch", async (t) => {
  const place = await openBrowser(t, { expected: ["409"] });
  const { page, gateway } = place;
  gateway.model.replies(
    callsTool("write_file", { path: "note.txt", content: "hello" }),
    says("Written."),
    says("Other."),
  );
  await say(page, "write");
  await until(() => answers(page)).toEqual(["Written."]);
  await page.locator(".item-foot").hover();
  await page.getByRole("button", { name: "Answer again" }).click();
  await page.getByRole("dialog").getByText("write_file").waitFor();
  await page.getByRole("button", { name: "Answer again anyway" }).click();
  await until(() => answers(page)).toEqual(["Other."]);
  await page.getByText("2/2").waitFor();
  await page.getByRole("button", { name: "Previous branch" }).click();
  await until(() => answers(page)).toEqual(["Written."]);
  await place.isClean();
});

test("row 42: a copy from an older answer is equal up to there; the JSONL export begins with its metadata", async (t) => {
  const place = await openBrowser(t);
  const { page, gateway } = place;
  gateway.model.replies(says("one"), says("two"));
  await say(page, "first");
  await until(() => answers(page)).toEqual(["one"]);
  await say(page, "second");
  await until(() => answers(page)).toEqual(["one", "two"]);
  await page.locator(".item-foot").first().hover();
  await page.locator(".item-foot").first().getByRole("button", { name: "Message actions" }).click();
  await page.getByRole("menuitem", { name: "Continue from here in a copy" }).click();
  await until(() => answers(page)).toEqual(["one"]);
  const saved = page.waitForEvent("download");
  await page
    .getByRole("button", { name: /^Actions for/ })
    .last()
    .click();
  await page.getByRole("menuitem", { name: "Export as JSONL" }).click();
  const file = await (await saved).path();
  const [first = ""] = readFileSync(file, "utf8").split("\n");
  expect(JSON.parse(first)).toHaveProperty("created_at");
  await place.isClean();
});

test("two messages sent at once into a new chat are one conversation", async (t) => {
  const place = await openBrowser(t, { expected: ["412"] }); // its title is made meanwhile
  const { page } = place;
  // What the gateway answers waits until both are sent, as on a slow line.
  const held: (() => void)[] = [];
  let holds = false;
  await page.routeWebSocket(/\/ws$/, (socket) => {
    const server = socket.connectToServer();
    server.onMessage((frame) => {
      if (holds) held.push(() => socket.send(frame));
      else socket.send(frame);
    });
  });
  await page.reload();
  await page.locator("#composer").waitFor();
  holds = true;
  await say(page, "first of two");
  await say(page, "second of two");
  await until(() => place.gateway.app.agent.sessions.list().then((all) => all.length)).toBe(1);
  holds = false;
  for (const release of held) release();
  await until(() => page.locator(".session").count()).toBe(1);
  await until(() => page.getByText("second of two").count()).toBeGreaterThan(0);
  await page.reload();
  await page.getByText("second of two").first().waitFor();
  expect(await place.gateway.app.agent.sessions.list()).toHaveLength(1);
});
