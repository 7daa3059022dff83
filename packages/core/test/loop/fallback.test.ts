// R321 in a whole agent: whoever asks, the next model of the chain is reached.
import { expect, test } from "vitest";
import { withFallback } from "../../src/model/fallback.ts";
import { fakeClock } from "../../src/testing.ts";
import { CHAT, startAgent, tool, type Started } from "../support/agent.ts";
import { scripted, type Play, type ScriptedProvider } from "../support/scripted-provider.ts";

const BUSY: Play = { error: "provider.overloaded", retryable: true };

async function chained(
  t: Parameters<typeof startAgent>[0],
  first: Play,
  settings: { readonly requestAttempts?: number } = {},
): Promise<Started & { readonly a: ScriptedProvider; readonly b: ScriptedProvider }> {
  const [a, b] = [scripted("a", first), scripted("b", "from b")];
  const models = [a, b].map((provider) => ({ provider, model: provider.id, contextWindow: 100_000 }));
  const provider = withFallback(models, fakeClock());
  return { ...(await startAgent(t, { provider, settings, tools: [tool("note")] })), a, b };
}

for (const requestAttempts of [1, 2])
  test(`DF27 R321 with ${requestAttempts} attempt(s) the second model answers a turn that the first cannot`, async (t) => {
    const { agent, clock, a, b } = await chained(t, BUSY, { requestAttempts });
    const { finished } = agent.send(CHAT, "go");
    for (let waits = 1; waits < requestAttempts; waits++) {
      await clock.waitForSleep(0, 1000); // its backoff
      await clock.advance(1000);
    }
    expect(await finished).toMatchObject({ reason: "done", text: "from b" });
    expect([a.requests.length, b.requests.length]).toEqual([requestAttempts, 1]);
  });

test("DF27 R321 R71 after an empty answer the second model is asked, with its tools", async (t) => {
  const { agent, a, b } = await chained(t, "");
  expect(await agent.send(CHAT, "go").finished).toMatchObject({ reason: "done", text: "from b" });
  expect([a.requests.length, b.requests[0]?.sampling.toolChoice]).toEqual([1, "auto"]);
});

test("DF27 R321 what is asked once, beside the turns, reaches the second model", async (t) => {
  const { agent, a } = await chained(t, BUSY);
  const request = { purpose: "heartbeat", system: "Look.", text: "?", maxOutputTokens: 10 };
  expect(await agent.ask(CHAT, request, new AbortController().signal)).toEqual([{ type: "text", text: "from b" }]);
  expect(a.requests).toHaveLength(1);
});
