import { expect, test } from "vitest";

import { callsTool, says } from "../../src/testing.ts";
import { callsTools } from "../../src/internal-testing.ts";
import { CHAT, ofType, startAgent, tool } from "../support/agent.ts";

const batch = (round: number): ReturnType<typeof callsTools> =>
  callsTools([1, 2, 3].map((n) => ({ name: "note", args: { round, n } })));

test("R52 a response without calls ends the turn", async (t) => {
  const { agent, model, records } = await startAgent(t, { tools: [tool("note")] });
  model.replies(says("hello"));
  expect(await agent.send(CHAT, "hi").finished).toMatchObject({ text: "hello", reason: "done", toolsUsed: [] });
  expect(model.requests).toHaveLength(1);
  expect(ofType(await records(), "reply.queued")).toHaveLength(1);
  expect(ofType(await records(), "turn.ended").map(({ reason }) => reason)).toEqual(["done"]);
});

test("R53 after maxIterations responses the calls of the last one are still executed", async (t) => {
  const { agent, model, records } = await startAgent(t, { tools: [tool("note")], settings: { maxIterations: 3 } });
  model.replies(...[1, 2, 3, 4].map((n) => callsTool("note", { n })));
  expect(await agent.send(CHAT, "go").finished).toMatchObject({
    reason: "limit",
    text: "[reached the maximum of 3 tool calls]",
  });
  expect(model.requests).toHaveLength(3);
  expect(ofType(await records(), "tool.started")).toHaveLength(3);
});

test("R54 R391 LP18 at maxToolCalls the turn ends at once; the rest gets synthetic results", async (t) => {
  const { agent, model, records } = await startAgent(t, {
    tools: [tool("note")],
    settings: {
      language: "zh-CN",
      maxIterations: 4,
      maxToolCalls: "maxIterations",
      replyText: "all",
      parallelTools: false,
    },
  });
  model.replies(batch(1), batch(2), batch(3));
  const outcome = await agent.send(CHAT, "go").finished;
  expect(outcome).toMatchObject({ reason: "limit", text: "[达到最大工具调用次数 4]" });
  expect(model.requests).toHaveLength(2);
  expect(ofType(await records(), "tool.started")).toHaveLength(4);
  const rows = ofType(await records(), "tool.finished").map(({ message }) => [
    message.status,
    ...message.parts.map((part) => (part.type === "text" ? part.text : "")),
  ]);
  const skipped = ["denied", "Not executed: the limit of 4 tool calls was reached."];
  expect(rows).toEqual([["ok", "done"], ["ok", "done"], ["ok", "done"], ["ok", "done"], skipped, skipped]);
});

for (const [language, notice] of [
  ["en", "[reached the maximum of 2 tool calls]"],
  ["zh-CN", "[达到最大工具调用次数 2]"],
] as const)
  for (const settings of [{ maxIterations: 2 }, { maxIterations: 9, maxToolCalls: 2 }])
    test(`R55 at a limit "${notice}" follows the text (${Object.keys(settings).join(", ")})`, async (t) => {
      const { agent, model, records } = await startAgent(t, {
        tools: [tool("note")],
        settings: { language, ...settings },
      });
      model.replies(
        callsTool("note", { n: 1 }, { text: "one" }),
        callsTool("note", { n: 2 }, { text: "two" }),
        says("three"),
      );
      expect((await agent.send(CHAT, "go").finished).text).toBe(`two\n\n${notice}`);
      expect(ofType(await records(), "reply.queued").map(({ parts }) => parts)).toEqual([
        [{ type: "text", text: `two\n\n${notice}` }],
      ]);
      expect(model.requests).toHaveLength(2);
    });

test("R55 the notice can be switched off", async (t) => {
  const { agent, model } = await startAgent(t, {
    tools: [tool("note")],
    settings: { maxIterations: 1, limitNotice: false },
  });
  model.replies(callsTool("note", {}, { text: "one" }));
  expect(await agent.send(CHAT, "go").finished).toMatchObject({ text: "one", reason: "limit" });
});

test("R56 R392 a text on the last allowed iteration stays as it is", async (t) => {
  const { agent, model } = await startAgent(t, {
    tools: [tool("note")],
    settings: { maxIterations: 3, maxToolCalls: 9 },
  });
  model.replies(callsTool("note", { n: 1 }), callsTool("note", { n: 2 }), says("finished in time"));
  expect(await agent.send(CHAT, "go").finished).toMatchObject({ text: "finished in time", reason: "done" });
  expect(model.requests).toHaveLength(3);
});

test("R57 with limitSummary one more request, without tools, asks for a closing answer", async (t) => {
  const { agent, model } = await startAgent(t, {
    tools: [tool("note")],
    settings: { maxIterations: 2, limitSummary: true },
  });
  model.replies(callsTool("note", { n: 1 }), callsTool("note", { n: 2 }), says("In short: two notes."));
  const outcome = await agent.send(CHAT, "go").finished;
  expect(outcome).toMatchObject({
    reason: "limit",
    text: "In short: two notes.\n\n[reached the maximum of 2 tool calls]",
  });
  expect(model.requests.map((request) => request.body["tool_choice"])).toEqual([
    expect.not.stringMatching("none"),
    expect.not.stringMatching("none"),
    "none",
  ]);
});

test("R58 a denied call gets a result that says so, and the model goes on", async (t) => {
  const { agent, model, records } = await startAgent(t, {
    tools: [tool("note"), tool("rm", "write")],
    policy: {
      admit: () => Promise.resolve({ ok: true }),
      judge: (call) =>
        Promise.resolve(
          call.name === "rm" ? { kind: "deny", rule: "test", reason: "not here" } : { kind: "allow", rule: "test" },
        ),
    },
  });
  model.replies(callsTools([{ name: "note" }, { name: "rm" }]), says("understood"));
  expect((await agent.send(CHAT, "go").finished).text).toBe("understood");
  expect(model.requests[1]?.toolResults.map((result) => result.text)).toEqual(["done", "Denied: not here."]);
  expect(ofType(await records(), "tool.started").map((record) => record.name)).toEqual(["note"]);
});
