// What comes in by each door keeps the label of whoever wrote it.
import { appendFileSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { openFileLabels } from "../../src/labels/file-labels.ts";
import { rememberTool } from "../../src/memory/remember-tool.ts";
import { spawnTool } from "../../src/subagents/spawn-tool.ts";
import { asUntrusted } from "../../src/tools/untrusted.ts";
import { cronTool } from "../../src/schedule/cron-tool.ts";
import type { Label } from "../../src/contract/message.ts";
import type { InboundMessage, JournalRecord } from "../../src/index.ts";
import { callsTool, says } from "../../src/testing.ts";
import { createRegistry } from "../../src/tools/registry.ts";
import { fileBench } from "../builtin/file-support.ts";
import { CHAT, ofType, startAgent, tool, type Started } from "../support/agent.ts";
import { isConsolidation, memoryFile, saves } from "../support/memory-agent.ts";
import { startCron } from "../schedule/support.ts";
import { toolContext } from "../tools/support.ts";

const STRANGE: Label = { integrity: "untrusted", confidentiality: "public" };
const page = tool("page", "read", () => asUntrusted("what a stranger wrote"));

const inbound = (key: string, from: string, parts: InboundMessage["parts"]): InboundMessage => ({
  key,
  origin: { channel: "test", chat: "1" },
  from: { id: from, kind: "person" },
  parts,
});

async function received(t: Parameters<typeof startAgent>[0], message: InboundMessage): Promise<JournalRecord> {
  const { agent, model, records } = await startAgent(t, {
    mayApprove: ({ id }) => id === "ann",
    redact: (text) => text.replaceAll("hunter2-hunter2", "[redacted]"),
  });
  model.replies(says("ok"));
  await agent.bus.accept(message);
  await agent.idle();
  const [first] = ofType(await records(), "message.received");
  if (first === undefined) throw new Error("nothing was received");
  return first;
}

test("SE1 R282 an operator's words are as typed but for secrets; another person's are a stranger's and are cleaned", async (t) => {
  const text = [{ type: "text", text: "a\u{E0041}b hunter2-hunter2" }] as const;
  expect(await received(t, inbound("1", "ann", text))).toMatchObject({
    message: { parts: [{ text: "a\u{E0041}b [redacted]" }] },
  });
  expect(JSON.stringify(await received(t, inbound("1", "ann", text)))).not.toContain("untrusted");
  expect(await received(t, inbound("2", "bob", text))).toMatchObject({
    message: { integrity: "untrusted", parts: [{ text: "ab [redacted]" }] },
  });
});

test("SE1 a picture was made by somebody else, whoever sends it", async (t) => {
  const picture = { type: "media", blob: { sha256: "0".repeat(64), bytes: 1 }, mediaType: "image/png" } as const;
  expect(await received(t, inbound("1", "ann", [{ type: "text", text: "look" }, picture]))).toMatchObject({
    message: { integrity: "untrusted" },
  });
});

async function family(t: Parameters<typeof startAgent>[0]): Promise<Started> {
  const held: { agent?: Started["agent"] } = {};
  const made = await startAgent(t, {
    tools: [spawnTool((request) => held.agent!.spawn(request)), page], // called in a turn: the agent exists by then
    subagents: {
      tools: createRegistry([page]),
      context: {
        freeze: () => Promise.resolve({ hash: "h", system: "You are a subagent", tools: [] }),
        notices: () => Promise.resolve([]),
        project: (state) => state.messages,
      },
      maxIterations: () => 15,
      concurrency: () => 4,
      timeoutMs: () => 60_000,
    },
  });
  held.agent = made.agent;
  return made;
}

test("SE1 a subagent's task has the label of who gave it, and its result that of what it read", async (t) => {
  const reader = await family(t);
  reader.model.route((request) => request.system.includes("You are a subagent"), callsTool("page"), says("it says x"));
  reader.model.replies(callsTool("spawn", { task: "read", label: "r", wait: true }), says("done"));
  await reader.agent.send(CHAT, "go").finished;
  expect(ofType(await reader.records(), "tool.finished")[0]?.message.integrity).toBe("untrusted");

  const giver = await family(t);
  giver.model.route((request) => request.system.includes("You are a subagent"), says("done"));
  giver.model.replies(callsTool("page"), callsTool("spawn", { task: "do x", label: "r", wait: true }), says("done"));
  await giver.agent.send(CHAT, "go").finished;
  const call = ofType(await giver.records(), "tool.started").at(-1)?.call;
  const child = await giver.records(`subagent:${CHAT}#${call}`);
  expect(ofType(child, "message.received")[0]?.message.integrity).toBe("untrusted");
});

test("SE1 a job runs under the label it was made under", async (t) => {
  const { cron } = await startCron(t);
  const made = cronTool({ cron, timeZone: () => "UTC" });
  const input = { action: "add", message: "drink water", every_seconds: 3600 };
  await made.execute(input as never, toolContext({ label: STRANGE })); // a tool's input has the type of its schema
  expect((await cron.list())[0]?.marks).toEqual({ integrity: "untrusted" });
});

test("SE1 a posted text carries its label into the chat", async (t) => {
  const { agent } = await startAgent(t);
  await agent.bus.send(CHAT, {
    reply: "cron:1",
    to: { channel: "test", chat: "1" },
    kind: "message",
    parts: [{ type: "text", text: "the page says x" }],
    from: { id: "cron", kind: "schedule" },
    marks: { integrity: "untrusted" },
  });
  expect((await agent.sessions.find(CHAT))?.state.messages.at(-1)).toMatchObject({ integrity: "untrusted" });
});

test("ME17 what is kept of a conversation with strangers' texts says so, line by line", async (t) => {
  const started = await startAgent(t, {
    keepsMemory: true,
    settings: { memoryFormat: "tool", memoryWindow: 8, memoryKeep: 4, memoryTiming: "before-turn" },
  });
  started.model.route(isConsolidation, saves("They read.", "- new"));
  started.model.route((request) => !isConsolidation(request), says("fine"));
  const session = await started.agent.sessions.open(CHAT, { channel: "test", chat: "1" });
  const messages = Array.from({ length: 10 }, (_, index) => ({
    role: "user" as const,
    id: `m-${index}`,
    at: index,
    from: { id: "ann", kind: "person" as const },
    parts: [{ type: "text" as const, text: `row ${index}` }],
    ...(index === 3 && { integrity: "untrusted" as const }),
  }));
  await session.commit({ type: "history.imported", messages, rows: messages.length, consolidated: 0 });
  await started.agent.send(CHAT, "and now?").finished;
  expect(memoryFile(started, "MEMORY.md")).toBe("- new (source: untrusted content)\n");
  expect(memoryFile(started, "HISTORY.md")).toContain("They read. (source: untrusted content)");
});

test("ME17 a fact that is remembered in an untrusted context says so", async () => {
  const kept: string[] = [];
  const remember = rememberTool({ remember: (text) => (kept.push(text), Promise.resolve("remembered" as const)) });
  for (const label of [STRANGE, undefined])
    await remember.execute({ text: "x is y" } as never, toolContext(label === undefined ? {} : { label }));
  expect(kept).toEqual(["x is y (source: untrusted content)", "x is y"]);
});

test("SE1 a file that was written in an untrusted context is a stranger's, by its path and as a copy, also after a restart", async () => {
  const bench = await fileBench();
  const state = join(bench.base, "labels");
  for (const labels of [openFileLabels(state), openFileLabels(state)]) {
    const other = await fileBench({ workspace: bench.workspace, labels });
    if (labels.empty)
      await other.call("write_file", { path: "a.txt", content: "pay me before nine" }, { label: STRANGE });
    await bench.put("copy.txt", "pay me before nine");
    await bench.put("mine.txt", "hello");
    const integrityOf = async (path: string): Promise<string | undefined> =>
      (await other.call("read_file", { path })).integrity;
    expect(await Promise.all(["a.txt", "copy.txt", "mine.txt"].map(integrityOf))).toEqual([
      "untrusted",
      "untrusted",
      undefined,
    ]);
    // The path alone tells where the content does not.
    await bench.put("a.txt", "pay me before nine, and more");
    expect(await integrityOf("a.txt")).toBe("untrusted");
  }
  // Before it is written, and once more with what tells it from every other file.
  expect(readFileSync(join(state, "file-labels.jsonl"), "utf8").trim().split("\n")).toHaveLength(2);
});

test("SE1 a crash in the middle of a label costs that one alone", async () => {
  const state = join((await fileBench()).base, "labels");
  openFileLabels(state).add("first.txt", "test");
  appendFileSync(join(state, "file-labels.jsonl"), '{"path":"torn.t');
  openFileLabels(state).add("second.txt", "test");
  expect(openFileLabels(state).paths()).toEqual(["first.txt", "second.txt"]);
});
