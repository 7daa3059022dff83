import { expect, test } from "vitest";
import { says } from "../../src/testing.ts";
import { ofType } from "../support/agent.ts";
import { startAttacked } from "../support/attacked-agent.ts";
import { recordings } from "../support/recordings.ts";
import { GOOD, recovered } from "../support/stream-outcomes.ts";
import { answerOn } from "../support/wire-answers.ts";

/** Ends that are no answer: an error event, and a refusal without a word. */
const FAILING: Readonly<Record<string, string>> = {
  "openai/openai-error.1": "provider.quota",
  "anthropic/anthropic-refusal": "model.refused",
};

for (const { name, api, bytes } of recordings())
  test(`R2 CX2 a whole turn on the recorded stream ${name} leaves a history that can be sent again`, async (t) => {
    const world = await startAttacked(t, api, "sk-test-0000");
    const recorded = {
      status: 200,
      headers: { "content-type": "text/event-stream" },
      chunks: [{ base64: bytes.toString("base64") }],
    };
    const good = answerOn(api, says(GOOD));
    const played = await world.turn("go", recorded, good);
    expect(played.outcome.error?.code).toBe(FAILING[name]);
    expect(played.replies).toHaveLength(1);
    // None of the tools they call is offered here: each call is answered with an error, and the model goes on.
    const calls = ofType(played.records, "model.responded").flatMap(({ message }) =>
      message.parts.filter((part) => part.type === "tool-call"),
    );
    expect(played.requests[1]?.toolResults.length ?? 0).toBe(calls.length);
    await world.reopen();
    const next = await world.turn("still there?", good);
    recovered(next);
    expect(next.requests[0]?.toolResults.length).toBe(calls.length);
    await world.expectSound();
  });
