// R429: a person hears something in time, whatever the provider does. Real HTTP; time moves when the test says so.
import { expect, test } from "vitest";
import type { TurnOutcome } from "../../src/contract/agent.ts";
import type { AgentEvent } from "../../src/contract/event.ts";
import type { Provider } from "../../src/contract/provider.ts";
import { callsTool, fails, recordingChannel, says } from "../../src/testing.ts";
import { emptyAnswer, stalls, thinks } from "../../src/internal-testing.ts";
import type { FakeClock, Reply } from "../../src/internal-testing.ts";
import { CHAT, ofType, startAgent, tool } from "../support/agent.ts";

const JOB = { attended: false, from: { id: "cron", kind: "schedule" } } as const;

type Passed = TurnOutcome & { readonly after: number };

/** Time goes from one sleeper to the next until the turn is over. */
async function passes(clock: FakeClock, turn: Promise<TurnOutcome>): Promise<Passed> {
  const begun = clock.monotonic();
  const ended = turn.then(() => undefined);
  for (;;) {
    const next = await Promise.race([clock.waitForSleep(), ended]);
    if (next === undefined) return { ...(await turn), after: (clock.monotonic() - begun) / 1000 };
    await clock.advance(next);
  }
}

function often(reply: () => Reply): readonly Reply[] {
  return Array.from({ length: 40 }, reply);
}

test("DF18 R429 a provider that says nothing ends the turn of a person after three minutes, over all attempts", async (t) => {
  const { agent, model, clock, records } = await startAgent(t, { deadlines: true });
  model.replies(...often(stalls));
  const { after, text, error } = await passes(clock, agent.send(CHAT, "go").finished);
  expect(after).toBe(180);
  expect(error).toMatchObject({ code: "provider.silent", details: { fault: "provider.timeout" } });
  expect(text).toBe(
    "mock/mock-model said nothing for 180 seconds (last fault: The model did not answer in time). " +
      "Choose another model with /model, send the message again, or raise agent.firstTextSeconds. [provider.silent]",
  );
  expect(agent.reservedTokens).toBe(0);
  expect(ofType(await records(), "model.requested")).toHaveLength(2);
});

test("R429 whoever waits is told every 20 s, and a chat once; the answer that comes is the reply", async (t) => {
  const channel = recordingChannel("talk");
  const { agent, model, clock } = await startAgent(t, { deadlines: true, channels: [channel] });
  const late = stalls({ rest: says("at last") });
  model.replies(late, says("at once"));
  const events: AgentEvent[] = [];
  const origin = { channel: "talk", chat: "1" };
  const session = await agent.sessions.open("talk:1", origin);
  session.subscribe((event) => events.push(event));
  const { finished } = agent.send("talk:1", "go", { origin });
  await model.received(1);
  await clock.advance(19_000);
  expect(events.map(({ type }) => type)).not.toContain("model.waiting");
  await clock.advance(42_000);
  const said = events.flatMap((event) => (event.type === "model.waiting" ? [event.waitedMs] : []));
  expect(said).toEqual([20_000, 40_000, 60_000]);
  late.release();
  expect((await finished).text).toBe("at last");
  await agent.send("talk:1", "again", { origin }).finished;
  await agent.idle();
  expect(channel.texts("progress")).toEqual(["No answer from the model yet; still waiting. /stop ends it."]);
  expect(channel.texts("reply")).toEqual(["at last", "at once"]);
  expect(clock.pending()).toEqual([]);
  const commits = [];
  for await (const { records } of session.history()) commits.push(...records.map(({ type }) => type));
  expect(commits).not.toContain("model.waiting");
});

test("R429 the chat hears it between two attempts too, in its language", async (t) => {
  const channel = recordingChannel("talk");
  const { agent, model, clock } = await startAgent(t, {
    deadlines: true,
    channels: [channel],
    settings: { language: "zh-CN" },
  });
  model.replies(fails(503, undefined, { "retry-after": "40" }), says("好"));
  const { finished } = agent.send("talk:1", "go", { origin: { channel: "talk", chat: "1" } });
  await clock.waitForSleep(41_000, 41_000);
  await clock.advance(20_000);
  await channel.received(1);
  expect(channel.texts("progress")).toEqual(["模型尚未回应，仍在等待。用 /stop 可停止。"]);
  await clock.advance(21_000);
  expect((await finished).text).toBe("好");
});

test("R429 a provider that always asks to wait ends in time, with its own fault; where nobody waits it has all its attempts", async (t) => {
  const busy = (): Reply => fails(503, undefined, { "retry-after": "50" });
  const { agent, model, clock } = await startAgent(t, { deadlines: true, settings: { requestAttempts: 7 } });
  model.replies(...often(busy));
  const waits = async (turn: Promise<TurnOutcome>, times: number): Promise<TurnOutcome> => {
    for (let time = 0; time < times; time++) {
      await clock.waitForSleep(51_000, 51_000);
      await clock.advance(51_000);
    }
    return turn;
  };
  // At 153 s it would be asked again at 204 s.
  expect(await waits(agent.send(CHAT, "go").finished, 3)).toMatchObject({ error: { code: "provider.overloaded" } });
  expect(model.requests).toHaveLength(4);
  expect(await waits(agent.send(CHAT, "go", JOB).finished, 6)).toMatchObject({ reason: "failed" });
  expect(model.requests).toHaveLength(11);
});

test("R429 a stream that speaks, or is seen to think, keeps its own limits", async (t) => {
  for (const reply of [stalls({ after: "One ", rest: says("two") }), slowly()]) {
    const { agent, model, clock } = await startAgent(t, { deadlines: true, settings: { firstTextMs: 30_000 } });
    model.replies(reply);
    const session = await agent.sessions.open(CHAT, { channel: "test", chat: "1" });
    const begun = Promise.withResolvers<void>();
    session.subscribe((event) => {
      if (event.type === "text.delta" || event.type === "thinking.delta") begun.resolve();
    });
    const { finished } = agent.send(CHAT, "go");
    await begun.promise;
    await clock.advance(80_000);
    reply.release();
    expect(await finished).toMatchObject({ reason: "done" });
  }
});

test("R429 a call is heard too, and what follows its tool has a time of its own", async (t) => {
  const { agent, model, clock } = await startAgent(t, {
    deadlines: true,
    tools: [tool("look", "read", async () => (await clock.sleep(50_000, new AbortController().signal), "seen"))],
    settings: { firstTextMs: 30_000 },
  });
  const slow = stalls({ rest: says("done") });
  model.replies(callsTool("look"), slow);
  const { finished } = agent.send(CHAT, "go");
  await clock.waitForSleep(50_000, 50_000);
  await clock.advance(50_000);
  await model.received(2);
  await clock.advance(25_000);
  slow.release();
  expect(await finished).toMatchObject({ reason: "done", text: "done" });
});

test("R429 empty answers are no words", async (t) => {
  const { agent, model, clock } = await startAgent(t, { deadlines: true, settings: { firstTextMs: 30_000 } });
  model.replies(emptyAnswer(), stalls());
  const { after, error } = await passes(clock, agent.send(CHAT, "go").finished);
  expect(after).toBe(30);
  expect(error).toMatchObject({ code: "provider.silent" });
});

test("R429 a provider that is deaf to its signal is given up all the same", async (t) => {
  const deaf: Provider = {
    id: "mock",
    // oxlint-disable-next-line require-yield -- it never says anything
    async *stream() {
      await new Promise(() => {});
    },
  };
  const { agent, clock } = await startAgent(t, { deadlines: true, provider: deaf });
  const { after, error } = await passes(clock, agent.send(CHAT, "go").finished);
  expect(after).toBe(180);
  expect(error).toMatchObject({ code: "provider.silent" });
});

test("R429 a summary on the way to the answer takes half of the time at most", async (t) => {
  const settings = { contextWindow: 8000, maxTokens: 500, firstTextMs: 60_000 };
  const { agent, model, clock } = await startAgent(t, { deadlines: true, settings });
  model.replies(says("word ".repeat(2500)), says("more ".repeat(2500)));
  for (const text of ["tell me much", "and more"]) await agent.send(CHAT, text).finished;
  model.expectNewEpoch("the history is cut");
  model.route((request) => request.raw.includes("You condense"), stalls());
  model.replies(says("short"));
  const { finished } = agent.send(CHAT, "and now?");
  await model.received(3);
  await clock.advance(30_000);
  expect((await finished).text).toBe("short");
});

test("R429 a stopped turn leaves no timer, and the next message begins anew", async (t) => {
  const { agent, model, clock } = await startAgent(t, { deadlines: true });
  model.replies(stalls(), says("fine"));
  const { finished } = agent.send(CHAT, "go");
  await model.received(1);
  await clock.advance(60_000);
  await agent.control(CHAT, { type: "stop", withdraw: true }, { id: "me", kind: "person" });
  expect(await finished).toMatchObject({ reason: "cancelled" });
  expect(clock.pending()).toEqual([]);
  expect((await agent.send(CHAT, "again").finished).text).toBe("fine");
});

/** Thoughts, a long pause, the answer. */
function slowly(): Reply & { release(): void } {
  const gate = stalls({ rest: says("done") });
  return { ...thinks("hm", gate), release: gate.release };
}
