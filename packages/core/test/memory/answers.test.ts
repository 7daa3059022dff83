// What a model may answer to a consolidation, and what each answer does to the files.
import { readdirSync, readFileSync, writeFileSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { callsTool, fails, says } from "../../src/testing.ts";
import { emptyAnswer, stalls, thinks } from "../../src/internal-testing.ts";
import type { RecordedRequest, Reply } from "../../src/internal-testing.ts";
import type { SessionId } from "../../src/contract/base.ts";
import type { Message } from "../../src/contract/message.ts";
import type { JournalRecord } from "../../src/contract/record.ts";
import type { SessionState } from "../../src/contract/session.ts";
import { emptyState, reduce } from "../../src/session/reduce.ts";
import { openMemory } from "../../src/memory/memory.ts";
import { CHAT, ofType, startAgent, tool } from "../support/agent.ts";
import type { Started } from "../support/agent.ts";
import { temporaryFolder } from "../support/folder.ts";
import { consolidations, entries, importRows, isConsolidation, memoryFile, saves } from "../support/memory-agent.ts";

const FORMATS = ["tool", "json", "summary"] as const;
type Format = (typeof FORMATS)[number];
const TIME = "2026-03-01 12:00";

interface Files {
  readonly memory: string;
  readonly history: readonly string[];
}

/** Twenty rows, an old fact, one consolidation that is answered like this, and one more message. */
async function consolidate(
  t: Parameters<typeof startAgent>[0],
  memoryFormat: Format,
  ...answers: readonly Reply[]
): Promise<Started & { readonly files: Files }> {
  const started = await startAgent(t, {
    tools: [tool("note")],
    keepsMemory: true,
    settings: { memoryFormat, memoryWindow: 20, memoryKeep: 4, memoryTiming: "before-turn" },
  });
  mkdirSync(join(started.workspace, "memory"), { recursive: true });
  writeFileSync(join(started.workspace, "memory", "MEMORY.md"), "- old\n");
  await importRows(started, 20);
  started.model.route(isConsolidation, ...answers);
  started.model.route((request) => !isConsolidation(request), says("fine"), says("fine"));
  expect((await started.agent.send(CHAT, "and now?").finished).reason).toBe("done");
  expect((await started.agent.send(CHAT, "and then?").finished).reason).toBe("done");
  const { state } = (await started.agent.sessions.find(CHAT))!;
  expect(state.consolidated, "the pointer moved").toBe(16);
  return { ...started, files: { memory: memoryFile(started, "MEMORY.md"), history: entries(started) } };
}

const NEW: Files = { memory: "- new\n", history: ["They counted."] };
const JSON_ANSWER = JSON.stringify({ history_entry: "They counted.", memory_update: "- new" });
const USABLE: readonly (readonly [string, Reply])[] = [
  ["a call of save_memory", saves("They counted.", "- new")],
  [
    "a call with JSON's field names",
    callsTool("save_memory", { history_entry: "They counted.", memory_update: "- new" }),
  ],
  ["JSON", says(JSON_ANSWER)],
  ["JSON with the tool's field names", says('{"history": "They counted.", "memory": "- new"}')],
  ["fenced JSON", says(`\`\`\`json\n${JSON_ANSWER}\n\`\`\``)],
  ["JSON with words around it", says(`Here it is: ${JSON_ANSWER} I hope that helps.`)],
  ["JSON after reasoning", thinks("What do I keep?", says(JSON_ANSWER))],
];

for (const format of FORMATS)
  for (const [what, answer] of USABLE)
    test(`R152 R153 R155 R410 asked for ${format}, ${what} updates both files`, async (t) => {
      const { files, model } = await consolidate(t, format, answer);
      expect(files).toEqual(NEW);
      expect(consolidations(model.requests)).toHaveLength(1);
    });

const UNUSABLE: readonly (readonly [string, Reply])[] = [
  ["broken JSON", says('{"history_entry": "They cou')],
  ["JSON with other fields", says('{"summary": "They counted."}')],
  ["another tool", callsTool("note", { n: 1 })],
  ["an empty answer", emptyAnswer()],
  ["blank fields", saves(" ", "")],
  ["HTTP 500", fails(500)],
];

for (const format of FORMATS)
  for (const [what, answer] of [
    ...UNUSABLE,
    ...(format === "summary" ? [] : [["prose", says("They counted.")] as const]),
  ])
    test(`R156 R410 ME2 asked for ${format}, ${what} leaves an excerpt in HISTORY.md, once, and MEMORY.md as it was`, async (t) => {
      const { files, model, records } = await consolidate(t, format, answer);
      expect(files.memory).toBe("- old\n");
      expect(files.history).toEqual([expect.stringMatching(/^\[raw\] 16 messages\nUser: row 0\.\nAssistant: row 1\./)]);
      expect(consolidations(model.requests)).toHaveLength(1);
      expect(ofType(await records(), "memory.answered").map(({ fallback }) => fallback)).toEqual([true]);
    });

test("R156 an excerpt holds at most 16,000 characters and no calls of tools", async (t) => {
  const started = await startAgent(t, {
    tools: [tool("note", "read", () => "a result")],
    keepsMemory: true,
    settings: { memoryWindow: 4, memoryKeep: 2, memoryTiming: "before-turn" },
  });
  started.model.route(isConsolidation, fails(500));
  started.model.replies(callsTool("note"), says("noted"), says("hello"));
  await started.agent.send(CHAT, `note it ${"x".repeat(20_000)} to the end`).finished;
  started.model.expectNewEpoch("compacted");
  await started.agent.send(CHAT, "hello").finished;
  const [entry = ""] = entries(started);
  expect(entry.length).toBeLessThan(16_000);
  expect(entry).toContain("[raw] 3 messages");
  expect(entry).not.toMatch(/calls note|a result/);
});

test("R154 a plain summary becomes one line of MEMORY.md", async (t) => {
  const { files } = await consolidate(t, "summary", says("They counted\nto twenty."));
  expect(files).toEqual({ memory: "- old\n2026-03-01|auto-overflow|They counted to twenty.\n", history: [] });
});

for (const format of FORMATS)
  for (const text of ["(nothing)", "无需记录", " 无需记录。\n"])
    test(`R154 ME6 asked for ${format}, ${JSON.stringify(text)} writes nothing and moves the pointer`, async (t) => {
      const { files, model } = await consolidate(t, format, says(text));
      expect(files).toEqual({ memory: "- old\n", history: [] });
      expect(consolidations(model.requests)).toHaveLength(1);
    });

for (const [given, written] of [
  ["They counted.", `[${TIME}] They counted.`],
  ["[2026-02-28 09:30] They counted.", "[2026-02-28 09:30] They counted."],
] as const)
  test(`R147 R155 the entry ${JSON.stringify(given)} has one time`, async (t) => {
    const started = await consolidate(t, "tool", saves(given, "- new"));
    expect(memoryFile(started, "HISTORY.md")).toBe(`${written}\n`);
  });

test("R410 a missing half: the other one is used, and the excerpt stands in for the history", async (t) => {
  const { files } = await consolidate(t, "tool", callsTool("save_memory", { memory: "- new" }));
  expect(files.memory).toBe("- new\n");
  expect(files.history).toEqual([expect.stringMatching(/^\[raw\] 16 messages/)]);
});

for (const memory of ["", "  \n", undefined])
  test(`R157 a memory of ${JSON.stringify(memory)} never empties MEMORY.md`, async (t) => {
    const { files } = await consolidate(t, "tool", callsTool("save_memory", { history: "They counted.", memory }));
    expect(files).toEqual({ memory: "- old\n", history: ["They counted."] });
  });

test("R157 the version before is kept in the state directory", async (t) => {
  const { home } = await consolidate(t, "tool", saves("They counted.", "- new"));
  const versions = readdirSync(join(home, "memory")).filter((name) => name.endsWith(".md"));
  expect(versions.map((name) => readFileSync(join(home, "memory", name), "utf8"))).toEqual(["- old\n"]);
});

/** Edits MEMORY.md while the mock holds each of the answers. */
async function edited(
  t: Parameters<typeof startAgent>[0],
  edits: readonly string[],
): Promise<{ readonly files: Files; readonly seen: readonly string[] }> {
  const started = await startAgent(t, {
    tools: [tool("note")],
    keepsMemory: true,
    settings: { memoryWindow: 20, memoryKeep: 4 },
  });
  const { agent, model, workspace } = started;
  mkdirSync(join(workspace, "memory"), { recursive: true });
  writeFileSync(join(workspace, "memory", "MEMORY.md"), "- old\n");
  await importRows(started, 20);
  const answers = [saves("They counted.", "- first"), saves("They counted again.", "- second")];
  const held = answers.map((rest) => stalls({ rest }));
  model.route(isConsolidation, ...held);
  let asked = 0;
  model.on("request", (request) => {
    if (!isConsolidation(request)) return;
    const edit = edits[asked];
    if (edit !== undefined) writeFileSync(join(workspace, "memory", "MEMORY.md"), edit);
    held[asked++]?.release();
  });
  await agent.send(CHAT, "and now?").finished;
  await agent.idle();
  const seen = consolidations(model.requests).map(
    (request) => /# MEMORY.md\n(.*)\n/.exec(request.texts("user").join())?.[1] ?? "",
  );
  return { files: { memory: memoryFile(started, "MEMORY.md"), history: entries(started) }, seen };
}

test("R158 ME16 an edit during the call is asked about once more, on the new text", async (t) => {
  const { files, seen } = await edited(t, ["- edited\n"]);
  expect(seen).toEqual(["- old", "- edited"]);
  expect(files).toEqual({ memory: "- second\n", history: ["They counted."] });
});

test("R158 after a second edit only history is written, and the person's text stays", async (t) => {
  const { files, seen } = await edited(t, ["- edited\n", "- edited twice\n"]);
  expect(seen).toEqual(["- old", "- edited"]);
  expect(files).toEqual({ memory: "- edited twice\n", history: ["They counted."] });
});

test("R166 fifty parallel remembers during a consolidation are all there", async (t) => {
  const facts = await temporaryFolder();
  const memory = openMemory({ workspace: facts.path, versions: facts.at("versions"), timeZone: "UTC", redact: String });
  const started = await startAgent(t, { tools: [tool("note")], memory, settings: { memoryWindow: 20, memoryKeep: 4 } });
  const { agent, model } = started;
  await importRows(started, 20);
  const lines = Array.from({ length: 50 }, (_, n) => `- fact ${n}`);
  const answer = (request: RecordedRequest): Reply => {
    const [, known = ""] = /# MEMORY.md\n([\s\S]*)\n# Conversation/.exec(request.texts("user").join()) ?? [];
    return saves("They counted.", `${known.trim()}\n- counts`);
  };
  model.route(isConsolidation, answer, answer);
  const turn = agent.send(CHAT, "and now?").finished;
  await Promise.all(lines.map((line) => memory.remember(line.slice(2))));
  await turn;
  await agent.idle();
  const text = readFileSync(facts.at("memory", "MEMORY.md"), "utf8").split("\n");
  expect(lines.filter((line) => !text.includes(line))).toEqual([]);
  expect(readFileSync(facts.at("memory", "HISTORY.md"), "utf8")).toContain("They counted.");
  await facts[Symbol.asyncDispose]();
});

test("ME9 reasoning, tool echoes, bytes, local paths and secrets do not go into memory", async (t) => {
  const bytes = "QUJD1234".repeat(40);
  const dirty = [
    "<think>What do I keep?</think>They wrote /home/ann/private/report.pdf with sk-secret.",
    'Assistant calls note {"n":1}',
    "Result of note: done",
    `The picture was data:image/png;base64,${bytes} or ${bytes}.`,
    "See https://example.org/home/page and C:\\Users\\Ann\\plan.txt.",
  ].join("\n");
  const clean = [
    "They wrote report.pdf with [redacted].",
    "The picture was [data] or [data].",
    "See https://example.org/home/page and plan.txt.",
  ].join("\n");
  const { files } = await consolidate(t, "tool", saves(dirty, `- old\n${dirty}`));
  expect(files).toEqual({ memory: `- old\n${clean}\n`, history: [clean] });
});

test("ME8 an answer counts rows of its context: it is void once rows were cut, also when a summary takes their place", () => {
  const row = (id: string): Message => ({
    role: "user",
    id,
    at: 0,
    from: { id: "u", kind: "person" },
    parts: [{ type: "text", text: id }],
  });
  const summary: Message = { role: "notice", at: 0, kind: "summary", text: "They counted." };
  const usage = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 };
  const answer: JournalRecord = {
    type: "memory.answered",
    epoch: 0,
    gone: 1,
    rows: 1,
    history: "h",
    expected: "none",
    at: 0,
    usage,
    fallback: false,
  };
  const messages = [row("1"), row("2")];
  const answered = [{ type: "history.imported", messages, transcript: [], rows: 2, consolidated: 0 }, answer] as const;
  const after = (rows: number, ...kept: readonly Message[]): SessionState =>
    [...answered, { type: "history.compacted", rows, kept, usage, fallback: false } as const].reduce<SessionState>(
      (state, record) => reduce(state, record, 0),
      emptyState("s" as SessionId),
    );
  expect(after(0, ...messages)).toMatchObject({ epoch: 0, answered: { gone: 1 } });
  for (const cut of [after(1, summary, row("2")), after(2, row("2")), after(0, row("2"))]) {
    expect(cut).toMatchObject({ epoch: 1 });
    expect(cut).not.toHaveProperty("answered");
    expect(reduce(cut, answer, 0)).not.toHaveProperty("answered"); // nor is one that comes late
  }
});

test("ME10 an entry is cut at 8,000 characters", async (t) => {
  const { files } = await consolidate(t, "tool", saves("They counted. ".repeat(1000), "- new"));
  expect(files.history[0]?.length).toBeLessThanOrEqual(8000);
});
