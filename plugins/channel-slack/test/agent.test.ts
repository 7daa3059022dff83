// A whole agent behind the channel: from what a person writes to what is shown, and a process that ends in between.
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { createAgent, httpProvider, type Agent, type Policy } from "@margay/core";
import { stalls } from "@margay/core/internal/testing";
import { type MockModel, says, startMockModel } from "@margay/core/testing";
import { expect, onTestFinished, test } from "vitest";
import { scene, SENDING, type Process, type Scene } from "./support.ts";

const ALLOW: Policy = {
  admit: () => Promise.resolve({ ok: true }),
  judge: () => Promise.resolve({ kind: "allow", rule: "test" }),
};

/** One process: the channel and the agent on the folders of the scene. */
function process(place: Scene, model: MockModel): Process & { readonly agent: Agent; end(): Promise<void> } {
  const workspace = join(place.folder, "workspace");
  mkdirSync(workspace, { recursive: true });
  const made = place.again();
  const { channel, host } = made;
  const agent = createAgent({
    directory: join(place.folder, "home"),
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
  return { ...made, agent, end: once };
}

test("CH230 CH233 R256 a process that ends while the model answers, and a message that is told twice: answered once, in its thread", async () => {
  const place = await scene();
  const { slack, anna } = place;
  const general = slack.channel("general", anna);
  const model = await startMockModel();
  onTestFinished(() => model.close());
  model.replies(stalls({ rest: says("too late") }), says("the **answer** for <!channel>"), says("the second"));
  const first = process(place, model);
  await first.up();
  const question = slack.write(anna, general, `<@${slack.me.id}> a question`);
  await model.received(1);
  await first.end();
  await slack.until(() => slack.sockets.open === 0);
  slack.repeat(general, question);
  const second = process(place, model);
  const shown = (): readonly string[] => slack.shown(general, question.ts).map(({ text }) => text);
  await slack.until(() => shown().length === 1);
  slack.repeat(general, question);
  slack.write(anna, general, "and another", { thread: question });
  await slack.until(() => shown().length === 3);
  await second.agent.idle();
  expect(shown()).toEqual(["the *answer* for <!channel>", "and another", "the second"]);
  expect(slack.shown(general, question.ts).flatMap(({ calls }) => calls)).toEqual([]);
});

test("CH233 CH147 a reply whose receipt is lost with the process is looked up, and shown once", async () => {
  const place = await scene();
  const { slack, anna, dm } = place;
  const model = await startMockModel();
  onTestFinished(() => model.close());
  model.replies(says("the answer"));
  const first = process(place, model);
  await first.up();
  slack.fault({ when: SENDING, how: "hang-after-taking" });
  slack.write(anna, dm, "a question");
  await slack.until(() => slack.shown(dm).length === 2);
  await first.end();
  const second = process(place, model);
  await second.up();
  await slack.until(() => slack.calls("conversations.history").length > 0);
  await second.agent.idle();
  slack.write(anna, dm, "x", { subtype: "channel_join" });
  expect(slack.shown(dm).filter(({ own }) => own)).toMatchObject([{ text: "the answer" }]);
  expect(slack.calls(SENDING)).toHaveLength(1);
});
