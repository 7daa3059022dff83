// What leaves: text in the dialect or plain, files, and what is said when it does not.
import { fakeClock } from "@margay/core/testing";
import type { MediaPart, OutboundPiece } from "@margay/core/plugin";
import { expect, test } from "vitest";
import { failure, never, OPUS, outbound, place, type Place, PNG } from "./support.ts";

async function media({ host }: Place, name: string, mediaType: string, bytes?: Uint8Array): Promise<MediaPart> {
  return host.media.save(bytes ?? (mediaType === "image/png" ? PNG : Buffer.from(name)), { name, mediaType });
}

function rendered(chat: number, text: string, plain: string): OutboundPiece {
  return { ...outbound(chat, plain), rendered: { text, plain } };
}

test("CH205 what is rendered goes as HTML, without it as it is written, both without previews of links", async () => {
  const { telegram, chat, channel } = await place();
  const id = await channel.send(rendered(chat.id, "<b>bold</b> &lt; https://example.org", "**bold**"), never);
  await channel.send(outbound(chat.id, "**as** <it> is & https://example.org"), never);
  const [first, second] = telegram.shown(chat);
  expect(String(first?.id)).toBe(id);
  expect(first).toMatchObject({ text: "bold < https://example.org", entities: [{ type: "bold" }, { type: "url" }] });
  expect(second?.text).toBe("**as** <it> is & https://example.org");
  for (const { params } of telegram.requests) expect(params["link_preview_options"]).toEqual({ is_disabled: true });
});

test("CH99 what is to make no sound makes none, its files neither; anything else does", async () => {
  const scene = await place();
  const { telegram, chat, channel } = scene;
  await channel.send(outbound(chat.id, "aloud"), never);
  const parts = [{ type: "text" as const, text: "hush" }, await media(scene, "a.png", "image/png")];
  await channel.send({ ...outbound(chat.id, "hush"), parts, silent: true }, never);
  expect(telegram.requests.map(({ params }) => params["disable_notification"])).toEqual([undefined, true, "true"]); // a form has words alone
});

test("CH205 CH50 markup that cannot be read is a fault of its own, and nothing else is", async () => {
  const { telegram, chat, channel } = await place();
  expect(await failure(channel.send(rendered(chat.id, "<b>bold", "bold"), never))).toMatchObject({
    kind: "markup",
    sent: "no",
  });
  telegram.flood(3);
  expect(await failure(channel.send(rendered(chat.id, "<b>bold</b>", "bold"), never))).toMatchObject({
    kind: "slow-down",
  });
  expect(telegram.shown(chat)).toEqual([]);
});

test("CH48 a flood is waited for as long as Telegram asks, in that chat", async () => {
  const { telegram, chat, channel } = await place();
  telegram.flood(7, chat.id);
  expect(await failure(channel.send(outbound(chat.id, "x"), never))).toMatchObject({
    kind: "slow-down",
    scope: "chat",
    retryAfterMs: 7000,
    sent: "no",
  });
});

test("CH47 a chat that is closed to the bot is gone, what Telegram refuses is refused, a revoked token is a login", async () => {
  const scene = await place();
  const { telegram, anna, chat, channel } = scene;
  const group = telegram.group("Trip", [anna]);
  const no = { sent: "no" };
  telegram.kick(group, anna);
  expect(await failure(channel.send(outbound(group.id, "x"), never))).toMatchObject({ kind: "gone", ...no });
  telegram.block(anna);
  expect(await failure(channel.send(outbound(chat.id, "x"), never))).toMatchObject({ kind: "gone", ...no });
  telegram.unblock(anna);
  expect(await failure(channel.send(outbound(123, "x"), never))).toMatchObject({ kind: "gone", ...no });
  expect(await failure(channel.send(outbound("ops", "x"), never))).toMatchObject({ kind: "gone", ...no });
  expect(await failure(channel.send(outbound(chat.id, "x".repeat(4097)), never))).toMatchObject({
    kind: "refused",
    answered: true,
    ...no,
  });
  const forum = telegram.forum("House", [anna]);
  const to = { channel: "telegram", chat: String(forum.id), thread: "77" };
  expect(await failure(channel.send(outbound(forum.id, "x", { to }), never))).toMatchObject({ kind: "refused" });
  telegram.revoke();
  expect(await failure(channel.send(outbound(chat.id, "x"), never))).toMatchObject({ kind: "auth", ...no });
});

test("CH207 CH45 what may have arrived is maybe sent; what had no connection, or an error of Telegram, is not", async () => {
  const clock = fakeClock();
  const { telegram, chat, channel } = await place({ hostClock: clock });
  const send = (): Promise<unknown> => failure(channel.send(outbound(chat.id, "x"), never));
  for (const how of ["close-after-taking", "close-half-answer", "garbage"] as const) {
    telegram.fault({ when: "sendMessage", how });
    expect(await send(), how).toMatchObject({ kind: "again", sent: "maybe" });
  }
  expect(telegram.shown(chat)).toHaveLength(2);
  for (const how of ["hang-after-taking", "hang"] as const) {
    const before = telegram.requests.length;
    telegram.fault({ when: "sendMessage", how });
    const sending = send();
    await telegram.until(() => telegram.requests.length > before && telegram.shown(chat).length >= 2);
    await clock.advance(30_000);
    expect(await sending, how).toMatchObject({ kind: "again", sent: "maybe" });
  }
  telegram.fault({
    when: "sendMessage",
    how: { status: 500, body: { ok: false, error_code: 500, description: "Internal" } },
  });
  expect(await send()).toMatchObject({ kind: "again", sent: "no", answered: false });
  await telegram.down();
  await send(); // over the connection that was just closed, maybe
  expect(await send()).toMatchObject({ kind: "again", sent: "no", message: expect.stringContaining("ECONNREFUSED") });
  await telegram.up();
  expect(await channel.send(outbound(chat.id, "at last"), never)).toMatch(/^\d+$/);
});

test("CH80 files go as what they are, pictures as one album, behind the text", async () => {
  const scene = await place();
  const { telegram, chat, channel } = scene;
  const parts = [
    { type: "text", text: "here" } as const,
    ...(await Promise.all(["a.png", "b.png"].map((name) => media(scene, name, "image/png")))),
    await media(scene, "song.mp3", "audio/mpeg"),
    await media(scene, "voice.ogg", "audio/ogg; codecs=opus", OPUS),
    await media(scene, "film.mp4", "video/mp4"),
    await media(scene, 'my "list".pdf', "application/pdf", Buffer.from("%PDF")),
    await media(scene, "large.png", "image/png", Buffer.concat([PNG, Buffer.alloc(10 * 1024 * 1024)])),
    await media(scene, "c.png", "image/png"),
  ];
  const id = await channel.send(outbound(chat.id, "here", { parts }), never);
  const shown = telegram.shown(chat).map(({ message }) => message);
  expect(String(shown[0]?.message_id)).toBe(id);
  const kinds = ["text", "photo", "audio", "voice", "video", "document"] as const;
  expect(shown.map((message) => kinds.find((kind) => message[kind] !== undefined))).toEqual([
    "text",
    "photo",
    "photo",
    "audio",
    "voice",
    "video",
    "document",
    "document",
    "photo",
  ]);
  expect(shown[1]?.media_group_id).toMatch(/^\d+$/);
  expect(shown[1]?.media_group_id).toBe(shown[2]?.media_group_id);
  expect(telegram.requests.map(({ answer }) => answer?.status)).toEqual(Array(8).fill(200));
  expect(shown[6]?.document?.file_name).toBe("my _list_.pdf");
  expect(telegram.bytes(shown[6]?.document?.file_id ?? "")?.toString()).toBe("%PDF");
  expect(shown.every(({ caption }) => caption === undefined)).toBe(true);
});

test("CH80 a picture that Telegram cannot read goes as a document, also out of an album; an empty file is said", async () => {
  const scene = await place();
  const { telegram, chat, channel, host } = scene;
  const broken = await media(scene, "b.png", "image/png", Buffer.from("no picture"));
  const parts = [await media(scene, "a.png", "image/png"), broken];
  await channel.send(outbound(chat.id, "two", { parts }), never);
  const empty = await media(scene, "empty.txt", "text/plain", new Uint8Array());
  await channel.send(outbound(chat.id, "one", { parts: [empty] }), never);
  const shown = telegram.shown(chat);
  expect(shown.map(({ message }) => message.document?.file_name ?? message.text ?? "photo")).toEqual([
    "photo",
    "b.png",
    expect.stringMatching(/^\[empty\.txt \(0\.0 MB\) could not be sent: Bad Request: file must be non-empty\]$/),
  ]);
  expect(host.told.events.map(({ event }) => event)).toEqual(["telegram.file-refused"]);
});

test("CH51 when a file fails the text is not sent again with it, after a restart neither", async () => {
  const scene = await place();
  const { telegram, chat, channel } = scene;
  const parts = [{ type: "text", text: "the list" } as const, await media(scene, "list.txt", "text/plain")];
  const piece = outbound(chat.id, "the list", { parts });
  telegram.fault({ when: "sendDocument", how: "close-before" });
  expect(await failure(channel.send(piece, never))).toMatchObject({ kind: "again", sent: "maybe" });
  const id = await scene.again().channel.send(piece, never);
  const shown = telegram.shown(chat);
  expect(shown.map(({ message }) => message.document?.file_name ?? message.text)).toEqual(["the list", "list.txt"]);
  expect(id).toBe(String(shown[0]?.id));
});

test("typing that fails is no matter, and nothing of the token stands in an error", async () => {
  const scene = await place();
  const { telegram, chat, channel } = scene;
  const to = { channel: "telegram", chat: String(chat.id) };
  telegram.fault({ when: "sendChatAction", how: "close-before" });
  await channel.typing?.(to, never);
  await telegram.down();
  const error = await failure(channel.send(outbound(chat.id, "x"), never));
  for (let link = error; link instanceof Error; link = link.cause) {
    expect(`${link.message} ${link.stack ?? ""}`).not.toContain(telegram.token);
  }
  await telegram.up();
});

test("CH69 a reaction of ours: one below each message, the usual one for what Telegram does not take, and of what is gone nothing is said", async () => {
  const { telegram, anna, chat, channel } = await place();
  const { message_id: id } = telegram.write(anna, chat, { text: "a question" });
  const to = { channel: "telegram", chat: String(chat.id) };
  const react = (emoji: string, isOn = true, of = `${chat.id}:${id}`): Promise<void> =>
    channel.react?.(of, emoji, isOn, to, never) ?? Promise.reject(new Error("it cannot"));
  const shown = (): unknown => telegram.shown(chat).find((one) => one.id === id)?.reactions;
  await react("\u270d\ufe0f");
  expect(shown()).toEqual(["\u270d"]);
  await react("\u{1f9a5}");
  expect(shown()).toEqual(["\u{1f440}"]);
  await react("\u{1f9a5}", false);
  expect(shown()).toEqual([]);
  await react("\u{1f440}", true, `${chat.id}:999`);
  await react("\u{1f440}", false, "command:7");
  telegram.fault({ when: "setMessageReaction", how: "close-before" });
  expect(await failure(react("\u{1f440}"))).toMatchObject({ kind: "again" });
});

test("CH78a CH80 a voice note goes by sendVoice whatever its kind; what Telegram shows as none arrives as a file", async () => {
  const scene = await place();
  const { telegram, chat, channel } = scene;
  const sounds = [
    await media(scene, "voice.ogg", "audio/ogg", OPUS),
    await media(scene, "voice.mp3", "audio/mpeg", Buffer.from("ID3 and a sound")),
    await media(scene, "voice.wav", "audio/wav", Buffer.from("RIFF0000WAVEfmt ")),
  ];
  for (const [index, part] of sounds.entries())
    await channel.send(
      outbound(chat.id, `${index}`, { parts: [{ ...part, voice: index < 2 ? true : undefined } as MediaPart] }),
      never,
    );
  await channel.send(outbound(chat.id, "3", { parts: [{ ...sounds[2]!, voice: true }] }), never);
  expect(telegram.requests.map(({ method }) => method)).toEqual([
    "sendVoice",
    "sendVoice",
    "sendDocument",
    "sendVoice",
  ]);
  expect(
    telegram.shown(chat).map(({ message: { voice, document } }) => voice?.mime_type ?? document?.file_name),
  ).toEqual(["audio/ogg", "audio/mpeg", "voice.wav", "voice.wav"]);
});

test("CH75 CH33 an answer shows what it answers, its text alone; of a group that has moved the old numbers mean nothing", async () => {
  const room = await place();
  const { telegram, chat, channel, anna } = room;
  const asked = telegram.write(anna, chat.id, "why?");
  const parts = [{ type: "text", text: "because" } as const, await media(room, "a.pdf", "application/pdf")];
  await channel.send({ ...outbound(chat.id, ""), reply: "r1", parts, quote: `${chat.id}:${asked.message_id}` }, never);
  const group = telegram.group("Trip", [anna]);
  const before = telegram.write(anna, group.id, "where to?");
  const next = telegram.migrate(group, anna);
  telegram.write(anna, next.id, "here");
  await channel.send({ ...outbound(group.id, "there"), reply: "r2", quote: `${group.id}:${before.message_id}` }, never);
  await channel.send({ ...outbound(chat.id, "pressed"), reply: "r3", quote: "callback" }, never);
  const ours = (id: number): unknown => telegram.shown(id).flatMap(({ own, replyTo }) => (own ? [replyTo] : []));
  expect([ours(chat.id), ours(next.id)]).toEqual([[asked.message_id, undefined, undefined], [undefined]]);
});
