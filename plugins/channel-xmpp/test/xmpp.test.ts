import { xml } from "@xmpp/client";
import { expect, test } from "vitest";
import { NS } from "../src/names.ts";
import { BOT, never, piece, start, temporary, texts, xmppServer } from "./support.ts";

test("CH320 what was there before the first start is not read; what comes is taken once, in order, also what came while we were away", async () => {
  const server = await xmppServer();
  const folder = temporary();
  const anna = await server.person("anna");
  await anna.write(BOT, "old");
  await anna.settled();
  const first = start(server, folder);
  await first.up();
  await anna.write(BOT, "one");
  await anna.write(BOT, "two");
  await first.received(2);
  await first.stop();
  await anna.write(BOT, "three");
  await anna.write(BOT, "four");
  await anna.settled();
  const second = start(server, folder);
  await second.received(2);
  await second.up();
  await anna.write(BOT, "five");
  await second.received(3);
  expect(texts(first)).toEqual(["one", "two"]);
  expect(texts(second)).toEqual(["three", "four", "five"]);
});

test("CH20 a message that could not be stored is offered again, and none is passed over", async () => {
  const server = await xmppServer();
  const folder = temporary();
  const anna = await server.person("anna");
  const first = start(server, folder, { answer: () => Promise.reject(new Error("the disk is full")) });
  await first.up();
  await anna.write(BOT, "one");
  await anna.write(BOT, "two");
  expect(String(await first.ended)).toContain("the disk is full");
  const second = start(server, folder);
  await second.received(2);
  expect(texts(second)).toEqual(["one", "two"]);
  expect(second.messages[0]?.key).toBe(first.messages[0]?.key);
});

test("CH24 what is refused is answered once and not offered again; what waits for room is", async () => {
  const server = await xmppServer();
  const folder = temporary();
  const anna = await server.person("anna");
  const first = start(server, folder, {
    answer: () => Promise.resolve({ status: "refused", reason: "not admitted", answer: "pair first" }),
  });
  await first.up();
  const request = xml("request", { xmlns: NS.receipts });
  await anna.write(BOT, "stranger", { more: [request] });
  await anna.sees(1);
  // The archive was empty: the first place in it is behind this message.
  await first.host.until(() => JSON.stringify(first.host.state.cursor()).includes('"id"'));
  await first.stop();
  const second = start(server, folder, {
    answer: () => Promise.resolve({ status: "refused", reason: "full", until: "room" }),
  });
  await second.up();
  await anna.write(BOT, "later");
  expect(await second.ended).toMatchObject({ kind: "again" });
  const third = start(server, folder);
  await third.received(1);
  await anna.settled();
  expect([texts(second), texts(third)]).toEqual([["later"], ["later"]]);
  expect(anna.seen.map(({ text }) => text)).toEqual(["pair first"]);
  expect(anna.stanzas.some((stanza) => stanza.getChild("received", NS.receipts) !== undefined)).toBe(false);
});

test("CH320 without an archive and without resumption what comes is taken, and what the server kept for us", async () => {
  const server = await xmppServer({ archive: false, resume: false });
  const folder = temporary();
  const anna = await server.person("anna");
  await anna.write(BOT, "old");
  await anna.settled();
  const first = start(server, folder);
  await first.up();
  await anna.write(BOT, "one");
  await first.received(1);
  await first.channel.send(piece("r1", anna.jid, "answer"), never());
  expect(await first.channel.findSent?.(piece("r1", anna.jid, "answer"), 0, never())).toBeUndefined();
  await first.stop();
  await anna.write(BOT, "two");
  await anna.settled();
  const second = start(server, folder);
  await second.received(1);
  expect([texts(first), texts(second)]).toEqual([["one"], ["two"]]);
  expect(second.messages[0]).toMatchObject({ key: `id ${anna.jid} said-3`, sentAt: expect.any(Number) });
  await anna.settled();
  expect(anna.seen.map(({ text }) => text)).toEqual(["answer"]);
});

test("CH54 CH36 our own words, reactions, errors and private words of a room are no messages", async () => {
  const server = await xmppServer();
  const anna = await server.person("anna");
  const other = await server.person("bot", "laptop");
  const running = start(server, temporary());
  await running.up();
  await other.write(BOT, "to myself");
  await other.write(anna.jid, "from my other program");
  await anna.sees(1);
  await anna.write(BOT, "👍", {
    more: [xml("reactions", { xmlns: NS.reactions, id: "x" }, xml("reaction", {}, "👍"))],
  });
  await anna.write(BOT, "news", { type: "headline" });
  await anna.write(BOT, "wrong", { type: "error" });
  await anna.write(BOT, "who am I", { more: [xml("x", { xmlns: NS.roomUser })] });
  await anna.write(`${BOT}/laptop`, "to the other program");
  const copied = xml(
    "forwarded",
    { xmlns: NS.forward },
    xml("message", { from: "boss@chat.test", to: BOT, type: "chat" }, xml("body", {}, "do it")),
  );
  await anna.write(BOT, "x", { more: [xml("received", { xmlns: NS.carbons }, copied)] });
  const result = xml("result", { xmlns: NS.archive, queryid: "q", id: "1" }, copied);
  await anna.write(BOT, "x", { more: [result] });
  await anna.write(BOT, "the end");
  await running.received(1);
  expect(texts(running)).toEqual(["the end"]);
});

test("CH322 an encrypted message says that it could not be read, once; keys alone say nothing", async () => {
  const server = await xmppServer();
  const anna = await server.person("anna");
  const running = start(server, temporary());
  await running.up();
  const encrypted = (...inside: ReturnType<typeof xml>[]): ReturnType<typeof xml> =>
    xml("encrypted", { xmlns: "eu.siacs.conversations.axolotl" }, xml("header", { sid: "1" }), ...inside);
  await anna.write(BOT, "I sent you an OMEMO encrypted message", { more: [encrypted()] });
  await anna.write(BOT, "I sent you an OMEMO encrypted message", { more: [encrypted(xml("payload", {}, "AAAA"))] });
  await running.received(1);
  expect(texts(running)).toEqual([expect.stringContaining("could not be read")]);
});

test("a receipt, a sign of typing, and seeing whether we are there are given to who asks", async () => {
  const server = await xmppServer();
  const anna = await server.person("anna");
  const running = start(server, temporary());
  await running.up();
  const id = await anna.write(BOT, "hello", { more: [xml("request", { xmlns: NS.receipts })] });
  await anna.until(() => anna.stanzas.some((stanza) => stanza.getChild("received", NS.receipts)?.attrs["id"] === id));
  await running.channel.typing?.({ channel: "xmpp", chat: anna.jid }, never());
  await anna.until(() => anna.stanzas.some((stanza) => stanza.getChild("composing", NS.chatState) !== undefined));
  await anna.send(xml("presence", { to: BOT, type: "subscribe" }));
  await anna.until(() =>
    anna.stanzas.some(({ name, attrs }) => name === "presence" && attrs["from"]?.startsWith(`${BOT}/`) === true),
  );
  expect(anna.seen).toEqual([]);
});

test("a long text of many bytes a character is whole, and what XML cannot hold does not end the stream", async () => {
  const server = await xmppServer();
  const anna = await server.person("anna");
  server.proxy.bytewise = true;
  const running = start(server, temporary());
  await running.up();
  const long = "你好 😀 é".repeat(5_000);
  await anna.write(BOT, long);
  await running.received(1);
  await running.channel.send(piece("r1", anna.jid, "a\u0000b\u001b[0m \ud800 <&>"), never());
  await anna.sees(1);
  expect(texts(running)).toEqual([long]);
  expect(anna.seen[0]?.text).toBe("a\ufffdb\ufffd[0m \ufffd <&>");
});

test("CH34 a correction and a retraction name their message, also after a restart and from the archive", async () => {
  const server = await xmppServer();
  const folder = temporary();
  const anna = await server.person("anna");
  const bert = await server.person("bert");
  const running = start(server, folder);
  await running.up();
  const correction = (id: string) => [xml("replace", { xmlns: NS.correction, id })];
  const retraction = (id: string) => [xml("retract", { xmlns: NS.retraction, id })];
  const first = await anna.write(BOT, "at five", { id: "a-1" });
  await anna.write(BOT, "at six", { more: correction(first) });
  await running.changed(1);
  await bert.write(BOT, "at nine", { more: correction(first) });
  await running.changed(2);
  const [edit, foreign] = running.changes;
  const key = running.messages[0]?.key;
  expect(edit).toMatchObject({ edits: key, parts: [{ text: "at six" }], from: { id: anna.jid } });
  expect(foreign).not.toMatchObject({ edits: key });
  await running.stop();
  await anna.write(BOT, "never mind", { more: retraction(first) });
  // As clients say it that are older than 2022.
  const old = xml("apply-to", { xmlns: NS.fastening, id: first }, xml("retract", { xmlns: NS.oldRetraction }));
  await anna.write(BOT, "never mind", { more: [old] });
  await anna.settled();
  const again = start(server, folder);
  await again.changed(2);
  const taken = { of: key, origin: { channel: "xmpp", chat: anna.jid }, from: { id: anna.jid, kind: "person" } };
  expect(again.changes).toEqual([taken, taken]);
  expect(again.messages).toEqual([]);
});

test("CH75 what a person answers comes with its words; whose they are nobody vouches for, but for ours", async () => {
  const server = await xmppServer();
  const anna = await server.person("anna");
  const running = start(server, temporary());
  await running.up();
  const quote = (to: string): ReturnType<typeof xml>[] => [
    xml("reply", { xmlns: NS.reply, to, id: "x" }),
    xml("fallback", { xmlns: NS.fallback, for: NS.reply }, xml("body", { start: "0", end: "8" })),
  ];
  await anna.write(BOT, "> 😀 do i\nreally?", { more: quote("bert@chat.test") });
  await anna.write(BOT, "> 😀 do i\nyes", { more: quote(BOT) });
  await anna.write(BOT, "> 😀 do i\nso", { more: quote(anna.jid) });
  await running.received(3);
  expect(texts(running).map((text) => text.trim())).toEqual(["really?", "yes", "so"]);
  expect(running.messages.map(({ quotes }) => [quotes?.own, quotes?.from.id, quotes?.text])).toEqual([
    [false, "quoted bert@chat.test", "😀 do i"],
    [true, expect.anything(), "😀 do i"],
    [false, `quoted ${anna.jid}`, "😀 do i"],
  ]);
});

test("CH129 a place, a sticker and a spoken note come as the words that clients write beside them", async () => {
  const server = await xmppServer();
  const anna = await server.person("anna");
  const running = start(server, temporary());
  await running.up();
  const link = "https://files.chat.test/voice.ogg";
  await anna.write(BOT, "geo:52.5,13.4", {
    more: [
      xml("geoloc", { xmlns: "http://jabber.org/protocol/geoloc" }, xml("lat", {}, "52.5"), xml("lon", {}, "13.4")),
    ],
  });
  await anna.write(BOT, "😘", { more: [xml("sticker", { xmlns: "urn:xmpp:stickers:0", pack: "EpRv28DHHzFrE4zd" })] });
  await anna.write(BOT, link, { more: [xml("x", { xmlns: "jabber:x:oob" }, xml("url", {}, link))] });
  await running.received(3);
  expect(texts(running)).toEqual(["geo:52.5,13.4", "😘", link]);
});
