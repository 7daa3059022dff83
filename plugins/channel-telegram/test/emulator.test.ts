// The emulator of the Bot API against grammy, the client that people use.
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { json } from "node:stream/consumers";

import { fakeClock } from "@margay/core/testing";
import { Api, Bot, GrammyError, HttpError, InlineKeyboard, InputFile } from "grammy";
import type { Message, Update } from "grammy/types";
import { expect, test } from "vitest";

import { OPUS } from "./support.ts";
import { startTelegram, type FaultKind, type Telegram, type TelegramOptions } from "./emulator/telegram.ts";

/** A Telegram with one person who has pressed Start, and a client. */
async function start(options: TelegramOptions = {}) {
  const telegram = await startTelegram(options);
  const anna = telegram.person("Anna", { username: "anna" });
  const chat = telegram.privateChat(anna);
  return {
    telegram,
    anna,
    chat,
    api: new Api(telegram.token, { apiRoot: telegram.url }),
    [Symbol.asyncDispose]: () => telegram[Symbol.asyncDispose](),
  };
}

/** What Telegram refused with. */
async function refused(call: Promise<unknown>): Promise<[number, string]> {
  const error = await call.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (error instanceof GrammyError) return [error.error_code, error.description];
  throw new Error(`not refused: ${String(error)}`);
}

async function raw({ url, token }: Telegram, method: string, body: unknown = {}): Promise<[number, unknown]> {
  const response = await fetch(`${url}/bot${token}/${method}`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  return [response.status, await response.json()];
}

const png = Buffer.concat([Buffer.from([0x89, 0x50, 0x4e, 0x47, 13, 10, 26, 10]), Buffer.alloc(64)]);

test("CH100 CH101 a bot of grammy answers a person, and the journal has every call", async () => {
  await using scene = await start();
  const { telegram, anna, chat } = scene;
  const bot = new Bot(telegram.token, { client: { apiRoot: telegram.url } });
  bot.on("message:text", (context) =>
    context.reply(`<b>echo</b> ${context.msg.text}`, {
      parse_mode: "HTML",
      reply_parameters: { message_id: context.msg.message_id },
    }),
  );
  const running = bot.start();
  await telegram.until(() => telegram.isPolling());
  const said = telegram.write(anna, chat, "hello");
  await telegram.until(() => telegram.shown(chat).length === 2);
  expect(telegram.shown(chat)[1]).toMatchObject({
    own: true,
    text: "echo hello",
    entities: [{ type: "bold", offset: 0, length: 4 }],
    replyTo: said.message_id,
  });
  await bot.stop();
  await running;
  expect(new Set(telegram.requests.map(({ method }) => method))).toEqual(
    new Set(["getMe", "deleteWebhook", "getUpdates", "sendMessage"]),
  );
  expect(telegram.requests.find(({ method }) => method === "sendMessage")?.answer?.status).toBe(200);
  expect(telegram.complaints).toEqual([]);
});

test("CH101 what the Bot API does not know is refused or complained about", async () => {
  await using scene = await start({ without: ["sendRichMessage"] });
  const { telegram, chat } = scene;
  const bad = (description: string): [number, unknown] => [400, { ok: false, error_code: 400, description }];
  const notFound = [404, { ok: false, error_code: 404, description: "Not Found" }];
  expect(await raw(telegram, "sendTelepathy")).toEqual(notFound);
  expect(await raw(telegram, "sendRichMessage")).toEqual(notFound);
  expect(await raw(telegram, "sendMessage", { chat_id: chat.id })).toEqual(bad("Bad Request: message text is empty"));
  expect(await raw(telegram, "sendMessage", { text: "x" })).toEqual(bad("Bad Request: chat_id is empty"));
  expect((await raw(telegram, "sendMessage", { chat_id: chat.id, text: "x", colour: "red" }))[0]).toBe(200);
  expect((await raw(telegram, "sendMessage", { chat_id: chat.id, text: 5 }))[0]).toBe(400);
  expect((await raw(telegram, "deleteMessage", { chat_id: chat.id, message_id: "x" }))[0]).toBe(400);
  expect(await raw(telegram, "sendPhoto", { chat_id: chat.id })).toEqual(
    bad("Bad Request: there is no photo in the request"),
  );
  expect((await raw(telegram, "sendMessage", { chat_id: chat.id, text: "x", reply_parameters: { id: 4 } }))[0]).toBe(
    200,
  );
  expect(telegram.takeComplaints()).toEqual([
    "unknown method sendTelepathy",
    "sendMessage: text is missing",
    "sendMessage: chat_id is missing",
    "sendMessage: unknown parameter colour",
    "sendMessage: text is no string",
    "deleteMessage: message_id is no integer",
    "sendPhoto: photo is missing",
    "sendMessage: unknown field reply_parameters.id",
  ]);
});

test("CH101 disposing throws while there are complaints", async () => {
  const telegram = await startTelegram();
  await raw(telegram, "getmee");
  await expect(telegram[Symbol.asyncDispose]()).rejects.toThrow("unknown method getmee");
});

test("CH101 a wrong and a revoked token are unauthorized, a path without one is not found", async () => {
  await using scene = await start();
  const { telegram, api } = scene;
  const wrong = new Api("700001:other", { apiRoot: telegram.url });
  expect(await refused(wrong.getMe())).toEqual([401, "Unauthorized"]);
  expect((await api.getMe()).username).toBe("margay_bot");
  telegram.revoke();
  expect(await refused(api.getMe())).toEqual([401, "Unauthorized"]);
  expect((await fetch(`${telegram.url}/`)).status).toBe(404);
});

test("CH101 bodies may be JSON, a form, parts or a query, and methods are not case-sensitive", async () => {
  await using scene = await start();
  const { telegram, chat } = scene;
  const url = `${telegram.url}/bot${telegram.token}/sendmessage`;
  const fields = { chat_id: String(chat.id), text: "<i>ä</i>", parse_mode: "HTML", disable_notification: "true" };
  const parts = new FormData();
  for (const [name, value] of Object.entries(fields)) parts.set(name, value);
  parts.set("reply_markup", JSON.stringify({ inline_keyboard: [[{ text: "a", callback_data: "b" }]] }));
  expect((await fetch(url, { method: "POST", body: new URLSearchParams(fields) })).status).toBe(200);
  expect((await fetch(url, { method: "POST", body: parts })).status).toBe(200);
  expect((await fetch(`${url}?${new URLSearchParams(fields).toString()}`)).status).toBe(200);
  expect(telegram.shown(chat).map(({ text }) => text)).toEqual(["ä", "ä", "ä"]);
  expect(telegram.shown(chat)[1]?.buttons).toEqual([[{ text: "a", callback_data: "b" }]]);
  expect(telegram.requests.map(({ method }) => method)).toEqual(["sendMessage", "sendMessage", "sendMessage"]);
});

test("CH102 the same updates come until a higher offset confirms them, for at most a day", async () => {
  const clock = fakeClock();
  await using scene = await start({ clock });
  const { telegram, anna, chat, api } = scene;
  for (const text of ["one", "two", "three"]) telegram.write(anna, chat, text);
  const texts = async (offset: number): Promise<unknown[]> =>
    (await api.getUpdates({ offset })).map(({ message }) => message?.text);
  const first = (await api.getUpdates())[0]?.update_id ?? 0;
  expect(await texts(0)).toEqual(["one", "two", "three"]);
  expect(await texts(first)).toEqual(["one", "two", "three"]);
  expect((await api.getUpdates({ limit: 2 })).length).toBe(2);
  expect(await texts(first + 1)).toEqual(["two", "three"]);
  expect(await texts(0)).toEqual(["two", "three"]);
  expect(await texts(-1)).toEqual(["three"]);
  await clock.advance(86_400_001);
  expect(await texts(0)).toEqual([]);
});

test("CH102 a long poll waits for its time or for an update, and allowed_updates picks what comes", async () => {
  const clock = fakeClock();
  await using scene = await start({ clock });
  const { telegram, anna, chat, api } = scene;
  const empty = api.getUpdates({ timeout: 30, allowed_updates: ["edited_message", "message_reaction"] });
  await telegram.until(() => telegram.isPolling());
  await clock.advance(30_000);
  expect(await empty).toEqual([]);
  const held = api.getUpdates({ timeout: 30 });
  await telegram.until(() => telegram.isPolling());
  const { message_id: id } = telegram.write(anna, chat, "not asked for");
  expect(telegram.isPolling()).toBe(true);
  telegram.write(anna, chat, { text: "changed", edit: id });
  expect((await held).map(({ edited_message: edited }) => [edited?.message_id, edited?.text])).toEqual([
    [id, "changed"],
  ]);
  telegram.react(anna, chat, id, "👍");
  const [, reaction] = await api.getUpdates();
  expect(reaction?.message_reaction?.new_reaction).toEqual([{ type: "emoji", emoji: "👍" }]);
});

test("CH102 a second poll ends the first with 409, a webhook forbids polls", async () => {
  await using scene = await start();
  const { telegram, anna, chat, api } = scene;
  const first = refused(api.getUpdates({ timeout: 50 }));
  await telegram.until(() => telegram.isPolling());
  const second = api.getUpdates({ timeout: 50 });
  expect(await first).toEqual([
    409,
    "Conflict: terminated by other getUpdates request; make sure that only one bot instance is running",
  ]);
  telegram.write(anna, chat, "for the second");
  expect((await second).length).toBe(1);
  await api.setWebhook("https://margay.invalid/hook", { secret_token: "s" });
  expect((await refused(api.getUpdates()))[1]).toContain("can't use getUpdates method while webhook is active");
  expect(await api.getWebhookInfo()).toMatchObject({ url: "https://margay.invalid/hook", pending_update_count: 1 });
  await api.deleteWebhook({ drop_pending_updates: true });
  expect(await api.getUpdates()).toEqual([]);
  expect(await refused(api.setWebhook("http://margay.invalid"))).toEqual([
    400,
    "Bad Request: bad webhook: An HTTPS URL must be provided for webhook",
  ]);
});

test("CH102 a webhook gets each update once, with its secret, again after a failure", async () => {
  const clock = fakeClock();
  await using scene = await start({ clock });
  const { telegram, anna, chat, api } = scene;
  const seen: unknown[] = [];
  const hook = createServer((incoming, response) => {
    void json(incoming).then((body) => {
      seen.push([incoming.headers["x-telegram-bot-api-secret-token"], (body as Update).message?.text]);
      response.writeHead(seen.length === 1 ? 500 : 200).end();
    });
  });
  await new Promise<void>((resolve) => void hook.listen(0, "127.0.0.1", resolve));
  const { port } = hook.address() as AddressInfo; // it listens
  await api.setWebhook(`http://127.0.0.1:${port}/hook`, { secret_token: "s3" });
  telegram.write(anna, chat, "one");
  await clock.waitForSleep(1000);
  expect((await api.getWebhookInfo()).last_error_message).toBe("Wrong response from the webhook: 500");
  await clock.advance(1000);
  await telegram.until(() => telegram.pendingUpdates().length === 0);
  expect(seen).toEqual([
    ["s3", "one"],
    ["s3", "one"],
  ]);
  hook.close();
  hook.closeAllConnections();
});

test.each([
  ["<b>x", `can't find end tag corresponding to start tag "b"`],
  ["ä <b>x</i>", `unmatched end tag at byte offset 7, expected "</b>", found "</i>"`],
  ["x</b>", "unexpected end tag at byte offset 1"],
  ["<h1>x</h1>", `unsupported start tag "h1" at byte offset 0`],
  ["a<br/>b", `unsupported start tag "br/" at byte offset 1`],
  ["1 < 2", `unsupported start tag "" at byte offset 2`],
  ["I <3 you", `unsupported start tag "3" at byte offset 2`],
  ["a <b", "unclosed start tag at byte offset 2"],
  ["<a href=x:y>z</a>", "unexpected end of name token at byte offset 8"],
  ['<span class="red">x</span>', `tag "span" must have class "tg-spoiler" at byte offset 0`],
  ['<a "x">z</a>', `empty attribute name in the tag "a" at byte offset 0`],
  ["<b>x</b", "unclosed end tag at byte offset 4"],
])("CH101 markup that Telegram refuses: %s", async (text, why) => {
  await using scene = await start();
  const call = scene.api.sendMessage(scene.chat.id, text, { parse_mode: "HTML" });
  const sentence = `${why.charAt(0).toUpperCase()}${why.slice(1)}`;
  expect(await refused(call)).toEqual([400, `Bad Request: can't parse entities: ${sentence}`]);
  expect(scene.telegram.shown(scene.chat)).toEqual([]);
});

test("CH101 markup that Telegram takes becomes text and entities in UTF-16 units", async () => {
  await using scene = await start();
  const { telegram, anna, chat, api } = scene;
  const shown = async (text: string): Promise<unknown> => {
    const { message_id: id } = await api.sendMessage(chat.id, text, { parse_mode: "HTML" });
    const found = telegram.shown(chat).find((one) => one.id === id);
    return [found?.text, found?.entities];
  };
  expect(await shown("😀<b>b<i>bi</i></b>&lt;&amp;&quot;&#39;&#x1F600;&gt;&apos;&")).toEqual([
    "😀bbi<&\"'😀>&apos;&",
    [
      { type: "bold", offset: 2, length: 3 },
      { type: "italic", offset: 3, length: 2 },
    ],
  ]);
  expect(
    await shown(
      `<u>u</u><ins>u</ins><s>s</s><strike>s</strike><del>s</del><strong>b</strong><em>i</em><tg-spoiler>p</tg-spoiler><span class="tg-spoiler">p</span>`,
    ),
  ).toEqual([
    "uusssbipp",
    [
      "underline",
      "underline",
      "strikethrough",
      "strikethrough",
      "strikethrough",
      "bold",
      "italic",
      "spoiler",
      "spoiler",
    ].map((type, offset) => ({ type, offset, length: 1 })),
  ]);
  expect(
    await shown(
      `<pre><code class="language-ts">a &lt; b</code></pre>\n<pre>p</pre><code>/c @anna</code><blockquote expandable>q</blockquote><blockquote>r</blockquote>`,
    ),
  ).toEqual([
    "a < b\np/c @annaqr",
    [
      { type: "pre", offset: 0, length: 5, language: "ts" },
      { type: "pre", offset: 6, length: 1 },
      { type: "code", offset: 7, length: 8 },
      { type: "expandable_blockquote", offset: 15, length: 1 },
      { type: "blockquote", offset: 16, length: 1 },
    ],
  ]);
  expect(
    await shown(
      `<a href="https://a.example/?x=1&amp;y=2">l</a><a href="tg://user?id=${anna.id}">m</a><a href="javascript:x">n</a><a href='nowhere'>o</a>`,
    ),
  ).toEqual([
    "lmno",
    [
      { type: "text_link", offset: 0, length: 1, url: "https://a.example/?x=1&y=2" },
      { type: "text_mention", offset: 1, length: 1, user: anna },
    ],
  ]);
  expect(await shown("<b>a<code>c</code>b</b>  \n")).toEqual([
    "acb",
    [
      { type: "bold", offset: 0, length: 1 },
      { type: "code", offset: 1, length: 1 },
      { type: "bold", offset: 2, length: 1 },
    ],
  ]);
});

test("CH101 4,096 units are counted after parsing, empty texts are refused", async () => {
  await using scene = await start();
  const { telegram, chat, api } = scene;
  const send = (text: string): Promise<unknown> => api.sendMessage(chat.id, text, { parse_mode: "HTML" });
  await send(`<b>${"&lt;".repeat(4096)}</b>`);
  expect(telegram.shown(chat)[0]?.text).toBe("<".repeat(4096));
  expect(await refused(send("x".repeat(4097)))).toEqual([400, "Bad Request: message is too long"]);
  expect(await refused(send("😀".repeat(2049)))).toEqual([400, "Bad Request: message is too long"]);
  expect(await refused(send(""))).toEqual([400, "Bad Request: message text is empty"]);
  expect(await refused(send(" \n "))).toEqual([400, "Bad Request: text must be non-empty"]);
  const photo = (caption: string): Promise<unknown> => api.sendPhoto(chat.id, new InputFile(png, "p.png"), { caption });
  await photo("x".repeat(1024));
  expect(await refused(photo("x".repeat(1025)))).toEqual([400, "Bad Request: message caption is too long"]);
});

test("CH102 messages are edited, deleted and reacted to as people see them", async () => {
  await using scene = await start();
  const { telegram, anna, chat, api } = scene;
  const asked = telegram.write(anna, chat, "ask");
  const { message_id: id } = await api.sendMessage(chat.id, "one", {
    reply_markup: new InlineKeyboard().text("Go", "go"),
  });
  expect(
    await refused(api.editMessageText(chat.id, id, "one", { reply_markup: new InlineKeyboard().text("Go", "go") })),
  ).toEqual([400, expect.stringMatching(/^Bad Request: message is not modified: specified new message content/)]);
  await api.editMessageText(chat.id, id, "<b>two</b>", { parse_mode: "HTML" });
  expect(telegram.shown(chat)[1]).toMatchObject({
    text: "two",
    edited: true,
    buttons: [],
    entities: [{ type: "bold" }],
  });
  await api.editMessageReplyMarkup(chat.id, id, { reply_markup: new InlineKeyboard().url("Web", "https://a.example") });
  expect(telegram.shown(chat)[1]?.buttons).toEqual([[{ text: "Web", url: "https://a.example" }]]);
  await api.setMessageReaction(chat.id, asked.message_id, [{ type: "emoji", emoji: "👀" }]);
  expect(telegram.shown(chat)[0]?.reactions).toEqual(["👀"]);
  await api.setMessageReaction(chat.id, asked.message_id, []);
  expect(telegram.shown(chat)[0]?.reactions).toEqual([]);
  expect(
    (
      await raw(telegram, "setMessageReaction", {
        chat_id: chat.id,
        message_id: id,
        reaction: [{ type: "emoji", emoji: "🦦" }],
      })
    )[1],
  ).toMatchObject({ description: "Bad Request: REACTION_INVALID" });
  const photo = await api.sendPhoto(chat.id, new InputFile(png), { caption: "c" });
  await api.editMessageCaption(chat.id, photo.message_id, { caption: "d" });
  expect(telegram.shown(chat).at(-1)).toMatchObject({ text: "d", edited: true });
  expect(await refused(api.editMessageText(chat.id, photo.message_id, "x"))).toEqual([
    400,
    "Bad Request: there is no text in the message to edit",
  ]);
  expect(await refused(api.editMessageText(chat.id, asked.message_id, "x"))).toEqual([
    400,
    "Bad Request: message can't be edited",
  ]);
  await api.deleteMessage(chat.id, id);
  expect(await refused(api.editMessageText(chat.id, id, "x"))).toEqual([400, "Bad Request: message to edit not found"]);
  expect(await refused(api.deleteMessage(chat.id, id))).toEqual([400, "Bad Request: message to delete not found"]);
  expect(await refused(api.setMessageReaction(chat.id, id, []))).toEqual([
    400,
    "Bad Request: message to react not found",
  ]);
});

test("CH102 a reply needs its message unless it may go without", async () => {
  await using scene = await start();
  const { telegram, anna, chat, api } = scene;
  const { message_id: id } = telegram.write(anna, chat, "ask");
  telegram.erase(chat, id);
  expect(await refused(api.sendMessage(chat.id, "a", { reply_parameters: { message_id: id } }))).toEqual([
    400,
    "Bad Request: message to be replied not found",
  ]);
  await api.sendMessage(chat.id, "a", { reply_parameters: { message_id: id, allow_sending_without_reply: true } });
  expect(telegram.shown(chat).map(({ text, replyTo }) => [text, replyTo])).toEqual([["a", undefined]]);
});

test("CH102 a pressed button gets its answer, or times out; keyboards are checked", async () => {
  const clock = fakeClock();
  await using scene = await start({ clock, pressMs: 10_000 });
  const { telegram, anna, chat, api } = scene;
  const { message_id: id } = await api.sendMessage(chat.id, "sure?", {
    reply_markup: new InlineKeyboard().text("Yes", "y").text("No", "n"),
  });
  const query = async (): Promise<string> => {
    await telegram.until(() => telegram.pendingUpdates().length > 0);
    const [update] = await api.getUpdates();
    await api.getUpdates({ offset: (update?.update_id ?? 0) + 1 });
    expect(update?.callback_query).toMatchObject({ from: { id: anna.id }, message: { message_id: id } });
    return update?.callback_query?.id ?? "";
  };
  const pressed = telegram.press(anna, chat, id, "y");
  const first = await query();
  await api.answerCallbackQuery(first, { text: "Done", show_alert: true });
  expect(await pressed).toEqual({ text: "Done", alert: true, timedOut: false });
  const late = telegram.press(anna, chat, id, "n");
  const second = await query();
  await clock.advance(10_000);
  expect(await late).toEqual({ alert: false, timedOut: true });
  for (const old of [first, second])
    expect(await refused(api.answerCallbackQuery(old))).toEqual([
      400,
      "Bad Request: query is too old and response timeout expired or query ID is invalid",
    ]);
  await expect(telegram.press(anna, chat, id, "x")).rejects.toThrow("no button x");
  const send = (data: string): Promise<unknown> =>
    api.sendMessage(chat.id, "x", { reply_markup: new InlineKeyboard().text("a", data) });
  await send("ä".repeat(32));
  expect(await refused(send("ä".repeat(33)))).toEqual([400, "Bad Request: BUTTON_DATA_INVALID"]);
  expect((await refused(send("")))[1]).toContain("Text buttons are unallowed in the inline keyboard");
});

test("CH102 files of a megabyte go both ways, by part and by id", async () => {
  const clock = fakeClock();
  await using scene = await start({ clock });
  const { telegram, anna, chat, api } = scene;
  const bytes = Buffer.alloc(1024 * 1024, "0123456789\r\n--x\r\n");
  const sent = await api.sendDocument(chat.id, new InputFile(bytes, "a.bin"), {
    caption: "<b>c</b>",
    parse_mode: "HTML",
  });
  expect(telegram.bytes(sent.document.file_id)?.equals(bytes)).toBe(true);
  expect(sent.document).toMatchObject({ file_name: "a.bin", file_size: bytes.length });
  expect(sent.caption_entities).toEqual([{ type: "bold", offset: 0, length: 1 }]);
  await api.sendDocument(chat.id, sent.document.file_id);
  await api.sendAudio(chat.id, new InputFile(bytes, "a.mp3"), { title: "t", duration: 9 });
  await api.sendVoice(chat.id, new InputFile(OPUS, "a.ogg"), { duration: 3 });
  expect(await api.sendVoice(chat.id, new InputFile(bytes, "a.ogg"))).toMatchObject({
    document: { file_name: "a.ogg" },
  });
  await api.sendVideo(chat.id, new InputFile(bytes, "a.mp4"), { width: 10, height: 20 });
  expect(
    telegram
      .shown(chat)
      .slice(2)
      .filter(({ message: { document } }) => document === undefined)
      .map(({ message: { audio, voice, video } }) => audio?.title ?? voice?.duration ?? video?.height),
  ).toEqual(["t", 3, 20]);
  const got = telegram.write(anna, chat, { text: "see", document: { bytes, name: "in.pdf" } });
  const file = await api.getFile(got.document?.file_id ?? "");
  const link = `${telegram.url}/file/bot${telegram.token}/${file.file_path ?? ""}`;
  expect(Buffer.from(await (await fetch(link)).arrayBuffer()).equals(bytes)).toBe(true);
  await clock.advance(3_600_000);
  expect((await fetch(link)).status).toBe(404);
  const large = telegram.write(anna, chat, { voice: { bytes: Buffer.from("x"), size: 21 * 1024 * 1024 } });
  expect(await refused(api.getFile(large.voice?.file_id ?? ""))).toEqual([400, "Bad Request: file is too big"]);
  expect((await refused(api.getFile("nothing")))[1]).toBe("Bad Request: invalid file_id");
  expect(await refused(api.sendDocument(chat.id, "nothing"))).toEqual([
    400,
    "Bad Request: wrong file identifier/HTTP URL specified",
  ]);
  expect(await refused(api.sendDocument(chat.id, new InputFile(Buffer.alloc(0), "e")))).toEqual([
    400,
    "Bad Request: file must be non-empty",
  ]);
  expect(await refused(api.sendPhoto(chat.id, new InputFile(Buffer.from("no picture"))))).toEqual([
    400,
    "Bad Request: IMAGE_PROCESS_FAILED",
  ]);
  expect(await refused(api.sendDocument(chat.id, new InputFile(Buffer.alloc(51 * 1024 * 1024), "big")))).toEqual([
    413,
    "Request Entity Too Large",
  ]);
});

test("CH102 albums go out with one number and come in as several messages", async () => {
  await using scene = await start();
  const { telegram, anna, chat, api } = scene;
  const sent: Message[] = await api.sendMediaGroup(chat.id, [
    { type: "photo", media: new InputFile(png, "a.png"), caption: "both" },
    { type: "photo", media: new InputFile(png, "b.png") },
  ]);
  expect(new Set(sent.map(({ media_group_id: id }) => id)).size).toBe(1);
  expect(telegram.shown(chat).map(({ text, album }) => [text, album])).toEqual([
    ["both", sent[0]?.media_group_id],
    ["", sent[0]?.media_group_id],
  ]);
  const mixed = {
    media: [
      { type: "photo", media: "x" },
      { type: "document", media: "x" },
    ],
    chat_id: chat.id,
  };
  expect((await raw(telegram, "sendMediaGroup", mixed))[1]).toMatchObject({
    description: "Bad Request: can't use the media of the specified type in the album",
  });
  expect(
    (
      await refused(
        api.sendMediaGroup(
          chat.id,
          new Array<{ type: "photo"; media: string }>(11).fill({ type: "photo", media: "x" }),
        ),
      )
    )[1],
  ).toBe("Bad Request: too many messages to send as an album");
  telegram.write(anna, chat, {
    text: "mine",
    album: [{ photo: { bytes: png } }, { video: { bytes: png, name: "v.mp4" } }],
  });
  const updates = await api.getUpdates();
  expect(updates.map(({ message }) => [message?.caption, message?.photo?.length, message?.video?.file_name])).toEqual([
    ["mine", 1, undefined],
    [undefined, undefined, "v.mp4"],
  ]);
  expect(new Set(updates.map(({ message }) => message?.media_group_id)).size).toBe(1);
});

test("CH102 whatever a person sends arrives as Telegram writes it, with the entities it finds", async () => {
  await using scene = await start();
  const { telegram, anna, chat, api } = scene;
  const bytes = Buffer.from("x");
  telegram.write(anna, chat, "😀 /start@margay_bot @anna https://a.example/x. me@b.example #tag 5/8 a@b");
  telegram.write(anna, chat, { text: "bold", entities: [{ type: "bold", offset: 0, length: 4 }], forward: anna });
  telegram.write(anna, chat, { sticker: { emoji: "🦝" } });
  telegram.write(anna, chat, { location: { latitude: 1, longitude: 2 } });
  telegram.write(anna, chat, { contact: { phone: "+1", name: "B" } });
  telegram.write(anna, chat, { poll: { question: "q", options: ["a", "b"] }, forward: "Hidden" });
  telegram.write(anna, chat, { videoNote: { bytes } });
  const messages = (await api.getUpdates()).map(({ message }) => message);
  expect(messages[0]?.entities).toEqual([
    { type: "bot_command", offset: 3, length: 17 },
    { type: "mention", offset: 21, length: 5 },
    { type: "url", offset: 27, length: 19 },
    { type: "email", offset: 48, length: 12 },
    { type: "hashtag", offset: 61, length: 4 },
  ]);
  expect(messages[1]).toMatchObject({
    entities: [{ type: "bold" }],
    forward_origin: { type: "user", sender_user: anna },
  });
  expect(messages.slice(2)).toMatchObject([
    { sticker: { emoji: "🦝", is_animated: false } },
    { location: { latitude: 1, longitude: 2 } },
    { contact: { phone_number: "+1", first_name: "B" } },
    { poll: { question: "q" }, forward_origin: { type: "hidden_user", sender_user_name: "Hidden" } },
    { video_note: { length: 240 } },
  ]);
});

test("CH102 topics: made by people and by the bot, kept by replies, unknown and closed ones refused", async () => {
  await using scene = await start();
  const { telegram, anna, api } = scene;
  const forum = telegram.forum("Work", [anna]);
  const topic = telegram.topic(forum, "Plans", anna);
  const asked = telegram.write(anna, forum, { text: "in it", thread: topic });
  expect(asked).toMatchObject({ message_thread_id: topic, is_topic_message: true });
  expect(telegram.write(anna, forum, "general")).not.toHaveProperty("message_thread_id");
  await api.sendMessage(forum.id, "a", { reply_parameters: { message_id: asked.message_id } });
  await api.sendMessage(forum.id, "b", { message_thread_id: topic });
  expect(telegram.shown(forum).map(({ text, thread }) => [text, thread])).toEqual([
    ["in it", topic],
    ["general", undefined],
    ["a", topic],
    ["b", topic],
  ]);
  const made = await api.createForumTopic(forum.id, "New");
  await api.sendChatAction(forum.id, "typing", { message_thread_id: made.message_thread_id });
  for (const unknown of [1, 999])
    expect(await refused(api.sendMessage(forum.id, "x", { message_thread_id: unknown }))).toEqual([
      400,
      "Bad Request: message thread not found",
    ]);
  telegram.closeTopic(forum, made.message_thread_id);
  await api.sendMessage(forum.id, "administrators may", { message_thread_id: made.message_thread_id });
  const strict = telegram.supergroup("Strict", [anna], { is_forum: true });
  const closed = telegram.topic(strict, "Closed", anna);
  telegram.closeTopic(strict, closed);
  expect((await refused(api.sendMessage(strict.id, "x", { message_thread_id: closed })))[1]).toBe(
    "Bad Request: TOPIC_CLOSED",
  );
  expect((await refused(api.createForumTopic(strict.id, "x")))[1]).toBe(
    "Bad Request: not enough rights to create a topic",
  );
  telegram.deleteTopic(forum, topic);
  expect((await refused(api.sendMessage(forum.id, "x", { message_thread_id: topic })))[0]).toBe(400);
  const plain = telegram.supergroup("Plain", [anna]);
  const root = telegram.write(anna, plain, "root");
  const reply = telegram.write(anna, plain, { text: "reply", replyTo: root.message_id });
  expect([reply.message_thread_id, reply.is_topic_message]).toEqual([root.message_id, undefined]);
  expect((await refused(api.createForumTopic(plain.id, "x")))[1]).toBe("Bad Request: the chat is not a forum");
});

test("CH102 groups: renamed, kicked, taken in again, blocked, unknown", async () => {
  await using scene = await start();
  const { telegram, anna, chat, api } = scene;
  const group = telegram.group("Family", [anna]);
  const ben = telegram.person("Ben");
  telegram.join(group, ben);
  telegram.rename(group, "Family!", anna);
  expect(await api.getChat(group.id)).toMatchObject({ title: "Family!", type: "group" });
  expect((await api.getChatMember(group.id, anna.id)).status).toBe("creator");
  expect((await api.getChatMember(group.id, ben.id)).status).toBe("member");
  telegram.leave(group, ben);
  expect((await api.getChatMember(group.id, ben.id)).status).toBe("left");
  telegram.kick(group, anna);
  expect(await refused(api.sendMessage(group.id, "x"))).toEqual([403, "Forbidden: bot was kicked from the group chat"]);
  telegram.write(anna, group, "unheard");
  telegram.add(group, anna);
  await api.sendMessage(group.id, "back");
  telegram.block(anna);
  expect(await refused(api.sendMessage(chat.id, "x"))).toEqual([403, "Forbidden: bot was blocked by the user"]);
  telegram.unblock(anna);
  await api.sendMessage(chat.id, "x");
  expect(await refused(api.sendMessage(ben.id, "x"))).toEqual([400, "Bad Request: chat not found"]);
  expect(
    (await api.getUpdates()).map(
      ({ message, my_chat_member: mine }) => message?.new_chat_title ?? mine?.new_chat_member.status,
    ),
  ).toEqual([undefined, "Family!", undefined, "kicked", "member", "kicked", "member"]);
});

test("CH102 in privacy mode a group is heard only where the bot is meant", async () => {
  await using scene = await start({ privacy: true });
  const { telegram, anna, api } = scene;
  expect((await api.getMe()).can_read_all_group_messages).toBe(false);
  const group = telegram.group("Family", [anna]);
  const { message_id: said } = await api.sendMessage(group.id, "hello");
  telegram.write(anna, group, "unheard");
  telegram.write(anna, group, "hi @margay_bot");
  telegram.write(anna, group, "hi @other_bot");
  telegram.write(anna, group, "/new");
  telegram.write(anna, group, "/new@other_bot");
  telegram.write(anna, group, { text: "reply", replyTo: said });
  telegram.rename(group, "F", anna);
  telegram.promote(group);
  telegram.write(anna, group, "heard");
  expect((await api.getUpdates()).map(({ message }) => message?.text ?? message?.new_chat_title)).toEqual([
    "hi @margay_bot",
    "/new",
    "reply",
    "F",
    "heard",
  ]);
});

test("CH102 a group that became a supergroup says where it is now", async () => {
  await using scene = await start();
  const { telegram, anna, api } = scene;
  const group = telegram.group("Family", [anna]);
  const next = telegram.migrate(group, anna);
  const error: unknown = await api.sendMessage(group.id, "x").catch((reason: unknown) => reason);
  expect(error).toMatchObject({
    error_code: 400,
    description: "Bad Request: group chat was upgraded to a supergroup chat",
    parameters: { migrate_to_chat_id: next.id },
  });
  await api.sendMessage(next.id, "here");
  expect(
    (await api.getUpdates()).map(({ message }) => message?.migrate_to_chat_id ?? message?.migrate_from_chat_id),
  ).toEqual([next.id, group.id]);
});

test("CH102 drafts are shown for half a minute, and a person may stop them", async () => {
  const clock = fakeClock();
  await using scene = await start({ clock });
  const { telegram, chat, api } = scene;
  await api.sendMessageDraft(chat.id, 7, "<b>thin</b>", { parse_mode: "HTML", can_stop: true });
  expect([...telegram.drafts(chat)]).toMatchObject([[7, { text: "thin", canStop: true }]]);
  telegram.stopDraft(chat, 7);
  expect((await api.getUpdates())[0]?.stopped_message_generation).toMatchObject({ draft_id: 7, chat: { id: chat.id } });
  await api.sendMessageDraft(chat.id, 8, "x");
  await api.sendMessage(chat.id, "whole");
  expect(telegram.drafts(chat).size).toBe(0);
  await api.sendMessageDraft(chat.id, 9, "x");
  await clock.advance(30_000);
  expect(telegram.drafts(chat).size).toBe(0);
});

test("CH101 commands are kept by scope and language, and checked", async () => {
  await using scene = await start();
  const { api } = scene;
  const commands = [{ command: "new", description: "Starts anew" }];
  await api.setMyCommands(commands, { scope: { type: "all_group_chats" } });
  expect(await api.getMyCommands({ scope: { type: "all_group_chats" } })).toEqual(commands);
  expect(await api.getMyCommands()).toEqual([]);
  expect(await refused(api.setMyCommands([{ command: "New!", description: "x" }]))).toEqual([
    400,
    "Bad Request: BOT_COMMAND_INVALID",
  ]);
  expect((await refused(api.sendChatAction(1, "dance" as "typing")))[1]).toBe(
    "Bad Request: wrong parameter action in request",
  );
});

test("CH103 429 in one chat leaves the others alone and ends with its time", async () => {
  const clock = fakeClock();
  await using scene = await start({ clock });
  const { telegram, anna, chat, api } = scene;
  const group = telegram.group("G", [anna]);
  telegram.flood(7, group.id);
  await clock.advance(2000);
  const error: unknown = await api.sendMessage(group.id, "x").catch((reason: unknown) => reason);
  expect(error).toMatchObject({
    error_code: 429,
    description: "Too Many Requests: retry after 5",
    parameters: { retry_after: 5 },
  });
  await api.sendMessage(chat.id, "x");
  await clock.advance(5000);
  await api.sendMessage(group.id, "x");
  telegram.flood(1);
  expect((await refused(api.sendMessage(chat.id, "x")))[0]).toBe(429);
  expect((await api.getMe()).is_bot).toBe(true);
});

test("CH103 the real limits: 3 in 3 s to a person, 20 in a minute to a group, 30 in a second to all", async () => {
  const clock = fakeClock();
  await using scene = await start({ clock, limits: "real" });
  const { telegram, anna, chat, api } = scene;
  const group = telegram.group("G", [anna]);
  const times = async (count: number, id: number): Promise<void> => {
    for (let one = 0; one < count; one++) await api.sendMessage(id, "x");
  };
  await times(3, chat.id);
  expect(await refused(times(1, chat.id))).toEqual([429, "Too Many Requests: retry after 3"]);
  await clock.advance(3000);
  await times(1, chat.id);
  await times(20, group.id);
  expect(await refused(times(1, group.id))).toEqual([429, "Too Many Requests: retry after 60"]);
  for (let one = 0; one < 3; one++) await times(3, telegram.privateChat(telegram.person(`P${one}`)).id);
  const last = telegram.privateChat(telegram.person("Last"));
  expect(await refused(times(1, last.id))).toEqual([429, "Too Many Requests: retry after 1"]);
});

test.each<[FaultKind, number, "network" | "none"]>([
  ["close-before", 0, "network"],
  ["close-after-taking", 1, "network"],
  ["garbage", 0, "network"],
  ["two-pieces", 1, "none"],
])("CH103 fault %s: sent %i times, the client sees %s", async (how, count, seen) => {
  await using scene = await start();
  const { telegram, chat, api } = scene;
  telegram.fault({ when: "sendMessage", how });
  const error: unknown = await api.sendMessage(chat.id, "x").then(
    () => "none",
    (reason: unknown) => reason,
  );
  expect(error instanceof HttpError ? "network" : error).toBe(seen);
  expect(telegram.shown(chat).length).toBe(count);
  await api.sendMessage(chat.id, "y");
  expect(telegram.requests.length).toBe(2);
});

test("CH103 fault close-half-answer: it was sent, the headers come and the body ends early", async () => {
  await using scene = await start();
  const { telegram, chat } = scene;
  telegram.fault({ when: "sendMessage", how: "close-half-answer" });
  // Not grammy: its node-fetch does not notice, and waits for its own 500 s.
  const response = await fetch(`${telegram.url}/bot${telegram.token}/sendMessage?chat_id=${chat.id}&text=x`);
  expect(response.status).toBe(200);
  await expect(response.text()).rejects.toThrow("terminated");
  expect(telegram.shown(chat).length).toBe(1);
});

test.each<["hang" | "hang-after-taking", number]>([
  ["hang", 0],
  ["hang-after-taking", 1],
])("CH103 fault %s: silence until the client gives up", async (how, count) => {
  await using scene = await start();
  const { telegram, chat, api } = scene;
  telegram.fault({ when: (method, params) => method === "sendMessage" && params["text"] === "x", how });
  await api.sendMessage(chat.id, "not this one");
  const abort = new AbortController();
  const call = api
    .sendMessage(chat.id, "x", {}, abort.signal as Parameters<typeof api.getMe>[0])
    .catch((reason: unknown) => reason);
  await telegram.until(() => telegram.shown(chat).length === 1 + count && telegram.requests.length === 2);
  abort.abort();
  expect(await call).toBeInstanceOf(Error);
});

test("CH103 an upload ends in the middle, a download too", async () => {
  await using scene = await start();
  const { telegram, anna, chat, api } = scene;
  const bytes = Buffer.alloc(1024 * 1024, "x");
  telegram.fault({ when: "sendDocument", how: "close-before" });
  await expect(api.sendDocument(chat.id, new InputFile(bytes, "a"))).rejects.toBeInstanceOf(HttpError);
  expect(await telegram.received("sendDocument")).toMatchObject({ params: {}, files: {} });
  expect(telegram.shown(chat)).toEqual([]);
  await api.sendDocument(chat.id, new InputFile(bytes, "a"));
  expect(Object.values((await telegram.received("sendDocument", 2)).files)).toEqual([bytes.length]);
  const { document } = telegram.write(anna, chat, { document: { bytes } });
  const { file_path: path = "" } = await api.getFile(document?.file_id ?? "");
  const link = `${telegram.url}/file/bot${telegram.token}/${path}`;
  telegram.fault({ when: "file", how: "close-half-answer" });
  await expect((await fetch(link)).arrayBuffer()).rejects.toThrow("terminated");
  expect((await (await fetch(link)).arrayBuffer()).byteLength).toBe(bytes.length);
});

test("CH103 a late answer, an answer of our own, and a server that is away", async () => {
  const clock = fakeClock();
  await using scene = await start({ clock });
  const { telegram, chat, api } = scene;
  telegram.fault({ when: "sendMessage", how: { delay: 5000 } });
  const late = api.sendMessage(chat.id, "x");
  await telegram.until(() => telegram.shown(chat).length === 1);
  await clock.waitForSleep(5000);
  await clock.advance(5000);
  expect((await late).text).toBe("x");
  const body = { ok: false, error_code: 502, description: "Bad Gateway" };
  telegram.fault({ how: { status: 502, body }, times: 2 });
  expect(await refused(api.getMe())).toEqual([502, "Bad Gateway"]);
  telegram.clearFaults();
  expect((await api.getMe()).is_bot).toBe(true);
  await telegram.down();
  await expect(api.getMe()).rejects.toBeInstanceOf(HttpError);
  await telegram.up();
  expect((await api.getMe()).is_bot).toBe(true);
});

test("CH103 updates come twice, in reverse and with gaps", async () => {
  await using scene = await start();
  const { telegram, anna, chat, api } = scene;
  telegram.write(anna, chat, "one");
  telegram.skipUpdateIds(5);
  telegram.write(anna, chat, "two");
  const texts = async (offset = 0): Promise<unknown[]> =>
    (await api.getUpdates({ offset })).map(({ message }) => message?.text);
  const ids = (await api.getUpdates()).map(({ update_id: id }) => id);
  expect((ids[1] ?? 0) - (ids[0] ?? 0)).toBe(6);
  telegram.reverseUpdates();
  expect(await texts()).toEqual(["two", "one"]);
  expect(await texts()).toEqual(["one", "two"]);
  telegram.repeatUpdates();
  expect(await texts((ids[1] ?? 0) + 1)).toEqual(["two"]);
  expect(await texts()).toEqual([]);
});
