// A running answer in a card of CardKit: written letter by letter, closed by the reply, the same after the end of a process.
import { expect, test } from "vitest";
import { card, failure, never, type Scene, scene, SENDING } from "./support.ts";

const CREATING = "POST /cardkit/v1/cards";
const WRITING = "PUT /cardkit/v1/cards/:card/elements/:element/content";
const UPDATING = "PUT /cardkit/v1/cards/:card";
const CLOSING = "PATCH /cardkit/v1/cards/:card/settings";
const EDITING = "PATCH /im/v1/messages/:id";

const live = (dm: Scene["dm"], text: string, reply = "turn:live-1") => card(dm, text, { reply, live: true });

test("CH245 CH66 a running answer is a card that is made once, written with rising numbers, and closed by the reply", async () => {
  const { feishu, dm, channel } = await scene();
  const id = (await channel.send(live(dm, "**one**"), never)) ?? "";
  for (const text of ["**one** two", "**one** two three"]) await channel.edit?.(id, live(dm, text), never);
  expect(feishu.shown(dm)).toMatchObject([{ id, text: "**one** two three" }]);
  const [made] = feishu.world.cards.values();
  expect(made?.streamsUntil).toBeGreaterThan(Date.now());
  await channel.edit?.(id, card(dm, "**one** two three four", { reply: "turn:reply" }), never);
  expect(feishu.shown(dm)).toMatchObject([{ id, text: "**one** two three four" }]);
  expect(made?.streamsUntil).toBe(0);
  const actions = [{ token: "t", label: "Allow", style: "allow" }] as const;
  await channel.edit?.(id, card(dm, "and later", { actions }), never);
  expect(feishu.shown(dm)).toMatchObject([{ id, text: "and later", buttons: [{ label: "Allow" }] }]);
  const sequences = feishu.requests.flatMap(({ body }) =>
    body["sequence"] === undefined ? [] : [Number(body["sequence"])],
  );
  expect(sequences).toHaveLength(5);
  expect(sequences.every((sequence, index) => sequence > (sequences[index - 1] ?? 0))).toBe(true);
  expect([CREATING, SENDING, WRITING, CLOSING, UPDATING, EDITING].map((route) => feishu.asked(route).length)).toEqual([
    1, 1, 2, 1, 2, 0,
  ]);
});

test("CH245 an app without the permission edits its message, and asks for a card once", async () => {
  const { feishu, dm, channel } = await scene();
  feishu.world.scopes.delete("cardkit:card:write");
  for (const reply of ["turn:live-1", "turn:live-2"]) {
    const id = (await channel.send(live(dm, "half", reply), never)) ?? "";
    await channel.edit?.(id, live(dm, "half and more"), never);
    await channel.edit?.(id, card(dm, "whole"), never);
  }
  expect(feishu.shown(dm).map(({ type, text, edits }) => [type, text, edits])).toEqual([
    ["interactive", "whole", 2],
    ["interactive", "whole", 2],
  ]);
  expect(feishu.asked(CREATING)).toHaveLength(1);
});

test("CH245 a card that Feishu has closed, after ten minutes, is changed as a whole from then on", async () => {
  let later = 0;
  const { feishu, dm, channel, time } = await scene({ now: () => Date.now() + later });
  const id = (await channel.send(live(dm, "one"), never)) ?? "";
  later = 601_000;
  time.shift = 601_000;
  for (const text of ["one two", "one two three"]) await channel.edit?.(id, live(dm, text), never);
  expect(feishu.shown(dm)).toMatchObject([{ id, text: "one two three" }]);
  await channel.edit?.(id, card(dm, "the end"), never);
  expect(feishu.shown(dm)).toMatchObject([{ id, text: "the end" }]);
  expect([WRITING, UPDATING, CLOSING].map((route) => feishu.asked(route).length)).toEqual([1, 3, 0]);
});

test("CH245 CH67 another process knows the card of a message, and its numbers are higher", async () => {
  const { feishu, dm, channel, time, again } = await scene();
  const id = (await channel.send(live(dm, "one"), never)) ?? "";
  for (let count = 0; count < 5; count++) await channel.edit?.(id, live(dm, `one ${count}`), never);
  time.shift = 2000; // a start takes longer
  const next = again();
  await next.channel.edit?.(id, card(dm, "the answer"), never);
  expect(feishu.shown(dm)).toMatchObject([{ id, text: "the answer" }]);
  expect(feishu.asked(EDITING)).toEqual([]);
});

test("CH245 CH242 CH67 a process that ends while the card is sent: the same key is the same message and the same card", async () => {
  const { feishu, dm, channel, again, time } = await scene();
  feishu.fault(SENDING, "close-after-taking");
  expect(await failure(channel.send(live(dm, "half"), never))).toMatchObject({ sent: "maybe" });
  time.shift = 2000;
  const next = again();
  const id = (await next.channel.send({ ...live(dm, "the answer"), repeated: true }, never)) ?? "";
  await next.channel.edit?.(id, card(dm, "the answer"), never);
  expect(feishu.shown(dm)).toMatchObject([{ id, text: "the answer" }]);
  expect(feishu.asked(CREATING)).toHaveLength(1);
});

test("CH245 what CardKit does not take is taken of the message; what it takes later waits", async () => {
  const { feishu, dm, channel } = await scene();
  const id = (await channel.send(live(dm, "half"), never)) ?? "";
  feishu.fault(UPDATING, { status: 400, body: { code: 300_317, msg: "sequence number compare failed" } });
  await channel.edit?.(id, card(dm, "whole"), never);
  expect(feishu.shown(dm)).toMatchObject([{ id, text: "whole" }]);
  feishu.fault(UPDATING, { status: 429, body: { code: 99_991_400, msg: "request trigger frequency limit" } });
  expect(await failure(channel.edit?.(id, card(dm, "later"), never) ?? Promise.resolve())).toMatchObject({
    kind: "slow-down",
  });
  expect(feishu.shown(dm)).toMatchObject([{ id, text: "whole" }]);
});
