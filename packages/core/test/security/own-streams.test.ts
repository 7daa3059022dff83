// Attacks on the reading of model streams that the corpus does not have: each is played through a whole turn or a provider.
import net from "node:net";
import type { AddressInfo } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { systemClock } from "../../src/machine/system/clock.ts";
import { createActivity, withWatchdog } from "../../src/model/watchdog.ts";
import { says } from "../../src/testing.ts";
import { startAttacked, type Attacked, type Played } from "../support/attacked-agent.ts";
import { GOOD, recovered } from "../support/stream-outcomes.ts";
import { startStreamServer, type ScriptedResponse, type StreamChunk } from "../support/stream-server.ts";
import { answerOn } from "../support/wire-answers.ts";
import { hear, wireProvider, type Heard } from "../support/wire-provider.ts";
import { httpFetch } from "../../src/machine/http/http-fetch.ts";

const KEY = "sk-live-51f0c2d9a7e84b63";
/** What took time squared took hours; all that is honest about it is a limit that a busy machine keeps. */
const PATIENCE_MS = 60_000;
const MIB = 1024 * 1024;

const data = (value: unknown): string => `data: ${JSON.stringify(value)}\n\n`;
const delta = (fields: object, finish: string | null = null): string =>
  data({ choices: [{ index: 0, delta: fields, finish_reason: finish }] });
const call = (fields: object): string => delta({ tool_calls: [fields] });
const DONE = "data: [DONE]\n\n";
const stream = (...chunks: readonly (string | StreamChunk)[]): ScriptedResponse => ({
  status: 200,
  headers: { "content-type": "text/event-stream" },
  chunks: chunks.map((chunk) => (typeof chunk === "string" ? { text: chunk } : chunk)),
});
const bytes = (buffer: Buffer): StreamChunk => ({ base64: buffer.toString("base64") });

/** A turn that meets the attack and then a good answer; whatever comes of it, the next turn works. */
async function attacked(t: Parameters<typeof startAttacked>[0], answer: ScriptedResponse): Promise<Played & Attacked> {
  const world = await startAttacked(t, "openai-chat", KEY);
  const good = answerOn("openai-chat", says(GOOD), 95);
  const played = await world.turn("hello", answer, good);
  await world.reopen();
  recovered(await world.turn("still there?", good));
  await world.expectSound();
  return { ...world, ...played };
}

interface Flood extends Heard {
  readonly ms: number;
  /** Longest time in which nothing else could run. */
  readonly blockedMs: number;
  readonly grown: number;
}

/** The same through the provider alone, with what it cost. */
async function flooded(answer: ScriptedResponse): Promise<Flood> {
  const server = await startStreamServer();
  onTestFinished(() => server[Symbol.asyncDispose]());
  server.answers(answer);
  const memory = process.memoryUsage().rss;
  const begun = performance.now();
  let last = begun;
  let blockedMs = 0;
  const beat = setInterval(() => {
    const now = performance.now();
    blockedMs = Math.max(blockedMs, now - last);
    last = now;
  }, 20);
  try {
    const heard = await hear(wireProvider({ api: "openai-chat", url: server.url, key: KEY }));
    const now = performance.now();
    return {
      ...heard,
      ms: now - begun,
      blockedMs: Math.max(blockedMs, now - last),
      grown: process.memoryUsage().rss - memory,
    };
  } finally {
    clearInterval(beat);
  }
}

test("R72 own-streams-01 calls interleaved under one id and two indices are two calls with their own arguments", async (t) => {
  const played = await attacked(
    t,
    stream(
      call({ index: 0, id: "same", function: { name: "read_file", arguments: '{"pa' } }),
      call({ index: 1, id: "same", function: { name: "list_dir", arguments: '{"path"' } }),
      call({ index: 0, function: { arguments: 'th":"a.txt"}' } }),
      call({ index: 1, function: { arguments: ':"."}' } }),
      delta({}, "tool_calls"),
      DONE,
    ),
  );
  expect(played.executed).toEqual([
    ["read_file", { path: "a.txt" }],
    ["list_dir", { path: "." }],
  ]);
});

test("R72 own-streams-02 arguments cut inside of a character and inside of a surrogate pair are whole again", async (t) => {
  const whole = Buffer.from(
    call({ index: 0, id: "a", function: { name: "write_file", arguments: '{"path":"😀é.txt","content":"' } }),
  );
  const inside = whole.indexOf("😀") + 2;
  const played = await attacked(
    t,
    stream(
      bytes(whole.subarray(0, inside)),
      bytes(whole.subarray(inside)),
      // JSON escapes of half a pair each, in two events.
      call({ index: 0, function: { arguments: "\ud83d" } }),
      call({ index: 0, function: { arguments: '\ude00"}' } }),
      delta({}, "tool_calls"),
      DONE,
    ),
  );
  expect(played.executed).toEqual([["write_file", { path: "😀é.txt", content: "😀" }]]);
});

test.each(["r\u0435ad_file", "ｒｅａｄ_ｆｉｌｅ", "read_file\u200b", "read\u2010file", "READ_FILE\u0000", "__proto__"])(
  "R72 own-streams-03 a tool named %j runs nothing and gets an answer",
  async (name) => {
    const played = await attacked(
      { onTestFinished },
      stream(
        call({ index: 0, id: "a", function: { name, arguments: '{"path":"a.txt"}' } }),
        delta({}, "tool_calls"),
        DONE,
      ),
    );
    expect(played.executed).toEqual([]);
    expect(played.requests).toHaveLength(2);
  },
);

test("R72 own-streams-04 a call behind the finish is one call of the answer; behind a first [DONE] nothing counts", async (t) => {
  const late = (path: string): string =>
    call({ index: 0, id: path, function: { name: "read_file", arguments: JSON.stringify({ path }) } });
  const played = await attacked(
    t,
    stream(delta({ content: "Fine." }, "stop"), late("a.txt"), DONE, late("b.txt"), DONE, delta({ content: "No." })),
  );
  expect(played.executed).toEqual([["read_file", { path: "a.txt" }]]);
  expect(played.replies.at(-1)?.text).toBe(GOOD);
});

test.each([
  ["1e308", "1e308"],
  ["beyond all numbers", "1e999"],
  ["negative", "-5000000"],
  ["a thousand billion", "1000000000000"],
])("R72 own-streams-05 a usage that is %s neither breaks the sums nor spends a budget", async (_, number) => {
  const usage = `{"prompt_tokens":${number},"completion_tokens":${number},"total_tokens":${number},"prompt_tokens_details":{"cached_tokens":${number}}}`;
  const played = await attacked(
    { onTestFinished },
    stream(
      `data: {"choices":[{"index":0,"delta":{"content":"Hi."},"finish_reason":"stop"}],"usage":${usage}}\n\n`,
      DONE,
    ),
  );
  const used = played.records.flatMap((record) => (record.type === "model.responded" ? [record.message.usage] : []));
  expect(used).toHaveLength(1);
  for (const { input, output, cacheRead, cacheWrite } of used)
    for (const count of [input, output, cacheRead, cacheWrite]) {
      expect(Number.isSafeInteger(count)).toBe(true);
      expect(count).toBeGreaterThanOrEqual(0);
      expect(count).toBeLessThan(1e9);
    }
});

test("R72 own-streams-06 arguments nested 150,000 deep are no arguments, and nothing overflows", async (t) => {
  const deep = `${'{"a":'.repeat(150_000)}1${"}".repeat(150_000)}`;
  const played = await attacked(
    t,
    stream(
      call({ index: 0, id: "a", function: { name: "read_file", arguments: deep } }),
      delta({}, "tool_calls"),
      DONE,
    ),
  );
  expect(played.executed).toEqual([]);
  expect(played.requests).toHaveLength(2);
});

test("R72 own-streams-07 100,000 calls in one answer do not hold up the process", async () => {
  const many = Array.from({ length: 100_000 }, (_, index) => ({
    index,
    id: `c${index}`,
    function: { name: "read_file", arguments: '{"path":"a"}' },
  }));
  const events = Array.from({ length: 20 }, (_, at) => delta({ tool_calls: many.slice(at * 5_000, (at + 1) * 5_000) }));
  const heard = await flooded(stream(...events, delta({}, "tool_calls"), DONE));
  expect(heard.parts).toHaveLength(64);
  expect(heard.done?.dropped).toBe("too-many");
  expect(heard.ms).toBeLessThan(PATIENCE_MS);
});

test.each<readonly [string, StreamChunk, string]>([
  ["one line of 100 MB", { repeat_text: "x".repeat(1024), times: 100 * 1024 }, "data: "],
  ["one event of 100 MB in short lines", { repeat_text: `data: ${"x".repeat(1017)}\n`, times: 100 * 1024 }, "data: \n"],
  ["100 MB of blanks before anything", { repeat_text: " ".repeat(1024), times: 100 * 1024 }, ""],
  ["100 MB of text", { repeat_text: delta({ content: "x".repeat(1024) }), times: 90 * 1024 }, ""],
  ["100 MB of blank text", { repeat_text: delta({ content: " ".repeat(1024) }), times: 90 * 1024 }, ""],
  ["100 MB of reasoning", { repeat_text: delta({ reasoning_content: "x".repeat(1024) }), times: 90 * 1024 }, ""],
  [
    "a tool name of 30 MB",
    { repeat_text: call({ index: 0, function: { name: "ab".repeat(512) } }), times: 30 * 1024 },
    "",
  ],
])("R72 own-streams-08 %s: little memory, and an end", async (_, flood, before) => {
  const heard = await flooded(stream(before, flood, delta({}, "stop"), DONE));
  expect(heard.error?.code ?? heard.done?.finish).toMatch(/^(?:provider\.\w+|cut|stop|tool-calls)$/);
  expect(heard.grown).toBeLessThan(250 * MIB);
  expect(heard.text.length).toBeLessThan(20 * MIB);
  expect(heard.ms).toBeLessThan(PATIENCE_MS);
});

test.each([
  ["brackets", "< "],
  ["half tags", "<thin"],
  ["blanks and brackets", `${" ".repeat(10_000)}<`],
  ["closing tags in prose", "a </think> "],
  ["opening tags in prose", "the <think> tag, "],
  ["reasoning in pieces", "<think>a</think>"],
  ["tags of three kinds", "<thought><thinking></thought><think></thinking>"],
  ["backticks", "`<"],
  ["blanks", " "],
])("R72 own-streams-09 an answer of %s does not hold up the process", async (_, text) => {
  const whole = text.repeat((3 * MIB) / text.length);
  const heard = await flooded(stream(delta({ content: whole }), delta({}, "stop"), DONE));
  expect(heard.error).toBeUndefined();
  expect(heard.blockedMs).toBeLessThan(PATIENCE_MS);
});

// One at a time: a fast machine would come to the end of what is read at all before the deadline.
test.each<readonly [string, ScriptedResponse]>([
  ["headers and then nothing", { ...stream(), end: "hold" }],
  ["comments for ever", stream({ repeat_event: ": still here", times: 1e9 })],
  ["blank lines for ever", stream({ repeat_event: "\r\n\r\n", times: 1e9 })],
  ["empty events for ever", stream({ repeat_event: "data:", times: 1e9 })],
  ["empty deltas for ever", stream({ repeat_event: delta({ content: "" }), times: 1e9 })],
])("R73 own-streams-10 %s: the deadline holds", async (_, answer) => {
  await using server = await startStreamServer();
  server.answers(answer);
  const activity = createActivity();
  const provider = wireProvider({ api: "openai-chat", url: server.url, key: KEY, activity });
  const watched = withWatchdog(provider, systemClock(), { idleMs: 800, totalMs: 1_600 }, activity);
  const begun = performance.now();
  const heard = await hear(watched);
  expect(heard.error).toMatchObject({ code: "provider.timeout", retryable: true });
  // Whoever keeps a connection alive is given up by the deadline for all of it.
  expect(heard.error?.details).toEqual({ afterMs: answer.end === "hold" ? 800 : 1_600 });
  expect(performance.now() - begun).toBeLessThan(PATIENCE_MS);
  const [request] = server.requests;
  await request?.closed;
});

/** A server that says the same bytes to every connection, whatever is asked. */
async function rawServer(answer: (socket: net.Socket) => void): Promise<{ readonly url: string; connections: number }> {
  const seen = { url: "", connections: 0 };
  const sockets = new Set<net.Socket>();
  const server = net.createServer((socket) => {
    seen.connections += 1;
    sockets.add(socket);
    socket.on("error", () => undefined);
    socket.once("close", () => sockets.delete(socket));
    socket.on("data", () => answer(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(async () => {
    for (const socket of sockets) socket.destroy();
    await new Promise((resolve) => server.close(resolve));
  });
  seen.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`; // Listening on TCP.
  return seen;
}

const HEAD = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n";
const chunked = (text: string, extension = "", trailer = ""): string =>
  `${Buffer.byteLength(text).toString(16)}${extension}\r\n${text}\r\n0\r\n${trailer}\r\n`;
/** Read or refused: nothing else is taken for the answer. */
const BROKEN = /^(?:provider\.\w+|ok)$/;
const answerOf = (text: string): string => delta({ content: text }, "stop") + DONE;

test.each([
  [
    "trailers that name another type, encoding and length",
    chunked(answerOf("ok"), "", "content-type: text/html\r\ncontent-encoding: gzip\r\ncontent-length: 1\r\n"),
    /^ok$/,
  ],
  ["an extension behind the size of a chunk", chunked(answerOf("ok"), ";name=value"), /^ok$/],
  ["an extension of 1 MB", chunked(answerOf("ok"), `;x=${"x".repeat(MIB)}`), BROKEN],
  ["trailers of 1 MB", chunked(answerOf("ok"), "", `x: ${"x".repeat(MIB)}\r\n`), BROKEN],
  ["a size that is no number", "zz\r\nhello\r\n0\r\n\r\n", BROKEN],
  ["a size beyond all numbers", `${"f".repeat(17)}\r\nhello\r\n0\r\n\r\n`, BROKEN],
])("R72 own-streams-11 %s", async (_, body, told) => {
  const server = await rawServer((socket) => socket.end(`${HEAD}transfer-encoding: chunked\r\n\r\n${body}`));
  const heard = await hear(wireProvider({ api: "openai-chat", url: server.url, key: KEY }));
  expect(heard.error?.code ?? heard.text).toMatch(told);
});

test("R72 own-streams-12 a second answer sent along with the first is not taken for the answer to the next request", async () => {
  let asked = 0;
  const server = await rawServer((socket) => {
    asked += 1;
    const one = (text: string): string => `${HEAD}transfer-encoding: chunked\r\n\r\n${chunked(answerOf(text))}`;
    socket.write(asked === 1 ? one("first") + one("planted") : one("second"));
  });
  const provider = wireProvider({ api: "openai-chat", url: server.url, key: KEY, fetch: httpFetch() });
  expect((await hear(provider)).text).toBe("first");
  expect((await hear(provider)).text).toBe("second");
});

test("R73 own-streams-13 interim answers for ever: the deadline holds", async () => {
  let going: NodeJS.Timeout | undefined;
  onTestFinished(() => clearInterval(going));
  const server = await rawServer((socket) => {
    clearInterval(going);
    going = setInterval(() => socket.write("HTTP/1.1 100 Continue\r\n\r\n".repeat(1_000)), 10);
    socket.once("close", () => clearInterval(going));
  });
  const provider = wireProvider({ api: "openai-chat", url: server.url, key: KEY });
  const heard = await hear(withWatchdog(provider, systemClock(), { idleMs: 800, totalMs: 1_600 }, createActivity()));
  expect(heard.error).toMatchObject({ code: "provider.timeout" });
});
