import { expect, test } from "vitest";
import type { InboundMessage } from "../../src/contract/bus.ts";
import { createContext } from "../../src/context/context.ts";
import { project } from "../../src/context/project.ts";
import { sha256 } from "../../src/machine/system/hash.ts";
import { callsTool, recordingChannel, says } from "../../src/testing.ts";
import { ofType, startAgent, tool, type StartOptions } from "../support/agent.ts";
import { skillBench, skillText } from "./support.ts";

const inbound = (key: string, text: string): InboundMessage => ({
  key,
  origin: { channel: "chat", chat: "1" },
  from: { id: "ann", kind: "person" },
  parts: [{ type: "text", text }],
});

function withSkills(): StartOptions {
  const bench = skillBench();
  bench.put("weather", skillText("name: weather\ndescription: W", "Look outside.\n"), "bundled");
  const skills = bench.open();
  const context = createContext({
    workspace: bench.workspace,
    language: "en",
    timeZone: "UTC",
    clock: { now: () => 0 },
    persona: { name: "margay" },
    environment: { os: "Linux", arch: "x64", node: "24" },
    tools: () => [],
    hash: sha256,
    project,
    skills,
  });
  return { context, skillNames: skills.names };
}

test("R184 /skill puts the skill's text before the next message, also after a restart, and only once", async (t) => {
  const channel = recordingChannel("chat");
  const options = { ...withSkills(), channels: [channel] };
  const started = await startAgent(t, options);
  for (const [index, text] of ["/skill", "/skill nope", "/skill weather"].entries())
    await started.agent.bus.accept(inbound(`c${index}`, text));
  await started.agent.idle();
  expect(channel.texts()).toEqual([
    "Skills: weather",
    "There is no usable skill nope. There are: weather",
    "The skill weather goes before your next message.",
  ]);
  expect(started.model.requests).toHaveLength(0);
  const { agent, model, records } = await started.restart(options);
  model.replies(says("sunny"), says("bye"));
  await agent.bus.accept(inbound("1", "and now?"));
  await agent.idle();
  await agent.bus.accept(inbound("2", "thanks"));
  await agent.idle();
  const texts = model.requests[0]?.texts("user") ?? [];
  const at = texts.findIndex((text) => text.includes('<skill name="weather"'));
  expect([at >= 0, texts.findIndex((text) => text.includes("and now?")) >= at]).toEqual([true, true]);
  const notices = ofType(await records("chat:1"), "notice.added").filter(({ notice }) => notice.skill === "weather");
  expect(notices).toHaveLength(1);
});

test("$name in a message sent while a tool runs reaches the model before that message", async (t) => {
  const running = Promise.withResolvers<void>();
  const release = Promise.withResolvers<string>();
  const channel = recordingChannel("chat");
  const { agent, model } = await startAgent(t, {
    ...withSkills(),
    channels: [channel],
    tools: [tool("wait", "read", () => (running.resolve(), release.promise))],
  });
  model.replies(callsTool("wait"), says("done"));
  await agent.bus.accept(inbound("1", "start"));
  await running.promise;
  await agent.bus.accept(inbound("2", "with $weather please"));
  release.resolve("waited");
  await agent.idle();
  const texts = (model.requests[1]?.texts("user") ?? []).join("\n");
  expect(texts.indexOf("Look outside.")).toBeGreaterThan(texts.indexOf("start"));
  expect(texts.indexOf("with $weather please")).toBeGreaterThan(texts.indexOf("Look outside."));
});
