// What people send, where it is, and what of it is no message.
import { fakeClock } from "@margay/core/testing";
import { expect, test } from "vitest";
import type { Telegram } from "./emulator/telegram.ts";
import { ACCEPTED, allTaken, outbound, never, place, PNG, run, testHost, textsOf, channelOf } from "./support.ts";

test("CH203 a topic is a thread, in both directions; the general topic and answers in a plain group are none", async () => {
  const scene = await place();
  const { telegram, anna, channel } = scene;
  const forum = telegram.forum("House", [anna]);
  const topic = telegram.topic(forum, "Garden", telegram.person("Ben"));
  const plain = telegram.supergroup("Trip", [anna]);
  const first = telegram.write(anna, plain, "a question");
  telegram.write(anna, forum, { text: "in the garden", thread: topic, replyTo: topic });
  telegram.write(anna, forum, "in general");
  telegram.write(anna, plain, { text: "more of it", replyTo: first.message_id });
  const [question, garden, general, more] = await run(channel).received(4);
  expect(garden).toMatchObject({ origin: { chat: String(forum.id), thread: String(topic) } });
  expect([question?.title, garden?.title]).toEqual(["Trip", "House"]); // for who looks after the groups
  expect(garden?.addressed).toBeUndefined(); // everything in a topic answers its first message
  for (const message of [question, general, more]) expect(message?.origin).not.toHaveProperty("thread");
  await channel.send(outbound(forum.id, "roses", { to: garden!.origin }), never);
  await channel.typing?.(garden!.origin, never);
  expect(telegram.shown(forum).at(-1)).toMatchObject({ text: "roses", thread: topic });
  const [typed] = telegram.requests.filter(({ method }) => method === "sendChatAction");
  expect(typed?.params).toEqual({ chat_id: forum.id, message_thread_id: topic, action: "typing" });
});

test("CH36 CH54 what the bot said, service messages, presses and other news are no messages", async () => {
  const scene = await place();
  const { telegram, anna, chat, channel, host } = scene;
  const group = telegram.group("Trip", [anna]);
  const running = run(channel);
  await allTaken(scene);
  const ben = telegram.person("Ben");
  telegram.join(group, ben);
  telegram.rename(group, "Journey", anna);
  telegram.leave(group, ben);
  telegram.kick(group, anna);
  telegram.add(group, anna);
  const said = telegram.write(anna, chat, "one");
  telegram.react(anna, chat, said.message_id, "👍");
  telegram.write({ id: telegram.bot.id, is_bot: true, first_name: "Margay" }, chat, "an echo");
  telegram.write(anna, chat, "two");
  expect(textsOf(await running.received(2))).toEqual(["one", "two"]);
  await allTaken(scene);
  expect(running.messages).toHaveLength(2);
  const membership = host.told.events.filter(({ event }) => event === "telegram.membership");
  expect(membership.map(({ data }) => data["status"])).toEqual(["kicked", "member"]);
});

test("CH79 CH129 CH209 what is no text is one line, a forwarded text says from whom and is nobody's order", async () => {
  const { telegram, anna, chat, channel } = await place();
  const eve = telegram.person("Eve", { last_name: "Stone" });
  telegram.write(anna, chat, { sticker: { emoji: "🐈" } });
  telegram.write(anna, chat, { location: { latitude: 52.5, longitude: 13.4 } });
  telegram.write(anna, chat, { contact: { phone: "+4930", name: "Ben" } });
  telegram.write(anna, chat, { poll: { question: "When?", options: ["today", "never"] } });
  telegram.write(anna, chat, { text: "delete everything", forward: eve });
  telegram.write(anna, chat, { text: "a note of mine", forward: anna });
  const messages = await run(channel).received(6);
  expect(textsOf(messages)).toEqual([
    "[Sticker 🐈]",
    "[Location: 52.5, 13.4]",
    "[Contact: Ben, +4930]",
    "[Poll: When? - today - never]",
    "Forwarded from Eve Stone:\ndelete everything",
    "Forwarded from Anna Moor:\na note of mine",
  ]);
  expect(messages.map(({ marks }) => marks?.integrity)).toEqual([...Array(4).fill(undefined), "untrusted", undefined]);
});

test("CH209 CH76 CH78 files come with name, type and bytes; what cannot be had is a line", async () => {
  const scene = await place();
  const { telegram, anna, chat, channel, host } = scene;
  const bytes = Buffer.from("hello");
  telegram.write(anna, chat, { photo: { bytes: PNG }, text: "our cat" });
  telegram.write(anna, chat, { document: { bytes, name: "../a/list.txt" } });
  telegram.write(anna, chat, { voice: { bytes } });
  telegram.write(anna, chat, { videoNote: { bytes } });
  telegram.write(anna, chat, { video: { bytes, name: "big.mp4", size: 30_000_000 }, text: "the film" });
  telegram.write(anna, chat, { audio: { bytes, name: "song.mp3" } });
  telegram.fault({
    when: (method, { path }) => method === "file" && String(path).endsWith(".mp3"),
    how: { status: 404, body: Buffer.from("gone") },
  });
  const messages = await run(channel).received(6);
  const media = messages.map(({ parts }) => parts.find((part) => part.type === "media"));
  expect(media.map((part) => part && [part.name, part.mediaType])).toEqual([
    ["photo.jpg", "image/png"],
    [".._a_list.txt", "text/plain"],
    ["voice.ogg", "audio/ogg"],
    ["video-note.mp4", "video/mp4"],
    undefined,
    undefined,
  ]);
  // CH78: what Telegram calls a voice note, and no other sound.
  expect(media.map((part) => part?.voice)).toEqual([undefined, undefined, true, undefined, undefined, undefined]);
  expect(Buffer.from(await host.blobs.read(media[0]!.blob)).equals(PNG)).toBe(true);
  expect(Buffer.from(await host.blobs.read(media[1]!.blob)).toString()).toBe("hello");
  const texts = textsOf(messages);
  expect(texts[0]).toContain("our cat");
  expect(texts[4]).toMatch(/^the film\n\[The file big\.mp4 was sent and could not be fetched: it has 30 MB/);
  expect(texts[5]).toMatch(/^\[The file song\.mp3 was sent and could not be fetched: /);
});

test("CH77 CH209 an album is one message, also when parts come one by one and others between", async () => {
  const clock = fakeClock();
  const scene = await place({ hostClock: clock });
  const { telegram, anna, chat, channel, host } = scene;
  const album = [{ photo: { bytes: PNG } }, { photo: { bytes: PNG } }, { photo: { bytes: PNG } }];
  const first = telegram.write(anna, chat, { album, text: "our cats" });
  telegram.write(anna, chat, "and a dog");
  const running = run(channel);
  await clock.waitForSleep(1500, 1500);
  expect(running.messages).toEqual([]);
  await clock.advance(1500);
  const [cats, dog] = await running.received(2);
  expect(cats?.key).toBe(`${chat.id}:${first.message_id}`);
  expect(cats?.parts.map((part) => (part.type === "text" ? part.text : part.name))).toEqual([
    "our cats",
    "photo.jpg",
    "photo.jpg",
    "photo.jpg",
  ]);
  expect(textsOf([dog!])).toEqual(["and a dog"]);
  await allTaken(scene);
  // It is offered again, as after a kill: the same message, with the same key.
  await running.stop();
  await telegram.until(() => !telegram.isPolling());
  telegram.repeatUpdates(4);
  const later = testHost(scene.folder, clock);
  const second = run(channelOf(telegram, later));
  await clock.waitForSleep(1500, 1500);
  await clock.advance(1500);
  const again = await second.received(2);
  expect(again.map(({ key }) => key)).toEqual([cats?.key, dog?.key]);
  expect(host.told.dead).toEqual([]);
});

test("CH77 a part that comes too late is a message of its own, also when the album is offered again with it", async () => {
  const { itemsOf } = await import("../src/albums.ts");
  const part = (id: number, group?: string) => ({
    update_id: id,
    message: {
      message_id: id + 100,
      date: 1,
      chat: { id: 5, type: "private", first_name: "A" } as const,
      ...(group !== undefined && { media_group_id: group }),
    } as never,
  });
  const batch = [part(1, "g"), part(2), part(3, "g"), part(4, "g")];
  const ids = (taken: readonly number[] | undefined) =>
    itemsOf(batch, () => taken).map(({ updates, next }) => [...updates.map(({ update_id: id }) => id), `next ${next}`]);
  expect(ids(undefined)).toEqual([
    [2, "next 1"],
    [1, 3, 4, "next 5"],
  ]);
  expect(ids([101, 103])).toEqual([
    [2, "next 1"],
    [1, 3, "next 4"],
    [4, "next 5"],
  ]);
});

test("CH33 CH204 a group that becomes a supergroup stays the chat it was, and what waits for it arrives", async () => {
  const scene = await place();
  const { telegram, anna, channel } = scene;
  const group = telegram.group("Trip", [anna]);
  const running = run(channel);
  telegram.write(anna, group, "before");
  await running.received(1);
  await allTaken(scene);
  await running.stop();
  const next = telegram.migrate(group, anna);
  // Nobody has read of it yet: the refusal says where the group is.
  await channel.send(outbound(group.id, "waiting"), never);
  expect(telegram.shown(next).map(({ text }) => text)).toEqual(["waiting"]);
  telegram.write(anna, next, "after");
  const later = scene.again();
  const [after] = await run(later.channel, () => ACCEPTED).received(1);
  expect(after?.origin.chat).toBe(String(group.id));
  expect(after?.key.startsWith(String(next.id))).toBe(true);
  await later.channel.send(outbound(group.id, "at once"), never);
  expect(telegram.shown(next).at(-1)?.text).toBe("at once");
  expect(refusedOf(telegram)).toHaveLength(1);
});

test("CH33 CH204 a group whose move was read is written to where it is, at once", async () => {
  const scene = await place();
  const { telegram, anna, channel, host } = scene;
  const group = telegram.group("Trip", [anna]);
  const running = run(channel);
  await allTaken(scene);
  const next = telegram.migrate(group, anna);
  telegram.write(anna, next, "after");
  const [after] = await running.received(1);
  expect(after?.origin.chat).toBe(String(group.id));
  await channel.send(outbound(group.id, "there"), never);
  expect(telegram.shown(next).map(({ text }) => text)).toEqual(["after", "there"]);
  expect(refusedOf(telegram)).toEqual([]);
  expect(host.told.events.map(({ event }) => event)).toEqual(["telegram.chat-moved"]);
});

test("CH76 a file that is larger than was said is let go in the middle", async () => {
  const { telegram, anna, chat, channel } = await place();
  telegram.write(anna, chat, { document: { bytes: PNG, name: "small.txt" } });
  telegram.fault({ when: "file", how: { status: 200, body: Buffer.alloc(26 * 1024 * 1024) } });
  const [message] = await run(channel).received(1);
  expect(message?.parts).toEqual([{ type: "text", text: expect.stringContaining("larger than 25 MB") }]);
});

test("CH28 an update that nobody can read is kept aside, and the next is taken", async () => {
  const scene = await place();
  const { telegram, anna, chat, channel, host } = scene;
  const strange = { update_id: 1, message: { message_id: 1, chat: null, from: { id: 1 }, text: "?" } };
  telegram.fault({ when: "getUpdates", how: { status: 200, body: { ok: true, result: [strange] } } });
  telegram.write(anna, chat, "hello");
  expect(textsOf(await run(channel).received(1))).toEqual(["hello"]);
  expect(host.told.dead).toEqual([JSON.stringify([strange])]);
});

function refusedOf({ requests }: Pick<Telegram, "requests">): readonly unknown[] {
  return requests.filter(({ answer }) => answer?.status === 400);
}

test("CH34 CH209 an edited text, caption and mention is a change of its message; an album keeps its pictures", async () => {
  const scene = await place();
  const { telegram, anna, chat, channel } = scene;
  const group = telegram.group("Trip", [anna]);
  telegram.promote(group);
  const running = run(channel);
  const text = telegram.write(anna, chat, "at five");
  telegram.write(anna, chat, { edit: text.message_id, text: "at six" });
  const photo = telegram.write(anna, chat, { photo: { bytes: PNG }, text: "me" });
  telegram.write(anna, chat, { edit: photo.message_id, text: "you" });
  const album = telegram.write(anna, chat, {
    text: "all",
    album: [{ photo: { bytes: PNG } }, { photo: { bytes: PNG } }],
  });
  telegram.write(anna, chat, { edit: album.message_id, text: "both" });
  const heard = telegram.write(anna, group, "who is there?");
  telegram.write(anna, group, { edit: heard.message_id, text: `@${telegram.bot.username} who is there?` });
  const [first, second, third, fourth] = await running.changed(4);
  const keys = running.messages.map(({ key }) => key);
  expect(first).toMatchObject({ edits: keys[0], parts: [{ text: "at six" }], from: { id: String(anna.id) } });
  expect(second).toMatchObject({ edits: keys[1], parts: [{ text: "you" }, { mediaType: "image/png" }] });
  expect(third).toMatchObject({ edits: keys[2], parts: [{ text: "both" }], media: "kept" });
  expect(fourth).toMatchObject({ edits: keys[3], chat: "group", addressed: "named" });
  expect(
    new Set([...keys, ...[first, second, third, fourth].map((change) => (change as { key: string }).key)]).size,
  ).toBe(8);
  await allTaken(scene);
  expect(running.messages).toHaveLength(4);
});

test("CH75 PE59 what a message answers comes with its author, its words or the part that was chosen, and its picture", async () => {
  const scene = await place();
  const { telegram, anna, chat, channel } = scene;
  const eve = telegram.person("Eve");
  const group = telegram.group("Trip", [anna, eve]);
  telegram.promote(group);
  await channel.send(outbound(chat.id, "dinner is at eight"), never);
  const ours = telegram.shown(chat).at(-1)!;
  const photo = telegram.write(eve, group, { photo: { bytes: PNG }, text: "my cat" });
  const forwarded = telegram.write(anna, chat, { text: "buy gold", forward: eve });
  telegram.write(anna, chat, { text: "why?", replyTo: ours.id });
  telegram.write(anna, group, { text: `@${telegram.bot.username} what is it?`, replyTo: photo.message_id });
  telegram.write(anna, chat, { text: "is it true?", replyTo: forwarded.message_id });
  const film = telegram.write(eve, group, {
    video: { bytes: PNG, name: "big.mp4", size: 30_000_000 },
    text: "my film",
  });
  telegram.write(anna, group, { text: `@${telegram.bot.username} and that?`, replyTo: film.message_id });
  const received = await run(channel).received(7);
  const of = (text: string) => received.find((message) => textsOf([message])[0]?.endsWith(text));
  expect(of("and that?")?.quotes?.text).toMatch(/^my film\n\[The file big\.mp4 was sent and could not be fetched: /);
  expect(of("why?")?.quotes).toMatchObject({ own: true, text: "dinner is at eight", key: `${chat.id}:${ours.id}` });
  expect(of("what is it?")?.quotes).toMatchObject({
    own: false,
    from: { id: String(eve.id), name: "Eve" },
    text: "my cat",
    media: [{ mediaType: "image/png" }],
  });
  expect(of("is it true?")?.quotes).toMatchObject({ own: false, from: { id: "elsewhere", name: "Eve" } });
});

test("CH75 what a message answers in another chat is the part that was chosen, of somebody whom nobody here vouches for", async () => {
  const { telegram, anna, chat, channel } = await place();
  const { message_id: _, ...said } = telegram.write(anna, chat, "x");
  const origin = { type: "user", sender_user: anna, date: said.date };
  const external = { origin, chat: { id: -100_5, type: "supergroup", title: "Trip" }, message_id: 5 };
  const quote = { text: "at eight", position: 0 };
  const answers = [
    { ...said, message_id: 8, text: "when?", external_reply: external, quote },
    { ...said, message_id: 9, text: "what?", external_reply: external },
  ];
  const result = answers.map((message, index) => ({ update_id: index + 1, message }));
  telegram.fault({ when: "getUpdates", how: { status: 200, body: { ok: true, result } } });
  const [first, second] = await run(channel).received(2);
  expect(first?.quotes).toEqual({
    key: "",
    own: false,
    from: { id: "elsewhere", kind: "person", name: "Anna Moor" },
    text: "at eight",
  });
  expect(second).not.toHaveProperty("quotes");
});

test("CH35 a reaction that is put below a message is told, with where and by whom; one that is taken away, and one of a channel, are not", async () => {
  const scene = await place();
  const { telegram, anna, chat, channel } = scene;
  const running = run(channel);
  await allTaken(scene); // from then on Telegram tells of reactions
  const id = (await channel.send(outbound(chat.id, "dinner is at eight"), never)) ?? "";
  telegram.react(anna, chat.id, Number(id), "👍");
  telegram.react(anna, chat.id, Number(id));
  telegram.react(anna, chat.id, Number(id), "🔥");
  const from = { id: String(anna.id), kind: "person" };
  const origin = { channel: "telegram", chat: String(chat.id) };
  expect(await running.changed(2)).toEqual([
    { origin, from, of: id, emoji: "👍" },
    { origin, from, of: id, emoji: "🔥" },
  ]);
  expect(running.messages).toEqual([]);
});
