import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import type { JsonObject } from "../../src/contract/base.ts";
import type { Message } from "../../src/contract/message.ts";
import { hasCode } from "../../src/lib/errors/errors.ts";
import { parseTranscript, type ImportedTranscript } from "../../src/transcript/import.ts";
import { renderTranscripts } from "../../src/transcript/format.ts";
import { journal, person, type Journal } from "../audit/journal.ts";

const options = { toolResultChars: 500 };
const nanobot = readFileSync(new URL("fixtures/nanobot-telegram_12345.jsonl", import.meta.url), "utf8");

function shape(messages: readonly Message[]): readonly string[] {
  return messages.map((message) => {
    if (message.role === "notice") return message.text;
    return `${message.role}: ${message.parts.map((part) => (part.type === "text" ? part.text : part.type === "tool-call" ? `${part.name}(${JSON.stringify(part.input)})#${part.callId}` : part.type)).join(" | ")}${message.role === "tool" ? ` #${message.callId}` : ""}`;
  });
}
function lines(...rows: readonly unknown[]): string {
  return rows.map((row) => `${JSON.stringify(row)}\n`).join("");
}
function imported(result: ImportedTranscript, key = result.key ?? "cli:import"): Journal {
  const chat = journal(key);
  const { messages, transcript, rows, consolidated } = result;
  chat.commit({ type: "history.imported", messages, transcript, rows, consolidated });
  return chat;
}
async function rowLines(chat: Journal): Promise<string> {
  const text = (await renderTranscripts(chat.commits, options)).at(-1)?.text ?? "";
  return text.slice(text.indexOf("\n") + 1);
}

test("R174 importing an export gives the same rows, byte for byte, and the same pointer", async () => {
  const chat = journal("telegram:42");
  chat.turn("one", "read_file", "x".repeat(800), "first 你好");
  const steered = [chat.message("two"), chat.message("result", { id: "s", kind: "agent" })];
  const turn = chat.begin();
  chat.request(turn, steered[0]!);
  const call = chat.call("exec", {}, '{"command":  "ls"}');
  chat.respond(turn, [chat.text("looking"), call]);
  chat.run(turn, call.callId, "exec");
  chat.finish(turn, call.callId, "exec", "files");
  chat.request(turn, steered[1]!);
  chat.respond(turn, [chat.text("second")]);
  chat.end(turn, "second");
  chat.commit({
    type: "history.compacted",
    rows: 4,
    kept: [],
    usage: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
    fallback: false,
  });
  const exported = (await renderTranscripts(chat.commits, options))[0]!.text;
  const result = parseTranscript(exported, { timeZone: "Asia/Tokyo" });
  expect(result).toMatchObject({
    key: "telegram:42",
    createdAt: chat.state.createdAt,
    rows: 9,
    consolidated: 4,
    warnings: [],
  });
  const again = imported(result);
  expect(await rowLines(again)).toBe(await rowLines(chat));
  expect(again.state).toMatchObject({ rows: 9, consolidated: 4 });
  expect(shape(result.messages)).toEqual([
    "user: two",
    'assistant: looking | exec({"command":"ls"})#import-2-1',
    "tool: files #import-2-1",
    "user: result",
    "assistant: second",
  ]);
  again.turn("three", "exec", "3", "third");
  expect((await rowLines(again)).startsWith(await rowLines(chat))).toBe(true);
});

test("R174 R178 SS8 a nanobot session: naive times, unknown fields, reasoning, orphans and a pointer beyond the end", async () => {
  const result = parseTranscript(nanobot, { timeZone: "Asia/Shanghai" });
  expect(result.key).toBe("telegram:12345");
  expect(new Date(result.createdAt).toISOString()).toBe("2024-01-15T02:00:00.000Z");
  expect(result.transcript.map((row) => [row.role, row.content, row.timestamp])).toEqual([
    ["assistant", "Good morning!", "2024-01-15T02:00:00.500Z"],
    ["user", "Hello", "2024-01-15T02:00:01.123Z"],
    ["assistant", "Hi! How can I help?", "2024-01-15T02:00:02.000Z"],
    ["user", "Read my config\n[image: image]", "2024-01-15T02:01:00.000Z"],
    ["assistant", null, "2024-01-15T02:01:01.000Z"],
    ["tool", "{}", "2024-01-15T02:01:02.000Z"],
    ["tool", "(no result was recorded)", "2024-01-15T02:01:01.000Z"],
    ["assistant", "It is empty.", "2024-01-15T02:01:04.000Z"],
    ["user", "again", "2024-01-15T02:01:04.000Z"],
    ["assistant", null, "2024-01-15T02:02:01.000Z"],
    ["tool", "same id, other turn", "2024-01-15T02:02:02.000Z"],
  ]);
  expect(result.transcript[1]).toMatchObject({ sender_id: "9|ada" });
  expect(result.transcript[7]).toMatchObject({ tools_used: ["read_file"] });
  expect(JSON.stringify(result.transcript)).not.toContain("thinking about it");
  expect(result.consolidated).toBe(1);
  expect(result.warnings).toHaveLength(4);
  expect(shape(result.messages)).toEqual([
    "user: Hello",
    "assistant: Hi! How can I help?",
    "user: Read my config\n[image: image]",
    'assistant: read_file({"path":"config.json"})#import-4-1 | exec({})#import-4-2',
    "tool: {} #import-4-1",
    "tool: (no result was recorded) #import-4-2",
    "assistant: It is empty.",
    "user: again",
    'assistant: read_file({"path":"b"})#import-9-1',
    "tool: same id, other turn #import-9-1",
  ]);
  expect(await rowLines(imported(result))).toBe(lines(...result.transcript));
});

test("R174 a message without content is one with an empty text, whoever it is from", () => {
  const row = { timestamp: "2024-01-15T02:00:00Z" };
  const call = { id: "c", type: "function", function: { name: "exec", arguments: "{}" } };
  const result = parseTranscript(
    lines(
      { _type: "metadata", key: "cli:a", created_at: row.timestamp },
      { ...row, role: "user", content: null },
      { ...row, role: "assistant", content: null, tool_calls: [call] },
      { ...row, role: "tool", tool_call_id: "c", name: "exec" },
      { ...row, role: "assistant", content: null },
    ),
    { timeZone: "UTC" },
  );
  expect(result.transcript.map(({ content }) => content)).toEqual(["", null, "", ""]);
});

test("R281 SE5 results in an imported transcript are a stranger's: nobody knows which of them were", () => {
  const { messages } = parseTranscript(nanobot, { timeZone: "Asia/Shanghai" });
  expect(messages.filter(({ integrity }) => integrity === "untrusted").map(({ role }) => role)).toEqual([
    "tool",
    "tool",
    "tool",
  ]);
});

test("R161 R174 leading assistant rows are kept but not sent", () => {
  const result = parseTranscript(
    lines({ key: "a:b" }, { role: "assistant", content: "hello" }, { role: "user", content: "hi" }),
    { timeZone: "UTC" },
  );
  expect([result.rows, shape(result.messages)]).toEqual([2, ["user: hi"]]);
  const silent = parseTranscript(lines({ role: "assistant", content: "hello" }), { timeZone: "UTC" });
  expect([silent.rows, silent.messages, "key" in silent]).toEqual([1, [], false]);
});

test.each([
  [-3, 0],
  [99, 4],
  [1.5, 0],
  ["2", 0],
  [null, 0],
  [2, 2],
])("R178 a pointer of %j becomes %i; the rows stay", (pointer, expected) => {
  const turns = [
    { role: "user", content: "1" },
    { role: "assistant", content: "2" },
    { role: "user", content: "3" },
    { role: "assistant", content: "4" },
  ];
  const result = parseTranscript(lines({ key: "a:b", last_consolidated: pointer }, ...turns), { timeZone: "UTC" });
  expect([result.consolidated, result.rows, result.warnings.length]).toEqual([
    expected,
    4,
    pointer === expected ? 0 : 1,
  ]);
});

test("R178 the pointer stays between the same rows when a row before it is dropped", () => {
  const result = parseTranscript(
    lines(
      { key: "a:b", last_consolidated: 3 },
      { role: "user", content: "1" },
      { role: "tool", tool_call_id: "x", content: "orphan" },
      { role: "assistant", content: "2" },
      { role: "user", content: "3" },
    ),
    { timeZone: "UTC" },
  );
  expect([result.consolidated, shape(result.messages)]).toEqual([2, ["user: 3"]]);
});

test("R174 what is no transcript is refused with its line; a torn last line is dropped", () => {
  const refused = (text: string): unknown => {
    try {
      parseTranscript(text, { timeZone: "UTC" });
    } catch (error) {
      return error;
    }
    return undefined;
  };
  for (const [text, line] of [
    ["not json\n", "Line 1"],
    [`${lines({ key: "a" })}[1,2]\n{}\n`, "Line 2"],
    ["", "no rows"],
  ] as const) {
    const error = refused(text);
    expect(hasCode(error, "session.import") && error.message).toContain(line);
  }
  const torn = parseTranscript(`${lines({ key: "a:b" }, { role: "user", content: "hi" })}{"role":"assi`, {
    timeZone: "UTC",
  });
  expect([torn.rows, torn.warnings]).toEqual([1, ["line 3: torn; dropped"]]);
});

test("CX2 a fuzzed file never yields an orphan, an unanswered call or two equal ids", () => {
  let seed = 7;
  const next = (below: number): number => (seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648) % below;
  for (let round = 0; round < 300; round++) {
    const rows: JsonObject[] = Array.from({ length: next(14) + 1 }, (): JsonObject => {
      const id = `call_${next(3)}`;
      switch (next(5)) {
        case 0:
          return { role: "user", content: next(4) === 0 ? "" : "text" };
        case 1:
          return { role: "assistant", content: next(2) === 0 ? null : "said" };
        case 2:
          return {
            role: "assistant",
            content: null,
            tool_calls: [
              { id, function: { name: "exec", arguments: next(2) === 0 ? "{broken" : "{}" } },
              { id: `call_${next(3)}`, function: { name: next(3) === 0 ? "" : "read_file", arguments: {} } },
            ],
          };
        default:
          return { role: "tool", tool_call_id: id, content: "out" };
      }
    });
    const {
      messages,
      transcript,
      rows: count,
      consolidated,
    } = parseTranscript(lines({ key: "a:b", last_consolidated: next(20) - 3 }, ...rows), { timeZone: "UTC" });
    expect(transcript).toHaveLength(count);
    expect(consolidated >= 0 && consolidated <= count).toBe(true);
    expect(messages[0]?.role ?? "user").toBe("user");
    expect(faults(messages)).toEqual([]);
    expect(parseTranscript(lines({ key: "a:b" }, ...transcript), { timeZone: "UTC" })).toMatchObject({
      transcript,
      warnings: [],
    });
  }
});

test("R174 an imported session goes on like any other", () => {
  const chat = imported(parseTranscript(nanobot, { timeZone: "UTC" }));
  chat.commit({ type: "session.cleared", by: person });
  expect(chat.state).toMatchObject({ rows: 0, consolidated: 0, messages: [] });
});

/** What a strict wire would refuse. */
function faults(messages: readonly Message[]): readonly string[] {
  const found: string[] = [];
  const open = new Set<string>();
  const seen = new Set<string>();
  for (const message of messages) {
    if (message.role === "tool") {
      if (!open.delete(message.callId)) found.push(`orphan ${message.callId}`);
    } else if (open.size > 0) found.push(`unanswered before ${message.role}`);
    for (const part of message.role === "assistant" ? message.parts : []) {
      if (part.type !== "tool-call") continue;
      if (seen.has(part.callId)) found.push(`twice ${part.callId}`);
      seen.add(part.callId);
      open.add(part.callId);
    }
  }
  return open.size > 0 ? [...found, "unanswered at the end"] : found;
}
