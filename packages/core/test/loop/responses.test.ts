import { expect, test } from "vitest";

import { withWatchdog } from "../../src/model/watchdog.ts";
import { callsTool, fakeClock, says, startMockModel } from "../../src/testing.ts";
import { cutsAfter, stalls, thinks } from "../../src/internal-testing.ts";
import { CHAT, eventsOf, ofType, startAgent, tool } from "../support/agent.ts";
import { chatProvider } from "../support/wires.ts";

test("R35 reasoning is shown apart from the text and is never part of the reply", async (t) => {
  const { agent, model } = await startAgent(t);
  model.replies(thinks("I must not say this.", says("Hello.")));
  const turn = agent.send(CHAT, "hi");
  const events = await eventsOf(turn);
  expect(
    events
      .filter((event) => event.type === "text.delta")
      .map(({ text }) => text)
      .join(""),
  ).toBe("Hello.");
  expect(
    events
      .filter((event) => event.type === "thinking.delta")
      .map(({ text }) => text)
      .join(""),
  ).toBe("I must not say this.");
  expect((await turn.finished).text).toBe("Hello.");
  expect((await agent.sessions.find(CHAT))?.state.messages.at(-1)).toMatchObject({
    parts: [
      { type: "thinking", text: "I must not say this." },
      { type: "text", text: "Hello." },
    ],
  });
});

for (const size of [1, 2, 5, 50])
  test(`R43 inline think tags are removed, also when cut into pieces of ${size}`, async (t) => {
    const { agent, model } = await startAgent(t);
    const text = "<think>secret plan</think>The `<think>` tag is text here.";
    model.replies(says(text, { chunks: text.match(new RegExp(`.{1,${size}}`, "g")) ?? [] }));
    const turn = agent.send(CHAT, "hi");
    const shown = (await eventsOf(turn)).filter((event) => event.type === "text.delta").map((event) => event.text);
    expect(shown.join("").trim()).toBe("The `<think>` tag is text here.");
    expect((await turn.finished).text).toBe("The `<think>` tag is text here.");
  });

test("PR1 a call in an answer that was cut off is not run, and the model is told", async (t) => {
  const { agent, model, records } = await startAgent(t, { tools: [tool("pay", "write")] });
  model.replies({ ...callsTool("pay", { n: 1 }, { text: "Paying" }), finish: "length" }, says("Stopped in time."));
  expect((await agent.send(CHAT, "go").finished).text).toContain("Stopped in time.");
  expect(ofType(await records(), "tool.started")).toEqual([]);
  expect(model.requests[1]?.toolCalls).toEqual([]);
  expect(model.requests[1]?.texts("user").at(-1)).toMatch(/not run|cut off/);
});

test("PR2 a call without a name is not run; after a second one the model is asked without tools", async (t) => {
  const { agent, model, records } = await startAgent(t, { tools: [tool("pay", "write")] });
  model.replies(callsTool("", { n: 1 }), callsTool("", { n: 2 }), says("In words, then."));
  expect((await agent.send(CHAT, "go").finished).text).toBe("In words, then.");
  expect(ofType(await records(), "tool.started")).toEqual([]);
  expect(model.requests.map((request) => request.body["tool_choice"] === "none")).toEqual([false, false, true]);
});

test("PR4 a name that is nearly right is an error that names the right one", async (t) => {
  const { agent, model, records } = await startAgent(t, { tools: [tool("read_file")] });
  model.replies(callsTool("readFile"), says("I see."));
  await agent.send(CHAT, "go").finished;
  expect(model.requests[1]?.toolResults[0]?.text).toContain("read_file");
  expect(ofType(await records(), "tool.started")).toEqual([]);
  expect(ofType(await records(), "tool.finished").map(({ message }) => message.status)).toEqual(["error"]);
});

test("PR5 broken argument text is not repaired and run, and stays the same in every later request", async (t) => {
  const { agent, model, records } = await startAgent(t, { tools: [tool("note", "write")] });
  model.replies(callsTool("note", '{"n": 1, "round": '), callsTool("note", { n: 1 }), says("Done."), says("Bye."));
  await agent.send(CHAT, "go").finished;
  await agent.send(CHAT, "thanks").finished;
  expect(ofType(await records(), "tool.started")).toHaveLength(1);
  expect(model.requests[1]?.toolResults[0]?.text).toBe("Parameter error: arguments are not a JSON object");
  expect(new Set(model.requests.slice(1).map((request) => request.toolCalls[0]?.arguments)).size).toBe(1);
});

test("PR14 a stream that ends without a finish is asked for again when nothing was shown", async (t) => {
  const { agent, model, clock } = await startAgent(t);
  model.replies(cutsAfter(""), says("Here."));
  const turn = agent.send(CHAT, "go");
  for await (const event of turn) {
    if (event.type !== "model.failed") continue;
    expect(event.error).toMatchObject({ retryable: true });
    await agent.idle();
    await clock.advance(60_000);
  }
  expect((await turn.finished).text).toBe("Here.");
});

test("PR14 PR12 what was shown before the break stays, and is not asked for again", async (t) => {
  const { agent, model, records } = await startAgent(t);
  model.replies(cutsAfter("The first half"), says("Never."));
  const outcome = await agent.send(CHAT, "go").finished;
  expect(outcome).toMatchObject({ reason: "failed", error: { code: "provider.truncated" } });
  expect(outcome.text).toMatch(/^The first half /);
  expect(model.requests).toHaveLength(1);
  expect(ofType(await records(), "model.responded").map(({ message }) => message.finish)).toEqual(["cut"]);
});

test("R73 PR12 a stalled stream ends after 90 s; the answer starts again as a fresh one", async (t) => {
  await using model = await startMockModel();
  const clock = fakeClock();
  const { agent, clock: agentClock } = await startAgent(t, {
    provider: withWatchdog(chatProvider(model, clock), clock, { idleMs: 90_000 }),
  });
  const held = stalls({ after: "Half of" });
  model.replies(held, says("The whole answer."));
  const turn = agent.send(CHAT, "go");
  const seen: string[] = [];
  for await (const event of turn) {
    if (event.type === "text.delta") seen.push(event.text);
    if (event.type === "text.restarted") seen.push("restarted");
    if (event.type === "text.delta" && event.text === "Half of") {
      await clock.advance(89_000);
      seen.push(String(await Promise.race([model.requests[0]?.closedEarly, Promise.resolve("still open")])));
      await clock.advance(2000);
    }
    if (event.type === "model.failed") {
      seen.push(event.error.code);
      await agent.idle();
      await agentClock.advance(60_000);
    }
  }
  expect(seen).toEqual(["Half of", "still open", "restarted", "provider.timeout", "The whole answer."]);
  expect((await turn.finished).text).toBe("The whole answer.");
  expect(await model.requests[0]?.closedEarly).toBe(true);
});

test("LP16 the same call with the same result three times adds one notice and does not end the turn", async (t) => {
  const { agent, model } = await startAgent(t, { tools: [tool("note")] });
  model.replies(...Array.from({ length: 4 }, () => callsTool("note", { n: 1 })), says("Enough."));
  expect((await agent.send(CHAT, "go").finished).text).toBe("Enough.");
  expect(
    model.requests.map((request) => request.texts("user").filter((text) => text.includes("3 times in a row")).length),
  ).toEqual([0, 0, 0, 1, 1]);
});
