// What people write, as margay gets it: who is meant, names, topics, files, and what is no talk.
import { expect, test } from "vitest";
import { card, never, outbound, REPLYING, run, scene, SENDING, textsOf } from "./support.ts";
import { uuidOf } from "../src/send.ts";

test("CH243 CH87 who is meant in a group: the facts of Feishu, for each way of saying it", async () => {
  const { feishu, anna, channel, settled } = await scene();
  const ben = feishu.person("Ben");
  const group = feishu.group(anna, ben);
  const { bot } = feishu.world;
  const us = { id: bot.openId, name: "margay" };
  const him = { id: ben.openId, name: "Ben" };
  const running = run(channel);
  await settled();
  const ours = (await channel.send(outbound(group, "ours"), never)) ?? "";
  const sent = feishu.world.message(ours);
  const bens = feishu.write(ben, group, "I am Ben");
  const annas = feishu.write(anna, group, "to all");
  feishu.write(anna, group, "@_user_1 what is up?", { mentions: [us] });
  feishu.write(anna, group, "tell us, @_user_1", { mentions: [us] });
  feishu.write(anna, group, "and now?", { replyTo: sent });
  feishu.write(anna, group, "hello Ben", { replyTo: bens });
  feishu.write(anna, group, "@_user_1 hello", { mentions: [him] });
  feishu.write(anna, group, "@_user_1 ask @_user_2", { mentions: [him, us] });
  feishu.write(anna, group, "as I said", { replyTo: annas });
  feishu.write(anna, group, "I met @_user_1", { mentions: [him] });
  feishu.write(anna, group, "@_user_1 /here", { mentions: [us] });
  feishu.write(anna, group, "@_all dinner");
  feishu.writeAs("cli_00000000000000ff", group, "beep");
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
    ["@all dinner", undefined],
    ["beep", undefined, "bot"],
  ]);
});

test("CH243 whose words are answered is asked of Feishu when they are older than we are", async () => {
  const place = await scene();
  const { feishu, anna } = place;
  const ben = feishu.person("Ben");
  const group = feishu.group(anna, ben);
  const sent = feishu.world.message((await place.channel.send(outbound(group, "ours"), never)) ?? "");
  const bens = feishu.writeUntold(ben, group, "old words of Ben");
  const process = place.again();
  const running = run(process.channel);
  await process.settled();
  feishu.write(anna, group, "and now?", { replyTo: sent });
  feishu.write(anna, group, "hello Ben", { replyTo: bens });
  await running.received(2);
  expect(running.messages.map(({ addressed }) => addressed)).toEqual(["reply", "other"]);
});

test("CH86 CH25 a message is acknowledged while Feishu says no name; it lists whose are unknown, and they are told when they are asked for", async () => {
  const place = await scene();
  const { feishu, anna, channel } = place;
  const ben = feishu.person("Ben");
  const group = feishu.group(anna, ben);
  const bens = feishu.writeUntold(ben, group, "old words of Ben");
  const running = run(channel);
  await place.settled();
  feishu.fault("GET /contact/v3/users/:id", "hang-after-taking");
  feishu.write(anna, group, "hello Ben", { replyTo: bens });
  const [first] = await running.received(1);
  await place.settled();
  expect(feishu.asked("GET /contact/v3/users/:id")).toEqual([]);
  expect(first).toMatchObject({ unnamed: [anna.openId, ben.openId], quotes: { from: { id: ben.openId } } });
  expect(first?.from).toEqual({ id: anna.openId, kind: "person" });
  const late = new AbortController();
  const hanging = channel.nameOf?.(anna.openId, "person", late.signal);
  await feishu.until(() => feishu.asked("GET /contact/v3/users/:id").length === 1);
  late.abort(new Error("enough"));
  await expect(hanging).rejects.toThrow("enough");
  expect(await channel.nameOf?.(anna.openId, "person", never)).toBe("Anna");
  expect(await channel.nameOf?.(group.id, "chat", never)).toBe(`Group ${group.id}`);
  feishu.world.scopes.delete("contact:user.base:readonly");
  const missing = { kind: "auth", message: expect.stringContaining("contact:user.base:readonly") };
  await expect(channel.nameOf?.(ben.openId, "person", never)).rejects.toMatchObject(missing);
  feishu.write(anna, group, "I met @_user_1", { mentions: [{ id: ben.openId, name: "Ben" }] });
  await running.received(2);
  expect(await channel.nameOf?.(ben.openId, "person", never)).toBe("Ben");
});

test("CH246 a topic is a conversation below its group, also one that began while we were off, and answers go there", async () => {
  const place = await scene();
  const { feishu, anna } = place;
  const ben = feishu.person("Ben");
  const topics = feishu.topics(anna, ben);
  const first = run(place.channel);
  await place.settled();
  const root = feishu.write(anna, topics, "a question");
  const more = feishu.write(ben, topics, "more of it", { replyTo: root });
  const address = { channel: "feishu", chat: topics.id, thread: root.id };
  const [one, two] = await first.received(2);
  expect([one?.origin, two?.origin, two?.addressed]).toEqual([address, address, undefined]);
  await place.channel.send(card(topics, "the answer", { to: address }), never);
  expect(feishu.shown(topics).at(-1)).toMatchObject({
    own: true,
    text: "the answer",
    thread: more.thread,
    root: root.id,
  });
  expect(feishu.asked(REPLYING)[0]?.body).toMatchObject({ reply_in_thread: true });
  await place.settled();
  await first.stop();
  const late = feishu.writeUntold(anna, topics, "another question");
  feishu.writeUntold(anna, topics, "within it", { replyTo: late });
  feishu.writeUntold(anna, topics, "and in the old one", { replyTo: root });
  const second = run(place.again().channel);
  const found = (await second.received(3)).map(({ origin, parts }) => `${origin.thread} ${JSON.stringify(parts)}`);
  expect(found).toHaveLength(3);
  for (const [thread, text] of [
    [late, "another question"],
    [late, "within it"],
    [root, "and in the old one"],
  ] as const)
    expect(found.filter((line) => line.startsWith(thread.id) && line.includes(`"${text}"`))).toHaveLength(1);
});

test("CH36 CH54 CH79 CH129 posts, stickers, places and others are words; what Feishu or we wrote is nothing", async () => {
  const { feishu, anna, dm, channel, settled } = await scene();
  const running = run(channel);
  await settled();
  const content = {
    title: "A title",
    content: [
      [
        { tag: "text", text: "see " },
        { tag: "a", href: "https://e.org", text: "here" },
        { tag: "at", user_id: "@_user_1" },
      ],
      [{ tag: "emotion", emoji_type: "SMILE" }],
      [{ tag: "code_block", language: "JSON", text: "{}\n" }],
    ],
  };
  feishu.write(anna, dm, "", { type: "system", content: { template: "joined" } });
  feishu.write(anna, dm, "", { type: "post", content, mentions: [{ id: anna.openId, name: "Anna" }] });
  feishu.tellAgain(feishu.writeUntold(feishu.world.bot, dm, "our own words"));
  for (const [type, held] of [
    ["sticker", { file_key: "s" }],
    ["location", { name: "Home", longitude: "1.5", latitude: "2.5" }],
    ["share_user", { user_id: "ou_x" }],
    ["vote", { topic: "Lunch?", options: ["yes", "no"] }],
    ["interactive", { title: "Alarm", elements: [[{ tag: "text", text: "disk full" }]] }],
    ["merge_forward", { content: "Merged and Forwarded Message" }],
    ["hologram", {}],
  ] as const)
    feishu.write(anna, dm, "", { type, content: held });
  expect(textsOf(await running.received(8))).toEqual([
    "A title\nsee [here](https://e.org)@Anna\n:SMILE:\n\n```json\n{}\n```",
    "[Sticker]",
    "[Place: Home, 2.5, 1.5]",
    "[Shared contact: ou_x]",
    "[Vote: Lunch?, yes, no]",
    "[Card]\nAlarm\ndisk full",
    "[Forwarded messages, which cannot be read here]",
    "[A message of the type hologram, which cannot be read here]",
  ]);
});

test("CH76 CH248 files come with the message; one that is gone, or not allowed, is a line", async () => {
  const place = await scene();
  const { feishu, anna, dm, host } = place;
  const image = feishu.keep("image", "x.png", "bytes of a picture");
  const voice = feishu.keep("opus", "v.opus", "bytes of a voice");
  const first = run(place.channel);
  await place.settled();
  feishu.write(anna, dm, "", { type: "image", content: { image_key: image } });
  feishu.write(anna, dm, "", { type: "audio", content: { file_key: voice, duration: 1000 } });
  feishu.write(anna, dm, "", {
    type: "post",
    content: { title: "", content: [[{ tag: "text", text: "look" }], [{ tag: "img", image_key: image }]] },
  });
  feishu.write(anna, dm, "", { type: "file", content: { file_key: "file_v3_gone", file_name: "a.pdf" } });
  const messages = await first.received(4);
  const [picture] = messages[0]?.parts.filter((part) => part.type === "media") ?? [];
  expect(picture === undefined ? "" : String(await host.blobs.read(picture.blob))).toBe("bytes of a picture");
  expect(messages.map(({ parts }) => parts.map((part) => (part.type === "media" ? part.name : part.text)))).toEqual([
    ["image"],
    ["[Voice message]", "voice.opus"],
    ["look", "image"],
    ["[The file a.pdf was sent and could not be fetched: File not in msg]"],
  ]);
  await place.settled();
});

test("CH76 CH248 what is refused in place of a file is none, also when its length is not said; a file that is JSON is one", async () => {
  const place = await scene();
  const { feishu, anna, dm, host } = place;
  const running = run(place.channel);
  await place.settled();
  const long = JSON.stringify({ code: 1, text: "x".repeat(5000) });
  const json = { "content-type": "application/json", "transfer-encoding": "chunked" };
  for (const [before, body] of [{ code: 234_003, msg: "File not in msg." }, long, { code: 0 }].entries()) {
    feishu.fault("GET /im/v1/messages/:id/resources/:key", { status: 200, body, headers: json });
    feishu.write(anna, dm, "", { type: "file", content: { file_key: "file_v3_a", file_name: "a.json" } });
    await running.received(before + 1);
  }
  const [refused, ...files] = await running.received(3);
  expect(textsOf(refused === undefined ? [] : [refused])).toEqual([
    "[The file a.json was sent and could not be fetched: File not in msg]",
  ]);
  const bytes = files.map(
    async ({ parts: [part] }) => part?.type === "media" && String(await host.blobs.read(part.blob)),
  );
  expect(await Promise.all(bytes)).toEqual([long, '{"code":0}']);
});

test("CH24 a stranger is answered in private, once, and nobody in a group", async () => {
  const { feishu, anna, dm, channel, settled } = await scene();
  const group = feishu.group(anna);
  const refused = { status: "refused", reason: "not-admitted", answer: "Your code is 1234." } as const;
  const running = run(channel, { accept: () => refused });
  await settled();
  feishu.write(anna, group, "who are you?");
  const message = feishu.write(anna, dm, "hello");
  await running.received(2);
  await settled();
  feishu.tellAgain(message);
  await settled();
  expect(feishu.shown(group)).toHaveLength(1);
  expect(feishu.shown(dm).map(({ text }) => text)).toEqual(["hello", "Your code is 1234."]);
  expect(feishu.asked(SENDING)[0]?.body).toMatchObject({ uuid: uuidOf(`refused:${message.id}`) });
});

test("CH70 CH247 a press is taken with its key, and whoever pressed is told; other cards are not ours", async () => {
  const place = await scene();
  const { feishu, anna } = place;
  const topics = feishu.topics(anna);
  const root = feishu.writeUntold(anna, topics, "question");
  const to = { channel: "feishu", chat: topics.id, thread: root.id };
  const actions = [
    { token: "token-of-allow", label: "Allow once", style: "allow" },
    { token: "token-of-deny", label: "Deny", style: "deny" },
  ] as const;
  const id = (await place.channel.send(card(topics, "May I?", { to, actions }), never)) ?? "";
  const running = run(place.channel);
  await place.settled();
  expect(await feishu.press(anna, id, "Allow once")).toEqual({ type: "success", content: "Allowed." });
  feishu.gateway.tell("card.action.trigger", { action: { value: { other: "card" } } });
  await place.settled();
  expect(running.presses).toEqual([
    {
      key: expect.stringMatching(/^ev_/),
      token: "token-of-allow",
      from: { id: anna.openId, kind: "person" },
      origin: to,
    },
  ]);
});

test("CH34 a message that is taken back is told, behind what was said before it in its chat", async () => {
  const { feishu, anna, dm, channel, settled } = await scene();
  const running = run(channel);
  await settled();
  const message = feishu.write(anna, dm, "never mind");
  feishu.recall(message);
  expect(await running.changed(1)).toEqual([{ of: message.id, origin: { channel: "feishu", chat: dm.id } }]);
  expect(textsOf(running.messages)).toEqual(["never mind"]);
});

test("CH75 PE59 what a message answers comes with its author, words and picture, also when it was said before we listened", async () => {
  const place = await scene();
  const { feishu, anna, dm, host } = place;
  const ben = feishu.person("Ben");
  const group = feishu.group(anna, ben);
  const image = feishu.keep("image", "x.png", "bytes of a picture");
  const sent = feishu.world.message((await place.channel.send(card(dm, "dinner is at eight"), never)) ?? "");
  const theirs = feishu.writeUntold(ben, group, "", { type: "image", content: { image_key: image } });
  const running = run(place.channel);
  await place.settled();
  feishu.write(anna, dm, "why?", { replyTo: sent });
  const mention = { mentions: [{ id: feishu.world.bot.openId, name: "margay" }] };
  feishu.write(anna, group, "@_user_1 what is it?", { ...mention, replyTo: theirs });
  const file = { file_key: "file_v3_gone", file_name: "a.pdf" };
  const lost = feishu.writeUntold(ben, group, "", { type: "file", content: file });
  feishu.write(anna, group, "@_user_1 and that?", { ...mention, replyTo: lost });
  const long = feishu.write(ben, group, "long ".repeat(1000));
  feishu.write(anna, group, "@_user_1 and all of it?", { ...mention, replyTo: long });
  const received = await running.received(5);
  const of = (text: string) => received.find((message) => textsOf([message])[0]?.includes(text));
  expect(of("and that?")?.quotes?.text).toMatch(/^\[The file a\.pdf was sent and could not be fetched: /);
  // What is shown of it ends in a sign that there is more.
  expect(of("and all of it?")?.quotes?.text?.length).toBeGreaterThan(2000);
  expect(of("why?")?.quotes).toMatchObject({ own: true, key: sent.id });
  expect(of("why?")?.quotes?.text).toContain("dinner is at eight");
  const quotes = of("what is it?")?.quotes;
  expect(quotes).toMatchObject({ own: false, from: { id: ben.openId } });
  const [shown] = quotes?.media ?? [];
  expect(shown?.type === "media" ? String(await host.blobs.read(shown.blob)) : "").toBe("bytes of a picture");
});

test("CH35 a reaction to what we sent in this run is told, with its chat; to another message it is nothing", async () => {
  const { feishu, anna, dm, channel, settled } = await scene();
  const running = run(channel);
  await settled();
  const id = (await channel.send(outbound(dm, "dinner is at eight"), never)) ?? "";
  const told = (message: string, type: string, more: object = {}) =>
    feishu.gateway.tell("im.message.reaction.created_v1", {
      message_id: message,
      reaction_type: { emoji_type: type },
      operator_type: "user",
      user_id: { open_id: anna.openId, union_id: anna.unionId },
      action_time: "1700000000000",
      ...more,
    });
  told("om_of_somebody", "THUMBSUP");
  told(id, "THUMBSUP", { operator_type: "app" });
  told(id, "THUMBSUP");
  const last = told(id, "OBEY");
  await feishu.until(() => last.answer !== undefined);
  const facts = { origin: { channel: "feishu", chat: dm.id }, from: { id: anna.openId, kind: "person" }, of: id };
  expect(running.changes).toEqual([{ ...facts, emoji: "👍" }, facts]);
});
