// A whole agent behind the channel: from what a person writes to what is shown, and a process that ends in between.
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { createAgent, httpProvider, type Agent, type Policy } from "@margay/core";
import { stalls } from "@margay/core/internal/testing";
import { type MockModel, says, startMockModel } from "@margay/core/testing";
import { expect, onTestFinished, test } from "vitest";
import { startGateway } from "../../../packages/app/test/gateway/support.ts";
import { place, type Place } from "./support.ts";

const ALLOW: Policy = {
  admit: () => Promise.resolve({ ok: true }),
  judge: () => Promise.resolve({ kind: "allow", rule: "test" }),
};

/** One process: the channel and the agent on the folders of the scene. */
function process(
  scene: Place,
  model: MockModel,
  settings?: Parameters<Place["again"]>[0],
): { readonly agent: Agent; end(): Promise<void> } {
  const workspace = join(scene.folder, "workspace");
  mkdirSync(workspace, { recursive: true });
  const { channel, host } = scene.again(settings);
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

test("CH66 CH67 CH206 in a private chat an answer is a draft while it is written; of a process that ends nothing is left, and the answer is one message", async () => {
  const scene = await place({ limits: "real" });
  const { telegram, anna, chat } = scene;
  const model = await mockModel();
  const half = stalls({ after: "The **first** half, which is long enough to be seen. ", rest: says("Never said.") });
  model.replies(half, says("The **whole** answer."));
  const first = process(scene, model);
  telegram.write(anna, chat, "a question");
  await telegram.until(() => telegram.drafts(chat).size === 1);
  expect([...telegram.drafts(chat).values()]).toMatchObject([
    { text: "The first half, which is long enough to be seen.", canStop: true },
  ]);
  expect(telegram.shown(chat)).toHaveLength(1);
  await first.end();
  await telegram.until(() => !telegram.isPolling());
  const second = process(scene, model);
  await second.agent.resume();
  await telegram.until(() => telegram.shown(chat).length === 2);
  await second.agent.idle();
  expect(telegram.shown(chat).map(({ text }) => text)).toEqual(["a question", "The whole answer."]);
  expect(telegram.drafts(chat).size).toBe(0);
});

test("CH206 the button of a draft stops the answer, whose beginning stays as a message; pressed twice, and on an older draft, it does nothing", async () => {
  const scene = await place();
  const { telegram, anna, chat } = scene;
  const model = await mockModel();
  const begun = stalls({ after: "The first half, which is long enough to be seen. ", rest: says("Never said.") });
  const other = stalls({ after: "Another answer, which is long enough, too. ", rest: says("And its end.") });
  model.replies(begun, other);
  const { agent } = process(scene, model);
  telegram.write(anna, chat, "a question");
  await telegram.until(() => telegram.drafts(chat).size === 1);
  const [old = 0] = telegram.drafts(chat).keys();
  telegram.stopDraft(chat, old);
  expect(await model.requests[0]?.closedEarly).toBe(true);
  await telegram.until(() => telegram.shown(chat).length === 2);
  expect(telegram.shown(chat)[1]?.text).toMatch(/^The first half, which is long enough to be seen\. \S/);
  await agent.idle();
  telegram.repeatUpdates(1);
  telegram.write(anna, chat, "another question");
  await telegram.until(() => [...telegram.drafts(chat).values()].some(({ text }) => text.startsWith("Another")));
  telegram.repeatUpdates(2);
  await telegram.until(() => telegram.pendingUpdates().length === 0 && telegram.isPolling());
  other.release();
  await telegram.until(() => telegram.shown(chat).length === 4);
  expect(telegram.shown(chat).at(-1)?.text).toBe("Another answer, which is long enough, too. And its end.");
});

test("CH66 CH67 CH206 without drafts an answer is one message that is edited; a process that ends in between goes on in it", async () => {
  const scene = await place({ limits: "real" });
  const { telegram, anna, chat } = scene;
  const model = await mockModel();
  const half = stalls({ after: "The **first** half, which is long enough to be seen. ", rest: says("Never said.") });
  model.replies(half, says("The **whole** answer."));
  const first = process(scene, model, { drafts: false });
  telegram.write(anna, chat, "a question");
  await telegram.until(() => telegram.shown(chat).length === 2);
  expect(telegram.shown(chat)[1]?.text).toBe("The first half, which is long enough to be seen.");
  // Its number has come back, and is kept.
  const session = await first.agent.sessions.find(`telegram:${chat.id}`);
  await expect.poll(() => session?.state.live?.messages[0]?.id).toBe("2");
  await first.end();
  await telegram.until(() => !telegram.isPolling());
  const second = process(scene, model, { drafts: false });
  await second.agent.resume();
  await telegram.until(() => telegram.shown(chat)[1]?.text === "The whole answer.");
  await second.agent.idle();
  expect(telegram.shown(chat)).toHaveLength(2);
});

test("CH48 CH150 twelve replies to six chats at once: Telegram, which counts, refuses none", async () => {
  const scene = await place({ limits: "real" });
  const { telegram } = scene;
  const model = await mockModel();
  const { agent } = process(scene, model);
  const chats = ["Ann", "Bob", "Cid", "Dan", "Eve", "Fay"].map((name) => telegram.privateChat(telegram.person(name)));
  model.replies(...chats.flatMap(() => [says("one"), says("two")]));
  for (const round of [1, 2])
    for (const { id } of chats)
      await agent.bus.send(`telegram:${id}`, {
        reply: `r${id}.${round}`,
        to: { channel: "telegram", chat: String(id) },
        kind: "message",
        parts: [{ type: "text", text: `round ${round}` }],
        from: { id: "test", kind: "agent" },
      });
  await agent.idle();
  for (const chat of chats) expect(telegram.shown(chat).map(({ text }) => text)).toEqual(["round 1", "round 2"]);
  expect(scene.host.told.events.filter(({ event }) => event === "reply.failed")).toEqual([]);
});

test("CH74 CH170 a command with our name behind it is ours, with another one it is nobody's: no answer, and no model is asked", async () => {
  const { telegram, anna, chat } = await place();
  const group = telegram.supergroup("Trip", [anna]);
  const talk = {
    enabled: true,
    kind: "telegram",
    token: telegram.token,
    baseUrl: telegram.url,
    operators: [String(anna.id)],
    chats: { [group.id]: { groups: "all", allowFrom: [] } },
  };
  const gateway = await startGateway({ onTestFinished }, { config: { channels: { talk } } });
  await telegram.received("setMyCommands", 2);
  expect(telegram.requests.findLast(({ method }) => method === "setMyCommands")?.params).toMatchObject({
    commands: expect.arrayContaining([
      { command: "stop", description: "stop what is running and take back what waits" },
    ]),
  });
  for (const where of [chat, group]) {
    const ours = () => telegram.shown(where).filter(({ own }) => own);
    telegram.write(anna, where, "/status@other_bot");
    telegram.write(anna, where, "/whoami@Margay_Bot");
    await telegram.until(() => ours().length > 0);
    await gateway.app.agent.idle();
    expect(ours().map(({ text }) => text)).toEqual([expect.stringContaining(String(anna.id))]);
  }
  expect(gateway.model.requests).toHaveLength(0);
});
