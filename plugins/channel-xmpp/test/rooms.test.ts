import { xml } from "@xmpp/client";
import { expect, test } from "vitest";
import { NS } from "../src/names.ts";
import { isNamed } from "../src/read.ts";
import { ROOMS } from "./peer.ts";
import { BOT, never, piece, start, temporary, xmppServer } from "./support.ts";

const ROOM = `team@${ROOMS}`;

test.each([
  ["margay, hi", true],
  ["hi Margay!", true],
  ["@margay: hi", true],
  ["你好margay在吗", true],
  ["margays", false],
  ["xmargay", false],
  ["mar gay", false],
  ["", false],
])("CH89 the nickname margay in %o is us: %s", (text, named) => {
  expect(isNamed(text, "margay")).toBe(named);
});

test("CH89 a nickname may have marks of expressions", () => {
  expect(isNamed("say `margay` to it", "margay")).toBe(false);
  expect([isNamed("hi (b.o-t)", "(b.o-t)"), isNamed("hi bxo-t", "b.o-t"), isNamed("小猫你好", "小猫")]).toEqual([
    true,
    false,
    true,
  ]);
});

async function room(options: { readonly isOpen: boolean; readonly archive?: boolean }) {
  const server = await xmppServer({ archive: options.archive ?? true });
  const anna = await server.person("anna");
  const bert = await server.person("bert");
  await anna.joins(ROOM, "anna");
  await anna.configures(ROOM, {
    "muc#roomconfig_whois": options.isOpen ? "anyone" : "moderators",
    "muc#roomconfig_persistentroom": "1",
  });
  await bert.joins(ROOM, "bert");
  const folder = temporary();
  const more = { rooms: [ROOM], nickname: "margay" };
  return { server, anna, bert, folder, run: () => start(server, folder, { more }) };
}

test("CH89 CH322 in a room it is said how we are meant, and who it was by address", async () => {
  const { anna, bert, run } = await room({ isOpen: true });
  await anna.write(ROOM, "before we came");
  await anna.settled();
  const running = run();
  await running.up();
  await anna.write(ROOM, "to all");
  await running.received(1);
  await bert.write(ROOM, "margay: hello");
  await running.received(2);
  await anna.write(ROOM, "yes", { more: [xml("reply", { xmlns: NS.reply, to: `${ROOM}/margay`, id: "x" })] });
  await anna.write(ROOM, "no", { more: [xml("reply", { xmlns: NS.reply, to: `${ROOM}/bert`, id: "x" })] });
  await running.received(4);
  await running.channel.send(piece("r1", ROOM, "margay says"), never());
  await anna.until(() => anna.seen.some(({ text }) => text === "margay says"));
  await anna.write(ROOM, "the end");
  await running.received(5);
  expect(
    running.messages.map(({ chat, addressed, origin, from }) => [chat, addressed, origin.chat, from.id, from.name]),
  ).toEqual([
    ["group", undefined, ROOM, anna.jid, "anna"],
    ["group", "named", ROOM, bert.jid, "bert"],
    ["group", "reply", ROOM, anna.jid, "anna"],
    ["group", undefined, ROOM, anna.jid, "anna"],
    ["group", undefined, ROOM, anna.jid, "anna"],
  ]);
  expect(await running.channel.findSent?.(piece("r1", ROOM, "margay says"), Date.now(), never())).toMatchObject({
    status: "sent",
  });
  expect(await running.channel.findSent?.(piece("r2", ROOM, "x"), Date.now(), never())).toEqual({ status: "not-sent" });
});

test("CH322 who is not shown by address is nobody, whatever the nickname", async () => {
  const { bert, run } = await room({ isOpen: false });
  const running = run();
  await running.up();
  await bert.write(ROOM, "margay, let me in");
  await running.received(1);
  expect(running.messages[0]?.from.id).toBe(`${ROOM}/bert`);
});

test.each([true, false])(
  "CH320 what was said in a room while we were away is read once, in order (archive: %s)",
  async (archive) => {
    const { anna, run } = await room({ isOpen: true, archive });
    const first = run();
    await first.up();
    await anna.write(ROOM, "one");
    await first.received(1);
    await first.stop();
    await anna.write(ROOM, "two");
    await anna.write(ROOM, "three");
    await anna.settled();
    const second = run();
    // Times of rooms are of whole seconds: what is offered again is known by its key.
    const known = new Set(first.messages.map(({ key }) => key));
    const fresh = (): typeof second.messages => second.messages.filter(({ key }) => !known.has(key));
    await second.host.until(() => fresh().length >= 2);
    await second.up();
    await anna.write(ROOM, "four");
    await second.host.until(() => fresh().length >= 3);
    expect(fresh().map(({ parts }) => parts)).toEqual(["two", "three", "four"].map((text) => [{ type: "text", text }]));
    // Only the archive knows who it was.
    expect(fresh()[0]?.from.id).toBe(archive ? anna.jid : `${ROOM}/anna`);
  },
);

test("a room that does not let us in does not stop the rest; what is for it waits", async () => {
  const { anna, run } = await room({ isOpen: true });
  await anna.configures(ROOM, { "muc#roomconfig_membersonly": "1" });
  const running = run();
  await running.up();
  await anna.write(BOT, "in private");
  await running.received(1);
  await expect(running.channel.send(piece("r1", ROOM, "x"), never())).rejects.toMatchObject({
    kind: "again",
    sent: "no",
  });
});

test("CH34 in a room a correction is its writer's, a retraction names what the room archived; that the room did it only the room says", async () => {
  const { anna, bert, run } = await room({ isOpen: true });
  const running = run();
  await running.up();
  const first = await anna.write(ROOM, "at five", { id: "a-1" });
  await anna.write(ROOM, "at six", { more: [xml("replace", { xmlns: NS.correction, id: first })] });
  await anna.sees(2);
  const archived =
    anna.seen.find(({ text }) => text === "at five")?.stanza.getChild("stanza-id", NS.ids)?.attrs["id"] ?? "";
  const retraction = (...inside: ReturnType<typeof xml>[]) => [
    xml("retract", { xmlns: NS.retraction, id: archived }, ...inside),
  ];
  await bert.write(ROOM, "gone", { more: retraction(xml("moderated", { xmlns: NS.moderation })) });
  await bert.write(ROOM, "gone", { more: retraction() });
  await running.changed(2);
  await anna.write(ROOM, "gone", { more: retraction() });
  await running.changed(3);
  const origin = { channel: "xmpp", chat: ROOM };
  const of = running.messages[0]?.key;
  expect(running.changes).toMatchObject([
    { edits: of, parts: [{ text: "at six" }], from: { id: anna.jid } },
    { of, origin, from: { id: bert.jid } },
    { of, origin, from: { id: anna.jid } },
  ]);
  expect(running.messages).toHaveLength(1);
});

test("CH75 CH321 an answer names what it answers as the room knows it, and by its writer", async () => {
  const { anna, run } = await room({ isOpen: true });
  const running = run();
  await running.up();
  await anna.write(ROOM, "margay: why?");
  await running.received(1);
  const { key, handle } = running.messages[0] ?? {};
  await running.channel.send(
    { ...piece("r1", ROOM, "because"), handle: handle?.data ?? null, quote: key ?? "" },
    never(),
  );
  await running.channel.send({ ...piece("r2", ROOM, "and so"), handle: null, quote: "other" }, never());
  await anna.until(() => anna.seen.some(({ text }) => text === "and so"));
  const ofRoom = anna.seen.find(({ text }) => text === "margay: why?")?.stanza.getChild("stanza-id", NS.ids)?.attrs[
    "id"
  ];
  const replies = anna.seen.flatMap(({ text, stanza }) =>
    text === "because" || text === "and so" ? [stanza.getChild("reply", NS.reply)?.attrs] : [],
  );
  expect(ofRoom).toMatch(/./);
  expect(replies).toEqual([expect.objectContaining({ to: `${ROOM}/anna`, id: ofRoom }), undefined]);
});
