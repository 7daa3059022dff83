// What people write, as margay gets it: who is meant, threads, names, files, buttons, and what is no talk.
import type { Accepted, InboundMessage } from "@margay/core/plugin";
import { expect, test } from "vitest";
import { ALL_SCOPES } from "./emulator/slack.ts";
import { ACCEPTED, run, scene, SENDING, textsOf } from "./support.ts";

test("CH36 CH54 what Slack writes itself and our own words are nothing", async () => {
  const place = await scene();
  const { slack, anna, dm } = place;
  const running = run(place.channel);
  await place.up();
  const message = slack.write(anna, dm, "one");
  await place.channel.send(
    { reply: "r", to: { channel: "slack", chat: dm.id }, kind: "reply", parts: [{ type: "text", text: "ours" }] },
    new AbortController().signal,
  );
  slack.write(anna, dm, "has joined", { subtype: "channel_join" });
  slack.unfurl(dm, message);
  slack.event({ type: "reaction_added", user: anna.id });
  slack.write(anna, dm, "two");
  expect(textsOf(await running.received(2))).toEqual(["one", "two"]);
  await slack.until(() => slack.sockets.waiting.size === 0);
  expect(running.messages).toHaveLength(2);
  expect(running.changes).toEqual([]);
});

test("CH34 an edited text and mention is a change of its message, a deleted one is taken back, in its thread", async () => {
  const place = await scene({ replyInThread: "never" });
  const { slack, anna, dm } = place;
  const general = slack.channel("general", anna);
  const running = run(place.channel);
  await place.up();
  const first = slack.write(anna, dm, "at five");
  slack.edit(dm, first, "at six");
  const heard = slack.write(anna, general, "who is there?");
  slack.edit(general, heard, `<@${slack.me.id}> who is there?`);
  const below = slack.write(anna, general, "never mind", { thread: heard });
  slack.delete(general, below);
  slack.delete(dm, first);
  // Each chat has its own order.
  const changes = await running.changed(4);
  const [edit, inChat] = changes.filter(({ origin }) => origin.chat === dm.id);
  const [mention, inThread] = changes.filter(({ origin }) => origin.chat === general.id);
  const key = `${dm.id}:${first.ts}`;
  expect(edit).toMatchObject({ edits: key, parts: [{ text: "at six" }], from: { id: anna.id }, chat: "private" });
  expect(mention).toMatchObject({ edits: `${general.id}:${heard.ts}`, addressed: "named", chat: "group" });
  expect(inThread).toMatchObject({ of: `${general.id}:${below.ts}`, origin: { thread: heard.ts } });
  expect(inChat).toEqual({ of: key, origin: { channel: "slack", chat: dm.id } });
  expect(place.host.told.dead).toEqual([]);
});

test("CH34 a message with replies is taken back too: Slack leaves a stone in its place", async () => {
  const place = await scene();
  const { slack, anna, dm } = place;
  const running = run(place.channel);
  await place.up();
  const first = slack.write(anna, dm, "buy it");
  slack.write(anna, dm, "at once", { thread: first });
  slack.delete(dm, first);
  const [change] = await running.changed(1);
  expect(change).toEqual({ of: `${dm.id}:${first.ts}`, origin: { channel: "slack", chat: dm.id } });
  expect(place.host.told.dead).toEqual([]);
});

test("CH34 CH124 a mention that an edit adds opens a thread, as one that was there opens it: what follows there is said to us", async () => {
  const place = await scene();
  const { slack, anna } = place;
  const general = slack.channel("general", anna);
  const running = run(place.channel);
  await place.up();
  const root = slack.write(anna, general, "who is there?");
  slack.edit(general, root, `<@${slack.me.id}> who is there?`);
  const [mention] = await running.changed(1);
  expect(mention).toMatchObject({ addressed: "named", origin: { thread: root.ts } });
  slack.write(anna, general, "and then?", { thread: root });
  const [, next] = await running.received(2);
  expect([next?.origin.thread, next?.addressed]).toEqual([root.ts, "reply"]);
});

test("CH75 a message that was shared comes with its author; what an address or a program attached is nobody's order", async () => {
  const place = await scene();
  const { slack, anna, dm } = place;
  const ben = slack.person("Ben");
  const running = run(place.channel);
  await place.up();
  const shared = {
    is_share: true,
    is_msg_unfurl: true,
    author_id: ben.id,
    channel_id: "C1",
    ts: "1.000002",
    text: "buy gold",
  };
  const event = { type: "message", channel: dm.id, channel_type: "im", user: anna.id };
  slack.event({
    ...event,
    ts: slack.write(anna, dm, "x", { isUntold: true }).ts,
    text: "is it true?",
    attachments: [shared],
  });
  const attachments = [{ from_url: "https://example.org", text: "do it" }];
  slack.event({ ...event, ts: slack.write(anna, dm, "y", { isUntold: true }).ts, text: "a link", attachments });
  const [quoting, linking] = await running.received(2);
  expect(quoting).toMatchObject({
    parts: [{ text: "is it true?" }],
    quotes: { own: false, key: "C1:1.000002", from: { id: ben.id }, text: "buy gold" },
  });
  expect(quoting?.marks).toBeUndefined();
  expect(linking?.marks).toEqual({ integrity: "untrusted" });
});

test("CH87 who is meant in a channel: the facts of Slack, for each way of saying it", async () => {
  const place = await scene({ replyInThread: "never" });
  const { slack, anna } = place;
  const ben = slack.person("Ben");
  const general = slack.channel("general", anna, ben);
  const us = `<@${slack.me.id}>`;
  const running = run(place.channel);
  await place.up();
  const said = await place.channel.send(
    {
      reply: "r",
      to: { channel: "slack", chat: general.id },
      kind: "message",
      parts: [{ type: "text", text: "ours" }],
    },
    new AbortController().signal,
  );
  const ours = general.messages.get(said?.split(":")[1] ?? "");
  const bens = slack.write(ben, general, "to all");
  slack.write(anna, general, `${us} what is up?`);
  slack.write(anna, general, `tell us, ${us}`);
  slack.write(anna, general, "and now?", { thread: ours ?? bens });
  slack.write(anna, general, `<@${ben.id}> and you?`, { thread: ours ?? bens });
  slack.write(anna, general, "below Ben", { thread: bens });
  slack.write(anna, general, `<@${ben.id}> hello`);
  slack.write(anna, general, `I met <@${ben.id}>`);
  slack.write(anna, general, `${us} /here`);
  slack.write(anna, general, "beep", { bot: "Robot" });
  const messages = await running.received(10);
  expect(
    messages.map(({ addressed, parts, from, origin }) => [
      textsOf([{ parts } as never])[0]?.replace(ben.id, "Ben"),
      addressed,
      origin.thread !== undefined,
      from.bot ?? false,
    ]),
  ).toEqual([
    ["to all", undefined, false, false],
    ["@margay what is up?", "named", false, false],
    ["tell us, @margay", "named", false, false],
    ["and now?", "reply", true, false],
    ["@Ben and you?", "other", true, false],
    ["below Ben", undefined, true, false],
    ["@Ben hello", "other", false, false],
    ["I met @Ben", undefined, false, false],
    ["/here", "named", false, false],
    ["beep", undefined, false, true],
  ]);
  expect(messages[0]).toMatchObject({
    origin: { channel: "slack", chat: general.id },
    from: { id: ben.id, kind: "person" },
    unnamed: [ben.id],
    chat: "group",
    key: `${general.id}:${bens.ts}`,
    sentAt: Math.floor(Number(bens.ts) * 1000),
  });
});

test.each([
  ["auto", true, false],
  ["always", true, true],
  ["never", false, false],
] as const)(
  "CH124 replyInThread %s: a mention opens a thread %s, a private message %s; what follows there is said to us",
  async (replyInThread, inChannel, inPrivate) => {
    const place = await scene({ replyInThread });
    const { slack, anna, dm } = place;
    const general = slack.channel("general", anna);
    const first = run(place.channel);
    await place.up();
    const root = slack.write(anna, general, `<@${slack.me.id}> a question`);
    const alone = slack.write(anna, dm, "a word");
    slack.write(anna, general, `<@${slack.me.id}> /here`);
    const messages = await first.received(3);
    expect(messages.map(({ origin }) => origin.thread)).toEqual([
      inChannel ? root.ts : undefined,
      inPrivate ? alone.ts : undefined,
      undefined,
    ]);
    await slack.until(() => slack.sockets.waiting.size === 0);
    await first.stop();
    // It is known after a restart too.
    const process = place.again();
    const second = run(process.channel);
    await process.up();
    slack.write(anna, general, "and then?", { thread: root });
    const [next] = await second.received(1);
    expect([next?.origin.thread, next?.addressed]).toEqual([root.ts, inChannel ? "reply" : undefined]);
    const id = await process.channel.send(
      {
        reply: "r",
        to: { channel: "slack", chat: general.id, thread: root.ts },
        kind: "reply",
        parts: [{ type: "text", text: "an answer" }],
      },
      new AbortController().signal,
    );
    expect(slack.shown(general, root.ts).at(-1)).toMatchObject({ id, own: true, text: "an answer" });
  },
);

test("CH36 names, addresses and escapes are read as people see them", async () => {
  const place = await scene();
  const { slack, anna, dm } = place;
  const running = run(place.channel);
  await place.up();
  slack.write(
    anna,
    dm,
    "<@U9NOBODY99> <#C012ABCDE|general> <!here> <!subteam^S1|@team> <https://a.example/x|a.example/x> <https://a.example|b> <mailto:a@b.example|a@b.example> 1 &lt; 2 &amp;amp; 3",
  );
  expect(textsOf(await running.received(1))).toEqual([
    "@U9NOBODY99 #general @here @team https://a.example/x b (https://a.example) a@b.example 1 < 2 &amp; 3",
  ]);
});

test("CH28 what nobody can read is kept aside, and the stream goes on", async () => {
  const place = await scene();
  const { slack, anna, dm, host } = place;
  const running = run(place.channel);
  await place.up();
  slack.event({ type: "message", channel: dm.id, text: "of no time" });
  slack.sockets.raw("no JSON");
  slack.sockets.tell("from_the_future", { a: 1 });
  slack.sockets.tell("interactive", { type: "block_actions", actions: [{ action_id: "margay-0-0", value: "t" }] });
  slack.sockets.tell("slash_commands", { command: "/margay" });
  slack.write(anna, dm, "readable");
  expect(textsOf(await running.received(1))).toEqual(["readable"]);
  await slack.until(() => slack.sockets.waiting.size === 0);
  expect(host.told.dead.toSorted()).toEqual([
    "no JSON",
    expect.stringContaining("/margay"),
    expect.stringContaining("block_actions"),
    expect.stringContaining("of no time"),
  ]);
});

const file = (name: string, bytes: string, type = "text/plain") => ({ name, type, bytes: Buffer.from(bytes) });

test("CH237 CH82 files come with the message; one that lies elsewhere is a line", async () => {
  const place = await scene();
  const { slack, anna, dm, host } = place;
  const running = run(place.channel);
  await place.up();
  slack.write(anna, dm, "here", {
    files: [file("a.txt", "bytes of a"), file("b.bin", "bytes of b", "application/zip")],
  });
  slack.write(anna, dm, "sly", {
    files: [file("c.txt", "c")],
    fileAs: { url_private_download: "http://127.0.0.2:9/c.txt" },
  });
  slack.write(anna, dm, "hidden", {
    files: [file("d.txt", "of another house")],
    fileAs: { file_access: "check_file_info", url_private_download: undefined, url_private: undefined },
  });
  slack.write(anna, dm, "linked", { files: [file("e.txt", "e")], fileAs: { mode: "external", is_external: true } });
  const [first, second, third, fourth] = await running.received(4);
  expect(first?.parts.map((part) => (part.type === "media" ? part.name : part.text))).toEqual([
    "here",
    "a.txt",
    "b.bin",
  ]);
  const read = async (message: typeof first, at: number): Promise<string> => {
    const part = message?.parts[at];
    return part?.type === "media" ? String(await host.blobs.read(part.blob)) : "";
  };
  expect([await read(first, 1), await read(third, 1)]).toEqual(["bytes of a", "of another house"]);
  expect(textsOf([second, fourth].flatMap((message) => message ?? []))).toEqual([
    expect.stringContaining("127.0.0.2:9 is no place where Slack keeps files"),
    "linked\n[The file e.txt was sent and could not be fetched: it does not lie at Slack]",
  ]);
  expect(slack.calls("download")).toHaveLength(3);
});

test("CH237 without the scope Slack shows a page: that is no file", async () => {
  const { ALL_SCOPES } = await import("./emulator/slack.ts");
  const place = await scene({ scopes: ALL_SCOPES.filter((scope) => scope !== "files:read") });
  const { slack, anna, dm } = place;
  const running = run(place.channel);
  await place.up();
  slack.write(anna, dm, "look", { files: [file("a.png", "png", "image/png")] });
  expect(textsOf(await running.received(1))).toEqual([expect.stringContaining("files:read may be missing")]);
});

test("CH24 a stranger is answered in private, once, and nobody in a channel", async () => {
  const place = await scene();
  const { slack, anna, dm } = place;
  const general = slack.channel("general", anna);
  const running = run(place.channel, () => ({
    status: "refused",
    reason: "not-admitted",
    answer: "Your code is 1234.",
  }));
  await place.up();
  slack.write(anna, general, "who are you?");
  const message = slack.write(anna, dm, "hello");
  slack.repeat(dm, message);
  await running.received(2);
  await slack.until(() => slack.sockets.waiting.size === 0);
  expect(slack.shown(general)).toHaveLength(1);
  expect(slack.shown(dm).map(({ text }) => text)).toEqual(["hello", "Your code is 1234."]);
});

test("CH238 CH26 a button is pressed: acknowledged when it is taken, with a key of its own; in vain is told to one alone", async () => {
  const place = await scene();
  const { slack, anna } = place;
  const ben = slack.person("Ben");
  const general = slack.channel("general", anna, ben);
  const root = slack.write(anna, general, "a root", { isUntold: true });
  const presses: unknown[] = [];
  run(place.channel, () => ACCEPTED, {
    press: (press) => {
      presses.push(press);
      return Promise.resolve(
        press.from.id === anna.id
          ? { status: "done", text: "Allowed." }
          : { status: "not-yours", text: "This is <not> for you." },
      );
    },
  });
  await place.up();
  const actions = [
    { token: "token-of-allow", label: "Allow once", style: "allow" },
    { token: "token-of-deny", label: "Deny", style: "deny" },
  ] as const;
  const piece = {
    reply: "q",
    to: { channel: "slack", chat: general.id, thread: root.ts },
    kind: "approval",
    parts: [{ type: "text", text: "May I?" }],
  } as const;
  const id = await place.channel.send({ ...piece, actions }, new AbortController().signal);
  const ts = id?.split(":")[1] ?? "";
  expect(slack.shown(general, root.ts)[0]?.buttons).toMatchObject([
    { label: "Allow once", value: "token-of-allow", style: "primary" },
    { label: "Deny", value: "token-of-deny", style: "danger" },
  ]);
  slack.press(ben, general, ts, "Allow once");
  slack.press(anna, general, ts, "Deny");
  await slack.until(() => slack.sockets.waiting.size === 0);
  expect(presses).toMatchObject([
    { token: "token-of-allow", from: { id: ben.id }, origin: { channel: "slack", chat: general.id, thread: root.ts } },
    {
      token: "token-of-deny",
      from: { id: anna.id, name: "Anna" },
      key: expect.stringMatching(`^press:${general.id}:${ts}:`),
    },
  ]);
  expect(slack.ephemeral).toEqual([{ channel: general.id, user: ben.id, text: "This is &lt;not&gt; for you." }]);
  // Answered: the question loses its buttons and says so.
  await place.channel.edit?.(
    id ?? "",
    { ...piece, parts: [{ type: "text", text: "May I?\n\nDenied by Anna." }] },
    new AbortController().signal,
  );
  expect(slack.shown(general, root.ts)).toMatchObject([
    { id, text: "May I?\n\nDenied by Anna.", buttons: [], edited: true },
  ]);
});

test("CH238 the command of the app is one of ours; where two people are alone it goes to the chat with us", async () => {
  const place = await scene();
  const { slack, anna, dm } = place;
  const general = slack.channel("general", anna);
  const running = run(place.channel);
  await place.up();
  slack.command(anna, general, "here");
  slack.command(anna, { id: "D0OFOTHERS" }, "/status now");
  slack.command(anna, dm, "");
  const messages = await running.received(3);
  expect(
    messages.map(({ origin, chat, addressed, parts }) => [
      origin.chat,
      chat,
      addressed,
      textsOf([{ parts } as never])[0],
    ]),
  ).toEqual([
    [general.id, "group", "command", "/here"],
    [dm.id, "private", undefined, "/status now"],
    [dm.id, "private", undefined, "/help"],
  ]);
  expect(new Set(messages.map(({ key }) => key)).size).toBe(3);
  expect(slack.calls(SENDING)).toEqual([]);
});

test("CH238 CH24 whose command is not taken is told so, as Slack does not tell it again", async () => {
  const place = await scene();
  const { slack, anna, dm } = place;
  const running = run(place.channel, (_message, number) => ({
    status: "refused",
    reason: "no",
    answer: number === 1 ? "Your code is 1234." : "So many wait already.",
    ...(number > 1 && { until: "room" as const }),
  }));
  await place.up();
  for (const [index, text] of ["help", "new"].entries()) {
    slack.command(anna, dm, text);
    await slack.until(() => slack.shown(dm).length > index);
  }
  await slack.until(() => slack.sockets.waiting.size === 0);
  expect(slack.shown(dm).map(({ text }) => text)).toEqual(["Your code is 1234.", "So many wait already."]);
  expect(running.messages).toHaveLength(2);
});

test("CH238 CH28 a command of whom no chat can be opened with ends no channel", async () => {
  const place = await scene({ scopes: ALL_SCOPES.filter((scope) => scope !== "im:write") });
  const { slack, anna, dm } = place;
  const running = run(place.channel);
  await place.up();
  slack.command(anna, dm, "help");
  slack.write(anna, dm, "hello");
  const messages = await running.received(2);
  expect(messages.map(({ origin, parts }) => [origin.chat, textsOf([{ parts } as never])[0]])).toEqual([
    [dm.id, "/help"],
    [dm.id, "hello"],
  ]);
});

test("CH25 CH238 a message with a file that hangs is acknowledged at once, and so are a button and a command behind it", async () => {
  const place = await scene();
  const { slack, anna, dm } = place;
  const presses: string[] = [];
  const accepted: InboundMessage[] = [];
  const take = (message: InboundMessage): Accepted => {
    accepted.push(message);
    return ACCEPTED;
  };
  run(place.channel, take, {
    press: ({ token }) => {
      presses.push(token);
      return Promise.resolve({ status: "done", text: "Allowed." });
    },
  });
  await place.up();
  const id = await place.channel.send(
    {
      reply: "q",
      to: { channel: "slack", chat: dm.id },
      kind: "approval",
      parts: [{ type: "text", text: "May I?" }],
      actions: [{ token: "token-of-allow", label: "Allow once", style: "allow" }],
    },
    new AbortController().signal,
  );
  slack.fault({ when: "download", how: "hang" });
  slack.write(anna, dm, "look at this", { files: [file("a.txt", "bytes")] });
  await slack.until(() => slack.calls("download").length === 1);
  slack.press(anna, dm, id?.split(":")[1] ?? "", "Allow once");
  slack.command(anna, dm, "stop");
  await slack.until(() => slack.sockets.waiting.size === 0 && presses.length === 1);
  expect(textsOf(accepted)).toEqual(["look at this", "/stop"]);
  expect(presses).toEqual(["token-of-allow"]);
});

test("CH35 a reaction to our message is told by its sign; to another's, and what a workspace has made, say no words", async () => {
  const place = await scene();
  const { slack, anna, dm } = place;
  const running = run(place.channel);
  await place.up();
  const item = { type: "message", channel: dm.id, ts: "1700000000.000100" };
  const told = (more: object): void =>
    slack.event({ type: "reaction_added", user: anna.id, reaction: "+1", item, item_user: slack.me.id, ...more });
  told({ item_user: anna.id });
  told({ user: slack.me.id });
  told({ item: { type: "file", file: "F1" } });
  told({});
  told({ reaction: "thumbsup::skin-tone-3" });
  told({ reaction: "obey-me" });
  const facts = {
    origin: { channel: "slack", chat: dm.id },
    from: { id: anna.id, kind: "person" },
    of: `${dm.id}:1700000000.000100`,
  };
  expect(await running.changed(3)).toEqual([{ ...facts, emoji: "👍" }, { ...facts, emoji: "👍" }, facts]);
  await slack.until(() => slack.sockets.waiting.size === 0); // all of them were acknowledged
});

test("CH86 CH25 a message is acknowledged while Slack says no name; it lists whose are unknown, and they are told when they are asked for", async () => {
  const place = await scene();
  const { slack, anna, dm, channel } = place;
  const ben = slack.person("Ben");
  const running = run(channel);
  await place.up();
  slack.fault({ when: "users.info", how: "hang" });
  slack.write(anna, dm, `ask <@${ben.id}>`);
  const [first] = await running.received(1);
  await slack.until(() => slack.sockets.waiting.size === 0);
  expect(slack.calls("users.info")).toEqual([]);
  expect(first).toMatchObject({
    from: { id: anna.id, kind: "person" },
    unnamed: [anna.id, ben.id],
    parts: [{ text: `ask @${ben.id}` }],
  });
  expect(first?.from).not.toHaveProperty("name");
  const late = new AbortController();
  const hanging = channel.nameOf?.(anna.id, "person", late.signal);
  await slack.until(() => slack.calls("users.info").length === 1);
  late.abort(new Error("enough"));
  await expect(hanging).rejects.toThrow("enough");
  const { signal } = new AbortController();
  expect(await channel.nameOf?.(anna.id, "person", signal)).toBe("Anna");
  expect(await channel.nameOf?.(slack.channel("general", anna).id, "chat", signal)).toBe("general");
  expect(await channel.nameOf?.("U9NOBODY99", "person", signal)).toBeUndefined();
});

test("CH129 CH78 a clip that was spoken into Slack is a voice note, whatever Slack calls its type; a sound that is sent as a file is none", async () => {
  const place = await scene();
  const { slack, anna, dm } = place;
  const running = run(place.channel);
  await place.up();
  const mp4 = "\0\0\0\x18ftypmp42";
  slack.write(anna, dm, "", {
    files: [file("audio_message.mp4", mp4, "video/mp4")],
    fileAs: { subtype: "slack_audio" },
  });
  slack.write(anna, dm, "a film", { files: [file("film.mp4", mp4, "video/mp4")] });
  slack.write(anna, dm, "a song", { files: [file("song.ogg", "OggS", "audio/ogg")] });
  const [note, film, song] = await running.received(3);
  expect(note?.parts).toMatchObject([{ type: "media", mediaType: "audio/mp4", voice: true }]);
  const voices = [film, song].flatMap((message) => message?.parts.filter((part) => part.type === "media") ?? []);
  expect(voices.map(({ voice }) => voice)).toEqual([undefined, undefined]);
});
