// What margay sends, as people see it: once, calling nobody, and what Feishu says when it does not want it.
import { expect, test } from "vitest";
import { uuidOf } from "../src/send.ts";
import { card, failure, never, outbound, REPLYING, scene, SENDING } from "./support.ts";

test("CH244 CH65 marks are a card and plain words a post; neither calls anybody; the key is of the piece", async () => {
  const { feishu, dm, channel } = await scene();
  const id = await channel.send(card(dm, "**bold**", { reply: "r1" }), never);
  await channel.send(outbound(dm, '<at user_id="all">all</at> <AT id=all>'), never);
  await channel.send(
    outbound(dm, "<at id=all></at>", { actions: [{ token: "t", label: "<at id=all>", style: "plain" }] }),
    never,
  );
  expect(feishu.shown(dm)).toMatchObject([
    { id, type: "interactive", text: "**bold**", calls: 0 },
    { type: "post", calls: 0 },
    { type: "interactive", calls: 0 },
  ]);
  const [sent] = feishu.asked(SENDING);
  expect(sent?.body).toMatchObject({ uuid: uuidOf("r1"), receive_id: dm.id });
  expect(uuidOf("r1").length).toBeLessThanOrEqual(50);
});

test.each(["close-after-taking", "close-half-answer"] as const)(
  "CH242 CH42 an answer that is lost (%s): the piece may have left, and again it is one message",
  async (how) => {
    const { feishu, dm, channel } = await scene();
    feishu.fault(SENDING, how);
    expect(await failure(channel.send(card(dm, "once"), never))).toMatchObject({ kind: "again", sent: "maybe" });
    await channel.send({ ...card(dm, "once"), repeated: true }, never);
    expect(feishu.shown(dm).map(({ text }) => text)).toEqual(["once"]);
  },
);

test("CH242 CH42 in a topic, too; after an hour Feishu has forgotten the key", async () => {
  let later = 0;
  const { feishu, anna, channel } = await scene({ now: () => Date.now() + later });
  const topics = feishu.topics(anna);
  const root = feishu.writeUntold(anna, topics, "question");
  const piece = card(topics, "answer", { to: { channel: "feishu", chat: topics.id, thread: root.id } });
  feishu.fault(REPLYING, "close-after-taking");
  await failure(channel.send(piece, never));
  await channel.send({ ...piece, repeated: true }, never);
  expect(feishu.shown(topics)).toHaveLength(2);
  later = 3_700_000;
  await channel.send({ ...piece, repeated: true }, never);
  expect(feishu.shown(topics)).toHaveLength(3);
});

test("CH57 a request that nobody answers ends when it is told to", async () => {
  const { feishu, dm, channel } = await scene();
  feishu.fault(SENDING, "hang-after-taking");
  const over = new AbortController();
  const sending = failure(channel.send(card(dm, "once"), over.signal));
  await feishu.until(() => feishu.shown(dm).length === 1);
  over.abort(new Error("stop"));
  expect(await sending).toBe(over.signal.reason);
});

test("CH50 CH244 a card that Feishu does not draw is plain words the next time; one that is too long is at once", async () => {
  const { feishu, dm, channel } = await scene();
  const tables = Array.from({ length: 6 }, () => "| a |\n| --- |\n| 1 |").join("\n\n");
  expect(await failure(channel.send(card(dm, tables), never))).toMatchObject({
    kind: "markup",
    sent: "no",
    message: expect.stringContaining("11310"),
  });
  await channel.send(card(dm, '"'.repeat(9000)), never);
  await channel.send(outbound(dm, '"'.repeat(14_000)), never);
  expect(feishu.shown(dm).map(({ type, text }) => [type, text.length])).toEqual([
    ["text", 9000],
    ["text", 14_000],
  ]);
});

test("CH72 CH247 an edit takes the buttons away, of a card and as often as it is wanted; a post says something else too", async () => {
  const { feishu, dm, channel } = await scene();
  const actions = [{ token: "t", label: "Allow", style: "allow" }] as const;
  const id = (await channel.send(card(dm, "May I?", { actions }), never)) ?? "";
  expect(feishu.shown(dm)[0]?.buttons).toMatchObject([{ label: "Allow" }]);
  for (let count = 1; count <= 25; count++) await channel.edit?.(id, card(dm, `**${count}**`), never);
  expect(feishu.shown(dm)[0]).toMatchObject({ text: "**25**", buttons: [], edits: 25 });
  const post = (await channel.send(outbound(dm, "plain"), never)) ?? "";
  await channel.edit?.(post, card(dm, "other"), never);
  expect(feishu.shown(dm)[1]).toMatchObject({ type: "post", text: "other" });
});

test("CH66 what is going to be edited is a card from the beginning, also when it has no marks yet", async () => {
  const { feishu, dm, channel } = await scene();
  const id = (await channel.send({ ...outbound(dm, "plain"), live: true }, never)) ?? "";
  await channel.edit?.(id, card(dm, "**marked**"), never);
  expect(feishu.shown(dm)).toMatchObject([{ text: "**marked**", edits: 1 }]);
});

test("CH248 a limit holds the chat or the channel; nothing is asked before its time", async () => {
  const { feishu, dm, channel } = await scene();
  const other = feishu.dm(feishu.person("Ben"));
  feishu.flood(60, dm);
  expect(await failure(channel.send(card(dm, "a"), never))).toMatchObject({
    kind: "slow-down",
    scope: "chat",
    sent: "no",
  });
  await channel.send(card(other, "b"), never);
  feishu.flood(30);
  const held = { kind: "slow-down", scope: "channel", sent: "no", retryAfterMs: expect.closeTo(30_000, -3.5) };
  expect(await failure(channel.send(card(other, "c"), never))).toMatchObject(held);
  const before = feishu.asked(SENDING).length;
  expect(await failure(channel.send(card(other, "c"), never))).toMatchObject(held);
  expect(feishu.asked(SENDING)).toHaveLength(before);
});

test("CH248 five in a second and a chat: the sixth waits", async () => {
  const { dm, channel } = await scene({ paced: true, now: () => 1_800_000_000_000 });
  for (let count = 0; count < 5; count++) await channel.send(card(dm, String(count)), never);
  expect(await failure(channel.send(card(dm, "6"), never))).toMatchObject({ kind: "slow-down", retryAfterMs: 1000 });
});

test("CH45 what Feishu refuses: gone, refused, again, each with what may have left", async () => {
  const { feishu, anna, dm, channel } = await scene();
  const gone = { kind: "gone", sent: "no" };
  const group = feishu.group(anna);
  group.hasBot = false;
  const ben = feishu.person("Ben");
  feishu.world.hidden.add(ben.openId);
  for (const id of [group.id, ben.openId]) {
    const refused = await failure(channel.send(card({ id }, "x"), never));
    expect(refused).toMatchObject({ ...gone, answered: true });
  }
  for (const id of ["anna", "om_1", "oc_"])
    expect(await failure(channel.send(card({ id }, "x"), never))).toMatchObject(gone);
  expect(await failure(channel.send(card({ id: "oc_nowhere" }, "x"), never))).toMatchObject({
    kind: "refused",
    sent: "no",
  });
  feishu.fault(SENDING, { status: 502, body: "<html>" });
  expect(await failure(channel.send(card(dm, "x"), never))).toMatchObject({ kind: "again", sent: "maybe" });
  feishu.fault(SENDING, "garbage");
  expect(await failure(channel.send(card(dm, "x"), never))).toMatchObject({ kind: "again", sent: "maybe" });
  feishu.world.isBotOn = false;
  expect(await failure(channel.send(card(dm, "x"), never))).toMatchObject({ kind: "auth", sent: "no" });
  const off = await scene();
  await off.feishu[Symbol.asyncDispose]();
  expect(await failure(off.channel.send(card(dm, "x"), never))).toMatchObject({ kind: "again", sent: "no" });
});

test("CH37 whoever is written to by their own id has a chat from then on", async () => {
  const { feishu, anna, dm, channel, host } = await scene();
  await channel.send(card({ id: anna.openId }, "by open id"), never);
  await channel.send(card({ id: anna.unionId }, "by union id"), never);
  expect(feishu.shown(dm).map(({ text }) => text)).toEqual(["by open id", "by union id"]);
  expect(JSON.stringify(host.state.value("chats"))).toContain(dm.id);
});

test("CH80 CH242 files follow the text as what they are, and again they are the same messages", async () => {
  const { feishu, dm, channel, host } = await scene();
  const png = Buffer.concat([Buffer.from([0x89]), Buffer.from("PNG picture")]);
  const media = await Promise.all(
    [
      ["p.png", "image/png", png],
      ["odd.png", "image/png", Buffer.from("no picture")],
      ["v.ogg", "audio/ogg", Buffer.from("voice")],
      ["m.mp4", "video/mp4", Buffer.from("film")],
      ["t.pdf", "application/pdf", Buffer.from("pages")],
      ["empty.bin", "application/octet-stream", Buffer.alloc(0)],
    ].map(([name, mediaType, bytes]) =>
      host.media.save(bytes as Buffer, { name: String(name), mediaType: String(mediaType) }),
    ),
  );
  const named = media.map((part, index) => ({
    ...part,
    mediaType:
      ["image/png", "image/png", "audio/ogg", "video/mp4", "application/pdf", "application/octet-stream"][index] ?? "",
  }));
  const piece = card(dm, "here", { parts: [{ type: "text", text: "here" }, ...named] });
  await channel.send(piece, never);
  await channel.send({ ...piece, repeated: true }, never);
  expect(feishu.shown(dm).map(({ type }) => type)).toEqual([
    "interactive",
    "image",
    "file",
    "audio",
    "media",
    "file",
    "post",
  ]);
  expect(feishu.shown(dm).at(-1)?.text).toBe("[empty.bin (0.0 MB) could not be sent: File's size can't be 0.]");
});

test("CH75 CH246 an answer shows what it answers, in a topic too; a message that was taken back costs nothing", async () => {
  const { feishu, anna, dm, channel } = await scene();
  const asked = feishu.writeUntold(anna, dm, "why?");
  await channel.send(card(dm, "because", { reply: "r1", quote: asked.id }), never);
  const gone = feishu.writeUntold(anna, dm, "never mind");
  feishu.recall(gone);
  await channel.send(card(dm, "all right", { reply: "r2", quote: gone.id }), never);
  await channel.send(card(dm, "pressed", { reply: "r3", quote: "of no message" }), never);
  const topics = feishu.topics(anna);
  const root = feishu.writeUntold(anna, topics, "a topic");
  const more = feishu.writeUntold(anna, topics, "and why?", { replyTo: root });
  const to = { channel: "feishu", chat: topics.id, thread: root.id };
  await channel.send(card(topics, "because", { reply: "r4", quote: more.id, to }), never);
  feishu.recall(more);
  await channel.send(card(topics, "really", { reply: "r5", quote: more.id, to }), never);
  const ours = (id: string): unknown => feishu.shown({ id }).flatMap(({ own, parent }) => (own ? [parent] : []));
  expect([ours(dm.id), ours(topics.id)]).toEqual([
    [asked.id, undefined, undefined],
    [more.id, root.id],
  ]);
  expect(feishu.shown(topics).every(({ thread }) => thread !== undefined)).toBe(true);
});

test("CH247 CH69 a reaction of ours: of Feishu's own kinds, taken away by its id, and of what is gone nothing is said", async () => {
  const { feishu, anna, dm, channel } = await scene();
  const asked = feishu.write(anna, dm, "a question");
  const to = { channel: "feishu", chat: dm.id };
  const react = (emoji: string, isOn = true, of = asked.id): Promise<void> =>
    channel.react?.(of, emoji, isOn, to, never) ?? Promise.reject(new Error("it cannot"));
  const shown = (): readonly string[] => [...asked.reactions.values()];
  await react("\u{1f440}");
  expect(shown()).toEqual(["Typing"]);
  await react("\u{1f440}", false);
  await react("\u{1f914}");
  await react("\u{1f914}");
  expect(shown()).toEqual(["THINKING"]);
  await react("\u{1f914}", false);
  await react("\u{1f914}", false);
  expect(shown()).toEqual([]);
  // Its id was never heard: it is told again.
  feishu.fault("POST /im/v1/messages/:id/reactions", "close-after-taking");
  expect(await failure(react("\u{1f440}"))).toMatchObject({ kind: "again", sent: "maybe" });
  expect(shown()).toEqual(["Typing"]);
  await react("\u{1f440}", false);
  expect(shown()).toEqual([]);
  await react("\u{1f440}");
  feishu.recall(asked);
  await react("\u{1f440}", false);
  await react("\u{1f440}", true, "om_of_nobody");
  await react("\u{1f440}", false, "om_of_nobody");
});
