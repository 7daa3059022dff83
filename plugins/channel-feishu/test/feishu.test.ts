// The channel against a strict Feishu: what is read, in which order, and what is acknowledged when.
import { expect, test } from "vitest";
import { plugin } from "../src/index.ts";
import { ACCEPTED, failure, LISTING, outbound, never, run, scene, textsOf } from "./support.ts";

test("CH240 one message under several events is one key, and each event is acknowledged", async () => {
  const { feishu, anna, dm, channel, settled } = await scene();
  const running = run(channel);
  await settled();
  const message = feishu.write(anna, dm, "once");
  feishu.tellAgain(message);
  feishu.write(anna, dm, "two");
  const messages = await running.received(2);
  await settled();
  expect(messages.map(({ key }) => key)).toEqual([message.id, expect.stringMatching(/^om_/)]);
  expect(messages[0]).toMatchObject({
    origin: { channel: "feishu", chat: dm.id },
    from: { id: anna.openId, kind: "person" },
    unnamed: [anna.openId],
    chat: "private",
    sentAt: message.at,
  });
});

test("CH240 CH20 what was not accepted is not acknowledged, and comes again", async () => {
  const place = await scene({ speed: 100 });
  const { feishu, anna, dm } = place;
  const first = run(place.channel, { accept: () => Promise.reject(new Error("the disk is full")) });
  await place.settled();
  feishu.write(anna, dm, "keep me");
  expect(String(await first.ended)).toContain("the disk is full");
  const second = run(place.again().channel);
  expect(textsOf(await second.received(1))).toEqual(["keep me"]);
  await feishu.until(() => feishu.gateway.events[0]?.answer !== undefined);
  expect(feishu.gateway.events[0]?.sent).toBeGreaterThan(1);
});

test("CH240 CH21 a chat whose message was not accepted holds back its own ones, and no other chat", async () => {
  const place = await scene();
  const { feishu, anna, dm } = place;
  const ben = feishu.person("Ben");
  const hold = Promise.withResolvers<void>();
  const running = run(place.channel, {
    accept: async ({ parts }) => {
      if (JSON.stringify(parts).includes("slow")) await hold.promise;
      return ACCEPTED;
    },
  });
  await place.settled();
  feishu.write(anna, dm, "slow");
  feishu.write(anna, dm, "after it");
  feishu.write(ben, feishu.dm(ben), "elsewhere");
  await running.received(2);
  await feishu.until(() => feishu.gateway.events[2]?.answer !== undefined);
  expect(textsOf(running.messages)).toEqual(["slow", "elsewhere"]);
  expect(feishu.gateway.events.map(({ answer }) => answer !== undefined)).toEqual([false, false, true]);
  hold.resolve();
  expect(textsOf(await running.received(3))).toEqual(["slow", "elsewhere", "after it"]);
});

test("CH103 events in fragments, also cut through a character, are put together; a part that never comes hurts nobody", async () => {
  const { feishu, anna, dm, channel, settled, host } = await scene();
  const running = run(channel);
  await settled();
  feishu.gateway.fragments = 7;
  const long = "好\u{1f600}".repeat(2000);
  feishu.write(anna, dm, long);
  feishu.gateway.fragments = 1;
  feishu.gateway.raw(Buffer.from([0xff, 0xff, 0xff]));
  feishu.gateway.raw("no JSON");
  feishu.write(anna, dm, "short");
  expect(textsOf(await running.received(2))).toEqual([long, "short"]);
  await settled();
  expect(host.told.dead).toHaveLength(2);
});

test("CH28 a message, or a press, that nobody can read is kept aside and acknowledged", async () => {
  const { feishu, anna, dm, channel, settled, host } = await scene();
  const running = run(channel);
  await settled();
  feishu.gateway.tell("im.message.receive_v1", { sender: {}, message: { chat_id: dm.id, content: "of nobody" } });
  feishu.gateway.tell("im.chat.updated_v1", { chat_id: dm.id });
  feishu.gateway.tell("card.action.trigger", { action: { value: { token: "of no chat" } } });
  feishu.write(anna, dm, "readable");
  expect(textsOf(await running.received(1))).toEqual(["readable"]);
  await settled();
  expect(host.told.dead).toEqual([expect.stringContaining("of nobody"), expect.stringContaining("of no chat")]);
});

test("CH104 what comes together with the upgrade is taken", async () => {
  const { feishu, anna, dm, channel } = await scene();
  feishu.gateway.eager = true;
  feishu.write(anna, dm, "at once");
  const running = run(channel);
  expect(textsOf(await running.received(1))).toEqual(["at once"]);
});

test("CH52 what was missed is asked for, once, the oldest first, and live words wait for it", async () => {
  const place = await scene();
  const { feishu, anna, dm } = place;
  const group = feishu.group(anna);
  const first = run(place.channel);
  await place.settled();
  feishu.write(anna, dm, "known");
  feishu.write(anna, group, "known too");
  await first.received(2);
  await place.settled();
  await first.stop();
  for (let count = 1; count <= 120; count++) feishu.writeUntold(anna, dm, `missed ${count}`);
  feishu.writeUntold(anna, group, "in the group");
  const process = place.again();
  const second = run(process.channel);
  await process.until(() => process.host.told.up.length > 0);
  feishu.write(anna, dm, "live");
  const messages = await second.received(122);
  const inDm = textsOf(messages.filter(({ chat }) => chat === "private"));
  expect(inDm).toEqual([...Array.from({ length: 120 }, (_, count) => `missed ${count + 1}`), "live"]);
  expect(messages.filter(({ chat }) => chat === "group").map(({ origin }) => origin.chat)).toEqual([group.id]);
  expect(feishu.asked(LISTING).length).toBe(4);
});

test("CH52 CH21 who ends while asking for what was missed asks again behind what was accepted", async () => {
  const place = await scene();
  const { feishu, anna, dm } = place;
  const first = run(place.channel);
  await place.settled();
  feishu.write(anna, dm, "known");
  await first.received(1);
  await place.settled();
  await first.stop();
  for (const text of ["a", "b", "c"]) feishu.writeUntold(anna, dm, text);
  const second = run(place.again().channel, {
    accept: (_message, number) => (number === 2 ? Promise.reject(new Error("the disk is full")) : ACCEPTED),
  });
  await second.ended;
  const third = run(place.again().channel);
  await third.received(2);
  expect([textsOf(second.messages), textsOf(third.messages)]).toEqual([
    ["a", "b"],
    ["b", "c"],
  ]);
});

test("CH52 CH21 what was found in a topic takes no message of its chat behind it", async () => {
  const place = await scene();
  const { feishu, anna } = place;
  const group = feishu.group(anna);
  const first = run(place.channel);
  await place.settled();
  const root = feishu.write(anna, group, "a root");
  feishu.write(anna, group, "in its topic", { replyTo: root, inThread: true });
  await first.received(2);
  await place.settled();
  await first.stop();
  feishu.writeUntold(anna, group, "in the chat");
  feishu.writeUntold(anna, group, "more in the topic", { replyTo: root, inThread: true });
  const second = run(place.again().channel, {
    accept: ({ parts }) =>
      JSON.stringify(parts).includes("in the chat") ? Promise.reject(new Error("the disk is full")) : ACCEPTED,
  });
  await second.ended;
  const third = run(place.again().channel);
  await third.received(1);
  expect(textsOf(second.messages)).toEqual(["more in the topic", "in the chat"]);
  expect(textsOf(third.messages)).toEqual(["in the chat"]);
});

test("CH52 of a chat the newest 200 messages of a day; without the permission it is said; a limit is waited out", async () => {
  const place = await scene();
  const { feishu, anna, dm } = place;
  const ben = feishu.person("Ben");
  const bens = feishu.dm(ben);
  const group = feishu.group(anna);
  const week = Date.now() - 8 * 86_400_000;
  const first = run(place.channel);
  await place.settled();
  feishu.write(anna, dm, "known");
  feishu.write(ben, bens, "long ago", { at: week - 1000 });
  feishu.write(anna, group, "known too");
  await first.received(3);
  await place.settled();
  await first.stop();
  for (let count = 1; count <= 220; count++) feishu.writeUntold(anna, dm, String(count));
  feishu.writeUntold(ben, bens, "yesterday", { at: week });
  feishu.writeUntold(ben, bens, "now");
  feishu.writeUntold(anna, group, "unseen");
  feishu.world.scopes.delete("im:message.group_msg");
  feishu.fault(LISTING, {
    status: 429,
    body: { code: 99_991_400, msg: "slow" },
    headers: { "x-ogw-ratelimit-reset": "0.01" },
  });
  const process = place.again();
  const second = run(process.channel);
  await second.received(201);
  const isTold = (name: string): boolean => process.host.told.events.some(({ event }) => event === name);
  await process.until(() => isTold("feishu.backfill-impossible") && isTold("channel.backfill-cut"));
  expect(textsOf(second.messages).toSorted()).toEqual(
    ["now", ...Array.from({ length: 200 }, (_, count) => String(count + 21))].toSorted(),
  );
  const events = new Map(process.host.told.events.map(({ event, data }) => [event, JSON.stringify(data)]));
  expect(events.get("channel.backfill-cut")).toContain(dm.id);
  expect(events.get("feishu.backfill-impossible")).toContain("im:message.group_msg");
  expect(process.host.told.degraded).toEqual([expect.stringContaining("im:message.group_msg")]);
});

test("CH139 CH241 CH60 a message that did not come while the connection stood: another program is suspected", async () => {
  const place = await scene();
  const { feishu, anna, dm, channel, host, time } = place;
  const suspicions = (): number => host.told.events.filter(({ event }) => event === "feishu.events-elsewhere").length;
  const first = run(channel);
  await place.settled();
  feishu.write(anna, dm, "known");
  await first.received(1);
  await place.settled();
  const start = Date.now();
  time.shift = 60_000;
  await first.stop();
  feishu.writeUntold(anna, dm, "when it was about to end", { at: start + 55_000 });
  const second = run(channel);
  await second.received(1);
  await place.until(() => JSON.stringify(host.state.value("chats")).includes(String(start + 55_000)));
  time.shift = 120_000;
  await second.stop();
  expect(suspicions()).toBe(0);
  feishu.writeUntold(anna, dm, "in its midst", { at: start + 80_000 });
  const third = run(channel);
  await third.received(1);
  await place.until(() => suspicions() === 1);
  expect(host.told.degraded).toEqual([expect.stringContaining("Another program may use the same app")]);
});

test("CH56 a connection that is dropped, closed or half open ends as one to be made again", async () => {
  const place = await scene({ pingSeconds: 0.2 });
  const { feishu, anna, dm } = place;
  const { gateway } = feishu;
  for (const [text, cut] of [
    ["dropped", () => gateway.drop()],
    ["closed", () => gateway.close(1001)],
    ["half open", () => gateway.halfOpen()],
  ] as const) {
    const process = place.again();
    const running = run(process.channel);
    await process.settled();
    cut();
    expect(await running.ended).toMatchObject({ kind: "again", sent: "no" });
    gateway.drop();
    feishu.write(anna, dm, text);
    const next = place.again();
    const after = run(next.channel);
    expect(textsOf(await after.received(1))).toEqual([text]);
    await next.settled();
    await after.stop();
  }
});

test("CH56 it is alive as often as the platform wants it", async () => {
  const { feishu, channel, settled, until, host } = await scene({ pingSeconds: 0.05 });
  run(channel);
  await settled();
  await feishu.until(() => feishu.gateway.pings >= 4);
  await until(() => host.told.alive >= 4);
  expect(host.told.up).toEqual(["margay"]);
  expect(feishu.gateway.opened).toBe(1);
});

test("CH49 CH60 a wrong secret, a bot that is off, no connection: each says what to do", async () => {
  const place = await scene();
  const { feishu } = place;
  const ended = (settings?: Readonly<Record<string, string>>): Promise<unknown> =>
    run(place.again(settings).channel).ended;
  expect(await ended({ appSecret: "wrong" })).toMatchObject({
    kind: "auth",
    message: expect.stringContaining("App Secret"),
  });
  feishu.endpointSays(514);
  expect(await ended()).toMatchObject({ kind: "auth" });
  feishu.endpointSays(1_000_040_350);
  expect(await ended()).toMatchObject({ kind: "again", message: expect.stringContaining("other programs") });
  feishu.endpointSays(1);
  expect(await ended()).toMatchObject({ kind: "again" });
  expect(() => place.again({ appId: "cli_1" })).toThrow(/App ID/);
  expect(() => place.again({ region: "private", baseUrl: "" })).toThrow(/baseUrl is missing/);
  expect(() => place.again({ baseUrl: "http://feishu.example.org" })).toThrow(/in the clear/);
});

test("CH59a probe says who we are, or what is missing, by name", async () => {
  const { feishu, host } = await scene();
  const probe = (): Promise<string> => {
    if (plugin.probe === undefined) throw new Error("there is no probe");
    return plugin.probe({ id: "feishu", settings: feishu.settings }, host, never);
  };
  expect(await probe()).toBe("margay");
  feishu.world.scopes.delete("im:resource");
  feishu.world.scopes.delete("im:message.p2p_msg:readonly");
  expect(await failure(probe())).toMatchObject({
    kind: "auth",
    message: expect.stringMatching(/im:message\.p2p_msg:readonly, im:resource/),
  });
});

test("CH49 a token that is over is renewed within the request; what the app may not is named", async () => {
  const { feishu, dm, channel } = await scene();
  await channel.send(outbound(dm, "one"), never);
  feishu.expireTokens();
  await channel.send(outbound(dm, "two"), never);
  expect(feishu.shown(dm).map(({ text }) => text)).toEqual(["one", "two"]);
  feishu.world.scopes.delete("im:message");
  feishu.world.scopes.delete("im:message:send_as_bot");
  expect(await failure(channel.send(outbound(dm, "three"), never))).toMatchObject({
    kind: "auth",
    sent: "no",
    message: expect.stringMatching(/a permission: im:message, im:message:send_as_bot\. /),
  });
});

test("CH171 a connection that is said to be elsewhere in the clear is not opened, and its ticket is told to nobody", async () => {
  for (const URL of ["ws://feishu.example.org/ws/v2?ticket=a-ticket", "ws//?ticket=a-ticket"]) {
    const { feishu, channel } = await scene();
    feishu.gateway.endpoint = () => ({ URL });
    const error = await run(channel).ended;
    expect(error).toMatchObject({ kind: "again", message: expect.stringContaining("not safe") });
    expect(String(error)).not.toContain("a-ticket");
  }
});
