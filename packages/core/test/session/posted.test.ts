import { expect, test } from "vitest";
import { renderTranscripts } from "../../src/transcript/format.ts";
import { callsTool, recordingChannel, says } from "../../src/testing.ts";
import { CHAT, ofType, startAgent, tool } from "../support/agent.ts";

const CRON = { id: "cron", name: "job water", kind: "schedule" } as const;
const to = { channel: "test", chat: "1" };
const message = (reply: string, text: string) =>
  ({ reply, to, kind: "message", parts: [{ type: "text", text }], from: CRON }) as const;

test("SS11 R231 what is sent unasked is a row of the chat before the person's answer to it", async (t) => {
  const channel = recordingChannel("test");
  const { agent, model } = await startAgent(t, { channels: [channel] });
  await agent.bus.send(CHAT, message("cron:water:1", "Drink water"));
  model.replies(says("Well done."));
  await agent.send(CHAT, "done").finished;
  const messages = model.requests[0]?.messages ?? [];
  const at = messages.findIndex(
    (each) =>
      each.role === "assistant" && each.parts.some((part) => part.type === "text" && part.text === "Drink water"),
  );
  expect(at).toBeGreaterThan(0);
  expect(messages[at - 1]?.role).toBe("user"); // who sent it: no wire takes a prompt that begins with an answer
  expect(
    messages
      .slice(at + 1)
      .some((each) => each.parts.some((part) => part.type === "text" && part.text.includes("done"))),
  ).toBe(true);
});

test("R239 SS11 a posted text that is sent again after a crash is neither a second row nor a second message", async (t) => {
  const first = await startAgent(t);
  await first.agent.bus.send(CHAT, message("cron:water:1", "Drink water"));
  const { agent, records } = await first.restart();
  await agent.bus.send(CHAT, message("cron:water:1", "Drink water"));
  expect(ofType(await records(), "message.posted")).toHaveLength(1);
  expect(ofType(await records(), "reply.queued")).toHaveLength(1);
});

test("LP12 SS11 CR19 a text posted while a turn runs becomes a row after the turn, marked with its sender", async (t) => {
  const { agent, model } = await startAgent(t, {
    tools: [
      tool("slow", "read", async () => {
        await agent.bus.send(CHAT, message("cron:water:1", "Drink water"));
        return "slow result";
      }),
    ],
  });
  model.replies(callsTool("slow"), says("finished"), says("again"));
  await agent.send(CHAT, "work").finished;
  await agent.send(CHAT, "next").finished;
  // The mock model refuses a prompt in which a call and its result are parted, and one whose beginning changed.
  const session = await agent.sessions.find(CHAT);
  const [file] = session === undefined ? [] : await renderTranscripts(session.history(), { toolResultChars: 500 });
  const rows = (file?.text ?? "")
    .trim()
    .split("\n")
    .slice(1)
    .map((line) => JSON.parse(line) as Record<string, unknown>);
  expect(rows.map(({ role, content, source, tools_used }) => [role, content, source, tools_used])).toEqual([
    ["user", "work", undefined, undefined],
    ["assistant", null, undefined, undefined],
    ["tool", "slow result", undefined, undefined],
    ["assistant", "finished", undefined, ["slow"]],
    ["assistant", "Drink water", "cron", undefined],
    ["user", "next", undefined, undefined],
    ["assistant", "again", undefined, undefined],
  ]);
  expect(session?.state.rows).toBe(rows.length);
});

test("PR26 a side request is one request without history, counted in its session and kept out of its context", async (t) => {
  const { agent, model, records } = await startAgent(t);
  model.replies(says("fine"));
  const answer = await agent.ask(
    "heartbeat",
    { purpose: "heartbeat", system: "You decide.", text: "Is there anything?", maxOutputTokens: 200 },
    AbortSignal.timeout(10_000),
  );
  expect(answer).toEqual([{ type: "text", text: "fine" }]);
  expect(ofType(await records("heartbeat"), "usage.counted")).toMatchObject([{ purpose: "heartbeat" }]);
  const session = await agent.sessions.find("heartbeat");
  expect(session?.state.messages).toEqual([]);
  expect(session?.state.usage.input).toBeGreaterThan(0);
});

test("PR26 a side request that no budget has room for is not asked", async (t) => {
  const { agent, model } = await startAgent(t, { settings: { budgets: [{ scope: "day", tokens: 10 }] } });
  const request = { purpose: "heartbeat", system: "You decide.", text: "Is there anything?", maxOutputTokens: 200 };
  expect(await agent.ask("heartbeat", request, AbortSignal.timeout(10_000))).toBeUndefined();
  expect(model.requests).toHaveLength(0);
});
