// What one turn may do: each bound at n, and at one more.
import { appendFileSync } from "node:fs";
import { expect, test } from "vitest";
import { asText } from "../../src/memory/rows-as-text.ts";
import { apply } from "../../src/memory/consolidation.ts";
import { deliverResults } from "../../src/loop/delivery/deliver-results.ts";
import { createReopening } from "../../src/loop/lanes/reopening.ts";
import { excerpt, summarize } from "../../src/memory/summarize.ts";
import { keepAside } from "../../src/extraction/extraction.ts";
import { extractTool } from "../../src/extraction/extract-tool.ts";
import { messageTool } from "../../src/builtin/message.ts";
import { asUntrusted } from "../../src/tools/untrusted.ts";
import type { CallId } from "../../src/contract/base.ts";
import type { Message, UserMessage } from "../../src/contract/message.ts";
import type { JournalRecord } from "../../src/contract/record.ts";
import { memoryJournals } from "../../src/testing/memory-journals.ts";
import { RuntimeError } from "../../src/lib/errors/errors.ts";
import { openMemory } from "../../src/memory/memory.ts";
import { safeFiles } from "../../src/machine/files/safe-files.ts";
import { reduce } from "../../src/session/reduce.ts";
import { openSessions } from "../../src/session/sessions.ts";
import { callsTool, fakeClock, recordingChannel, says } from "../../src/testing.ts";
import { callsTools, lengthStop } from "../../src/internal-testing.ts";
import { state } from "../context/fixtures.ts";
import { CHAT, ofType, startAgent, tool } from "../support/agent.ts";
import { temporaryFolder } from "../support/folder.ts";
import { collectingLog } from "../support/log.ts";
import { command, consolidations, entries, importRows, isConsolidation, saves } from "../support/memory-agent.ts";
import { scripted } from "../support/scripted-provider.ts";

const user = (text: string): UserMessage => ({
  role: "user",
  id: "m-1",
  at: 0,
  from: { id: "ann", kind: "person" },
  parts: [{ type: "text", text }],
});

test("plan/MAX_CONTINUATIONS: an answer that is cut off at the limit goes on three times", async (t) => {
  const { agent, model } = await startAgent(t);
  const pieces = ["a", "b", "c", "d", "e"];
  model.replies(...pieces.map((piece) => lengthStop(piece)));
  const { text } = await agent.send(CHAT, "go").finished;
  expect([model.requests.length, text]).toEqual([4, expect.stringContaining("abcd")]);
});

test("TL11 queue-reply/MAX_PER_TURN: ten messages leave in a turn, an eleventh is refused, and the next turn begins anew", async (t) => {
  const channel = recordingChannel("test");
  const tool = messageTool({
    send: (request) => started.agent.queue(request),
    blobs: { put: async () => ({ sha256: "", bytes: 0 }), read: async () => new Uint8Array() },
    files: safeFiles({ root: "/nowhere", restrict: true, protect: [] }),
  });
  const started = await startAgent(t, { tools: [tool], channels: [channel], settings: { maxIterations: 20 } });
  const { agent, model } = started;
  const calls = (count: number, from: number): ReturnType<typeof callsTools> =>
    callsTools(Array.from({ length: count }, (_, n) => ({ name: "message", args: { content: `m${from + n}` } })));
  model.replies(calls(11, 0), says("first"), calls(1, 11), says("second")); // the clock stands still between the two
  await agent.send(CHAT, "tell me").finished;
  expect(model.requests[1]?.toolResults.map(({ text }) => text.startsWith("Queued"))).toEqual([
    ...Array.from({ length: 10 }, () => true),
    false,
  ]);
  await agent.send(CHAT, "again").finished;
  await agent.idle();
  expect(channel.texts()).toEqual([...Array.from({ length: 10 }, (_, n) => `m${n}`), "first", "m11", "second"]);
});

test("reduce-outbox/MAX_UNDELIVERED: twenty replies that nobody got are kept, of one more the newest twenty", () => {
  const after = (count: number): readonly string[] =>
    Array.from({ length: count }, (_, n) => `r${n}`)
      .flatMap((reply): readonly JournalRecord[] => [
        { type: "reply.queued", reply, to: { channel: "test", chat: "1" }, kind: "reply", parts: [] },
        {
          type: "reply.failed",
          reply,
          piece: 1,
          kind: "refused",
          sent: "no",
          error: { code: "tool.refused", message: "blocked", retryable: false },
          attempt: 1,
        },
      ])
      .reduce((before, record) => reduce(before, record, 0), state())
      .undelivered.map(({ reply }) => reply);
  expect([after(20)[0], after(20).length]).toEqual(["r0", 20]);
  expect([after(21)[0], after(21).length]).toEqual(["r1", 20]);
});

test("rows-as-text/MAX_ROW_CHARS, rows-as-text/MAX_RESULT_CHARS: 8,000 characters of a row are condensed, 500 of a call and of its result", () => {
  const text = (message: Message): string => asText([message], { tools: true, summary: true }, Infinity);
  expect(text(user("u".repeat(7994)))).toBe(`User: ${"u".repeat(7994)}`);
  expect(text(user("u".repeat(7995)))).toBe(`User: ${"u".repeat(7994)}… [8001 characters in all]`);
  const called = (chars: number): string =>
    text({
      role: "assistant",
      at: 0,
      model: { provider: "mock", model: "m" },
      parts: [
        { type: "tool-call", callId: "c-1" as CallId, name: "note", input: "i".repeat(chars - 2), inputText: "" },
      ],
      finish: "tool-calls",
      usage: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
    });
  expect(called(500)).toBe(`Assistant calls note "${"i".repeat(498)}"`);
  expect(called(501)).toBe(`Assistant calls note "${"i".repeat(499)}`);
  const resulted = (chars: number): string =>
    text({
      role: "tool",
      at: 0,
      callId: "c-1" as CallId,
      name: "note",
      parts: [{ type: "text", text: "r".repeat(chars) }],
      status: "ok",
    });
  expect(resulted(500)).toBe(`Result of note: ${"r".repeat(500)}`);
  expect(resulted(501)).toBe(resulted(500));
});

/** Rows that are `chars` long together, each shorter than what is kept of one. @param stamp What is put before each. */
function rowsOf(chars: number, stamp = 0): readonly UserMessage[] {
  const frame = stamp + "User: ".length;
  const rows = Array.from({ length: 40 }, () => user("x".repeat(5000 - 1 - frame)));
  return [...rows, user("x".repeat(chars - 40 * 5000 - frame))];
}

test("summarize/MAX_INPUT_CHARS, summarize/MAX_EXCERPT_CHARS: the last 200,000 characters are summarized, 4,000 stand in for a summary", async () => {
  const asked = async (chars: number): Promise<string> => {
    const provider = scripted("p", "a summary");
    const gone = rowsOf(chars);
    const request = { id: "s", model: "m", gone, cacheKey: "k", maxTokens: 100 };
    await summarize(provider, request, new AbortController().signal);
    const [message] = provider.requests[0]?.messages ?? [];
    const [part] = message?.role === "user" ? message.parts : [];
    return part?.type === "text" ? part.text.replace("Summarize this conversation.\n\n", "") : "";
  };
  expect(asText(rowsOf(200_100), { tools: true, summary: true }, Infinity)).toHaveLength(200_100);
  expect([(await asked(200_100)).length, (await asked(200_101)).length]).toEqual([200_000, 200_000]);
  const raw = (chars: number): string => excerpt([user("x".repeat(chars - 6))]).text.replace("[raw] 1 messages\n", "");
  expect([raw(4000), raw(4001)]).toEqual([`User: ${"x".repeat(3994)}`, `ser: ${"x".repeat(3995)}`]);
});

test("consolidation-request/MAX_INPUT_CHARS, consolidation-request/MAX_TOKENS: a consolidation reads the last 200,000 characters and answers in 2,000 tokens", async (t) => {
  const asked = async (chars: number, maxTokens: number): Promise<readonly [text: string, tokens: unknown]> => {
    const started = await startAgent(t, { keepsMemory: true, settings: { contextWindow: 1_000_000, maxTokens } });
    started.model.route(isConsolidation, saves("They wrote.", ""));
    const session = await started.agent.sessions.open(CHAT, { channel: "test", chat: "1" });
    const messages = rowsOf(chars, "[1970-01-01 00:00] ".length);
    await session.commit({ type: "history.imported", messages, rows: messages.length, consolidated: 0 });
    await command(started, "/new");
    await started.agent.idle();
    const [request] = consolidations(started.model.requests);
    return [request?.texts("user").join().split("# Conversation\n")[1] ?? "", request?.body["max_tokens"]];
  };
  const [all, tokens] = await asked(200_040, 2000);
  const [cut, most] = await asked(200_041, 2001);
  expect([all.length, cut.length, tokens, most]).toEqual([200_000, 200_000, 2000, 2000]);
});

test("consolidation/MAX_HISTORY_CHARS: 8,000 characters of an entry are kept", async (t) => {
  const entry = async (chars: number): Promise<string | undefined> => {
    const started = await startAgent(t, { keepsMemory: true });
    started.model.route(isConsolidation, saves("They wrote. ".repeat(1000).slice(0, chars - 1) + "!", ""));
    await importRows(started, 2);
    await command(started, "/new");
    await started.agent.idle();
    return entries(started)[0];
  };
  const whole = (await entry(8000)) ?? "";
  expect([whole.length, whole.at(-1)]).toEqual([8000, "!"]);
  expect(await entry(8001)).toBe(`${whole.slice(0, -1)}${"They wrote. ".repeat(1000)[7999]}`);
});

test("ME17 a line of a stranger that is too long for its entry keeps that it has a source", async (t) => {
  const read = tool("page", "read", () => asUntrusted("a page"));
  const started = await startAgent(t, { keepsMemory: true, tools: [read] });
  const { agent, model } = started;
  model.route(isConsolidation, saves(`Short.\n${"They read it. ".repeat(1000)}`, ""));
  model.replies(callsTool("page"), says("Read."));
  await agent.send(CHAT, "read the page").finished;
  await command(started, "/new");
  await agent.idle();
  const [entry = ""] = entries(started);
  expect(entry.split("\n").map((line) => line.endsWith("(source: untrusted content)"))).toEqual([true, true]);
  expect(entry).toHaveLength(8000);
});

test("consolidation/MAX_APPENDS: a line finds its place in a MEMORY.md that is edited four times meanwhile, five times are told", async () => {
  const appended = async (edits: number): Promise<string> => {
    await using folder = await temporaryFolder();
    const files = openMemory({
      workspace: folder.path,
      versions: folder.at("versions"),
      timeZone: "UTC",
      redact: (text) => text,
    });
    await files.remember("fact 0");
    let left = edits;
    /** Somebody writes between the look and the change. */
    const memory: typeof files = {
      ...files,
      rewrite: (text, expected) => {
        if (left > 0) appendFileSync(folder.at("memory", "MEMORY.md"), `- fact ${left}\n`);
        left -= 1;
        return files.rewrite(text, expected);
      },
    };
    const answered = {
      type: "memory.answered",
      epoch: 0,
      rows: 1,
      history: "They wrote.",
      asLine: true,
      at: 0,
      fallback: false,
      expected: "",
      usage: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
    } as const;
    const deps = { memory, settings: { timeZone: "UTC" } } as unknown as Parameters<typeof apply>[1]; // what it asks
    await apply(answered, deps, () => Promise.resolve(undefined));
    return await files.facts();
  };
  expect(await appended(4)).toContain("1970-01-01|auto-overflow|They wrote.");
  await expect(appended(5)).rejects.toMatchObject({ code: "memory.conflict" });
});

test("deliver-results/MAX_CHARS: 1,000 characters of a result that opens no turn are told", async () => {
  const clock = fakeClock();
  const told = async (chars: number): Promise<string | undefined> => {
    await using sessions = openSessions({ journals: memoryJournals(), clock });
    const to = { channel: "test", chat: "1" };
    const session = await sessions.open(CHAT, to);
    const settings = { language: "en" } as Parameters<typeof deliverResults>[2]["settings"]; // what it asks
    const message = { ...user("r".repeat(chars)), from: { id: "child", kind: "agent" as const } };
    await session.commit({ type: "message.received", key: "k", message, origin: to, attended: false });
    await deliverResults({ do: "deliver", results: session.state.pending, to }, session, { settings, clock });
    const [part] = session.state.outbox[0]?.parts ?? [];
    return part?.type === "text" ? part.text.split("\n")[0] : undefined;
  };
  expect(await told(1000)).toBe("r".repeat(1000));
  expect(await told(1001)).toBe(`${"r".repeat(999)}…`);
});

test("reopening/MAX_MS: a conversation that cannot be written is tried after a second, twice as long each time, a minute at most", async () => {
  const clock = fakeClock();
  const closing = new AbortController();
  const tried: number[] = [];
  const reopening = createReopening({
    find: () => {
      tried.push(clock.monotonic());
      return Promise.reject(new RuntimeError("journal.failed", "no room"));
    },
    reopened: () => {},
    resume: () => Promise.resolve(),
    closing: closing.signal,
    clock,
    log: collectingLog(),
  });
  reopening.failed(CHAT, new Error("no room"));
  await clock.advance(183_000);
  expect(tried).toEqual([1000, 3000, 7000, 15_000, 31_000, 63_000, 123_000, 183_000]);
  closing.abort();
});

test("extraction/MAX_TEXT_CHARS: 100,000 characters of a stranger are kept aside", async () => {
  const kept = async (chars: number): Promise<readonly [told: unknown, bytes: unknown]> => {
    const blobs = {
      put: async (bytes: Uint8Array) => ({ sha256: "", bytes: bytes.length }),
      read: async () => new Uint8Array(),
    };
    const parts = [{ type: "text" as const, text: "p".repeat(chars) }];
    const { details, parts: told } = await keepAside({ name: "page", callId: "c-1" as CallId }, parts, blobs);
    return [told[0], details["withheld"]];
  };
  for (const chars of [100_000, 100_001])
    expect(await kept(chars)).toMatchObject([
      { text: expect.stringContaining(": 100000 characters that") },
      { bytes: 100_000 },
    ]);
});

test("extraction/MAX_ANSWER_TOKENS: what is asked about a text kept aside is answered in 1,000 tokens", async (t) => {
  const started: { agent?: Awaited<ReturnType<typeof startAgent>>["agent"] } = {};
  const { agent, model, records } = await startAgent(t, {
    settings: { strictUnattended: true },
    tools: [
      extractTool((request) => started.agent!.extract(request)), // called in a turn: the agent exists by then
      tool("page", "read", () => asUntrusted("a page")),
    ],
  });
  started.agent = agent;
  model.route((request) => request.system.includes("You read one text"), says('{"x": 1}'));
  model.replies(callsTool("page"), says("Read."));
  await agent.send(CHAT, "read", { attended: false }).finished;
  const from = ofType(await records(), "tool.finished")[0]?.message.callId;
  model.replies(callsTool("extract", { from, fields: [{ name: "x", kind: "number" }] }), says("One."));
  await agent.send(CHAT, "what is x?", { attended: false }).finished;
  const request = model.requests.find(({ system }) => system.includes("You read one text"));
  expect(request?.body["max_tokens"]).toBe(1000);
});
