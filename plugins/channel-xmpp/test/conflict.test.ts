// Two programs with one account.
import { expect, test } from "vitest";
import { BOT, hostIn, start, temporary, texts, xmppServer } from "./support.ts";

test("CH139 CH320 two programs with an account of their own state are both there; each reads what is written", async () => {
  const server = await xmppServer();
  const anna = await server.person("anna");
  const [first, second] = [start(server, temporary()), start(server, temporary())];
  await Promise.all([first.up(), second.up()]);
  await anna.write(BOT, "one");
  await Promise.all([first.received(1), second.received(1)]);
  expect([texts(first), texts(second)]).toEqual([["one"], ["one"]]);
});

test("CH139 CH320 with a copy of the state the later one holds the account; the earlier one says so, and takes nothing back", async () => {
  const server = await xmppServer();
  const folder = temporary();
  const copy = temporary();
  const anna = await server.person("anna");
  const first = start(server, folder);
  await first.up();
  await hostIn(copy).state.setValue("resource", first.host.state.value("resource"));
  const second = start(server, copy);
  await second.up();
  expect(await first.ended).toMatchObject({ kind: "config", message: expect.stringContaining("Another program") });
  await anna.write(BOT, "one");
  await second.received(1);
  expect(texts(first)).toEqual([]);
});
