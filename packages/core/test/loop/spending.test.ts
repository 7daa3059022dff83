import { expect, test } from "vitest";
import { spendingSince } from "../../src/loop/spending/spending.ts";
import { NO_USAGE } from "../../src/lib/usage.ts";
import { spendingOf } from "../../src/session/spending.ts";
import { says } from "../../src/testing.ts";
import { CHAT, startAgent } from "../support/agent.ts";

test("a fork spent what it spent itself: in its own state, for budgets and for whoever reads the journals", async (t) => {
  const { agent, model } = await startAgent(t);
  model.replies(says("one", { usage: { input: 100, output: 10 } }));
  await agent.send(CHAT, "hello").finished;
  await agent.idle();
  const fork = await agent.sessions.fork(CHAT, "test:fork");
  expect(fork.state.usage).toEqual(NO_USAGE);
  model.replies(says("two", { usage: { input: 70, output: 7 } }));
  await agent.send("test:fork", "again").finished;
  expect(fork.state.usage).toMatchObject({ input: 70, output: 7 });
  const all = await spendingSince(agent.sessions, 0);
  expect(all.map(({ source, usage }) => [source, usage.input])).toEqual([
    ["test", 100],
    ["test", 70],
  ]);
  const read: number[] = [];
  for await (const { usage } of spendingOf(fork.history())) read.push(usage.input);
  expect(read).toEqual([70]);
});
