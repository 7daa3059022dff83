// The draft of a running answer: where there is one, and where Telegram takes none.
import { expect, test } from "vitest";
import { allTaken, failure, never, outbound, place, run } from "./support.ts";

const DRAFT = "sendMessageDraft";
const refused = (code: number, description: string) =>
  ({ status: code, body: { ok: false, error_code: code, description } }) as const;

test("CH206 a draft is shown anew in its place, with its markup and its button; its key is its number", async () => {
  const { telegram, chat, channel } = await place();
  const rendered = (text: string, plain: string) => ({ ...outbound(chat.id, plain), rendered: { text, plain } });
  const stream = await channel.openStream?.(rendered("<b>one</b>", "one"), never);
  await stream?.update(rendered("<b>one</b> two", "one two"), never);
  expect([...telegram.drafts(chat).values()]).toMatchObject([{ text: "one two", canStop: true }]);
  expect(stream?.keepMs).toBeLessThan(30_000);
  await channel.openStream?.({ ...outbound(chat.id, "another"), reply: "another" }, never);
  expect(telegram.drafts(chat).size).toBe(2);
});

test("CH206 none in a group, when they are switched off, and of a Bot API server that does not know them", async () => {
  const { telegram, anna, chat, channel, again } = await place();
  const group = telegram.group("Trip", [anna]);
  expect(await channel.openStream?.(outbound(group.id, "text"), never)).toBeUndefined();
  expect(await again({ drafts: false }).channel.openStream?.(outbound(chat.id, "text"), never)).toBeUndefined();
  telegram.fault({ when: DRAFT, how: refused(400, "Bad Request: TEXTDRAFT_PEER_INVALID") });
  expect(await channel.openStream?.(outbound(chat.id, "text"), never)).toBeUndefined();
  expect(await channel.openStream?.(outbound(chat.id, "text"), never)).toBeDefined();
  telegram.fault({ when: DRAFT, how: refused(404, "Not Found: method not found") });
  expect(await channel.openStream?.(outbound(chat.id, "text"), never)).toBeUndefined();
  const before = telegram.requests.filter(({ method }) => method === DRAFT).length;
  expect(await channel.openStream?.(outbound(chat.id, "text"), never)).toBeUndefined();
  expect(telegram.requests.filter(({ method }) => method === DRAFT)).toHaveLength(before);
});

test("CH206 CH45 a draft that comes too soon says how long to wait", async () => {
  const { telegram, chat, channel } = await place();
  const stream = await channel.openStream?.(outbound(chat.id, "text"), never);
  if (stream === undefined) throw new Error("no draft");
  telegram.flood(7, chat.id);
  expect(await failure(stream.update(outbound(chat.id, "more"), never))).toMatchObject({
    kind: "slow-down",
    retryAfterMs: 7000,
  });
});

test("CH206 the button is a stop of whoever the chat is with, and of the newest draft there alone", async () => {
  const scene = await place();
  const { telegram, anna, chat, channel } = scene;
  for (const reply of ["old", "new"]) await channel.openStream?.({ ...outbound(chat.id, reply), reply }, never);
  const [old = 0, newest = 0] = telegram.drafts(chat).keys();
  const running = run(channel);
  await telegram.until(() => telegram.isPolling());
  telegram.stopDraft(chat, old);
  await allTaken(scene);
  telegram.stopDraft(chat, newest);
  expect(await running.received(1)).toMatchObject([
    {
      key: `stop:${chat.id}:${newest}`,
      origin: { channel: "telegram", chat: String(chat.id) },
      from: { id: String(anna.id), kind: "person" },
      control: { type: "stop", withdraw: false },
    },
  ]);
  await running.stop();
});

test("CH206 an edit that changes nothing is no error", async () => {
  const { telegram, chat, channel } = await place();
  const id = (await channel.send(outbound(chat.id, "text"), never)) ?? "";
  await channel.edit?.(id, outbound(chat.id, "text"), never);
  expect(telegram.shown(chat).map(({ text }) => text)).toEqual(["text"]);
});
