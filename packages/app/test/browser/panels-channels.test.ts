// Chat platforms seen from the browser: set up, people admitted, chats continued, replies that wait. The webhook is the platform.
import { fakeClock, says } from "@margay/core/testing";
import type { Locator } from "playwright-core";
import { expect, test } from "vitest";
import { postSigned, SECRET, startReceiver, type Receiver } from "../channels/support.ts";
import type { Owner, TestGateway } from "../gateway/support.ts";
import { deskConfig, installDesk, startDesk } from "../channels/desk.ts";
import { answers, openBrowser, say, until, type BrowserOptions } from "./support.ts";

const PHONE: BrowserOptions = { phone: true, theme: "dark", language: "zh-CN" };

async function platform(t: Owner): Promise<Receiver> {
  const made = await startReceiver({ secret: SECRET });
  t.onTestFinished(async () => made[Symbol.asyncDispose]());
  return made;
}

function webhook(url: string): { readonly channels: { readonly webhook: Record<string, string | boolean | object> } } {
  return {
    channels: { webhook: { enabled: true, secret: SECRET, allowFrom: ["ada"], options: { url, port: 0 } } },
  };
}

/** Where the channel takes messages. */
async function portOf({ logs }: TestGateway): Promise<number> {
  const port = (): unknown => logs.findLast(({ event }) => event === "channel.listening")?.["port"];
  await until(port).toBeTypeOf("number");
  return Number(port());
}

test("row 53: wrong, then right settings are tested; a stranger is approved, and the next message is a chat", async (t) => {
  const inbox = await platform(t);
  const place = await openBrowser(t);
  const { page, gateway } = place;
  await page.goto(`${gateway.url}/?p=channels/webhook`);
  await page.getByText("Choose a long random secret").waitFor();
  const wrong = "not-the-secret-of-the-platform";
  await page.getByLabel("secret").fill(wrong);
  await page.getByLabel("Address for replies").fill(inbox.url);
  await page.getByRole("spinbutton").fill("0");
  await page.getByLabel("Send one message to this chat").fill("room");
  const steps = page.locator(".p-test li");
  await page.getByRole("button", { name: "Test" }).click();
  await page.getByText("The channel does not work yet.").waitFor();
  expect(await steps.count()).toBe(4);
  await steps.nth(1).getByText("The platform is reached").waitFor();
  await steps.nth(3).getByText("refused with 401").waitFor();
  await page.getByLabel("secret").fill(SECRET);
  await page.getByRole("button", { name: "Test" }).click();
  await page.getByText("The channel works.").waitFor();
  expect(inbox.received.map(({ body }) => body["text"])).toEqual(["A test message from margay."]);
  await page.getByRole("button", { name: "Save" }).click();
  await until(async () => (await gateway.api("/channels")).body.length).toBe(1);
  const content = await page.content();
  for (const secret of [wrong, SECRET]) expect(content).not.toContain(secret);

  const port = await portOf(gateway);
  const message = { id: "1", chat: "room", sender: "ada", text: "let me in", private: true };
  const refused = await postSigned(port, message);
  expect(refused.status).toBe(403);
  const request = page.locator("[data-code]"); // in the same view, by itself
  await request.getByText("ada on webhook").waitFor();
  await request.getByText("let me in").waitFor();
  expect(String(refused.body["answer"])).toContain(await request.getAttribute("data-code"));
  gateway.model.replies(says("Hello Ada."));
  await request.getByRole("button", { name: "Approve as guest", exact: true }).click();
  await until(() => request.count()).toBe(0);
  expect((await postSigned(port, { ...message, id: "2", text: "hello again" })).status).toBe(202);
  await page
    .locator(".sidebar, nav")
    .getByRole("link", { name: /hello again/ })
    .first()
    .waitFor();
  await inbox.took(2);
  await page.goto(`${gateway.url}/?p=channels`);
  await page.locator('[data-channel="webhook"]').getByText("1 person may write").waitFor();
  await page.getByRole("tab", { name: "People" }).click();
  await page.getByRole("row", { name: /ada.*webhook/i }).waitFor();
  await place.isClean();
});

test.for([
  ["on a desktop in English", {}, "Answer here only", "also in webhook", "delivered to webhook"],
  ["on a phone in Chinese", PHONE, "仅在此回答", "同时发到 webhook", "已送达 webhook"],
] as const)("row 54: a chat of a platform is continued here only, then there too, %s", async (look, t) => {
  const [, options, here, there, delivered] = look;
  const inbox = await platform(t);
  const place = await openBrowser(t, { ...options, config: webhook(inbox.url) as never });
  const { page, gateway } = place;
  const port = await portOf(gateway);
  gateway.model.replies(says("Hello Ada."), says("Only you read this."), says("Ada reads this too."));
  const message = { id: "1", chat: "room", sender: "ada", text: "hi from the platform" };
  expect((await postSigned(port, message)).status).toBe(202);
  await inbox.took(1);
  const { body } = await gateway.api("/sessions?source=channel");
  await page.goto(`${gateway.url}/s/${body.items[0].id}`);
  await page.getByText("Hello Ada.").waitFor();
  await page.getByText(delivered).waitFor();
  expect(await page.getByRole("radio", { name: here }).isChecked()).toBe(true);

  await say(page, "what did she want?");
  await page.getByText("Only you read this.").waitFor();
  await page.getByRole("radio", { name: there }).check();
  await say(page, "tell her");
  await page.getByText("Ada reads this too.").waitFor();
  await until(() => page.getByText(delivered).count()).toBe(2);
  await gateway.app.agent.idle();
  expect(inbox.received.map(({ body: { chat, text } }) => [chat, text])).toEqual([
    ["room", "Hello Ada."],
    ["room", "Ada reads this too."],
  ]);
  await page.reload(); // what the page says is in the journal
  await until(() => page.getByText(delivered).count()).toBe(2);
  expect((await answers(page)).map((text) => text.trim())).toEqual([
    "Hello Ada.",
    "Only you read this.",
    "Ada reads this too.",
  ]);
  await place.isClean();
});

test("row 55: while the platform is down answers wait; they are sent again by hand, dropped, and asked for once more", async (t) => {
  const inbox = await platform(t);
  const clock = fakeClock(Date.now()); // no attempt is made but those that a person asks for
  const place = await openBrowser(t, { config: webhook(inbox.url) as never, clock });
  const { page, gateway } = place;
  const port = await portOf(gateway);
  gateway.model.replies(says("First answer."), says("Second answer."));
  inbox.answer(503, 2);
  for (const [id, text] of [
    ["1", "one"],
    ["2", "two"],
  ]) {
    expect((await postSigned(port, { id, chat: "room", sender: "ada", text })).status).toBe(202);
    await gateway.app.agent.idle();
  }
  const { body } = await gateway.api("/sessions?source=channel");
  await page.goto(`${gateway.url}/s/${body.items[0].id}?p=channels`);
  const marks = page.locator(".delivery");
  await marks.first().getByText("answered 503").waitFor();
  await page.locator('[data-channel="webhook"]').getByText("2 waiting").waitFor();
  await page.getByRole("tab", { name: "Outbox" }).click();
  const entryOf = (text: string): ReturnType<typeof page.locator> => page.locator("[data-reply]", { hasText: text });
  await entryOf("First answer.").getByText("retrying").waitFor();
  await entryOf("Second answer.").getByText("waiting").waitFor();

  await entryOf("First answer.").getByRole("button", { name: "Retry" }).click(); // still down
  await inbox.called(2);
  await entryOf("First answer.").getByText("2 tries").waitFor();
  await entryOf("Second answer.").getByRole("button", { name: "Drop" }).click();
  await entryOf("Second answer.").getByText("given up").waitFor();
  expect(await entryOf("Second answer.").getByRole("button", { name: "Drop" }).count()).toBe(0);
  await marks.nth(1).getByText("not delivered to webhook").waitFor();
  await marks.first().getByRole("button", { name: "Retry" }).click(); // in the chat, and it is up again
  await inbox.took(1);
  await marks.first().getByText("delivered to webhook", { exact: true }).waitFor();
  await until(() => entryOf("First answer.").count()).toBe(0);
  expect(inbox.received.map((one) => one.body["text"])).toEqual(["First answer."]);

  await entryOf("Second answer.").getByRole("button", { name: "Retry" }).click();
  await inbox.took(2);
  await page.getByText("Nothing waits to be delivered.").waitFor();
  await until(() => page.getByText("delivered to webhook", { exact: true }).count()).toBe(2);
  await place.isClean();
});

test("CH43 an answer that may have arrived is uncertain on the card, in the outbox and in its chat; it leaves by hand", async (t) => {
  const desk = await startDesk();
  t.onTestFinished(async () => desk[Symbol.asyncDispose]());
  const place = await openBrowser(t, {
    config: deskConfig(desk, { uncertain: "ask" }) as never,
    prepare: ({ home }) => installDesk(home),
  });
  const { page, gateway } = place;
  gateway.model.replies(says("Is it there?"));
  desk.lose(1);
  desk.write("one");
  await desk.showed(1);
  const { body } = await gateway.api("/sessions?source=channel");
  await page.goto(`${gateway.url}/s/${body.items[0].id}?p=channels`);
  const mark = page.locator(".delivery");
  await mark.getByText("may have reached desk").waitFor();
  const card = page.locator('[data-channel="desk"]');
  await card.getByText("1 uncertain").waitFor();
  await card.getByText("A reply that was cut off waits until you send or drop it.").waitFor();
  await page.getByRole("tab", { name: /^Outbox ?1$/ }).click(); // it waits for a person
  await page.getByText("It may have arrived: nobody can tell.").waitFor();
  await page.locator("[data-reply]").getByRole("button", { name: "Send" }).click();
  await desk.showed(2);
  await page.getByText("Nothing waits to be delivered.").waitFor();
  await mark.getByText("delivered to desk", { exact: true }).waitFor();
  await place.isClean();
});

test("CH43 of a platform that knows a key for a while the card promises no more than that", async (t) => {
  const desk = await startDesk();
  t.onTestFinished(async () => desk[Symbol.asyncDispose]());
  const { page, gateway, isClean } = await openBrowser(t, {
    config: deskConfig(desk) as never,
    prepare: ({ home }) => installDesk(home, { once: "key", onceMs: 120_000 }),
  });
  await page.goto(`${gateway.url}/?p=channels`);
  await page.getByText("shown once within 2 minutes; later it may be shown twice").waitFor();
  await isClean();
});

test("CH92 a second account gets a name, is tested, saved, changed and removed, and the first one stays", async (t) => {
  const inbox = await platform(t);
  const place = await openBrowser(t, { config: webhook(inbox.url) as never });
  const { page, gateway } = place;
  await page.goto(`${gateway.url}/?p=channels`);
  await page.getByRole("listitem").filter({ hasText: "add another account" }).getByRole("link").click();
  const name = page.getByLabel("Name of this account");
  expect(await name.inputValue()).toBe("webhook-2");
  await name.fill("webhook");
  await page.getByText("There is a channel of this name already.").waitFor();
  expect(await page.getByRole("button", { name: "Save" }).isDisabled()).toBe(true);
  await name.fill("work");
  await page.getByLabel("secret").fill(SECRET);
  await page.getByLabel("Address for replies").fill(inbox.url);
  await page.getByRole("button", { name: "Test" }).click();
  await page.getByText("The channel works.").waitFor();
  await page.getByRole("button", { name: "Save" }).click();
  await until(() => new URL(page.url()).searchParams.get("p")).toBe("channels/work");
  await page.getByRole("button", { name: "Add an entry" }).last().click(); // who may write
  await page.getByLabel("Value 1").fill("bob");
  await page.getByRole("button", { name: "Save" }).click();
  const configured = () => gateway.app.inside.loaded().config.channelsById;
  await until(() => configured()["work"]?.allowFrom).toEqual(["bob"]);
  await page.getByRole("link", { name: "All channels" }).click();
  const card = page.locator('[data-channel="work"]');
  await card.getByText("1 person may write").waitFor();
  await card.getByRole("button", { name: "Remove" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Remove" }).click();
  await until(() => card.count()).toBe(0);
  expect([Object.keys(configured()), configured()["webhook"]?.secret]).toEqual([["webhook"], SECRET]);
  await place.isClean();
});

test("CH90 CH55 a setting that belongs to another choice is not asked for; the card says where a platform calls", async (t) => {
  const inbox = await platform(t);
  const place = await openBrowser(t, { config: webhook(inbox.url) as never });
  const { page, gateway } = place;
  await page.goto(`${gateway.url}/?p=channels/slack`);
  const [app, signing] = [page.getByLabel("App token"), page.getByLabel("Signing secret")];
  await app.waitFor();
  expect(await signing.count()).toBe(0);
  await page.getByLabel("How Slack tells it").selectOption("http");
  await signing.waitFor();
  expect(await app.count()).toBe(0);
  gateway.app.inside.platforms.hooks.open("webhook", "events", {
    proof: () => undefined,
    handle: () => Promise.resolve(undefined),
  });
  await page.goto(`${gateway.url}/?p=channels`);
  await page.locator('[data-channel="webhook"]').getByText(`${gateway.url}/hooks/channel/webhook/events`).waitFor();
  await place.isClean();
});

test("CH89 a group that was seen is switched on with one press, and the page says what becomes of a line there, on a phone in Chinese", async (t) => {
  const inbox = await platform(t);
  const place = await openBrowser(t, { ...PHONE, config: webhook(inbox.url) as never });
  const { page, gateway } = place;
  const port = await portOf(gateway);
  const line = { id: "1", chat: "trip", title: "Trip to Rome", sender: "ada", text: "where is the key?", group: true };
  await page.goto(`${gateway.url}/?p=channels/~groups`);
  await page.getByText("尚未见到任何群聊").waitFor();
  await postSigned(port, { ...line, addressed: "named" });
  const card = page.locator('[data-group="trip"]'); // by itself
  await card.getByText("Trip to Rome").waitFor();
  await card.getByText("那里说的话一概不读。").waitFor();
  await card.getByRole("button", { name: "开启", exact: true }).click();
  await card.getByText("点名时回答").waitFor();
  await card.getByRole("button", { name: "一句话会怎样处理？" }).click();
  await card.getByLabel("由谁写（id）").fill("ada");
  await card.getByRole("button", { name: "显示", exact: true }).click();
  await card.getByRole("status").getByText("webhook:trip").waitFor();
  gateway.model.replies(says("In the box."));
  await postSigned(port, { ...line, id: "2", addressed: "named" });
  await inbox.took(1);
  expect(inbox.received[0]?.body).toMatchObject({ chat: "trip", text: "In the box." });
  await card.getByRole("button", { name: "关闭", exact: true }).click();
  await card.getByText("那里说的话一概不读。").waitFor();
  expect(gateway.app.inside.loaded().config.channelsById["webhook"]?.chats).toEqual({ trip: { groups: "off" } });
  await place.isClean();
});

test("PE70 PE1 by keyboard: a person, an agent for them and its binding, with what is wrong at its field; a job offers the agent", async (t) => {
  const inbox = await platform(t);
  const refused = "status of 422"; // what is wrong is told by the gateway
  const place = await openBrowser(t, { config: webhook(inbox.url) as never, expected: [refused] });
  const { page, gateway } = place;
  const { keyboard } = page;
  const press = async (name: string): Promise<void> => {
    await page.getByRole("button", { name, exact: true }).focus();
    await keyboard.press("Enter");
  };
  const type = async (field: Locator, text: string): Promise<void> => {
    await field.focus();
    await keyboard.press("ControlOrMeta+a");
    await keyboard.type(text);
  };
  await page.goto(`${gateway.url}/?p=channels`);
  await page.getByRole("tab", { name: "Channels" }).focus();
  await keyboard.press("ArrowRight");
  await keyboard.press("ArrowRight");
  await until(() => page.evaluate(() => document.activeElement?.textContent)).toBe("People");
  await press("Add a person");
  await type(page.getByLabel("Short name"), "eva");
  await type(page.getByLabel("Who they are on chat platforms"), "webhook:@eva");
  await press("Save");
  await page.getByLabel("Who they are on chat platforms").and(page.locator("[aria-invalid]")).waitFor();
  await type(page.getByLabel("Who they are on chat platforms"), "webhook:77");
  await press("Save");
  await page.locator('[data-person="eva"]').getByText("webhook:77").waitFor();

  await page.getByRole("tab", { name: "People" }).focus();
  await keyboard.press("ArrowRight");
  await press("New agent");
  const form = page.getByRole("region", { name: "A new agent" });
  await type(form.getByLabel("Name"), "Kitchen");
  await press("Save");
  await form.getByText("is no name for an agent").first().waitFor();
  await type(form.getByLabel("Name"), "kitchen");
  await press("Save");
  await page.locator('[data-agent="kitchen"]').waitFor();
  await press("New binding");
  const binding = page.getByRole("region", { name: "A new binding" });
  await binding.getByLabel("Person").selectOption("eva");
  await press("Save");
  await binding.getByLabel("Agent").and(page.locator("[aria-invalid]")).waitFor(); // it is for the owner alone
  await page.locator('[data-agent="kitchen"]').getByRole("button", { name: "Edit" }).press("Enter");
  await page.locator('[data-agent="kitchen"]').getByLabel("eva").press("Space");
  await page.locator('[data-agent="kitchen"]').getByRole("button", { name: "Save" }).press("Enter");
  await page.locator('[data-agent="kitchen"]').getByText("for you, eva").waitFor();
  await binding.getByRole("button", { name: "Save" }).press("Enter");
  await page.locator('[data-binding="kitchen"]').getByText("eva").waitFor();
  const { agents, bindings, people } = gateway.app.inside.loaded().config;
  expect([agents["kitchen"], bindings]).toEqual([{ for: ["owner", "eva"] }, [{ person: "eva", agent: "kitchen" }]]);
  expect(people["eva"]?.ids).toEqual(["webhook:77"]);
  await place.isClean();
  await page.goto(`${gateway.url}/?p=cron/new`);
  await page.getByLabel("Agent", { exact: true }).selectOption("kitchen");
});

test("PE7 PE23 a person's card says what they read and what they spent today", async (t) => {
  const inbox = await platform(t);
  const people = { eva: { role: "member", name: "Eva", ids: ["webhook:77"] } };
  const place = await openBrowser(t, { config: { ...webhook(inbox.url), people } as never });
  const { page, gateway } = place;
  await page.goto(`${gateway.url}/?p=channels/~people`);
  const card = page.locator('[data-person="eva"]');
  await card.getByText("0 of 500,000 tokens today", { exact: true }).waitFor();
  await card.getByText("Nothing of yours.").waitFor();
  gateway.model.replies(says("Hello Eva."));
  const message = { id: "1", chat: "room", sender: "77", text: "hi", private: true };
  expect((await postSigned(await portOf(gateway), message)).status).toBe(202);
  await inbox.took(1);
  await card.getByText(/^[1-9][\d,]* of 500,000 tokens today$/).waitFor();
  await place.isClean();
});

test("PE70 whom an agent is for is written letter by letter: what begins like a word of the list stays where it is typed", async (t) => {
  const inbox = await platform(t);
  const { page, gateway, isClean } = await openBrowser(t, { config: webhook(inbox.url) as never });
  await page.goto(`${gateway.url}/?p=channels/~agents`);
  await page.getByRole("button", { name: "New agent" }).click();
  await page.getByLabel("Name").fill("kitchen");
  const others = page.getByLabel("Others, one a line");
  await others.pressSequentially("group:webhook:77\nguest");
  expect(await others.inputValue()).toBe("group:webhook:77\nguest");
  await page.getByLabel("you", { exact: true }).uncheck();
  await page.getByRole("button", { name: "Save" }).click();
  await page.locator('[data-agent="kitchen"]').waitFor();
  const { agents } = gateway.app.inside.loaded().config;
  expect(agents["kitchen"]?.for?.toSorted()).toEqual(["group:webhook:77", "guest"]);
  await isClean();
});
