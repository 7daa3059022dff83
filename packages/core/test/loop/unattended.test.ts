import { expect, test } from "vitest";
import { says } from "../../src/testing.ts";
import { cutsAfter } from "../../src/internal-testing.ts";
import { CHAT, ofType, startAgent } from "../support/agent.ts";

test("DF17 R72 PR12 an unattended turn whose stream is cut after its first words asks again; an attended one keeps what was read", async (t) => {
  const runtime = await startAgent(t, { settings: { retryDelayMs: 1 } });
  runtime.model.replies(cutsAfter("The ans"), says("The answer."));
  const unattended = runtime.agent.send(CHAT, "go", { attended: false, from: { id: "cron", kind: "schedule" } });
  await runtime.clock.waitForSleep();
  await runtime.clock.advance(60_000);
  expect(await unattended.finished).toMatchObject({ reason: "done", text: "The answer." });
  expect(runtime.model.requests).toHaveLength(2);
  runtime.model.replies(cutsAfter("The ans"));
  expect(await runtime.agent.send(CHAT, "go").finished).toMatchObject({ error: { code: "provider.truncated" } });
  expect(ofType(await runtime.records(), "reply.queued")).toHaveLength(2);
});
