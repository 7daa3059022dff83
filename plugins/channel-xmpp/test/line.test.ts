import { fakeClock } from "@margay/core/testing";
import { expect, test } from "vitest";
import { plugin } from "../src/index.ts";
import { ROOMS } from "./peer.ts";
import { BOT, hostIn, never, piece, settings, start, temporary, texts, xmppServer } from "./support.ts";

test.each([true, false])(
  "CH42 CH320 the line breaks while a reply leaves (it arrived: %s), the session is resumed: one is shown",
  async (passes) => {
    const server = await xmppServer();
    const anna = await server.person("anna");
    const running = start(server, temporary());
    await running.up();
    void server.proxy.breakAt({ says: "<body>answer", passes });
    await running.channel.send(piece("r1", anna.jid, "answer"), never());
    await anna.settled();
    expect(anna.seen.map(({ text }) => text)).toEqual(["answer"]);
  },
);

test.each([true, false])(
  "CH42 CH43 the line breaks while a reply leaves (it arrived: %s), then we end: one is shown",
  async (passes) => {
    const server = await xmppServer();
    const anna = await server.person("anna");
    const folder = temporary();
    const first = start(server, folder);
    await first.up();
    const since = Date.now();
    const broke = server.proxy.breakAt({ says: "<body>answer", passes });
    const sending = first.channel.send(piece("r1", anna.jid, "answer"), never());
    const failed = sending.catch((error: unknown) => error);
    await broke;
    server.proxy.closed = true;
    await first.stop();
    expect(await failed).toMatchObject({ kind: "again", sent: "maybe" });
    server.proxy.closed = false;
    const second = start(server, folder);
    await second.up();
    const again = { ...piece("r1", anna.jid, "answer"), repeated: true } as const;
    const found = await second.channel.findSent?.(again, since, never());
    expect(found?.status).toBe(passes ? "sent" : "not-sent");
    if (found?.status !== "sent") await second.channel.send(again, never());
    await anna.settled();
    expect(anna.seen.map(({ text, id }) => ({ text, id }))).toEqual([
      { text: "answer", id: expect.stringMatching(/^margay\./) },
    ]);
  },
);

test("CH320 a broken line is mended: nothing is lost, nothing is taken twice", async () => {
  const server = await xmppServer();
  const anna = await server.person("anna");
  const running = start(server, temporary());
  await running.up();
  await anna.write(BOT, "one");
  await running.received(1);
  server.proxy.cut();
  await anna.write(BOT, "two");
  await anna.write(BOT, "three");
  await running.received(3);
  await running.up(2);
  await anna.write(BOT, "four");
  await running.received(4);
  expect(texts(running)).toEqual(["one", "two", "three", "four"]);
});

test("CH7 nobody there, and a reply to no address, are gone; a refused one is refused", async () => {
  const server = await xmppServer();
  const anna = await server.person("anna");
  const running = start(server, temporary());
  await running.up();
  const send = (chat: string): Promise<unknown> => running.channel.send(piece("r1", chat, "x"), never());
  await expect(send("not an address")).rejects.toMatchObject({ kind: "gone", sent: "no" });
  await expect(send(`none@${ROOMS}`)).rejects.toMatchObject({ kind: "gone", sent: "no", answered: true });
  await anna.blocks(BOT, true);
  await expect(send(anna.jid)).rejects.toMatchObject({ kind: "refused", sent: "no", answered: true });
  await anna.blocks(BOT, false);
  await send(anna.jid);
});

test("CH49 CH137 a wrong password is auth, a server without encryption is told so and gets no login, and nobody there is tried again", async () => {
  const server = await xmppServer();
  const asked = start(server, temporary(), { more: { security: "starttls" } });
  expect(await Promise.race([asked.ended, asked.host.until(() => asked.host.told.up.length > 0)])).toMatchObject({
    kind: "config",
  });
  expect(server.proxy.said).not.toContain("<auth");
  expect(await start(server, temporary(), { more: { password: "no" } }).ended).toMatchObject({ kind: "auth" });
  expect(() => start(server, temporary(), { more: { host: "chat.test" } })).toThrow(/another machine/);
  const host = hostIn(temporary());
  const running = start(server, temporary());
  await running.up();
  // Beside the channel that runs: it is not thrown out.
  expect(await plugin.probe?.({ id: "xmpp", settings: settings(server) }, host, never())).toBe(BOT);
  await running.channel.send(piece("r1", "anna@chat.test", "x"), never());
  await running.stop();
  await server.stop();
  expect(await start(server, temporary()).ended).toMatchObject({ kind: "again", sent: "no" });
});

test("CH60 the server restarts: it is run again, and what was written meanwhile is taken", async () => {
  const server = await xmppServer();
  const folder = temporary();
  const first = start(server, folder);
  await first.up();
  await server.kill();
  expect(await first.ended).toMatchObject({ kind: "again" });
  await server.start();
  const anna = await server.person("anna");
  await anna.write(BOT, "are you there");
  await anna.settled();
  const second = start(server, folder);
  await second.received(1);
  expect(texts(second)).toEqual(["are you there"]);
});

test("CH56 a server that stands still gives no sign of life, and a reply may have left", async () => {
  const server = await xmppServer();
  const anna = await server.person("anna");
  const clock = fakeClock(Date.now());
  const running = start(server, temporary(), { clock });
  await running.up();
  await running.channel.send(piece("r1", anna.jid, "before"), never());
  server.freeze();
  const { alive } = running.host.told;
  const sending = running.channel.send(piece("r2", anna.jid, "x"), never());
  const failed = sending.catch((error: unknown) => error);
  await clock.advance(10_000);
  expect(await failed).toMatchObject({ kind: "again", sent: "maybe" });
  expect(running.host.told.alive).toBe(alive);
  // It is not sent later, behind the back of whoever looks for it.
  expect(await running.ended).toMatchObject({ kind: "again" });
});
