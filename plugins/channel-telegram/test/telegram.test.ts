// The channel against a strict Telegram: what is read, in which order, and what is confirmed when.
import { fakeClock } from "@margay/core/testing";
import { expect, onTestFinished, test } from "vitest";
import { plugin } from "../src/index.ts";
import { ACCEPTED, allTaken, place, run, textsOf } from "./support.ts";

test("CH200 the next offset is stored behind what was accepted, and a restart goes on there", async () => {
  const scene = await place();
  const { telegram, anna, chat, host, channel } = scene;
  telegram.write(anna, chat, "one");
  telegram.write(anna, chat, "two");
  const first = run(channel);
  await first.received(2);
  await allTaken(scene);
  const [last] = telegram.requests.filter(({ method }) => method === "getUpdates").slice(-1);
  expect(host.state.cursor()).toBe(last?.params["offset"]);
  await first.stop();
  telegram.write(anna, chat, "three");
  const next = scene.again();
  const second = run(next.channel);
  expect(textsOf(await second.received(1))).toEqual(["three"]);
  await allTaken(scene);
  const polls = telegram.requests.filter(({ method }) => method === "getUpdates").map(({ params }) => params["offset"]);
  expect(polls[0]).toBeUndefined();
  expect(polls.slice(1).every((offset) => typeof offset === "number")).toBe(true);
});

test("CH200 what is not accepted is not confirmed, nor what comes after it, and comes again", async () => {
  const scene = await place();
  const { telegram, anna, chat, host, channel } = scene;
  for (const text of ["one", "two", "three"]) telegram.write(anna, chat, text);
  const [one, two] = telegram.pendingUpdates();
  const broken = new Error("the disk is full");
  const first = run(channel, (_, number) => (number === 2 ? Promise.reject(broken) : ACCEPTED));
  expect(await first.ended).toBe(broken);
  expect(textsOf(first.messages)).toEqual(["one", "two"]);
  expect(host.state.cursor()).toBe((one?.update_id ?? 0) + 1);
  expect(host.state.cursor()).toBe(two?.update_id);
  const second = run(scene.again().channel);
  expect(textsOf(await second.received(2))).toEqual(["two", "three"]);
  await allTaken(scene);
});

test("CH200 a kill before the cursor was stored repeats a key, and a repeated answer of Telegram too", async () => {
  const scene = await place();
  const { telegram, anna, chat } = scene;
  telegram.write(anna, chat, "one");
  const killed = Promise.withResolvers<never>();
  const first = run(scene.again().channel, () => killed.promise);
  onTestFinished(() => killed.reject(new Error("killed")));
  await first.received(1);
  const second = run(scene.again().channel); // the other still hangs, as a process that was killed
  await second.received(1);
  await allTaken(scene);
  telegram.repeatUpdates(1);
  await second.received(2);
  const keys = [...first.messages, ...second.messages].map(({ key }) => key);
  expect(keys).toHaveLength(3);
  expect(new Set(keys)).toEqual(new Set([`${chat.id}:${telegram.shown(chat)[0]?.id}`]));
  telegram.write(anna, chat, "two");
  expect(textsOf(await second.received(3))[2]).toBe("two");
  await allTaken(scene);
});

test("CH200 updates in another order are taken in theirs, and gaps are no matter", async () => {
  const scene = await place();
  const { telegram, anna, chat, channel } = scene;
  telegram.write(anna, chat, "one");
  telegram.skipUpdateIds(50);
  telegram.write(anna, chat, "two");
  telegram.write(anna, chat, "three");
  telegram.reverseUpdates();
  const running = run(channel);
  expect(textsOf(await running.received(3))).toEqual(["one", "two", "three"]);
  await allTaken(scene);
});

test("CH139 CH201 when another program polls, run ends and says so", async () => {
  const { telegram, channel } = await place();
  const running = run(channel);
  await telegram.until(() => telegram.isPolling());
  const other = fetch(`${telegram.url}/bot${telegram.token}/getUpdates?timeout=1`);
  expect(await running.ended).toMatchObject({ kind: "again", message: expect.stringContaining("Somebody else reads") });
  await (await other).text();
});

test("CH201 a poll that says nothing for 65 seconds is dead; one that is answered in time is not", async () => {
  const clock = fakeClock();
  const scene = await place({ hostClock: clock, clock });
  const { telegram, channel, host, anna, chat } = scene;
  const running = run(channel);
  await telegram.until(() => telegram.isPolling());
  await clock.advance(50_000); // Telegram answers with nothing
  await telegram.received("getUpdates", 3);
  await telegram.until(() => telegram.isPolling());
  expect(host.told.alive).toBeGreaterThanOrEqual(3);
  await clock.advance(49_000);
  telegram.fault({ when: "getUpdates", how: "hang" });
  telegram.write(anna, chat, "hello");
  await telegram.received("getUpdates", 4);
  await clock.advance(64_000);
  expect(textsOf(running.messages)).toEqual(["hello"]);
  await clock.advance(1000);
  expect(await running.ended).toMatchObject({ kind: "again", message: expect.stringContaining("65 s") });
  telegram.write(anna, chat, "and more");
  expect(textsOf(await run(scene.again().channel).received(1))).toEqual(["and more"]);
});

test("CH201 half an answer that hangs, a page of a proxy and a broken line are tried again", async () => {
  const { telegram, channel } = await place();
  for (const how of ["garbage", "close-half-answer", "close-before"] as const) {
    telegram.fault({ when: "getUpdates", how });
    expect(await run(channel).ended, how).toMatchObject({ kind: "again", code: "channel.failed" });
  }
  telegram.fault({ when: "getUpdates", how: "two-pieces" });
  const running = run(channel);
  await telegram.until(() => telegram.isPolling());
  await running.stop();
});

test("CH202 nothing is dropped, the six kinds of updates are asked for, and up is said after the first poll", async () => {
  const { telegram, anna, chat, channel, host } = await place();
  telegram.write(anna, chat, "before the start");
  telegram.fault({ when: "getUpdates", how: { delay: 50 } });
  const running = run(channel);
  await telegram.received("getUpdates");
  expect(host.told.up).toEqual([]);
  await running.received(1);
  expect(host.told.up).toEqual(["@margay_bot"]);
  await telegram.until(() => telegram.isPolling());
  const polls = telegram.requests.filter(({ method }) => method === "getUpdates");
  for (const { params } of polls)
    expect(params["allowed_updates"]).toEqual([
      "message",
      "edited_message",
      "callback_query",
      "my_chat_member",
      "message_reaction",
      "stopped_message_generation",
    ]);
  expect(polls.map(({ params }) => params["timeout"])).toEqual([0, 50]);
  expect(telegram.requests.map(({ method }) => method)).not.toContain("deleteWebhook");
});

test("CH49 a token that is revoked is a fault of the login; one that never was one is refused before", async () => {
  const scene = await place();
  scene.telegram.revoke();
  expect(await run(scene.channel).ended).toMatchObject({ kind: "auth" });
  const create = (settings: Record<string, string>) => () => plugin.create({ id: "telegram", settings }, scene.host);
  for (const token of ["", "my token", "12:a/../b"]) expect(create({ token })).toThrow(/token/);
  const token = "1:a";
  expect(create({ token, baseUrl: "http://api.example.org" })).toThrow(/in the clear/);
  expect(create({ token, baseUrl: "ftp://x" })).toThrow(/no address/);
  for (const baseUrl of ["https://api.example.org/", "http://telegram-bot-api:8081", "http://127.0.0.1:8081"])
    expect(create({ token, baseUrl })().id).toBe("telegram");
});

test("CH20 a message that there is no room for is offered again; a stranger gets the answer once, in private alone", async () => {
  const scene = await place();
  const { telegram, anna, chat, channel } = scene;
  telegram.write(anna, chat, "hello");
  const full = run(channel, () => ({ status: "refused", reason: "It is full", answer: "later", until: "room" }));
  expect(await full.ended).toMatchObject({ kind: "again" });
  expect(telegram.shown(chat).filter(({ own }) => own)).toEqual([]);
  const group = telegram.group("Trip", [anna]);
  telegram.write(anna, group, "hello group");
  const running = run(channel, () => ({ status: "refused", reason: "not admitted", answer: "Your code is ABCD." }));
  expect(textsOf(await running.received(2))).toEqual(["hello", "hello group"]);
  await allTaken(scene);
  expect(telegram.shown(chat).map(({ text }) => text)).toEqual(["hello", "Your code is ABCD."]);
  expect(telegram.shown(group)).toHaveLength(1);
});
