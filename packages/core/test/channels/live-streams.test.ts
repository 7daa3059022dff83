// A running answer on a platform that can show it without a message: it leaves nothing behind, and the reply is sent.
import { expect, test } from "vitest";
import type { ChannelCan } from "../../src/contract/channel.ts";
import { textOf } from "../../src/lib/text.ts";
import { createGate } from "../../src/testing/mock-llm/script.ts";
import type { startAgent } from "../support/agent.ts";
import { FIRST, LIVE, spoken, talk, type Talk } from "./live-talk.ts";

/** What the platform was told to show, in order. */
async function streaming(
  t: Parameters<typeof startAgent>[0],
  can: Partial<ChannelCan> = LIVE,
  where: "everywhere" | "nowhere" = "everywhere",
): Promise<Talk & { readonly told: readonly string[] }> {
  const told: string[] = [];
  const talked = await talk(t, {}, can, (recording) => ({
    ...recording,
    openStream: ({ parts }) => {
      if (where === "nowhere") return Promise.resolve(undefined);
      told.push(textOf(parts));
      return Promise.resolve({
        keepMs: 20_000,
        update: ({ parts: next }) => Promise.resolve(void told.push(textOf(next))),
      });
    },
  }));
  return { ...talked, told };
}

test("CH66 what the platform shows without a message is told as often as an edit, again before it would go, and the reply is sent", async (t) => {
  const { model, channel, told, say, hear, end, clock, records } = await streaming(t);
  const gates = [createGate(), createGate(), createGate()] as const;
  model.replies(spoken(gates[0], FIRST, gates[1], "Second. ", gates[2], "Last."));
  await say("go");
  await model.received(1);
  await hear(gates[0]);
  expect(told).toEqual([FIRST.trim()]);
  gates[1].release();
  await clock.advance(await clock.waitForSleep(1, 1200));
  expect(told).toEqual([FIRST.trim(), `${FIRST}Second.`]);
  await clock.advance(await clock.waitForSleep(10_000, 20_000));
  expect(told).toEqual([FIRST.trim(), `${FIRST}Second.`, `${FIRST}Second.`]);
  expect(channel.seen()).toEqual([]);
  await end(gates[2]);
  expect(channel.seen()).toEqual([`${FIRST}Second. Last.`]);
  expect(channel.sent.map(({ kind }) => kind)).toEqual(["reply"]);
  expect((await records("talk:1")).filter(({ type }) => type === "reply.live")).toEqual([]);
  await clock.advance(60_000);
  expect(told).toHaveLength(3);
  expect(clock.pending()).toEqual([]);
});

test("CH66 a chat in which it is not possible has a message that is edited, without a pause", async (t) => {
  const { model, channel, say, hear, end } = await streaming(t, LIVE, "nowhere");
  const [first, last] = [createGate(), createGate()];
  model.replies(spoken(first, FIRST, last, "Last."));
  await say("go");
  await model.received(1);
  await hear(first);
  expect(channel.seen()).toEqual([FIRST.trim()]);
  await end(last);
  expect(channel.sent).toHaveLength(1);
});

test("CH66 CH162 what is longer than a message: its finished part is one, the rest is shown below it", async (t) => {
  const { model, channel, told, say, hear, end, clock } = await streaming(t, {
    ...LIVE,
    text: { dialect: "plain", max: 60 },
  });
  const gates = [createGate(), createGate(), createGate()] as const;
  model.replies(spoken(gates[0], FIRST, gates[1], "The second one is about as long. ", gates[2], "End."));
  await say("go");
  await model.received(1);
  await hear(gates[0]);
  await hear(gates[1]);
  expect(channel.seen()).toEqual([FIRST.trim()]);
  await clock.advance(await clock.waitForSleep(1, 1200));
  expect(told).toEqual([FIRST.trim(), "The second one is about as long."]);
  await end(gates[2]);
  expect(channel.seen()).toEqual([FIRST.trim(), "The second one is about as long. End."]);
});

test("CH164 what was shown without a message when its turn is stopped stays, as one that says so", async (t) => {
  const { model, channel, say, hear, agent } = await streaming(t);
  const [first, never] = [createGate(), createGate()];
  model.replies(spoken(first, FIRST, never, "never said"));
  await say("go");
  await model.received(1);
  await hear(first);
  await say("/stop");
  await agent.idle();
  await expect.poll(() => channel.seen().find((text) => text.startsWith(FIRST.trim()))).toMatch(/enough\. \S/);
});

test("CH67 a process that ends while it is shown: nothing is left of it, and the reply is sent once", async (t) => {
  const { model, channel, say, hear, restart } = await streaming(t);
  const [first, never] = [createGate(), createGate()];
  model.replies(spoken(first, FIRST, never, "never said"), spoken("The whole answer, said anew."));
  await say("go");
  await model.received(1);
  await hear(first);
  const again = await restart({ channels: [channel] });
  await again.agent.resume();
  await model.received(2);
  await again.agent.idle();
  expect(channel.seen()).toEqual(["The whole answer, said anew."]);
});

test("CH66 CH48 while a program is young it does half of what it may: what is shown changes as soon as there is a place", async (t) => {
  const rate = { chat: { count: 5, perMs: 5000 } };
  const { model, told, say, hear, end, clock } = await streaming(t, { ...LIVE, rate });
  const gates = [createGate(), createGate(), createGate(), createGate()] as const;
  model.replies(spoken(gates[0], FIRST, gates[1], "Second. ", gates[2], "Third. ", gates[3], "Last."));
  await say("go");
  await model.received(1);
  await hear(gates[0]);
  const begun = clock.now();
  const changes: number[] = [];
  for (const gate of [gates[1], gates[2]]) {
    gate.release();
    const before = told.length;
    while (told.length === before) await clock.advance(await clock.waitForSleep(1, 1200));
    changes.push(clock.now() - begun);
  }
  expect(changes).toEqual([1200, 5000]);
  await end(gates[3]);
});
