// PE82: what no person asked for has a budget of its own, and using it up leaves the person's answers alone.
import { expect, test } from "vitest";
import type { Budget } from "../../src/contract/agent-options.ts";
import type { Sender } from "../../src/contract/message.ts";
import { spendingSince } from "../../src/loop/spending/spending.ts";
import { says } from "../../src/testing.ts";
import { stalls } from "../../src/internal-testing.ts";
import { CHAT, ofType, startAgent, type Started } from "../support/agent.ts";

const BUDGETS: readonly Budget[] = [
  { scope: "day", tokens: 200_000 },
  { scope: "unattended", tokens: 100_000 },
];
const settings = { budgets: BUDGETS, maxTokens: 1000 };
const JOB: Sender = { id: "cron", kind: "schedule" };
const BIG = { usage: { input: 98_000, output: 1500 } };

/** A due job, as the schedule sends it. */
async function job({ agent }: Started, key: string): Promise<void> {
  const origin = { channel: "cron", chat: "daily" };
  const parts = [{ type: "text" as const, text: "the daily report" }];
  await agent.bus.accept({ key, origin, from: JOB, parts, sessionKey: "cron:daily", attended: false });
  await agent.idle();
}
const reasons = async ({ records }: Started, key: string): Promise<readonly string[]> =>
  ofType(await records(key), "turn.ended").map(({ reason }) => reason);

test("PE82 jobs that used up what nobody attends are stopped, and the person is answered, also after a restart", async (t) => {
  const started = await startAgent(t, { settings });
  started.model.replies(says("report", BIG), says("hello Ada"));
  await job(started, "1");
  await job(started, "2");
  expect(await reasons(started, "cron:daily")).toEqual(["done", "budget"]);
  expect(await started.agent.send(CHAT, "hi").finished).toMatchObject({ reason: "done", text: "hello Ada" });
  const after = await started.restart({ settings });
  await job(after, "3");
  expect(await reasons(after, "cron:daily")).toEqual(["done", "budget", "budget"]);
  expect(after.model.requests).toHaveLength(2);
  after.model.replies(says("still here"));
  expect(await after.agent.send(CHAT, "again").finished).toMatchObject({ reason: "done", text: "still here" });
});

test("PE82 what the person spends leaves the jobs their own; a script that sends a message is a person", async (t) => {
  const started = await startAgent(t, { settings });
  started.model.replies(says("long", BIG), says("report"));
  expect(await started.agent.send(CHAT, "hi", { attended: false }).finished).toMatchObject({ reason: "done" });
  await job(started, "1");
  expect(await reasons(started, "cron:daily")).toEqual(["done"]);
  const spent = await spendingSince(started.agent.sessions, 0);
  expect(Object.fromEntries(spent.map(({ source, unattended = false }) => [source, unattended]))).toEqual({
    cron: true,
    test: false,
  });
});

test("PE82 heartbeat and greeting are what nobody attends; the preview of a persona is a person's", async (t) => {
  const { agent, model } = await startAgent(t, { settings });
  await agent.sessions.open("heartbeat", { channel: "heartbeat", chat: "heartbeat" });
  const ask = (purpose: string) =>
    agent.ask("heartbeat", { purpose, system: "s", text: "t", maxOutputTokens: 100 }, AbortSignal.timeout(60_000));
  model.replies(says("due", BIG), says("preview"));
  expect(await ask("heartbeat")).toBeDefined();
  // No room for what its context takes together with the answer.
  const request = { purpose: "greeting", system: "s", text: "t", maxOutputTokens: 1000 };
  expect(await agent.ask("heartbeat", request, AbortSignal.timeout(60_000))).toBeUndefined();
  expect(model.requests).toHaveLength(1);
  expect(await ask("persona")).toBeDefined();
});

test("PE82 what a person's request under way holds back is not the jobs'", async (t) => {
  const started = await startAgent(t, {
    settings: { budgets: [{ scope: "unattended", tokens: 25_000 }], maxTokens: 20_000 },
  });
  const held = stalls({ rest: says("hi") });
  started.model.replies(held, says("report"));
  const turn = started.agent.send(CHAT, "hi").finished;
  await started.model.received(1);
  const ended = job(started, "1");
  await started.model.received(2);
  held.release();
  await ended;
  expect(await reasons(started, "cron:daily")).toEqual(["done"]);
  expect(await turn).toMatchObject({ reason: "done" });
});
