// What margay sends, as people see it: once, calling nobody, and what Discord says when it does not want it.
import { expect, test } from "vitest";
import { nonceOf } from "../src/send.ts";
import { failure, never, outbound, scene, SENDING } from "./support.ts";

test("CH223 nobody is called, no link grows, and the nonce is of the piece", async () => {
  const { discord, anna, dm, channel } = await scene();
  const id = await channel.send(outbound(dm, `<@${anna.id}> @everyone https://a.example`, { reply: "r1" }), never);
  expect(discord.shown(dm)).toMatchObject([{ id, calls: [], flags: 4, own: true }]);
  const [sent] = discord.requests.filter(({ route }) => route === SENDING);
  expect(sent?.body).toMatchObject({
    allowed_mentions: { parse: [] },
    enforce_nonce: true,
    nonce: nonceOf("r1"),
    flags: 4,
  });
  expect(nonceOf("r1")).toMatch(/^[\w-]{25}$/);
});

test("CH99 what is to make no sound makes none; anything else does", async () => {
  const { discord, dm, channel } = await scene();
  await channel.send(outbound(dm, "aloud"), never);
  await channel.send({ ...outbound(dm, "hush"), silent: true }, never);
  expect(discord.shown(dm)).toMatchObject([
    { text: "aloud", flags: 4 },
    { text: "hush", flags: 4100 },
  ]);
});

test.each(["close-after-taking", "close-half-answer"] as const)(
  "CH223 CH42 an answer that is lost (%s): the piece may have left, and again it is one message",
  async (how) => {
    const { discord, dm, channel } = await scene();
    discord.fault({ when: SENDING, how });
    expect(await failure(channel.send(outbound(dm, "once"), never))).toMatchObject({ kind: "again", sent: "maybe" });
    await channel.send({ ...outbound(dm, "once"), repeated: true }, never);
    expect(discord.shown(dm).map(({ text }) => text)).toEqual(["once"]);
  },
);

test("CH57 a request that nobody answers ends when it is told to", async () => {
  const { discord, dm, channel } = await scene();
  discord.fault({ when: SENDING, how: "hang-after-taking" });
  const over = new AbortController();
  const sending = failure(channel.send(outbound(dm, "once"), over.signal));
  await discord.until(() => discord.shown(dm).length === 1);
  over.abort(new Error("stop"));
  expect(await sending).toBe(over.signal.reason);
});

test("CH228 429: of a channel for the chat, of all for the channel; nothing is asked before its time", async () => {
  const { discord, dm, channel } = await scene();
  const other = discord.dm(discord.person("Ben"));
  const sends = (): number => discord.requests.filter(({ route }) => route === SENDING).length;
  discord.flood(60, dm);
  expect(await failure(channel.send(outbound(dm, "a"), never))).toMatchObject({
    kind: "slow-down",
    scope: "chat",
    sent: "no",
    retryAfterMs: expect.closeTo(60_000, -3),
  });
  expect(await failure(channel.send(outbound(dm, "a"), never))).toMatchObject({ kind: "slow-down", scope: "chat" });
  expect(sends()).toBe(1);
  await channel.send(outbound(other, "b"), never);
  discord.flood(30);
  expect(await failure(channel.send(outbound(other, "c"), never))).toMatchObject({
    kind: "slow-down",
    scope: "channel",
    retryAfterMs: expect.closeTo(30_000, -3),
  });
  expect(await failure(channel.send(outbound(other, "c"), never))).toMatchObject({ scope: "channel" });
  expect(sends()).toBe(3);
});

test("CH228 a bucket that is used up is not asked any more", async () => {
  const { discord, dm, channel } = await scene({ limits: "real" });
  for (let count = 0; count < 5; count++) await channel.send(outbound(dm, String(count)), never);
  const refused = await failure(channel.send(outbound(dm, "6"), never));
  expect(refused).toMatchObject({ kind: "slow-down", scope: "chat", sent: "no" });
  expect(discord.requests.filter(({ answer }) => answer?.status === 429)).toEqual([]);
});

test("CH228 what Discord refuses: gone, refused, auth, again, each with what may have left", async () => {
  const { discord, anna, dm, channel } = await scene();
  const guild = discord.guild("Club", anna);
  const [closed, hidden] = [discord.channel(guild, "closed"), discord.channel(guild, "hidden")];
  discord.deny(closed, "send");
  discord.deny(hidden, "view");
  const ben = discord.person("Ben");
  discord.shut(ben);
  const gone = { kind: "gone", sent: "no", answered: true };
  for (const chat of [closed, hidden, discord.dm(ben), { id: "999999999999999999" }])
    expect(await failure(channel.send(outbound(chat, "x"), never))).toMatchObject(gone);
  expect(await failure(channel.send(outbound({ id: "anna" }, "x"), never))).toMatchObject({ kind: "gone" });
  const refused = { kind: "refused", sent: "no", answered: true };
  expect(await failure(channel.send(outbound(dm, "x".repeat(2001)), never))).toMatchObject(refused);
  discord.fault({ when: SENDING, how: { status: 502, body: "<html>" } });
  expect(await failure(channel.send(outbound(dm, "x"), never))).toMatchObject({ kind: "again", sent: "maybe" });
  discord.fault({ when: SENDING, how: "garbage" });
  expect(await failure(channel.send(outbound(dm, "x"), never))).toMatchObject({ kind: "again", sent: "maybe" });
  discord.revoke();
  expect(await failure(channel.send(outbound(dm, "x"), never))).toMatchObject({ kind: "auth", sent: "no" });
  // Nobody listens there.
  const off = await scene();
  await off.discord[Symbol.asyncDispose]();
  expect(await failure(off.channel.send(outbound(dm, "x"), never))).toMatchObject({ kind: "again", sent: "no" });
});

test("CH223 files go with the text, at most ten in a message, and again they are the same messages", async () => {
  const { discord, dm, channel, host } = await scene();
  const media = await Promise.all(
    Array.from({ length: 12 }, (_, count) =>
      host.media.save(Buffer.from(`file ${count}`), { name: `f${count}.txt`, mediaType: "text/plain" }),
    ),
  );
  const piece = outbound(dm, "here", { parts: [{ type: "text", text: "here" }, ...media] });
  await channel.send(piece, never);
  await channel.send({ ...piece, repeated: true }, never);
  const shown = discord.shown(dm);
  expect(shown.map(({ text, files }) => [text, files.length])).toEqual([
    ["here", 10],
    ["", 2],
  ]);
  expect(String(discord.bytes(shown[1]?.files[1] ?? ""))).toBe("file 11");
});

test("CH228 typing is shown, and what goes wrong with it is nobody's trouble", async () => {
  const { discord, dm, channel } = await scene();
  await channel.typing?.({ channel: "discord", chat: dm.id }, never);
  await channel.typing?.({ channel: "discord", chat: "999999999999999999" }, never);
  expect(discord.typing).toEqual([dm.id]);
});

test("CH69 a reaction of ours: put and taken away, and of what is gone nothing is said", async () => {
  const { discord, anna, dm, channel } = await scene();
  const asked = discord.write(anna, dm, "why?");
  const to = { channel: "discord", chat: dm.id };
  const react = (emoji: string, isOn = true, of = asked.id): Promise<void> =>
    channel.react?.(of, emoji, isOn, to, never) ?? Promise.reject(new Error("it cannot"));
  await react("\u23f3");
  expect(discord.reactions).toEqual([{ message: asked.id, emoji: "\u23f3" }]);
  await react("\u23f3", false);
  await react("\u{1f389}", false);
  expect(discord.reactions).toEqual([]);
  await react("\u{1f525}");
  discord.delete(asked);
  await react("\u{1f525}", false);
  await react("\u{1f44d}");
  await react("\u{1f440}", true, "a-command");
  expect(await failure(react("no emoji", true, discord.write(anna, dm, "and now?").id))).toMatchObject({
    kind: "refused",
    sent: "no",
  });
});

test("CH75 an answer shows what it answers; a message that is gone, and a bot that may not read what was before, cost nothing", async () => {
  const { discord, anna, dm, channel } = await scene();
  const asked = discord.write(anna, dm, "why?");
  await channel.send(outbound(dm, "because", { reply: "r1", quote: asked.id }), never);
  const gone = discord.write(anna, dm, "never mind");
  discord.delete(gone);
  await channel.send(outbound(dm, "all right", { reply: "r2", quote: gone.id }), never);
  const body = { message: "Cannot reply without permission to read message history", code: 160_002 };
  discord.fault({ when: SENDING, how: { status: 400, body } });
  await channel.send(outbound(dm, "again", { reply: "r3", quote: asked.id }), never);
  await channel.send(outbound(dm, "pressed", { reply: "r4", quote: "of no message" }), never);
  expect(discord.shown(dm).flatMap(({ own, text, replyTo }) => (own ? [[text, replyTo]] : []))).toEqual([
    ["because", asked.id],
    ["all right", undefined],
    ["again", undefined],
    ["pressed", undefined],
  ]);
});
