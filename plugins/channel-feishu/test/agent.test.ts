// A whole agent behind the channel: from what a person writes to what is shown, and a process that ends in between.
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { createAgent, defineTool, httpProvider, type Agent, type JsonObject, type Policy } from "@margay/core";
import { stalls } from "@margay/core/internal/testing";
import { type MockModel, callsTool, says, startMockModel } from "@margay/core/testing";
import { expect, onTestFinished, test } from "vitest";
import { scene, type Process, type Scene } from "./support.ts";

const ALLOW: Policy = {
  admit: () => Promise.resolve({ ok: true }),
  judge: () => Promise.resolve({ kind: "allow", rule: "test" }),
};

const note = defineTool<JsonObject>({
  name: "note",
  description: "Writes something down.",
  input: { type: "object", properties: { text: {} } },
  effect: "write",
  execute: () => Promise.resolve("noted"),
});

/** One process: the channel and the agent on the folders of the scene. */
function process(
  place: Scene,
  model: MockModel,
  policy = ALLOW,
): Process & { readonly agent: Agent; end(): Promise<void> } {
  const workspace = join(place.folder, "workspace");
  mkdirSync(workspace, { recursive: true });
  const made = place.again();
  const { channel, host } = made;
  const agent = createAgent({
    directory: join(place.folder, "home"),
    workspace,
    provider: httpProvider({ id: "mock", wire: "openai-chat", baseUrl: `${model.url}/v1`, keys: ["test-key"] }),
    model: { provider: "mock", model: "mock-model" },
    policy,
    mayApprove: ({ id }) => id === place.anna.openId,
    channels: [channel],
    tools: [note],
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

test("CH240 R256 a process that ends while the model answers, and a message that is told twice: answered once", async () => {
  const place = await scene();
  const { feishu, anna, dm } = place;
  const model = await startMockModel();
  onTestFinished(() => model.close());
  model.replies(stalls({ rest: says("too late") }), says("the **answer**"), says("the second"));
  const first = process(place, model);
  const question = feishu.write(anna, dm, "a question");
  await model.received(1);
  await first.end();
  feishu.tellAgain(question);
  const second = process(place, model);
  await feishu.until(() => feishu.shown(dm).length === 2);
  feishu.tellAgain(question);
  feishu.write(anna, dm, "another");
  await feishu.until(() => feishu.shown(dm).length === 4);
  await second.agent.idle();
  expect(feishu.shown(dm).map(({ text }) => text)).toEqual(["a question", "the **answer**", "another", "the second"]);
});

test("CH70 CH71 CH72 an approval is pressed by an operator, carried out once, and its buttons are gone", async () => {
  const place = await scene();
  const { feishu, anna, dm } = place;
  const eve = feishu.person("Eve");
  const model = await startMockModel();
  onTestFinished(() => model.close());
  model.replies(callsTool("note", { text: "milk" }), says("Written."));
  const asks: Policy = {
    ...ALLOW,
    judge: () => Promise.resolve({ kind: "ask", rule: "test", prompt: "Write it?", expiresInMs: 60_000 }),
  };
  process(place, model, asks);
  feishu.write(anna, dm, "note milk");
  const question = () => feishu.shown(dm).find(({ buttons }) => buttons.length > 0);
  await feishu.until(() => question() !== undefined);
  const { id = "", buttons = [] } = question() ?? {};
  const label = buttons[0]?.label ?? "";
  expect(await feishu.press(eve, id, label)).toMatchObject({ type: "warning" });
  expect(await feishu.press(anna, id, label)).toMatchObject({ type: "success" });
  await feishu.until(() => feishu.shown(dm).at(-1)?.text === "Written.");
  await feishu.until(() => feishu.shown(dm).every((one) => one.buttons.length === 0));
  expect(feishu.shown(dm).find((one) => one.id === id)).toMatchObject({ edits: 1 });
  expect(model.requests).toHaveLength(2);
});

test("CH66 what is said after a question is shown below it: a key is one message, and a turn may open two", async () => {
  const place = await scene();
  const { feishu, anna, dm } = place;
  const model = await startMockModel();
  onTestFinished(() => model.close());
  const before = stalls({ after: "I shall write that down, if I may. ", rest: callsTool("note", { text: "milk" }) });
  const after = stalls({ after: "It is written down, and stands in the list. ", rest: says("Anything else?") });
  model.replies(before, after);
  const asks: Policy = {
    ...ALLOW,
    judge: () => Promise.resolve({ kind: "ask", rule: "test", prompt: "Write it?", expiresInMs: 60_000 }),
  };
  const { agent } = process(place, model, asks);
  const shown = (): readonly string[] => feishu.shown(dm).map(({ text }) => text);
  feishu.write(anna, dm, "note milk");
  await feishu.until(() => shown().length === 2);
  before.release();
  const question = () => feishu.shown(dm).find(({ buttons }) => buttons.length > 0);
  await feishu.until(() => question() !== undefined);
  await feishu.press(anna, question()?.id ?? "", question()?.buttons[0]?.label ?? "");
  await feishu.until(() => shown().some((text) => text.startsWith("It is written down")));
  after.release();
  await agent.idle();
  expect(shown()).toEqual([
    "note milk",
    "I shall write that down, if I may.",
    expect.stringContaining("Write it?"),
    "It is written down, and stands in the list. Anything else?",
  ]);
});
