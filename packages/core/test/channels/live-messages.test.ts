// A running answer that fills more than one message, that starts again, or whose process ends while it is shown.
import { describe, expect, onTestFinished, test } from "vitest";
import type { Channel, ChannelCan, OutboundPiece } from "../../src/contract/channel.ts";
import type { Policy } from "../../src/contract/policy.ts";
import type { RecordingChannel } from "../../src/internal-testing.ts";
import { withWatchdog } from "../../src/model/watchdog.ts";
import { callsTool, fakeClock, startMockModel } from "../../src/testing.ts";
import { createGate, type Gate } from "../../src/testing/mock-llm/script.ts";
import { tool } from "../support/agent.ts";
import { chatProvider } from "../support/wires.ts";
import { FIRST, LIVE, spoken, talk } from "./live-talk.ts";

const SHORT = { ...LIVE, text: { dialect: "plain", max: 60 } } as const;
const SECOND = "The second one is about as long as that. ";

/** A platform that knows what it was sent by its key, over the end of a process. */
function knowing(recording: RecordingChannel, once: "key" | "lookup", known = new Map<string, string>()): Channel {
  const send = async (piece: OutboundPiece, signal: AbortSignal): Promise<string | undefined> => {
    const before = once === "key" ? known.get(piece.reply) : undefined;
    const id = before ?? (await recording.send(piece, signal));
    if (id !== undefined) known.set(piece.reply, id);
    return id;
  };
  return {
    ...recording,
    can: { ...recording.can, once },
    send,
    ...(once === "lookup" && {
      findSent: ({ reply }) => {
        const id = known.get(reply);
        return Promise.resolve(id === undefined ? { status: "not-sent" } : { status: "sent", id });
      },
    }),
  };
}

test("CH66 CH162 what does not fit into one message goes on in another one: the first is finished and left alone, the reply takes the place of both", async (t) => {
  const { model, channel, say, hear, end, clock, records } = await talk(t, {}, SHORT);
  const gates = [createGate(), createGate(), createGate(), createGate()] as const;
  model.replies(spoken(gates[0], FIRST, gates[1], SECOND, gates[2], "It goes on. ", gates[3], "End."));
  await say("go");
  await model.received(1);
  await hear(gates[0]);
  expect(channel.seen()).toEqual([FIRST.trim()]);
  await hear(gates[1]);
  await expect.poll(() => channel.seen()).toEqual([FIRST.trim(), SECOND.trim()]);
  await hear(gates[2]);
  await expect.poll(() => channel.seen()).toEqual([FIRST.trim(), `${SECOND}It goes on.`]);
  expect(new Set(channel.edits.map(({ platformId }) => platformId))).toEqual(new Set(["platform-2"]));
  await end(gates[3]);
  expect(channel.seen().join(" ")).toBe(`${FIRST}${SECOND}It goes on. End.`);
  expect(channel.seen().every((text) => text.length <= 60)).toBe(true);
  expect(channel.sent.map(({ kind }) => kind)).toEqual(["progress", "progress"]);
  expect((await records("talk:1")).at(-1)).toMatchObject({
    type: "reply.delivered",
    ids: ["platform-1", "platform-2"],
  });
  expect(clock.pending()).toEqual([]);
});

test("CH66 CH162 a message that is finished at a block says its end there before the next one is opened", async (t) => {
  const { model, channel, say, hear, end } = await talk(t, {}, SHORT);
  const gates = [createGate(), createGate(), createGate()] as const;
  model.replies(
    spoken(gates[0], `${FIRST}\n\nThe next `, gates[1], "block, which becomes a long one. ", gates[2], "End."),
  );
  await say("go");
  await model.received(1);
  await hear(gates[0]);
  expect(channel.seen()).toEqual([`${FIRST.trim()}\n\nThe next`]);
  await hear(gates[1]);
  expect(channel.edits.at(-1)?.message).not.toHaveProperty("live");
  await end(gates[2]);
  expect(channel.seen()).toEqual([FIRST.trim(), "The next block, which becomes a long one. End."]);
});

test("CH66 CH67 a process that ends between the two pieces of a reply: each takes its place, none is there twice", async (t) => {
  let isLast = false;
  const { model, channel, say, hear, agent, restart } = await talk(t, {}, SHORT, (recording) => ({
    ...recording,
    edit: (id, piece, signal) =>
      isLast && id === "platform-2"
        ? new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason as Error)))
        : (recording.edit?.(id, piece, signal) ?? Promise.resolve()),
  }));
  const gates = [createGate(), createGate(), createGate()] as const;
  model.replies(spoken(gates[0], FIRST, gates[1], SECOND, gates[2], "End."));
  await say("go");
  await model.received(1);
  await hear(gates[0]);
  await hear(gates[1]);
  await expect.poll(() => channel.seen()).toHaveLength(2);
  isLast = true;
  gates[2].release();
  const session = await agent.sessions.find("talk:1");
  await expect.poll(() => session?.state.outbox[0]?.left?.piece).toBe(1);
  const again = await restart({ channels: [channel] });
  await again.agent.resume();
  await again.agent.idle();
  expect(channel.seen()).toEqual([FIRST.trim(), `${SECOND}End.`]);
  expect(channel.sent).toHaveLength(2);
});

test("CH66 what was shown in more messages than the reply has in the end is taken away", async (t) => {
  const { model, channel, say, hear, agent, clock } = await talk(
    t,
    { tools: [tool("look", "read", () => "seen")] },
    SHORT,
  );
  const gates = [createGate(), createGate(), createGate(), createGate()] as const;
  const asks = callsTool("look");
  model.replies(
    { ...asks, parts: [...spoken(gates[0], FIRST, gates[1], SECOND, gates[2]).parts, ...asks.parts] },
    spoken("Found.", gates[3]),
  );
  await say("go");
  await model.received(1);
  await hear(gates[0]);
  await hear(gates[1]);
  await expect.poll(() => channel.seen()).toHaveLength(2);
  gates[2].release();
  await model.received(2);
  gates[3].release();
  await agent.idle();
  await clock.advance(10_000);
  expect(channel.seen()).toEqual(["Found."]);
});

test("CH165 an answer that the provider begins anew: what is shown starts again, and nothing is there twice", async (t) => {
  await using mock = await startMockModel();
  const watch = fakeClock();
  const provider = withWatchdog(chatProvider(mock, watch), watch, { idleMs: 90_000 });
  const { channel, say, agent, clock } = await talk(t, { provider });
  const [held, last] = [createGate(), createGate()];
  mock.replies(spoken(FIRST, held, "never said"), spoken("Said anew, and as long as it has to be. ", last, "End."));
  await say("go");
  await mock.received(1);
  await clock.advance(await clock.waitForSleep(0, 2400));
  expect(channel.seen()).toEqual([FIRST.trim()]);
  await watch.advance(91_000);
  await clock.advance(await clock.waitForSleep(0, 60_000));
  await mock.received(2);
  await clock.advance(await clock.waitForSleep(0, 2400));
  await expect.poll(() => channel.seen()).toEqual(["Said anew, and as long as it has to be."]);
  last.release();
  await agent.idle();
  expect(channel.seen()).toEqual(["Said anew, and as long as it has to be. End."]);
  expect(channel.sent).toHaveLength(1);
});

describe.each(["key", "lookup"] as const)("at a platform of %s", (once) => {
  /** It ends while the platform has the message, and its answer is still on the way. */
  async function endsWhileOpening(t: Parameters<typeof talk>[0]) {
    const known = new Map<string, string>();
    const talked = await talk(t, {}, LIVE, (recording) => {
      const platform = knowing(recording, once, known);
      return {
        ...platform,
        send: async (piece, signal) => {
          await platform.send(piece, signal);
          return new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason as Error)));
        },
      };
    });
    const { model, channel, say, hear, restart } = talked;
    const [first, never, next, last] = [createGate(), createGate(), createGate(), createGate()];
    const anew = "It is said anew, and long enough. ";
    model.replies(spoken(first, FIRST, never, "never said"), spoken(next, anew, last, "End."));
    await say("go");
    await model.received(1);
    await hear(first);
    await channel.received(1);
    const again = await restart({ channels: [knowing(channel, once, known)] });
    await again.agent.resume();
    await model.received(2);
    return { channel, anew, next, last, ...again };
  }

  test("CH40 CH67 CH163 a process that ends while the message is opened: it is found, and the answer goes on in it", async (t) => {
    const { channel, anew, next, last, agent, clock } = await endsWhileOpening(t);
    next.release();
    await clock.advance(await clock.waitForSleep(0, 2400));
    await clock.advance(await clock.waitForSleep(0, 2400));
    await expect.poll(() => channel.seen()).toEqual([anew.trim()]);
    last.release();
    await agent.idle();
    expect(channel.seen()).toEqual([`${anew}End.`]);
    expect(channel.sent).toHaveLength(1);
  });

  test("CH40 CH67 CH163 a process that ends while the message is opened: the reply finds it and comes in its place", async (t) => {
    const { channel, anew, next, last, agent } = await endsWhileOpening(t);
    next.release();
    last.release();
    await agent.idle();
    expect(channel.seen()).toEqual([`${anew}End.`]);
    expect(channel.sent).toHaveLength(1);
  });
});

/** Its messages are on their way from the one with that number on, until the gate is open. */
const heldFrom =
  (number: number, gate: Gate) =>
  (recording: RecordingChannel): Channel => {
    let begun = 0;
    return {
      ...recording,
      send: async (piece, signal) => {
        if (piece.live === true && ++begun >= number) await gate.opened;
        return recording.send(piece, signal);
      },
    };
  };
const CUT = "[the answer broke off here]";

test("CH164 CH66 a turn that is stopped on a page while its message is on its way: what was said is there once", async (t) => {
  const sent = createGate();
  const { model, channel, say, hear, agent } = await talk(t, {}, LIVE, heldFrom(1, sent));
  const [first, never] = [createGate(), createGate()];
  model.replies(spoken(first, FIRST, never, "never said"));
  await say("go");
  await model.received(1);
  await hear(first);
  await agent.control("talk:1", { type: "stop", withdraw: false }, { id: "ann", kind: "person" });
  await agent.idle();
  sent.release();
  await expect.poll(() => channel.seen()).toEqual([`${FIRST}${CUT}`]);
  expect(channel.sent).toHaveLength(1);
});

test.each(["page", "chat"] as const)(
  "CH164 CH162 a turn that is stopped (%s) while its second message is on its way: both say what they said, once",
  async (where) => {
    const sent = createGate();
    const { model, channel, say, hear, agent } = await talk({ onTestFinished }, {}, SHORT, heldFrom(2, sent));
    const [first, second, never] = [createGate(), createGate(), createGate()];
    model.replies(spoken(first, FIRST, second, SECOND, never, "never said"));
    await say("go");
    await model.received(1);
    await hear(first);
    await hear(second);
    if (where === "chat") await say("/stop");
    else await agent.control("talk:1", { type: "stop", withdraw: false }, { id: "ann", kind: "person" });
    await agent.idle();
    sent.release();
    const said = (): readonly string[] => channel.seen().filter((text) => !text.startsWith("Stopped"));
    await expect.poll(() => said().join(" ")).toBe(`${FIRST}${SECOND}${CUT}`);
    expect(said().every((text) => text.length <= 60)).toBe(true);
  },
);

test("CH66 a question that is asked while what was said before it is on its way: that stays, and the answer comes below", async (t) => {
  const sent = createGate();
  const policy: Policy = {
    admit: () => Promise.resolve({ ok: true }),
    judge: () => ({ kind: "ask", rule: "test", prompt: "Look?", expiresInMs: 300_000 }),
  };
  const { model, channel, say, hear, agent } = await talk(
    t,
    { policy, tools: [tool("look", "read", () => "seen")] },
    LIVE,
    heldFrom(1, sent),
  );
  const [first, asked] = [createGate(), createGate()];
  const asks = callsTool("look");
  model.replies({ ...asks, parts: [...spoken(first, FIRST, asked).parts, ...asks.parts] }, spoken("Found."));
  await say("go");
  await model.received(1);
  await hear(first);
  asked.release();
  await channel.received(1);
  sent.release();
  await expect.poll(() => channel.seen()).toContain(FIRST.trim());
  await say("/allow");
  await agent.idle();
  expect(channel.seen().slice(1)).toEqual([FIRST.trim(), expect.any(String), "Found."]);
});

test("CH206 half of the edits that a platform allows there come at once, the rest evenly", async (t) => {
  const can: Partial<ChannelCan> = { ...LIVE, live: { everyMs: 1500 }, rate: { chat: { count: 20, perMs: 60_000 } } };
  const { model, channel, say, hear, end, clock } = await talk(t, {}, can);
  await clock.advance(60_000);
  const gates = Array.from({ length: 15 }, () => createGate());
  const [first = createGate(), ...more] = gates;
  const last = createGate();
  model.replies(spoken(first, FIRST, ...more.flatMap((gate, n) => [gate, `${n} `]), last, "End."));
  await say("go");
  await model.received(1);
  await hear(first);
  const pauses: number[] = [];
  for (const gate of more) {
    gate.release();
    pauses.push(await clock.waitForSleep(1, 10_000));
    await clock.advance(pauses.at(-1) ?? 0);
  }
  expect(pauses).toEqual([...Array.from({ length: 11 }, () => 1500), 3000, 3000, 3000]);
  await end(last);
  expect(channel.seen()).toHaveLength(1);
});
