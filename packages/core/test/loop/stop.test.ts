import { expect, test } from "vitest";

import { callsTool, recordingChannel, says } from "../../src/testing.ts";
import { stalls } from "../../src/internal-testing.ts";
import { CHAT, ofType, startAgent, tool } from "../support/agent.ts";

/** Runs until its signal says otherwise. */
const hang = (started: () => void): ReturnType<typeof tool> =>
  tool("hang", "write", (_input, context) => {
    started();
    return new Promise<string>((_resolve, reject) => {
      context.signal.addEventListener("abort", () => reject(context.signal.reason as Error), { once: true }); // what the runtime aborted with
    });
  });

test("R70 LP6 /stop ends a running tool at once, withdraws what waits, and leaves other sessions alone", async (t) => {
  const running = Promise.withResolvers<void>();
  const channel = recordingChannel("chat");
  const { agent, model, records } = await startAgent(t, {
    tools: [hang(running.resolve)],
    channels: [channel],
    settings: { steering: false },
  });
  const other = stalls({ after: "still", rest: says(" here") });
  model.route((request) => request.texts("user").includes("from two"), other);
  model.replies(callsTool("hang"), says("never"));
  const controller = new AbortController();
  const run = agent.run(controller.signal);
  await channel.deliver("first", { chat: "1" });
  await running.promise;
  await channel.deliver("from two", { chat: "2" });
  await channel.deliver("second", { chat: "1" });
  await channel.deliver("third", { chat: "1" });
  await channel.deliver("/stop", { chat: "1" });
  await channel.received(1);
  expect(channel.sent[0]).toMatchObject({ kind: "command", to: { chat: "1" } });
  expect(channel.texts()[0]).toContain("2");
  other.release();
  await channel.received(2);
  expect(channel.texts()[1]).toBe("still here");
  const own = await records("chat:1");
  expect(ofType(own, "turn.ended").map(({ reason }) => reason)).toEqual(["cancelled"]);
  expect(ofType(own, "messages.withdrawn").flatMap(({ ids }) => ids)).toHaveLength(2);
  expect(model.requests).toHaveLength(2);
  controller.abort();
  await run;
});

test("LP5 /stop with nothing to stop says so", async (t) => {
  const channel = recordingChannel("chat");
  const { agent, model } = await startAgent(t, { channels: [channel] });
  const controller = new AbortController();
  const run = agent.run(controller.signal);
  await channel.deliver("/stop");
  await channel.received(1);
  expect(channel.sent[0]?.kind).toBe("command");
  expect(model.requests).toEqual([]);
  controller.abort();
  await run;
});

test("LP5 LP7 a stop while the answer streams; the next message knows what was shown", async (t) => {
  const { agent, model } = await startAgent(t);
  model.replies(stalls({ after: "Half of it" }), says("The rest."));
  const turn = agent.send(CHAT, "tell me");
  for await (const event of turn)
    if (event.type === "text.delta")
      await agent.control(CHAT, { type: "stop", withdraw: false }, { id: "ann", kind: "person" });
  expect(await turn.finished).toMatchObject({ reason: "cancelled" });
  await agent.send(CHAT, "go on").finished;
  expect(model.requests[1]?.texts("assistant")).toEqual(["Half of it"]);
});

test("LP5 a stop while a failed request waits to be repeated", async (t) => {
  const { agent, model, clock } = await startAgent(t);
  model.replies(() => ({ kind: "failure", status: 429, headers: { "retry-after": "30" } }), says("ok"));
  const turn = agent.send(CHAT, "go").finished;
  await clock.waitForSleep(30_000, 32_000);
  expect(await agent.control(CHAT, { type: "stop", withdraw: false }, { id: "ann", kind: "person" })).toMatchObject({
    stopped: true,
  });
  expect(await turn).toMatchObject({ reason: "cancelled" });
  await agent.idle();
  expect(model.requests).toHaveLength(1);
});

test("LP5 a stop while a call waits for its approval", async (t) => {
  const { agent, model, records } = await startAgent(t, {
    tools: [tool("rm", "write")],
    policy: {
      admit: () => Promise.resolve({ ok: true }),
      judge: () => Promise.resolve({ kind: "ask", rule: "test", prompt: "Sure?", expiresInMs: 300_000 }),
    },
  });
  model.replies(callsTool("rm"), says("never"));
  const turn = agent.send(CHAT, "go");
  for await (const event of turn)
    if (event.type === "call.judged") {
      await agent.idle();
      await agent.control(CHAT, { type: "stop", withdraw: false }, { id: "ann", kind: "person" });
    }
  expect(await turn.finished).toMatchObject({ reason: "cancelled" });
  expect(ofType(await records(), "tool.finished").map(({ message }) => message.status)).toEqual(["denied"]);
  expect(model.requests).toHaveLength(1);
});

test("LP10 messages that wait behind a turn that fails start the next one", async (t) => {
  const { agent, model } = await startAgent(t);
  const held = stalls({ after: "The answer breaks off" });
  model.replies(held, says("second answer"));
  const first = agent.send(CHAT, "one");
  for await (const event of first) {
    if (event.type !== "text.delta") continue;
    const second = agent.send(CHAT, "two").finished;
    await agent.control(CHAT, { type: "stop", withdraw: false }, { id: "ann", kind: "person" });
    expect((await second).text).toBe("second answer");
  }
  expect(await first.finished).toMatchObject({ reason: "cancelled" });
});
