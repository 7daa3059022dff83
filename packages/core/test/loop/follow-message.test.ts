import { expect, test } from "vitest";

import type { Seq } from "../../src/contract/base.ts";
import { followMessage } from "../../src/loop/follow-message.ts";
import { callsTool, says } from "../../src/testing.ts";
import { startAgent, tool } from "../support/agent.ts";

const ORIGIN = { channel: "api", chat: "chat" };

test("a message that is steered into a running turn has the end of that turn, live and from the journal", async (t) => {
  const running = Promise.withResolvers<void>();
  const release = Promise.withResolvers<string>();
  const { agent, model } = await startAgent(t, {
    tools: [tool("wait", "read", () => (running.resolve(), release.promise))],
  });
  model.replies(callsTool("wait"), says("both read"));
  const first = agent.send("api:chat", "start", { origin: ORIGIN });
  await running.promise;
  const session = await agent.sessions.open("api:chat", ORIGIN);
  const live = followMessage(session, { key: "second", channel: "api" });
  const second = agent.send("api:chat", "and this", { origin: ORIGIN, key: "second" });
  release.resolve("waited");
  const { turn } = (await live.outcome) as { turn: object };
  expect(turn).toMatchObject({ text: "both read", reason: "done" });
  expect(await second.finished).toEqual(turn);
  expect((await first.finished).text).toBe("both read");

  const types: string[] = [];
  for await (const event of live) if ("seq" in event) types.push(event.type);
  expect(types).toEqual(["message.received", "model.requested", "model.responded", "turn.ended"]);

  const later = followMessage(session, { key: "second", channel: "api" }, { after: 0 as Seq });
  expect(await later.outcome).toEqual({ withdrawn: false, turn });
});

test("a message that is taken back before a turn took it is withdrawn", async (t) => {
  const running = Promise.withResolvers<void>();
  const release = Promise.withResolvers<string>();
  const { agent, model } = await startAgent(t, {
    tools: [tool("wait", "read", () => (running.resolve(), release.promise))],
  });
  model.replies(callsTool("wait"), says("done"));
  const first = agent.send("api:chat", "start", { origin: ORIGIN });
  await running.promise;
  const session = await agent.sessions.open("api:chat", ORIGIN);
  const second = agent.send("api:chat", "and this", { origin: ORIGIN, key: "second" });
  const followed = followMessage(session, { key: "second", channel: "api" }, { after: 0 as Seq });
  while (session.state.pending.length === 0) await new Promise((resolve) => session.subscribe(resolve));
  await agent.withdraw("api:chat", session.state.pending[0]?.message.id ?? "", { id: "user", kind: "person" });
  expect(await followed.outcome).toEqual({ withdrawn: true });
  expect((await second.finished).reason).toBe("cancelled");
  release.resolve("waited");
  expect((await first.finished).reason).toBe("done");
});
