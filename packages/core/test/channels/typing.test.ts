// "is typing…": from the message to the first words, and for nobody who does not wait for them.
import { expect, test } from "vitest";
import type { InboundMessage } from "../../src/contract/bus.ts";
import type { Channel } from "../../src/contract/channel.ts";
import type { PeopleOptions } from "../../src/contract/room.ts";
import type { Policy } from "../../src/index.ts";
import { createRegistry } from "../../src/index.ts";
import { untilAborted } from "../../src/lib/async/abort.ts";
import { callsTool, recordingChannel, says } from "../../src/testing.ts";
import { stalls, type RecordingChannel } from "../../src/internal-testing.ts";
import { startAgent, tool, type Started, type StartOptions } from "../support/agent.ts";
import { realContext } from "../support/real-context.ts";

interface Talk extends Started {
  readonly channel: RecordingChannel;
  say(text: string, more?: Partial<InboundMessage>): Promise<void>;
}

const ORIGIN = { channel: "talk", chat: "1" };

/** A platform that shows one signal for five seconds. */
async function talk(
  t: Parameters<typeof startAgent>[0],
  options: StartOptions = {},
  change: (channel: RecordingChannel) => Channel = (channel) => channel,
): Promise<Talk> {
  const channel = recordingChannel("talk", { typingMs: 5000 });
  const started = await startAgent(t, { ...options, channels: [change(channel)] });
  let key = 0;
  const say: Talk["say"] = async (text, more = {}) => {
    key += 1;
    const from = { id: "ann", kind: "person" } as const;
    await started.agent.bus.accept({ key: `${key}`, origin: ORIGIN, from, parts: [{ type: "text", text }], ...more });
  };
  return { ...started, channel, say };
}

test("CH69 typing is renewed at 80 % of what a platform shows, until the first words", async (t) => {
  const { model, clock, channel, say, agent } = await talk(t);
  const late = stalls({ rest: says("at last") });
  model.replies(late);
  await say("go");
  await model.received(1);
  expect(channel.typed).toEqual([ORIGIN]);
  await clock.advance(3999);
  expect(channel.typed).toHaveLength(1);
  await clock.advance(1);
  expect(channel.typed).toHaveLength(2);
  await clock.advance(12_000);
  expect(channel.typed).toHaveLength(5);
  late.release();
  await agent.idle();
  expect(channel.texts()).toEqual(["at last"]);
  await clock.advance(60_000);
  expect(channel.typed).toHaveLength(5);
  expect(clock.pending()).toEqual([]);
});

test("CH69 a platform without it, and a channel without a typingMs, is not asked", async (t) => {
  const channel = recordingChannel("talk");
  const { agent, model } = await startAgent(t, { channels: [channel] });
  model.replies(says("hi"));
  await agent.send("talk:1", "go", { origin: ORIGIN }).finished;
  await agent.idle();
  expect(channel.typed).toEqual([]);
});

test("CH69 CH166 typing/MAX_MS it ends after five minutes, although the turn goes on", async (t) => {
  const looked = Promise.withResolvers<string>();
  const look = tool("look", "read", () => looked.promise);
  const { model, clock, channel, say, agent } = await talk(t, {
    tools: [look],
    settings: { toolTimeoutMs: 1_000_000 },
  });
  const second = stalls({ rest: says("done") });
  model.replies(callsTool("look"), second);
  await say("go");
  await clock.waitForSleep(1_000_000, 1_000_000);
  await clock.advance(299_000);
  const before = channel.typed.length;
  expect(before).toBe(75);
  await clock.advance(300_000);
  looked.resolve("seen");
  await model.received(2);
  await clock.advance(10_000);
  expect(channel.typed).toHaveLength(before);
  second.release();
  await agent.idle();
  expect(channel.texts("reply")).toEqual(["done"]);
});

test("CH69 CH166 what refuses is not asked again in that turn, and the reply leaves as always", async (t) => {
  let asked = 0;
  const { model, clock, channel, say, agent, log } = await talk(t, {}, (channel) => ({
    ...channel,
    typing: () => Promise.reject(new Error(`no ${++asked}`)),
  }));
  const late = stalls({ rest: says("at last") });
  model.replies(late, says("again"));
  await say("go");
  await model.received(1);
  await clock.advance(170_000);
  expect(asked).toBe(1);
  late.release();
  await agent.idle();
  await say("once more");
  await agent.idle();
  expect(asked).toBe(2);
  expect(channel.texts("reply")).toEqual(["at last", "again"]);
  expect(log.lines.filter(({ level }) => level !== "debug" && level !== "info")).toEqual([]);
});

test("CH69 CH166 what is slow gets no second signal, holds no reply up, and is let go", async (t) => {
  const signals: AbortSignal[] = [];
  const { model, clock, channel, say, agent } = await talk(t, {}, (channel) => ({
    ...channel,
    typing: (_to, signal) => {
      signals.push(signal);
      return untilAborted(signal);
    },
  }));
  const late = stalls({ rest: says("at last") });
  model.replies(late);
  await say("go");
  await model.received(1);
  await clock.advance(100_000);
  expect(signals).toHaveLength(1);
  late.release();
  await agent.idle();
  expect(channel.texts("reply")).toEqual(["at last"]);
  expect(signals[0]?.aborted).toBe(true);
});

test("CH69 a turn that says nothing ends it too, and nobody waits for a job", async (t) => {
  const { model, clock, channel, say, agent } = await talk(t);
  const job = stalls({ rest: says("(done)") });
  model.replies(job);
  await say("go", { from: { id: "cron", kind: "schedule" } });
  await model.received(1);
  await clock.advance(20_000);
  expect(channel.typed).toEqual([]);
  job.release();
  await agent.idle();
  const stopped = stalls();
  model.replies(stopped);
  await say("go");
  await model.received(2);
  await say("/stop");
  await agent.idle();
  const typed = channel.typed.length;
  expect(typed).toBe(1);
  await clock.advance(20_000);
  expect(channel.typed).toHaveLength(typed);
  stopped.release();
});

const ASK: Policy = {
  admit: () => Promise.resolve({ ok: true }),
  judge: () => ({ kind: "ask", rule: "test", prompt: "Remove it?", expiresInMs: 300_000 }),
};

test("CH69 while a person is asked it rests, and goes on with the answer", async (t) => {
  const { model, clock, channel, say, agent } = await talk(t, { tools: [tool("rm", "write")], policy: ASK });
  const late = stalls({ rest: says("gone") });
  model.replies(callsTool("rm"), late);
  await say("remove it");
  await channel.received(1);
  const typed = channel.typed.length;
  await clock.advance(60_000);
  expect(channel.typed).toHaveLength(typed);
  await say("/allow");
  await model.received(2);
  await clock.advance(4000);
  expect(channel.typed.length).toBeGreaterThan(typed + 1);
  late.release();
  await agent.idle();
});

test("CH69 in a group it is for who asked there", async (t) => {
  const tools = createRegistry([]);
  const people: PeopleOptions = {
    speaker: ({ id }) => (id === "ann" ? { role: "operator", name: "Ann" } : { role: "guest", audience: "guest" }),
    room: () => ({ tools, context: realContext(tools) }),
    group: () => ({ mode: "named", names: [], follow: false, bots: "heard" }),
    join: () => true,
    roleOf: () => "operator",
    isIn: () => true,
    isAlone: () => false,
    persons: () => [],
    contact: () => Promise.resolve(undefined),
    usualAt: () => undefined,
    audienceAt: () => Promise.resolve(undefined),
  };
  const { model, clock, channel, say, agent } = await talk(t, { people });
  const group = { chat: "group" } as const;
  await say("not to us", group);
  await clock.advance(20_000);
  expect(channel.typed).toEqual([]);
  const asked = stalls({ rest: says("here") });
  model.replies(asked);
  await say("you there?", { ...group, addressed: "named" });
  await model.received(1);
  expect(channel.typed).toEqual([ORIGIN]);
  asked.release();
  await agent.idle();
  // Nobody there asked for what another conversation, a program or a helper brings.
  const brought = stalls({ rest: says("news") });
  model.replies(brought);
  await say("tell them", { from: { id: "user", kind: "person" } });
  await model.received(2);
  await clock.advance(20_000);
  expect(channel.typed).toEqual([ORIGIN]);
  brought.release();
  await agent.idle();
});

test("CH69 closing the agent ends it", async (t) => {
  const { model, clock, channel, say, agent } = await talk(t);
  model.replies(stalls());
  await say("go");
  await model.received(1);
  await agent[Symbol.asyncDispose]();
  const typed = channel.typed.length;
  await clock.advance(20_000);
  expect(channel.typed).toHaveLength(typed);
  expect(clock.pending()).toEqual([]);
});

test("CH69 what the turn itself has sent here are its first words", async (t) => {
  const looked = Promise.withResolvers<string>();
  const look = tool("look", "read", () => looked.promise);
  const { model, clock, channel, say, agent } = await talk(t, { tools: [look] });
  model.replies(callsTool("look"), says("done"));
  await say("go");
  await expect.poll(() => channel.typed.length).toBe(1);
  const session = await agent.sessions.find("talk:1");
  await expect.poll(() => session?.state.turn?.calls[0]?.status).toBe("started");
  const call = session?.state.turn?.calls[0]?.call.callId;
  if (session === undefined || call === undefined) throw new Error("Nothing runs.");
  const parts = [{ type: "text", text: "one moment" }] as const;
  await session.commit({ type: "reply.queued", reply: "r", to: ORIGIN, kind: "message", parts, call });
  const typed = channel.typed.length;
  await clock.advance(10_000);
  expect(channel.typed).toHaveLength(typed);
  looked.resolve("seen");
  await agent.idle();
});
