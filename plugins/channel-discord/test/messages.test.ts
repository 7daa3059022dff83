// What people write, as margay gets it: who is meant, names, files, and what is no talk.
import { MessageType } from "discord-api-types/v10";
import { expect, test } from "vitest";
import { nonceOf } from "../src/send.ts";
import { ACCEPTED, never, outbound, run, scene, SENDING, textsOf, upload } from "./support.ts";

test("CH227 CH87 who is meant in a channel: the facts of Discord, for each way of saying it", async () => {
  const place = await scene();
  const { discord, anna } = place;
  const ben = discord.person("Ben");
  const robot = discord.person("Robot", { bot: true });
  const general = discord.channel(discord.guild("Club", anna, ben), "general");
  const us = `<@${discord.bot.id}>`;
  const running = run(place.channel);
  await place.settled();
  await place.channel.send(
    {
      reply: "r",
      to: { channel: "discord", chat: general.id },
      kind: "reply",
      parts: [{ type: "text", text: "ours" }],
    },
    new AbortController().signal,
  );
  const ours = discord.shown(general)[0]?.id ?? "";
  const bens = discord.write(ben, general, "I am Ben");
  const annas = discord.write(anna, general, "to all");
  discord.write(anna, general, `${us} what is up?`);
  discord.write(anna, general, `tell us, ${us}`);
  discord.write(anna, general, "and now?", { replyTo: { id: ours } });
  discord.write(anna, general, "hello Ben", { replyTo: bens });
  discord.write(anna, general, `<@${ben.id}> hello`);
  discord.write(anna, general, `<@${ben.id}> ask ${us}`);
  discord.write(anna, general, "as I said", { replyTo: annas });
  discord.write(anna, general, `I met <@${ben.id}>`);
  discord.write(anna, general, `${us} /here`);
  discord.write(robot, general, "beep");
  discord.write(anna, general, "hooked", { webhook: true });
  const messages = await running.received(13);
  const facts = messages.map(({ addressed, parts, from }) => [
    parts[0]?.type === "text" ? parts[0].text : "",
    addressed,
    ...(from.bot === true ? ["bot"] : []),
  ]);
  expect(facts).toEqual([
    ["I am Ben", undefined],
    ["to all", undefined],
    ["@margay what is up?", "named"],
    ["tell us, @margay", "named"],
    ["and now?", "reply"],
    ["hello Ben", "other"],
    ["@Ben hello", "other"],
    ["@Ben ask @margay", "named"],
    ["as I said", undefined],
    ["I met @Ben", undefined],
    ["/here", "named"],
    ["beep", undefined, "bot"],
    ["hooked", undefined, "bot"],
  ]);
  expect(messages[0]).toMatchObject({
    origin: { channel: "discord", chat: general.id },
    from: { id: ben.id, name: "Ben", kind: "person" },
    chat: "group",
    key: bens.id,
    sentAt: Date.parse(bens.timestamp),
  });
});

test("CH226 a thread is a conversation below its channel, also after a restart, and answers go there", async () => {
  const place = await scene();
  const { discord, anna } = place;
  const general = discord.channel(discord.guild("Club", anna), "general");
  const thread = discord.thread(general, "a question");
  const first = run(place.channel);
  await place.settled();
  discord.write(anna, thread, "in the thread");
  const address = { channel: "discord", chat: general.id, thread: thread.id };
  expect((await first.received(1))[0]).toMatchObject({ origin: address, title: "general" });
  await place.settled();
  await first.stop();
  const late = discord.thread(general, "opened meanwhile");
  discord.archive(late);
  const process = place.again();
  const second = run(process.channel);
  await process.settled();
  discord.write(anna, late, "in the other");
  discord.write(anna, thread, "again");
  const origins = (await second.received(2)).map(({ origin }) => origin);
  expect(origins).toEqual([{ ...address, thread: late.id }, address]);
  await process.channel.send(
    { reply: "r", to: { ...address, thread: late.id }, kind: "reply", parts: [{ type: "text", text: "answer" }] },
    new AbortController().signal,
  );
  expect(discord.shown(late).at(-1)).toMatchObject({ own: true, text: "answer" });
});

test("CH221 what was missed in a thread and in a channel is of a group there, and nothing private", async () => {
  const place = await scene();
  const { discord, anna } = place;
  const general = discord.channel(discord.guild("Club", anna), "general");
  const thread = discord.thread(general, "a question");
  // Spoken in by us alone, and nobody has told us what it is.
  for (const [channel, text] of [
    [general, "news"],
    [thread, "more"],
  ] as const)
    await place.channel.send(
      { reply: text, to: { channel: "discord", chat: channel.id }, kind: "message", parts: [{ type: "text", text }] },
      new AbortController().signal,
    );
  discord.write(anna, general, "thanks");
  discord.write(anna, thread, "thanks too");
  const running = run(place.again().channel);
  const found = (await running.received(2)).map(({ origin, chat }) => [origin.chat, origin.thread, chat]);
  expect(found).toEqual([
    [general.id, thread.id, "group"],
    [general.id, undefined, "group"],
  ]);
});

test("CH36 CH129 stickers and forwards are a line, what Discord writes itself is nothing, and names are names", async () => {
  const place = await scene();
  const { discord, anna, dm } = place;
  const running = run(place.channel);
  await place.settled();
  discord.write(anna, dm, "a new thread", { type: MessageType.ThreadCreated });
  discord.write(anna, dm, "look", { stickers: ["wave"] });
  discord.write(anna, dm, "", { forward: { content: "two\nlines" } });
  discord.write(anna, dm, "<:cat:123456789012345678> and <@999999999999999999>");
  expect(textsOf(await running.received(3))).toEqual([
    "look\n[Sticker: wave]",
    "[Forwarded message]\n> two\n> lines",
    ":cat: and <@999999999999999999>",
  ]);
  expect(running.messages.map(({ marks }) => marks?.integrity)).toEqual([undefined, "untrusted", undefined]);
});

test("CH220 where guilds are named others are not heard; private messages are", async () => {
  const probe = await scene();
  const { discord, anna, dm, host } = probe;
  const club = discord.guild("Club", anna);
  const { plugin } = await import("../src/index.ts");
  const settings = { token: discord.token, baseUrl: discord.url, guilds: [club.id] };
  const running = run(plugin.create({ id: "discord", settings }, host));
  await probe.settled();
  discord.write(anna, discord.channel(discord.guild("Other", anna), "general"), "elsewhere");
  discord.write(anna, discord.channel(club, "general"), "in the club");
  discord.write(anna, dm, "alone");
  expect(textsOf(await running.received(2))).toEqual(["in the club", "alone"]);
});

test("CH28 what nobody can read is kept aside, and the stream goes on", async () => {
  const place = await scene();
  const { discord, anna, dm, host } = place;
  const running = run(place.channel);
  await place.settled();
  discord.gateway.dispatch("MESSAGE_CREATE", { channel_id: dm.id, content: "of nobody" });
  discord.gateway.dispatch("INTERACTION_CREATE", { type: 3, data: { component_type: 2, custom_id: "of no chat" } });
  discord.write(anna, dm, "readable");
  expect(textsOf(await running.received(1))).toEqual(["readable"]);
  expect(host.told.dead).toEqual([expect.stringContaining("of nobody"), expect.stringContaining("of no chat")]);
});

test("CH78 what Discord calls a voice message is a voice note, a sound that is sent as a file is not", async () => {
  const place = await scene();
  const { discord, anna, dm } = place;
  const running = run(place.channel);
  await place.settled();
  const sound = upload("voice-message.ogg", "OggS", "audio/ogg");
  discord.write(anna, dm, "", { files: [sound], voice: true });
  discord.write(anna, dm, "a song", { files: [sound] });
  const [note, song] = await running.received(2);
  expect(note?.parts).toMatchObject([{ type: "media", mediaType: "audio/ogg", voice: true }]);
  expect(song?.parts.map((part) => part.type === "media" && part.voice)).toEqual([false, undefined]);
});

test("CH227 files come with the message; one that is elsewhere, or gone, is a line", async () => {
  const place = await scene();
  const { discord, anna, dm, host } = place;
  const running = run(place.channel);
  await place.settled();
  discord.write(anna, dm, "here", { files: [upload("a.txt", "bytes of a"), upload("b.txt", "bytes of b")] });
  discord.signFor(-1000);
  discord.write(anna, dm, "late", { files: [upload("c.txt", "c")] });
  const elsewhere = { id: "1", filename: "d.txt", size: 1, url: "http://127.0.0.2:9/d.txt" };
  discord.gateway.dispatch("MESSAGE_CREATE", {
    id: "1234567890123456789",
    channel_id: dm.id,
    author: anna,
    content: "sly",
    timestamp: new Date().toISOString(),
    attachments: [elsewhere],
  });
  const [first, second, third] = await running.received(3);
  expect(first?.parts.map((part) => (part.type === "media" ? part.name : part.text))).toEqual([
    "here",
    "a.txt",
    "b.txt",
  ]);
  const media = first?.parts[1];
  expect(media?.type === "media" ? String(await host.blobs.read(media.blob)) : "").toBe("bytes of a");
  expect(textsOf([second, third].flatMap((message) => message ?? []))).toEqual([
    "late\n[The file c.txt was sent and could not be fetched: the file is not there]",
    "sly\n[The file d.txt was sent and could not be fetched: 127.0.0.2:9 is no place where this platform keeps files]",
  ]);
});

test("CH24 a stranger is answered in private, once, and nobody in a channel", async () => {
  const place = await scene();
  const { discord, anna, dm } = place;
  const general = discord.channel(discord.guild("Club", anna), "general");
  const refused = { status: "refused", reason: "not-admitted", answer: "Your code is 1234." } as const;
  const running = run(place.channel, () => refused);
  await place.settled();
  discord.write(anna, general, "who are you?");
  const message = discord.write(anna, dm, "hello");
  await running.received(2);
  await discord.received(SENDING);
  await place.settled();
  discord.gateway.repeat(message);
  await place.settled();
  expect(discord.shown(general)).toHaveLength(1);
  expect(discord.shown(dm).map(({ text }) => text)).toEqual(["hello", "Your code is 1234."]);
  expect(discord.requests.find(({ route }) => route === SENDING)?.body).toMatchObject({
    nonce: nonceOf(`refused:${message.id}`),
  });
});

test("CH24 CH28 that a stranger cannot be told ends no channel, and is said in the log", async () => {
  const place = await scene();
  const { discord, anna, dm, host } = place;
  const running = run(place.channel, (_message, number) =>
    number === 1 ? { status: "refused", reason: "not-admitted", answer: "Your code is 1234." } : ACCEPTED,
  );
  await place.settled();
  discord.fault({
    when: SENDING,
    how: { status: 403, body: { message: "Cannot send messages to this user", code: 50_007 } },
  });
  discord.write(anna, dm, "hello");
  discord.write(anna, dm, "are you there?");
  expect(textsOf(await running.received(2))).toEqual(["hello", "are you there?"]);
  expect(host.told.events).toContainEqual({
    event: "channel.answer-failed",
    data: { channel: "discord", message: "Cannot send messages to this user" },
  });
});

test("CH34 an edited text and mention is a change of its message, a deleted one is taken back; a link that was looked at is neither", async () => {
  const place = await scene();
  const { discord, anna, dm } = place;
  const club = discord.guild("Club", anna);
  const general = discord.channel(club, "general");
  const running = run(place.channel);
  await place.settled();
  const [first, second, third] = ["at five", "https://example.org", "never mind"].map((text) =>
    discord.write(anna, dm, text),
  );
  discord.gateway.dispatch("MESSAGE_UPDATE", { ...second, embeds: [{ title: "Example" }] });
  discord.edit(first!, "at six");
  discord.delete(third!);
  const heard = discord.write(anna, general, "who is there?");
  discord.edit(heard, `<@${discord.bot.id}> who is there?`);
  const all = [discord.write(anna, general, "one"), discord.write(anna, general, "two")].map(({ id }) => id);
  discord.gateway.dispatch("MESSAGE_DELETE_BULK", { ids: all, channel_id: general.id, guild_id: club.id });
  const [edit, deletion, mention, ...bulk] = await running.changed(5);
  expect(edit).toMatchObject({ edits: first!.id, parts: [{ text: "at six" }], from: { id: anna.id } });
  expect(deletion).toEqual({ of: third!.id, origin: { channel: "discord", chat: dm.id } });
  expect(mention).toMatchObject({ edits: heard.id, addressed: "named", origin: { chat: general.id } });
  expect(bulk.map((change) => "of" in change && change.of)).toEqual(all);
  await place.settled();
  expect(running.messages).toHaveLength(6);
  expect(place.host.told.dead).toEqual([]);
});

test("CH75 CH79 CH129 PE59 what a message answers comes with its author, words and files; a poll with its choices", async () => {
  const place = await scene();
  const { discord, anna, dm } = place;
  const eve = discord.person("Eve");
  const general = discord.channel(discord.guild("Club", anna, eve), "general");
  const running = run(place.channel);
  await place.settled();
  await place.channel.send(outbound(dm, "dinner is at eight"), never);
  const ours = discord.shown(dm).at(-1)!;
  const theirs = discord.write(eve, general, "my cat", { files: [upload("cat.txt", "a cat", "text/plain")] });
  discord.write(anna, dm, "why?", { replyTo: ours as never }); // its id is read
  discord.write(anna, general, `<@${discord.bot.id}> what is it?`, { replyTo: theirs });
  const lost = { id: "1", filename: "d.txt", size: 1, url: "http://127.0.0.2:9/d.txt" };
  discord.gateway.dispatch("MESSAGE_CREATE", {
    ...discord.write(anna, dm, "y"),
    id: "1400000000000000000",
    content: "and that?",
    type: 19,
    referenced_message: { ...theirs, content: "", attachments: [lost] },
  });
  const media = (text: string): unknown => ({ poll_media: { text } });
  discord.gateway.dispatch("MESSAGE_CREATE", {
    ...discord.write(anna, dm, "x"),
    id: "1400000000000000001",
    content: "",
    poll: { question: { text: "When?" }, answers: [media("today"), media("never")] },
  });
  const passed = { ...theirs, content: "", attachments: [], message_snapshots: [{ message: { content: "buy gold" } }] };
  discord.gateway.dispatch("MESSAGE_CREATE", {
    ...discord.write(anna, dm, "z"),
    id: "1400000000000000002",
    content: "is it true?",
    type: 19,
    referenced_message: passed,
  });
  const received = await running.received(9);
  const of = (text: string) => received.find((message) => textsOf([message])[0]?.includes(text));
  expect(of("and that?")?.quotes?.text).toMatch(/^\[The file d\.txt was sent and could not be fetched: /);
  expect(of("is it true?")?.quotes).toMatchObject({ own: false, from: { id: "elsewhere" } }); // not who passed it on
  expect(of("why?")?.quotes).toMatchObject({ own: true, text: "dinner is at eight", key: ours.id });
  expect(of("what is it?")?.quotes).toMatchObject({
    own: false,
    from: { id: eve.id },
    text: "my cat",
    media: [{ mediaType: "text/plain" }],
  });
  expect(of("[Poll: When? - today - never]")).toBeDefined();
});

test("CH35 a reaction to our message is told, in its thread and by whom; to another's, and our own, are not", async () => {
  const { discord, anna, channel, settled } = await scene();
  const general = discord.channel(discord.guild("Club", anna), "general");
  const thread = discord.thread(general, "Thread");
  const running = run(channel);
  await settled();
  const told = (more: object): void =>
    discord.gateway.dispatch("MESSAGE_REACTION_ADD", {
      user_id: anna.id,
      channel_id: thread.id,
      message_id: "100000000000000001",
      guild_id: "1",
      message_author_id: discord.bot.id,
      emoji: { id: null, name: "👍" },
      type: 0,
      burst: false,
      ...more,
    });
  told({ user_id: discord.bot.id });
  told({ message_author_id: anna.id });
  told({});
  told({ emoji: { id: "100000000000000002", name: "obey" }, message_author_id: undefined });
  const facts = {
    origin: { channel: "discord", chat: general.id, thread: thread.id },
    from: { id: anna.id, kind: "person" },
    of: "100000000000000001",
  };
  expect(await running.changed(2)).toEqual([{ ...facts, emoji: "👍" }, facts]);
  const hello = discord.gateway.records.find(({ what }) => what === "identify");
  expect(Number((hello?.data as { readonly intents?: number } | undefined)?.intents) & 0x24_00).toBe(0x24_00);
});
