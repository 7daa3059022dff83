import { expect, test } from "vitest";

import type { ContextBuilder } from "../../src/contract/services.ts";
import { says } from "../../src/testing.ts";
import { CHAT, ofType, startAgent } from "../support/agent.ts";
import { realContext } from "../support/real-context.ts";

const ANN = { id: "ann", kind: "person" } as const;

/** A context that is ready when it is released. */
function gated(): { context: ContextBuilder; freezing: Promise<void>; release(): void } {
  const freezing = Promise.withResolvers<void>();
  const released = Promise.withResolvers<void>();
  const context = realContext({ list: () => [] });
  return {
    context: {
      ...context,
      freeze: async (state, signal) => {
        freezing.resolve();
        await released.promise;
        return context.freeze(state, signal);
      },
    },
    freezing: freezing.promise,
    release: () => released.resolve(),
  };
}

test("R70 a stop while a turn is being opened: the model is not asked", async (t) => {
  const gate = gated();
  const { agent, model, records } = await startAgent(t, { context: gate.context });
  const turn = agent.send(CHAT, "go").finished;
  await gate.freezing;
  const stopped = agent.control(CHAT, { type: "stop", withdraw: true }, ANN);
  gate.release();
  expect(await stopped).toMatchObject({ done: true, withdrawn: 1 });
  expect(await turn).toMatchObject({ reason: "cancelled" });
  await agent.idle();
  expect(model.requests).toEqual([]);
  expect(ofType(await records(), "turn.started")).toEqual([]);
});

test("R70 a message that is taken back while its turn is being opened; the one behind it is answered", async (t) => {
  const gate = gated();
  const { agent, model } = await startAgent(t, { context: gate.context });
  model.replies(says("to the second"));
  const controller = new AbortController();
  const first = agent.send(CHAT, "one", { signal: controller.signal }).finished;
  await gate.freezing;
  const second = agent.send(CHAT, "two").finished;
  await expect.poll(async () => (await agent.sessions.find(CHAT))?.state.pending.length).toBe(2);
  controller.abort();
  gate.release();
  expect(await first).toMatchObject({ reason: "cancelled" });
  expect(await second).toMatchObject({ text: "to the second" });
  expect(model.requests.map((request) => request.texts("user").at(-1))).toEqual(["two"]);
});
