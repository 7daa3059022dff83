// Keys of the loop.
import type { InboundMessage } from "@margay/core";
import { callsTool, fails, says } from "@margay/core/testing";
import { callsTools, stalls } from "@margay/core/internal/testing";
import { comes, happens, lastRequest, type Probes, type World } from "./probe.ts";

const call = (text?: string) => callsTool("list_dir", { path: "." }, { ...(text !== undefined && { text }) });
const many = (count: number) => Array.from({ length: count }, () => call());

/** The next wait of the program between the two, and whether the request is over when it has passed. */
async function cutAfter({ model, clock, turn }: World, from: number, to: number): Promise<unknown> {
  model.replies(stalls({ after: "…" }), says("again"));
  const ended = turn("go").catch(() => "refused");
  await model.received(1);
  const ms = await clock.waitForSleep(from, to);
  await clock.advance(ms);
  const closed = await happens(model.requests[0]?.closedEarly ?? Promise.resolve());
  void ended;
  return [ms, closed];
}

export const AGENT: Probes = {
  "agent.maxIterations": {
    values: [2, 3],
    see: async (world) => {
      world.model.replies(...many(9));
      const { reason } = await world.turn("go");
      return [reason, world.model.requests.length];
    },
    saw: [
      ["limit", 2],
      ["limit", 3],
    ],
  },
  "agent.maxToolCalls": {
    values: [2, 4],
    see: async (world) => {
      world.model.replies(...many(9));
      await world.turn("go", "cli:calls");
      return (await world.records("cli:calls")).filter(({ type }) => type === "tool.started").length;
    },
    saw: [2, 4],
  },
  "agent.limitNotice": {
    values: [true, false],
    config: { agent: { maxIterations: 1 } },
    see: async (world) => {
      world.model.replies(call("So far so good."));
      return (await world.turn("go")).text;
    },
    saw: ["So far so good.\n\n[reached the maximum of 1 tool calls]", "So far so good."],
  },
  "agent.limitSummary": {
    values: [false, true],
    config: { agent: { maxIterations: 1 } },
    see: async (world) => {
      world.model.replies(call(), says("all that was done"));
      return (await world.turn("go")).text.includes("all that was done");
    },
    saw: [false, true],
  },
  "agent.titles": {
    values: [null, true],
    see: async (world, which) => {
      world.model.replies(says("hello"), says("Greeting"));
      await world.app.agent.send("web:named", "hi").finished;
      await world.app.agent.idle();
      await world.model.received(which + 1);
      return world.model.requests.length;
    },
    saw: [1, 2],
  },
  "agent.temperature": {
    values: [null, 0.4],
    see: async (world) => {
      await world.turn("go");
      return lastRequest(world).body["temperature"];
    },
    saw: [undefined, 0.4],
  },
  "agent.maxTokens": {
    values: [1000, 2000],
    see: async (world) => {
      await world.turn("go");
      return lastRequest(world).body["max_tokens"];
    },
    saw: [1000, 2000],
  },
  "agent.thinking": {
    values: ["off", "low"],
    config: { model: "mock/gpt-5", providers: { mock: { api: "openai-responses" } } },
    see: async (world) => {
      await world.turn("go");
      return (lastRequest(world).body["reasoning"] as { readonly effort?: string } | undefined)?.effort;
    },
    saw: [undefined, "low"],
  },
  "agent.maxRetries": {
    values: [1, 3],
    config: { agent: { retryDelaySeconds: 0 } },
    web: (_request, response) => response.destroy(),
    see: async (world) => {
      world.model.replies(callsTool("web_fetch", { url: `${world.web.url}/page` }), says("done"));
      await world.turn("go");
      return world.web.hits.length;
    },
    saw: [1, 3],
  },
  "agent.retryDelaySeconds": {
    values: [36, 48],
    stopped: true,
    web: (_request, response) => response.destroy(),
    see: async ({ model, clock, web, turn }) => {
      model.replies(callsTool("web_fetch", { url: `${web.url}/page` }), says("done"));
      void turn("go").catch(() => undefined);
      return clock.waitForSleep(35_000, 49_000);
    },
    saw: [36_000, 48_000],
  },
  "agent.parallelTools": {
    values: [false, true],
    see: async (world) => {
      const both = [".", "."].map((path) => ({ name: "list_dir", args: { path } }));
      world.model.replies(callsTools(both), says("done"));
      await world.turn("go", "cli:both");
      const types = (await world.records("cli:both")).map(({ type }) => type);
      return types.filter((type) => type.startsWith("tool."));
    },
    saw: [
      ["tool.started", "tool.finished", "tool.started", "tool.finished"],
      ["tool.started", "tool.started", "tool.finished", "tool.finished"],
    ],
  },
  "agent.steering": {
    values: [false, true],
    see: async (world) => {
      const held = stalls({ rest: call() });
      world.model.replies(held, says("one"), says("two"));
      const first = world.turn("go", "cli:steered");
      await world.model.received(1);
      const second = world.turn("and turn left", "cli:steered");
      // It waits from the moment at which it was committed.
      await comes(async () =>
        (await world.records("cli:steered")).some((one) => JSON.stringify(one).includes("turn left")),
      );
      held.release();
      await Promise.all([first, second]);
      return world.model.requests[1]?.texts("user").some((text) => text.includes("turn left"));
    },
    saw: [false, true],
  },
  "agent.reflection": {
    values: [false, true],
    see: async (world) => {
      world.model.replies(call(), says("done"));
      await world.turn("go");
      return lastRequest(world).raw.includes("Reflect on the results");
    },
    saw: [false, true],
  },
  "agent.concurrency": {
    values: [1, 2],
    see: async (world) => {
      const held = stalls({ rest: says("one") });
      world.model.replies(held, says("two"));
      const first = world.turn("first", "cli:one");
      await world.model.received(1);
      const second = world.turn("second", "cli:two");
      const beside = await happens(world.model.received(2));
      held.release();
      await Promise.all([first, second]);
      return beside;
    },
    saw: [false, true],
  },
  "agent.replyText": {
    values: ["final", "all"],
    see: async (world) => {
      world.model.replies(call("I look."), says("I saw."));
      return (await world.turn("go")).text;
    },
    saw: ["I saw.", "I look.I saw."],
  },
  "agent.maxPending": {
    values: [1, 3],
    config: { agent: { steering: false } },
    see: async (world) => {
      const held = stalls();
      world.model.replies(held);
      const { bus } = world.app.agent;
      const say = async (key: string): Promise<string> => (await bus.accept(message(key))).status;
      await say("0");
      await world.model.received(1);
      const answers = [await say("1"), await say("2"), await say("3"), await say("4")];
      held.release();
      return answers.filter((status) => status === "accepted").length;
    },
    saw: [1, 3],
  },
  "agent.requestAttempts": {
    values: [1, 2],
    config: { agent: { retryDelaySeconds: 0 } },
    see: async (world) => {
      world.model.replies(fails(500), says("fine"));
      return [(await world.turn("go")).reason, world.model.requests.length];
    },
    saw: [
      ["failed", 1],
      ["done", 2],
    ],
  },
  "agent.requestTimeoutSeconds": {
    values: [111, 222],
    config: { agent: { idleTimeoutSeconds: 3600 } },
    stopped: true,
    see: (world) => cutAfter(world, 100_000, 250_000),
    saw: [
      [111_000, true],
      [222_000, true],
    ],
  },
  "agent.idleTimeoutSeconds": {
    values: [33, 44],
    stopped: true,
    see: (world) => cutAfter(world, 31_000, 45_000),
    saw: [
      [33_000, true],
      [44_000, true],
    ],
  },
  "agent.firstTextSeconds": {
    values: [30, 50],
    stopped: true,
    see: async ({ model, clock, turn }) => {
      model.replies(stalls());
      const ended = turn("go");
      await model.received(1);
      await clock.advance(50_000);
      const { error } = await ended;
      return [error?.code, error?.details];
    },
    saw: [
      ["provider.silent", { model: "mock/mock-model", afterMs: 30_000 }],
      ["provider.silent", { model: "mock/mock-model", afterMs: 50_000 }],
    ],
  },
  "agent.transcriptionModel": {
    values: [null, "mock/whisper"],
    see: async ({ api, model }) => {
      const { status } = await api("/transcriptions", {
        method: "POST",
        raw: recording(),
        headers: { "content-type": "audio/wav" },
      });
      return [status < 300, model.recordings.length];
    },
    saw: [
      [false, 0],
      [true, 1],
    ],
  },
};

function message(key: string): InboundMessage {
  const origin = { channel: "cli", chat: "pending" };
  return { key, origin, from: { id: "local", kind: "person" }, parts: [{ type: "text", text: key }] };
}

/** A tenth of a second of silence. */
function recording(): Uint8Array {
  const bytes = Buffer.alloc(44 + 1600);
  bytes.write("RIFF", 0);
  bytes.writeUInt32LE(36 + 1600, 4);
  bytes.write("WAVEfmt ", 8);
  bytes.writeUInt32LE(16, 16);
  bytes.writeUInt16LE(1, 20);
  bytes.writeUInt16LE(1, 22);
  bytes.writeUInt32LE(8000, 24);
  bytes.writeUInt32LE(16_000, 28);
  bytes.writeUInt16LE(2, 32);
  bytes.writeUInt16LE(16, 34);
  bytes.write("data", 36);
  bytes.writeUInt32LE(1600, 40);
  return bytes;
}
