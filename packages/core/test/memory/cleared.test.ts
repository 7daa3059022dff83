// /new, /compact, and what a restart finds half done.
import { expect, test } from "vitest";
import { says } from "../../src/testing.ts";
import { stalls } from "../../src/internal-testing.ts";
import { CHAT, occurrences, ofType, startAgent, tool } from "../support/agent.ts";
import type { Started } from "../support/agent.ts";
import {
  command,
  consolidations,
  entries,
  importRows,
  isConsolidation,
  memoryFile,
  rowsIn,
  saves,
  turnRequests,
} from "../support/memory-agent.ts";

const SETTINGS = { memoryWindow: 20, memoryKeep: 4 } as const;
const start = (t: Parameters<typeof startAgent>[0]): Promise<Started> =>
  startAgent(t, { tools: [tool("note")], keepsMemory: true, settings: SETTINGS });

test("R181 /new clears at once; what was said goes to memory behind it, and the next message waits for nothing", async (t) => {
  const started = await start(t);
  const { agent, model } = started;
  await importRows(started, 6);
  const held = stalls({ rest: saves("They counted to six.", "- counts") });
  model.route(isConsolidation, held);
  expect(await command(started, "/new")).toContain("Started afresh");
  expect((await agent.send(CHAT, "hello").finished).reason).toBe("done");
  expect(rowsIn(turnRequests(model.requests)[0])).toEqual([]);
  expect(entries(started)).toEqual([]);
  held.release();
  await agent.idle();
  expect(entries(started)).toEqual(["They counted to six."]);
  expect(consolidations(model.requests).map(rowsIn)).toEqual([[0, 1, 2, 3, 4, 5]]);
});

test("R181 a restart between /new and the answer loses nothing: HISTORY.md gains one entry, the context stays empty", async (t) => {
  const started = await start(t);
  await importRows(started, 6);
  const held = stalls();
  started.model.route(isConsolidation, held, saves("They counted to six.", "- counts"));
  await command(started, "/new");
  await started.model.received(1);
  const again = await started.restart();
  await again.agent.resume();
  await again.agent.idle();
  expect(entries(again)).toEqual(["They counted to six."]);
  const third = await again.restart();
  await third.agent.resume();
  await third.agent.send(CHAT, "hello").finished;
  await third.agent.idle();
  expect(rowsIn(turnRequests(started.model.requests).at(-1))).toEqual([]);
  expect([entries(third), consolidations(started.model.requests).length]).toEqual([["They counted to six."], 2]);
});

test("ME8 /new while rows are being consolidated: each row is archived once", async (t) => {
  const started = await start(t);
  const { agent, model } = started;
  await importRows(started, 20);
  const held = stalls({ rest: saves("They counted to sixteen.", "- counts") });
  model.route(isConsolidation, held, saves("They counted to the end.", "- counts"));
  await agent.send(CHAT, "and now?").finished;
  await command(started, "/new"); // the answer beside the lane is about a context that is gone
  held.release();
  await agent.idle();
  expect(entries(started)).toEqual(["They counted to the end."]);
  expect(rowsIn(consolidations(model.requests).at(-1))).toEqual(Array.from({ length: 20 }, (_, n) => n));
});

test("ME8 /new after rows were consolidated: only the rest is archived", async (t) => {
  const started = await start(t);
  const { agent, model } = started;
  await importRows(started, 20);
  model.route(isConsolidation, saves("They counted to sixteen.", "- counts"), saves("And to the end.", "- counts"));
  await agent.send(CHAT, "and now?").finished;
  await agent.idle();
  await command(started, "/new");
  await agent.idle();
  expect(entries(started)).toEqual(["They counted to sixteen.", "And to the end."]);
  const [first = [], second = []] = consolidations(model.requests).map(rowsIn);
  expect([...first, ...second]).toEqual(Array.from({ length: 20 }, (_, n) => n));
});

test("ME7 ME8 two /new in a row archive once, and a cleared chat begins without a summary", async (t) => {
  const started = await start(t);
  const { agent, model } = started;
  await importRows(started, 6);
  model.route(isConsolidation, saves("They counted to six.", "- counts"));
  await command(started, "/new");
  await command(started, "/new");
  await agent.idle();
  await agent.send(CHAT, "hello").finished;
  expect(consolidations(model.requests)).toHaveLength(1);
  expect(occurrences(turnRequests(model.requests)[0], "They counted to six.")).toBe(0);
});

test("/compact consolidates rows that are not due; the next turn opens with their summary", async (t) => {
  const started = await start(t);
  const { agent, model } = started;
  expect(await command(started, "/compact")).toBe("There is nothing to put into memory yet.");
  await importRows(started, 12);
  model.route(isConsolidation, saves("They counted to twelve.", "- counts"));
  expect(await command(started, "/compact")).toContain("is being put into memory");
  await agent.idle();
  expect(memoryFile(started, "MEMORY.md")).toBe("- counts\n");
  expect(await command(started, "/compact")).toBe("There is nothing to put into memory yet.");
  await agent.send(CHAT, "and now?").finished;
  expect(consolidations(model.requests)).toHaveLength(1);
  const [request] = turnRequests(model.requests);
  expect([rowsIn(request), occurrences(request, "They counted to twelve.")]).toEqual([[8, 9, 10, 11], 1]);
});

test("/memory shows what MEMORY.md begins with, /usage what the chat has cost, in both languages", async (t) => {
  const started = await start(t);
  const { agent, model } = started;
  expect(await command(started, "/memory")).toBe("The long-term memory is empty.");
  await importRows(started, 6);
  const facts = Array.from({ length: 25 }, (_, n) => `- fact ${n}`);
  model.route(isConsolidation, saves("They counted to six.", facts.join("\n")));
  await command(started, "/new");
  await agent.idle();
  const shown = (await command(started, "/memory"))?.split("\n") ?? [];
  expect([shown.slice(0, 20), shown.slice(20)]).toEqual([
    facts.slice(0, 20),
    ["… and 5 more lines in memory/MEMORY.md"],
  ]);
  model.replies(says("hello", { usage: { input: 2000, output: 30, cacheRead: 500 } }));
  const spent = (await agent.sessions.find(CHAT))!.state.usage;
  await agent.send(CHAT, "hello").finished;
  expect((await command(started, "/usage"))?.split("\n")).toEqual([
    expect.stringMatching(`^Input: ${spent.input + 2000} tokens, \\d+% from the cache$`),
    `Output: ${spent.output + 30} tokens`,
    "Cost: unknown",
  ]);
  agent.configure({ settings: { language: "zh-CN" } });
  expect(await command(started, "/usage")).toContain(`输出：${spent.output + 30} 个词元`);
  expect(await command(started, "/memory")).toContain("还有 5 行");
});

test("/memory and /compact say so where no memory is kept", async (t) => {
  const started = await startAgent(t, { tools: [tool("note")] });
  expect(await command(started, "/memory")).toBe("No long-term memory is kept here.");
  expect(await command(started, "/compact")).toBe("No long-term memory is kept here.");
  expect(ofType(await started.records(), "memory.answered")).toEqual([]);
});

test("R181 what an earlier process left goes into memory with the next message, without a start of all sessions", async (t) => {
  const started = await start(t);
  await importRows(started, 6);
  started.model.route(isConsolidation, stalls(), saves("They counted to six.", "- counts"));
  await command(started, "/new");
  await started.model.received(1);
  const again = await started.restart();
  await again.agent.send(CHAT, "hello").finished;
  await again.agent.idle();
  expect(entries(again)).toEqual(["They counted to six."]);
});
