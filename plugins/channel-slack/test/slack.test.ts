// The channel against a strict Slack: what is read, what is acknowledged when, and what a gap costs.
import { expect, test } from "vitest";
import { plugin } from "../src/index.ts";
import { ACCEPTED, failure, run, scene, textsOf } from "./support.ts";

test("CH230 CH20 what was not accepted is not acknowledged, comes again, and a retry is as good as the first time", async () => {
  const place = await scene();
  const { slack, anna, dm } = place;
  const first = run(place.channel, (_message, number) =>
    number === 2 ? Promise.reject(new Error("the disk is full")) : ACCEPTED,
  );
  await place.up();
  for (const text of ["one", "two", "three"]) slack.write(anna, dm, text);
  expect(String(await first.ended)).toContain("the disk is full");
  await slack.until(() => slack.sockets.waiting.size === 2);
  slack.write(anna, dm, "while no socket was open");
  const second = run(place.again().channel);
  expect(textsOf(await second.received(3))).toEqual(["two", "three", "while no socket was open"]);
  await slack.until(() => slack.sockets.open === 1);
  slack.sockets.retry();
  await slack.until(() => slack.sockets.waiting.size === 0);
  expect(second.messages).toHaveLength(3);
});

test("CH230 of a chat that nobody knew the first message is asked for again too", async () => {
  const place = await scene();
  const { slack, anna, dm } = place;
  const first = run(place.channel, () => Promise.reject(new Error("the disk is full")));
  await place.up();
  slack.write(anna, dm, "the first ever");
  await first.ended;
  const second = run(place.again().channel);
  expect(textsOf(await second.received(1))).toEqual(["the first ever"]);
});

test("CH231 a message that mentions us is told twice, and is one", async () => {
  const place = await scene();
  const { slack, anna } = place;
  const general = slack.channel("general", anna);
  const running = run(place.channel);
  await place.up();
  slack.write(anna, general, `<@${slack.me.id}> hello`);
  slack.write(anna, general, "and all");
  await running.received(2);
  await slack.until(() => slack.sockets.waiting.size === 0);
  expect(textsOf(running.messages)).toEqual(["@margay hello", "and all"]);
  expect(running.messages.map(({ key }) => key)).toEqual([
    expect.stringMatching(`^${general.id}:\\d+\\.\\d{6}$`),
    expect.any(String),
  ]);
});

test("CH232 after a gap: what was missed in chats, in known threads and in new ones, oldest first, once", async () => {
  const place = await scene();
  const { slack, anna, dm } = place;
  const general = slack.channel("general", anna);
  const first = run(place.channel);
  await place.up();
  slack.write(anna, dm, "known");
  const root = slack.write(anna, general, "a root");
  slack.write(anna, general, "in a known thread", { thread: root });
  await first.received(3);
  await slack.until(() => slack.sockets.waiting.size === 0);
  await first.stop();
  for (let count = 1; count <= 230; count++) slack.write(anna, dm, `missed ${count}`, { isUntold: true });
  slack.write(anna, general, "more in it", { thread: root, isUntold: true });
  const late = slack.write(anna, general, "another root", { isUntold: true });
  slack.write(anna, general, "below it", { thread: late, isUntold: true });
  const process = place.again();
  const second = run(process.channel);
  await second.received(203);
  slack.write(anna, dm, "live");
  const messages = await second.received(204);
  await slack.until(() => slack.sockets.waiting.size === 0);
  const inDm = textsOf(messages.filter(({ chat }) => chat === "private"));
  expect(inDm).toEqual([...Array.from({ length: 200 }, (_, count) => `missed ${count + 31}`), "live"]);
  const inGeneral = messages.filter(({ chat }) => chat === "group");
  expect(inGeneral.map(({ origin, parts }) => [textsOf([{ parts } as never])[0], origin.thread])).toEqual([
    ["more in it", root.ts],
    ["another root", undefined],
    ["below it", late.ts],
  ]);
  expect(process.host.told.events).toContainEqual({
    event: "channel.backfill-cut",
    data: { channel: "slack", chat: dm.id, messages: 200 },
  });
  await second.stop();
  const third = run(place.again().channel);
  slack.write(anna, dm, "the next", { isUntold: true });
  expect(textsOf(await third.received(1))).toEqual(["the next"]);
});

test("CH232 CH21 CH114 what comes live while a gap is asked for waits for it, and is not acknowledged before", async () => {
  const place = await scene();
  const { slack, anna, dm } = place;
  const first = run(place.channel);
  await place.up();
  slack.write(anna, dm, "known");
  await first.received(1);
  await slack.until(() => slack.sockets.waiting.size === 0);
  await first.stop();
  slack.write(anna, dm, "missed", { isUntold: true });
  slack.fault({ when: "conversations.history", how: "hang" });
  const process = place.again();
  const second = run(process.channel);
  await process.up();
  slack.write(anna, dm, "live");
  // Of a chat that nobody knew nothing was missed.
  slack.write(anna, slack.channel("general", anna), "elsewhere");
  expect(textsOf(await second.received(1))).toEqual(["elsewhere"]);
  await slack.until(() => slack.sockets.waiting.size === 1);
  await second.stop();
  const third = run(place.again().channel);
  expect(textsOf(await third.received(2))).toEqual(["missed", "live"]);
});

test("CH52 CH114 where somebody writes while much is asked for, that chat is asked next", async () => {
  const place = await scene();
  const { slack, anna } = place;
  const channels = Array.from({ length: 5 }, (_, count) => slack.channel(`c${count}`, anna));
  const first = run(place.channel);
  await place.up();
  for (const channel of channels) slack.write(anna, channel, "known");
  await first.received(5);
  await slack.until(() => slack.sockets.waiting.size === 0);
  await first.stop();
  for (const channel of channels) slack.write(anna, channel, "missed", { isUntold: true });
  const slow = { status: 429, body: { ok: false, error: "ratelimited" }, headers: { "retry-after": "1" } };
  slack.fault({ when: "conversations.history", how: slow });
  const process = place.again();
  const second = run(process.channel);
  await slack.until(() => slack.calls("conversations.history").length === 1);
  const [oldest] = channels;
  if (oldest !== undefined) slack.write(anna, oldest, "live");
  const messages = await second.received(6);
  // The newest was asked first; the oldest would have been the last.
  expect(messages.map(({ origin }) => origin.chat).slice(0, 2)).toEqual([channels[4]?.id, oldest?.id]);
  expect(textsOf(messages.filter(({ origin }) => origin.chat === oldest?.id))).toEqual(["missed", "live"]);
});

test("CH232 CH21 when the asking has failed nothing is noted over the gap, and all of it is asked for again", async () => {
  const place = await scene();
  const { slack, anna, dm } = place;
  const first = run(place.channel);
  await place.up();
  slack.write(anna, dm, "known");
  await first.received(1);
  await slack.until(() => slack.sockets.waiting.size === 0);
  await first.stop();
  slack.write(anna, dm, "missed", { isUntold: true });
  const slow = { status: 429, body: { ok: false, error: "ratelimited" }, headers: { "retry-after": "1" } };
  slack.fault({ when: "conversations.history", how: slow });
  slack.fault({ when: "conversations.history", how: { status: 500, body: "no" } });
  const process = place.again();
  const hold = Promise.withResolvers<typeof ACCEPTED>();
  const second = run(process.channel, () => hold.promise);
  await process.up();
  slack.write(anna, dm, "live");
  expect(await second.ended).toMatchObject({ kind: "again" });
  hold.resolve(ACCEPTED);
  const third = run(process.channel);
  expect(textsOf(await third.received(2))).toEqual(["missed", "live"]);
});

test("CH232 a chat that is gone is forgotten; looking back is paced, and waits where Slack says so", async () => {
  const place = await scene();
  const { slack, anna } = place;
  const channels = Array.from({ length: 7 }, (_, count) => slack.channel(`c${count}`, anna));
  const first = run(place.channel);
  await place.up();
  for (const channel of channels) slack.write(anna, channel, "hello");
  await first.received(7);
  await slack.until(() => slack.sockets.waiting.size === 0);
  await first.stop();
  const [gone] = channels;
  if (gone !== undefined) slack.kick(gone);
  for (const channel of channels) slack.write(anna, channel, "missed", { isUntold: true });
  slack.fault({
    when: "conversations.history",
    how: { status: 429, body: { ok: false, error: "ratelimited" }, headers: { "retry-after": "1" } },
  });
  const process = place.again();
  const second = run(process.channel);
  await second.received(6);
  await process.until(() => !JSON.stringify(process.host.state.cursor()).includes(gone?.id ?? "-"));
  const at = slack.calls("conversations.history").map((call) => call.at);
  expect(at).toHaveLength(8);
  // Five at once, then one each 1.2 seconds; the second one was told to wait for a second.
  expect((at[1] ?? 0) - (at[0] ?? 0)).toBeGreaterThanOrEqual(990);
  expect((at[7] ?? 0) - (at[6] ?? 0)).toBeGreaterThanOrEqual(1100);
});

test("CH133 when Slack wants another socket the next one is open before the last one is closed", async () => {
  const place = await scene();
  const { slack, anna, dm } = place;
  const running = run(place.channel);
  await place.up();
  const { sockets } = slack;
  for (const reason of ["warning", "refresh_requested"]) {
    sockets.disconnect(reason);
    slack.write(anna, dm, `told on either: ${reason}`);
    await slack.until(
      () => sockets.records.filter(({ what }) => what === "closed").length === (reason === "warning" ? 1 : 2),
    );
  }
  slack.write(anna, dm, "and here");
  await running.received(3);
  const opened = sockets.records.flatMap(({ what, socket }) =>
    what === "open" || what === "closed" ? [`${what} ${socket}`] : [],
  );
  const [one, two, three] = sockets.records.flatMap(({ what, socket }) => (what === "open" ? [socket] : []));
  expect(opened).toEqual([`open ${one}`, `open ${two}`, `closed ${one}`, `open ${three}`, `closed ${two}`]);
  expect(slack.calls("conversations.history")).toEqual([]);
});

test("CH133 the last socket closes before the next one is there: what came between is asked for", async () => {
  const place = await scene();
  const { slack, anna, dm } = place;
  const running = run(place.channel);
  await place.up();
  slack.write(anna, dm, "known");
  await running.received(1);
  await slack.until(() => slack.sockets.waiting.size === 0);
  slack.sockets.isMute = true;
  slack.sockets.disconnect("refresh_requested");
  await slack.until(() => slack.sockets.open === 2);
  slack.sockets.dropFirst();
  await slack.until(() => slack.sockets.open === 1);
  slack.write(anna, dm, "between", { isUntold: true });
  slack.sockets.raw("after the end of the first"); // which the channel knows of by then
  await place.until(() => place.host.told.dead.length === 1);
  slack.sockets.raw(JSON.stringify({ type: "hello" }));
  expect(textsOf(await running.received(2))).toEqual(["known", "between"]);
});

test("CH134 a ping of Slack is a sign of life", async () => {
  const place = await scene();
  run(place.channel);
  await place.up();
  const before = place.host.told.alive;
  place.slack.sockets.ping();
  await place.until(() => place.host.told.alive > before);
});

test("CH236 a socket that ends, one that Slack does not want, tokens that are wrong: each says what to do", async () => {
  const place = await scene();
  const { slack } = place;
  for (const [act, expected] of [
    [() => slack.sockets.drop(), { kind: "again" }],
    [
      () => slack.sockets.disconnect("link_disabled"),
      { kind: "config", message: expect.stringContaining("Socket Mode") },
    ],
    [() => slack.sockets.disconnect("too_many_websockets"), { kind: "again" }],
  ] as const) {
    const process = place.again();
    const running = run(process.channel);
    await process.up();
    act();
    expect(await running.ended).toMatchObject(expected);
  }
  slack.tokens.app = "xapp-another";
  expect(await run(place.again().channel).ended).toMatchObject({ kind: "auth" });
  slack.tokens.bot = undefined;
  expect(await run(place.again().channel).ended).toMatchObject({ kind: "auth", sent: "no" });
  const swapped = { ...place.settings, token: place.settings["appToken"] ?? "" };
  expect(() => plugin.create({ id: "slack", settings: swapped }, place.host)).toThrow(/xoxb-/);
});

test("CH59a CH171 probe says who we are and what the app may not do", async () => {
  const probe = async (scopes?: readonly string[]): Promise<unknown> => {
    const { settings, host } = await scene(scopes === undefined ? {} : { scopes });
    return failureOr(plugin.probe?.({ id: "slack", settings }, host, new AbortController().signal));
  };
  const { ALL_SCOPES } = await import("./emulator/slack.ts");
  expect(await probe()).toBe("margay (Zoo)");
  expect(await probe(ALL_SCOPES.filter((scope) => !scope.startsWith("files")))).toBe(
    "margay (Zoo), without files:read, files:write",
  );
  expect(await probe(["im:history"])).toMatchObject({ kind: "config", message: expect.stringContaining("chat:write") });
  const { settings, host, slack } = await scene();
  slack.tokens.app = undefined;
  expect(
    await failure(plugin.probe?.({ id: "slack", settings }, host, new AbortController().signal) ?? Promise.resolve()),
  ).toMatchObject({ kind: "auth" });
});

function failureOr(promise: Promise<string> | undefined): Promise<unknown> {
  return promise?.catch((error: unknown) => error) ?? Promise.resolve("there is no probe");
}

test("CH171 a socket that is said to be elsewhere, or in the clear, is not opened, and its ticket is told to nobody", async () => {
  for (const url of ["wss://slack.example.org/?ticket=a-ticket", "ws//?ticket=a-ticket"]) {
    const place = await scene();
    place.slack.fault({ when: "apps.connections.open", how: { status: 200, body: { ok: true, url } } });
    const error = await run(place.channel).ended;
    expect(error).toMatchObject({ kind: "again", message: expect.stringContaining("not safe") });
    expect(String(error)).not.toContain("a-ticket");
  }
});
