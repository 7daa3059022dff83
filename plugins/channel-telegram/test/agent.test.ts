// A whole agent behind the channel: from what a person writes to what is shown, and a process that ends in between.
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { createAgent, httpProvider, type Agent, type Policy } from "@margay/core";
import { stalls } from "@margay/core/internal/testing";
import { type MockModel, says, startMockModel } from "@margay/core/testing";
import { expect, onTestFinished, test } from "vitest";
import { place, type Place } from "./support.ts";

const ALLOW: Policy = {
  admit: () => Promise.resolve({ ok: true }),
  judge: () => Promise.resolve({ kind: "allow", rule: "test" }),
};

/** One process: the channel and the agent on the folders of the scene. */
function process(scene: Place, model: MockModel): { readonly agent: Agent; end(): Promise<void> } {
  const workspace = join(scene.folder, "workspace");
  mkdirSync(workspace, { recursive: true });
  const { channel, host } = scene.again();
  const agent = createAgent({
    directory: join(scene.folder, "home"),
    workspace,
    provider: httpProvider({ id: "mock", wire: "openai-chat", baseUrl: `${model.url}/v1`, keys: ["test-key"] }),
    model: { provider: "mock", model: "mock-model" },
    policy: ALLOW,
    channels: [channel],
    blobs: host.blobs,
    log: host.log,
  });
  const stop = new AbortController();
  const running = agent.run(stop.signal);
  let ended: Promise<void> | undefined;
  const end = async (): Promise<void> => {
    stop.abort(new Error("the process ends"));
    await agent[Symbol.asyncDispose](); // at once: nothing in hand is brought to its end
    await running;
  };
  const once = (): Promise<void> => (ended ??= end());
  onTestFinished(once);
  return { agent, end: once };
}

async function mockModel(): Promise<MockModel> {
  const model = await startMockModel();
  onTestFinished(() => model.close());
  return model;
}

test("R253 a message of Telegram is answered there, and one more in the same conversation", async () => {
  const scene = await place();
  const { telegram, anna, chat } = scene;
  const model = await mockModel();
  model.replies(says("hello Anna"), says("you said hello"));
  process(scene, model);
  telegram.write(anna, chat, "hello");
  await telegram.until(() => telegram.shown(chat).length === 2);
  telegram.write(anna, chat, "what did I say?");
  await telegram.until(() => telegram.shown(chat).length === 4);
  expect(telegram.shown(chat).map(({ own, text }) => [own, text])).toEqual([
    [false, "hello"],
    [true, "hello Anna"],
    [false, "what did I say?"],
    [true, "you said hello"],
  ]);
  expect(JSON.stringify(model.requests[1]?.body)).toContain("hello Anna");
});

test("CH200 R256 a process that ends while the model answers, and one that Telegram answered twice: each message once", async () => {
  const scene = await place();
  const { telegram, anna, chat } = scene;
  const model = await mockModel();
  const slow = stalls({ rest: says("too late") });
  model.replies(slow, says("the answer"), says("the second"));
  const first = process(scene, model);
  telegram.write(anna, chat, "a question");
  await model.received(1);
  await first.end();
  await telegram.until(() => !telegram.isPolling());
  expect(telegram.shown(chat)).toHaveLength(1);
  telegram.repeatUpdates(1);
  const second = process(scene, model);
  await telegram.until(() => telegram.shown(chat).length === 2);
  await second.agent.idle();
  telegram.repeatUpdates(1);
  telegram.write(anna, chat, "another");
  await telegram.until(() => telegram.shown(chat).length === 4);
  await second.agent.idle();
  expect(telegram.shown(chat).map(({ text }) => text)).toEqual(["a question", "the answer", "another", "the second"]);
});
