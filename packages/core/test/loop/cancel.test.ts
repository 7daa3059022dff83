import { expect, test } from "vitest";

import { callsTool, says } from "../../src/testing.ts";
import { callsTools, stalls } from "../../src/internal-testing.ts";
import { CHAT, ofType, startAgent, tool } from "../support/agent.ts";

test("R404 R58 a cancel from inside the first of two calls: the second is not executed, no request follows", async (t) => {
  const controller = new AbortController();
  const { agent, model, records } = await startAgent(t, {
    tools: [tool("first", "write", () => (controller.abort(), "done")), tool("second", "write")],
  });
  model.replies(callsTools([{ name: "first" }, { name: "second" }]), says("too late"));
  const turn = agent.send(CHAT, "go", { signal: controller.signal });
  expect(await turn.finished).toMatchObject({ reason: "cancelled", text: "" });
  await agent.idle();
  expect(model.requests).toHaveLength(1);
  expect(ofType(await records(), "tool.started").map(({ name }) => name)).toEqual(["first"]);
  expect(textsOf(ofType(await records(), "tool.finished")).at(-1)).toBe("Not executed: the turn was stopped.");
  expect(ofType(await records(), "reply.queued")).toEqual([]);
});

test("R404 R66 a cancel between two rounds: the next request is not sent", async (t) => {
  const controller = new AbortController();
  const { agent, model, records } = await startAgent(t, { tools: [tool("note")] });
  model.replies(callsTool("note"), says("too late"));
  const session = await agent.sessions.open(CHAT, { channel: "test", chat: "1" });
  session.subscribe((event) => {
    if (event.type === "tool.finished") controller.abort();
  });
  const turn = agent.send(CHAT, "go", { signal: controller.signal });
  const chunks: string[] = [];
  for await (const event of turn) if (event.type === "text.delta") chunks.push(event.text);
  expect(await turn.finished).toMatchObject({ reason: "cancelled" });
  await agent.idle();
  expect([chunks, model.requests.length]).toEqual([[], 1]);
  expect(textsOf(ofType(await records(), "tool.finished"))).toEqual(["done"]);
});

test("R67 R69 a cancel in the middle of a text closes the connection and keeps what was shown", async (t) => {
  const controller = new AbortController();
  const { agent, model } = await startAgent(t);
  const held = stalls({ after: "The answer is" });
  model.replies(held, says("43"));
  const turn = agent.send(CHAT, "go", { signal: controller.signal });
  for await (const event of turn) if (event.type === "text.delta") controller.abort();
  expect(await turn.finished).toMatchObject({ reason: "cancelled" });
  expect(await model.requests[0]?.closedEarly).toBe(true);
  expect((await agent.send(CHAT, "again").finished).text).toBe("43");
  expect(model.requests[1]?.texts("assistant")).toEqual(["The answer is"]);
});

test("R67 R69 a cancel during a tool reaches it through its signal; its call still gets a result", async (t) => {
  const controller = new AbortController();
  const { agent, model } = await startAgent(t, {
    tools: [
      tool("hang", "write", (_input, context) => {
        controller.abort();
        return new Promise<string>((_resolve, reject) => {
          context.signal.addEventListener("abort", () => reject(context.signal.reason as Error), { once: true }); // what the runtime aborted with
        });
      }),
    ],
  });
  model.replies(callsTool("hang"), says("fine"));
  expect(await agent.send(CHAT, "go", { signal: controller.signal }).finished).toMatchObject({ reason: "cancelled" });
  expect((await agent.send(CHAT, "and now").finished).text).toBe("fine");
  expect(model.requests[1]?.toolResults.map(({ text }) => text)).toEqual([
    "Stopped before it finished; it may have taken partial effect.",
  ]);
});

function textsOf(
  records: readonly {
    readonly message: { readonly parts: readonly { readonly type: string; readonly text?: string }[] };
  }[],
): readonly string[] {
  return records.map(({ message }) => message.parts.map((part) => part.text ?? "").join(""));
}
