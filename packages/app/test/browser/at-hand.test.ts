// What people reach for many times a day: their own messages, names of chats, the palette, the way out of an error.
import { callsTool, fails, says } from "@margay/core/testing";
import { expect, test } from "vitest";
import { answers, openBrowser, say, until } from "./support.ts";

test("DF55 an own message is copied, edited and asked again in a copy, and continued before; the chat stays as it was", async (t) => {
  const place = await openBrowser(t, { expected: ["412"] });
  const { page, gateway, context } = place;
  await context.grantPermissions(["clipboard-read", "clipboard-write"]);
  gateway.model.replies(says("first answer"), says("second answer"), says("other answer"));
  await say(page, "first question");
  await until(() => answers(page)).toEqual(["first answer"]);
  await say(page, "second qestion");
  await until(() => answers(page)).toEqual(["first answer", "second answer"]);
  await gateway.app.agent.idle();
  const chat = page.url();
  const own = page.locator(".item.user").last();
  await own.hover();
  await own.getByRole("button", { name: "Copy" }).click();
  await until(() => page.evaluate(() => navigator.clipboard.readText())).toBe("second qestion");
  await place.isClean();

  await own.getByRole("button", { name: "Edit and ask again" }).click();
  const field = own.getByRole("textbox", { name: "Message" });
  await until(() => field.inputValue()).toBe("second qestion");
  await own.getByText("The old answer stays as branch 1").waitFor();
  await place.isClean();
  await field.fill("second question");
  await field.press("Enter");
  await until(() => answers(page)).toEqual(["first answer", "other answer"]);
  expect(page.url()).not.toBe(chat);
  expect(await page.locator(".item.user .user-text").allInnerTexts()).toEqual(["first question", "second question"]);
  expect(JSON.stringify(gateway.model.requests.at(-1)?.body)).not.toContain("qestion");

  const switchOf = own.getByRole("group", { name: "Branches of this message" });
  await until(() => switchOf.innerText()).toBe("2/2"); // beside the message where they part
  await switchOf.getByRole("button", { name: "Previous branch" }).click();
  await until(() => page.url()).toBe(chat);
  await until(() => answers(page)).toEqual(["first answer", "second answer"]);
  await until(() => switchOf.innerText()).toBe("1/2");
  await own.focus();
  await page.keyboard.press("Enter"); // its actions
  await page.getByRole("menuitem", { name: "Continue before this in a copy" }).click();
  await until(() => answers(page)).toEqual(["first answer"]);
  expect(page.url()).not.toBe(chat);
  await place.isClean();
});

test("DF55 F2 and a double click rename a chat from anywhere, and the name that is typed is sent to no model", async (t) => {
  const place = await openBrowser(t, { expected: ["412"] });
  const { page, gateway } = place;
  const titles = (): Promise<string[]> => page.locator(".session .title").allInnerTexts();
  await page.keyboard.press("F2");
  await page.getByText("A new chat gets its name with the first message").waitFor();
  await say(page, "hello");
  await until(() => answers(page)).toEqual(["ok"]);
  await until(titles).toEqual(["hello"]);
  await gateway.app.agent.idle();
  const asked = gateway.model.requests.length;
  const type = async (text: string): Promise<void> => {
    await page.keyboard.type(text);
    await page.keyboard.press("Enter");
    await until(titles).toEqual([text]);
  };
  await page.locator("#composer").focus();
  await page.keyboard.press("F2");
  await type("By F2");
  await page.locator(".session a").dblclick();
  await type("By double click");
  await page.locator(".session").hover();
  await page.locator(".session").getByRole("button").click();
  await page.getByRole("menuitem", { name: "Rename" }).click();
  await type("By the menu");
  await page.locator(".session a").focus();
  await page.keyboard.press("F2");
  await page.keyboard.type("not this");
  await page.keyboard.press("Escape");
  await until(titles).toEqual(["By the menu"]);
  await gateway.app.agent.idle();
  expect(gateway.model.requests).toHaveLength(asked);
  expect(await page.locator("#composer").inputValue()).toBe("");
  await place.isClean();
});

test("DF55 the palette finds settings and commands in both languages, and Chinese by its pinyin", async (t) => {
  const place = await openBrowser(t, { language: "zh-CN" });
  const { page } = place;
  const first = async (query: string): Promise<string> => {
    await page.keyboard.press("Control+k");
    await page.locator(".palette input").fill(query);
    await page.locator(".palette [role=option]").first().waitFor();
    await place.isClean();
    return page.locator(".palette [role=option]").first().innerText();
  };
  const found = async (query: string, wanted: string): Promise<void> => {
    await first(query);
    await until(() => page.locator(".palette [role=option]").allInnerTexts()).toEqual(
      expect.arrayContaining([expect.stringContaining(wanted)]),
    );
    await page.locator(".palette [role=option]").filter({ hasText: wanted }).first().click();
  };
  await found("sp", "审批"); // shenpi
  await page.locator('.panel [data-page="approvals"]').waitFor();
  await found("temperature", "agent.temperature");
  await page.locator('.panel [data-page="settings"]').waitFor();
  await until(() => page.locator(".panel input[type=search]").inputValue()).toBe("agent.temperature");
  await page.keyboard.press("Escape");
  await found("状态", "/status");
  await until(() => page.locator("#composer").inputValue()).toBe("/status ");
  expect(await page.evaluate(() => document.activeElement?.id)).toBe("composer");
  await place.isClean();
});

test("W§13.5 ↑ in an empty field and a double click edit the last message in its place; Esc leaves it as it was", async (t) => {
  const place = await openBrowser(t);
  const { page, gateway } = place;
  gateway.model.replies(says("fine"));
  await say(page, "how are you");
  await until(() => answers(page)).toEqual(["fine"]);
  const field = page.locator(".item.user textarea");
  await page.locator("#composer").press("ArrowUp");
  await until(() => field.inputValue()).toBe("how are you");
  await place.isClean();
  await field.fill("something else");
  await field.press("Escape");
  await until(() => page.locator(".item.user .user-text").allInnerTexts()).toEqual(["how are you"]);
  await until(() => page.evaluate(() => document.activeElement?.id)).toBe("composer");
  await page.locator(".item.user .bubble").dblclick();
  await until(() => field.inputValue()).toBe("how are you");
  const composing = { key: "Enter", isComposing: true, bubbles: true };
  await field.evaluate((node, init) => node.dispatchEvent(new KeyboardEvent("keydown", init)), composing);
  expect(gateway.model.requests).toHaveLength(1); // the input method took that Enter
  await page.getByRole("button", { name: "Cancel" }).click();
  await until(() => field.count()).toBe(0);
  await place.isClean();
});

test("W§13.8 a refused key is replaced where it is said, and the question is asked again", async (t) => {
  const place = await openBrowser(t, { expected: ["412"] });
  const { page, gateway } = place;
  gateway.model.replies(fails(401));
  await say(page, "hello");
  const card = page.locator(".remedy");
  await card.getByText("The provider refused the key.").waitFor();
  await place.isClean();
  await card.getByRole("button", { name: "Set a new key" }).click();
  const field = card.getByLabel("New key of mock");
  await until(() => page.evaluate(() => document.activeElement?.getAttribute("type"))).toBe("password");
  await place.isClean();
  gateway.model.replies(says("here I am"));
  await field.fill("a-new-key-0123456789");
  await field.press("Enter");
  await until(() => answers(page)).toEqual(["here I am"]);
  expect(gateway.model.requests.at(-1)?.headers["authorization"]).toBe("Bearer a-new-key-0123456789");
  await until(() => page.locator(".remedy-actions").count()).toBe(0); // an old one offers nothing
  await place.isClean();
});

test("W§13.8 another model that has its key is one click away, for this chat alone", async (t) => {
  const place = await openBrowser(t, {
    expected: ["412"],
    config: (url) => ({
      models: { "spare/other": { contextWindow: 100_000 } },
      providers: {
        mock: { api: "openai-chat", baseUrl: `${url}/v1`, apiKey: "mock-key-0123456789" },
        spare: { api: "openai-chat", baseUrl: `${url}/v1`, apiKey: "spare-key-0123456789" },
      },
    }),
  });
  const { page, gateway } = place;
  gateway.model.replies(fails(401));
  await say(page, "hello");
  gateway.model.replies(says("the other one"));
  await page.locator(".remedy").getByRole("button", { name: "Use other" }).click();
  await until(() => answers(page)).toEqual(["the other one"]);
  expect(gateway.model.requests.at(-1)?.body["model"]).toBe("other");
  await page.locator(".model-chip").getByText("other").waitFor();
  await place.isClean();
});

test("W§13.8 a budget that is used up is raised where it is said, and the question is asked again", async (t) => {
  const month = { scope: "month", tokens: 5_000_000 } as const; // has room
  const place = await openBrowser(t, { config: { budgets: [month, { scope: "day", tokens: 9_000 }] } });
  const { page, gateway } = place;
  await say(page, "hello");
  const card = page.locator(".remedy");
  await card.getByText("The budget is used up.").waitFor();
  await place.isClean();
  await card.getByRole("button", { name: "Raise it" }).click();
  const field = card.getByLabel(/New bound of a day, in tokens/);
  await until(() => field.inputValue()).toBe("18000");
  await place.isClean();
  await field.fill("900000");
  gateway.model.replies(says("with room"));
  await field.press("Enter");
  await until(() => answers(page)).toEqual(["with room"]);
  expect(gateway.app.inside.loaded().config.budgets).toEqual([month, { scope: "day", tokens: 900_000 }]);
  await place.isClean();
});

test("W§13.8 nobody has to wait for a busy provider", async (t) => {
  const place = await openBrowser(t);
  const { page, gateway } = place;
  gateway.model.replies(fails(429, undefined, { "retry-after": "55" }));
  await say(page, "hello");
  await page.locator(".turn-status").getByRole("button", { name: "Stop waiting" }).click();
  await page.getByText("Stopped by you").waitFor();
  gateway.model.replies(says("now"));
  await say(page, "again");
  await until(() => answers(page)).toEqual(["now"]);
  await place.isClean();
});

const LOOKS = [
  ["en", "It deletes whole folders without asking again.", "May I run this command?"],
  ["zh-CN", "它会直接删除整个文件夹，不再询问。", "可以运行这条命令吗？"],
] as const;

test.for(LOOKS)("DF55 a command of the deny list is shown alone, with what it does in words: %s", async (look, t) => {
  const [language, words, question] = look;
  const place = await openBrowser(t, { language });
  const { page, gateway } = place;
  gateway.model.replies(callsTool("exec", { command: "rm -rf build" }));
  await say(page, "clean up");
  const card = page.locator(".chat-foot .approval, .chat .approval").first();
  await card.waitFor();
  expect(await card.locator(".approval-call").innerText()).toBe("rm -rf build");
  await card.getByRole("heading", { name: question }).waitFor();
  await card.getByText(words).waitFor();
  expect(await card.innerText()).not.toMatch(/refused|\\b|deny list|拒绝执行/);
  await place.isClean();
});
