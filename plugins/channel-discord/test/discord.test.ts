// The channel against a strict Discord: what is read, in which order, and what is behind us when.
import { expect, test } from "vitest";
import { plugin } from "../src/index.ts";
import { ACCEPTED, failure, run, scene, textsOf, type Scene } from "./support.ts";

function resumes({ discord }: Scene): readonly unknown[] {
  return discord.gateway.records.flatMap(({ what, data }) =>
    what === "resume" ? [(data as { readonly seq: number }).seq] : [],
  );
}

test("CH220 a stop leaves the session to be taken up behind what was accepted", async () => {
  const place = await scene();
  const { discord, anna, dm, host } = place;
  const first = run(place.channel);
  await place.settled();
  discord.write(anna, dm, "one");
  discord.write(anna, dm, "two");
  await first.received(2);
  await place.settled();
  const { gateway } = discord;
  const seq = gateway.seq();
  expect(host.state.cursor()).toMatchObject({ session: "session-1", seq, resumeUrl: expect.stringMatching(/resume$/) });
  await first.stop();
  await discord.until(() => gateway.records.some(({ what, code }) => what === "closed" && code === 4000));
  discord.write(anna, dm, "three");
  const second = run(place.again().channel);
  expect(textsOf(await second.received(1))).toEqual(["three"]);
  expect([resumes(place), gateway.identifiesLeft()]).toEqual([[seq], 999]);
});

test("CH220 CH20 what came and was not accepted comes again, and what was behind it too", async () => {
  const place = await scene();
  const { discord, anna, dm } = place;
  const first = run(place.channel, (_message, number) =>
    number === 2 ? Promise.reject(new Error("the disk is full")) : ACCEPTED,
  );
  await place.settled();
  for (const text of ["one", "two", "three"]) discord.write(anna, dm, text);
  expect(String(await first.ended)).toContain("the disk is full");
  const second = run(place.again().channel);
  expect(textsOf(await second.received(2))).toEqual(["two", "three"]);
});

test("CH220 CH21 dispatches out of their order do not carry the cursor over what was not accepted", async () => {
  const place = await scene();
  const { discord, anna, dm } = place;
  const first = run(place.channel, ({ parts }) =>
    JSON.stringify(parts).includes("one") ? Promise.reject(new Error("the disk is full")) : ACCEPTED,
  );
  await place.settled();
  discord.gateway.reorder(2);
  discord.write(anna, dm, "one");
  discord.write(anna, dm, "two");
  await first.ended;
  expect(textsOf(first.messages)).toEqual(["two", "one"]);
  const second = run(place.again().channel);
  expect(textsOf(await second.received(1))).toContain("one");
});

test("CH221 a session that is lost: what was missed is asked for, once, oldest first", async () => {
  const place = await scene();
  const { discord, anna, dm } = place;
  const general = discord.channel(discord.guild("Club", anna), "general");
  const first = run(place.channel);
  await place.settled();
  discord.write(anna, dm, "known");
  discord.write(anna, general, "known too");
  await first.received(2);
  await place.settled();
  await first.stop();
  discord.gateway.expire();
  for (let count = 1; count <= 150; count++) discord.write(anna, dm, `missed ${count}`);
  discord.write(anna, general, "said in the club");
  // The resume is refused, the next connection begins anew.
  const refused = run(place.again().channel);
  expect(await refused.ended).toMatchObject({ kind: "again" });
  const process = place.again();
  const second = run(process.channel);
  await second.received(151);
  await process.settled();
  discord.write(anna, dm, "live");
  const messages = await second.received(152);
  const inDm = messages.filter(({ chat }) => chat === "private");
  expect(textsOf(inDm)).toEqual([...Array.from({ length: 150 }, (_, count) => `missed ${count + 1}`), "live"]);
  expect(messages.filter(({ chat }) => chat === "group").map(({ origin }) => origin.chat)).toEqual([general.id]);
});

test("CH221 who ends while asking for what was missed asks again", async () => {
  const place = await scene();
  const { discord, anna, dm } = place;
  const first = run(place.channel);
  await place.settled();
  discord.write(anna, dm, "known");
  await first.received(1);
  await place.settled();
  await first.stop();
  discord.gateway.expire();
  for (const text of ["a", "b", "c"]) discord.write(anna, dm, text);
  await run(place.again().channel).ended;
  const second = run(place.again().channel, (_message, number) =>
    number === 2 ? Promise.reject(new Error("the disk is full")) : ACCEPTED,
  );
  await second.ended;
  const third = run(place.again().channel);
  await third.received(2);
  expect([textsOf(second.messages), textsOf(third.messages)]).toEqual([
    ["a", "b"],
    ["b", "c"],
  ]);
});

test("CH221 CH52 of a channel the newest 200 messages of a day are asked for; one that is gone is forgotten", async () => {
  const place = await scene();
  const { discord, anna, dm } = place;
  const guild = discord.guild("Club", anna);
  const general = discord.channel(guild, "general");
  const first = run(place.channel);
  await place.settled();
  const old = Date.now() - 9 * 86_400_000;
  discord.write(anna, dm, "long ago", { at: old });
  discord.write(anna, general, "known");
  await first.received(2);
  await place.settled();
  await first.stop();
  discord.gateway.expire();
  discord.write(anna, dm, "yesterday", { at: Date.now() - 86_500_000 });
  for (let count = 1; count <= 220; count++) discord.write(anna, dm, String(count));
  discord.kick(guild);
  await run(place.again().channel).ended;
  const process = place.again();
  const second = run(process.channel);
  await process.settled();
  expect(textsOf(second.messages)).toEqual(Array.from({ length: 200 }, (_, count) => String(count + 21)));
  expect(process.host.told.events).toContainEqual({
    event: "channel.backfill-cut",
    data: { channel: "discord", chat: dm.id, messages: 200 },
  });
  expect(JSON.stringify(process.host.state.value("chats"))).not.toContain(general.id);
});

test("CH221 a session that was alone for long is taken up, and what it has lost is asked for", async () => {
  const place = await scene();
  const { discord, anna, dm, host } = place;
  const first = run(place.channel);
  await place.settled();
  discord.write(anna, dm, "known");
  await first.received(1);
  await place.settled();
  await first.stop();
  discord.write(anna, dm, "lost");
  discord.gateway.lose(1);
  discord.write(anna, dm, "kept");
  await host.state.setCursor({ ...(host.state.cursor() as object), at: Date.now() - 60_000 });
  const process = place.again();
  const second = run(process.channel);
  await second.received(2);
  await process.settled();
  expect(textsOf(second.messages)).toEqual(["kept", "lost"]);
  expect(discord.gateway.identifiesLeft()).toBe(999);
});

test("CH222 a wrong token, and an intent that is not switched on, say what to do", async () => {
  const revoked = await scene();
  const first = run(revoked.channel);
  await revoked.settled();
  await first.stop();
  revoked.discord.revoke();
  expect(await run(revoked.again().channel).ended).toMatchObject({ kind: "auth" });
  const closed = await scene({ messageContent: false });
  expect(await run(closed.channel).ended).toMatchObject({
    kind: "config",
    message: expect.stringContaining("MESSAGE CONTENT INTENT"),
  });
  const odd = await scene();
  const third = run(odd.channel);
  await odd.settled();
  odd.discord.gateway.close(4013);
  expect(await third.ended).toMatchObject({ kind: "config", message: expect.stringContaining("messageContent") });
});

test("CH222 a connection that is dropped, closed or half open ends as one to be made again, and is taken up", async () => {
  const place = await scene({ heartbeatMs: 100 });
  const { discord, anna, dm } = place;
  const { gateway } = discord;
  for (const [text, cut] of [
    ["dropped", () => gateway.drop()],
    ["closed", () => gateway.close(4000)],
    ["half open", () => gateway.halfOpen()],
    ["op 9", () => gateway.invalidate(true)],
  ] as const) {
    const process = place.again();
    const running = run(process.channel);
    await process.settled();
    cut();
    expect(await running.ended).toMatchObject({ kind: "again" });
    discord.write(anna, dm, text);
    const next = place.again();
    const after = run(next.channel);
    expect(textsOf(await after.received(1))).toEqual([text]);
    await next.settled();
    await after.stop();
  }
  expect(gateway.identifiesLeft()).toBe(999);
});

test("CH222 when Discord asks for another connection it is made at once", async () => {
  const place = await scene();
  const { discord, anna, dm } = place;
  const running = run(place.channel);
  await place.settled();
  discord.gateway.reconnect();
  await discord.until(() => resumes(place).length === 1);
  discord.write(anna, dm, "here I am");
  expect(textsOf(await running.received(1))).toEqual(["here I am"]);
});

test("CH222 a session of which Discord says that it is over is begun anew", async () => {
  const place = await scene();
  const running = run(place.channel);
  await place.settled();
  place.discord.gateway.close(4009);
  expect(await running.ended).toMatchObject({ kind: "again" });
  const process = place.again();
  run(process.channel);
  await process.settled();
  expect([resumes(place), place.discord.gateway.identifiesLeft()]).toEqual([[], 998]);
});

test("CH59a probe says who we are, or what is wrong", async () => {
  const { discord, host } = await scene();
  const settings = { token: discord.token, baseUrl: discord.url };
  const probe = (): Promise<string> => {
    if (plugin.probe === undefined) throw new Error("there is no probe");
    return plugin.probe({ id: "discord", settings }, host, new AbortController().signal);
  };
  expect(await probe()).toBe("margay");
  discord.revoke();
  expect(await failure(probe())).toMatchObject({ kind: "auth" });
});

test("CH220 where the address is https the token goes to no gateway in the clear, also one that an earlier session named", async () => {
  const { discord, host, again } = await scene();
  const { port } = new URL(discord.url);
  const resumeUrl = `ws://127.0.0.1:${port}/resume`;
  await host.state.setCursor({ session: "s", resumeUrl, me: "1", name: "", seq: 1, at: Date.now() });
  const settings = { token: discord.token, baseUrl: `https://127.0.0.1:${port}` };
  const channel = plugin.create({ id: "discord", settings }, again().host);
  expect(await run(channel).ended).toMatchObject({ kind: "again", message: expect.stringContaining("not safe") });
});
