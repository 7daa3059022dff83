// What one answer of a provider may be: each bound at n, and at one more.
import { expect, test } from "vitest";
import type { MediaPart } from "../../src/contract/message.ts";
import { sentence } from "../../src/model/failure-text.ts";
import { createMediaReader } from "../../src/model/wire/media.ts";
import { resolveQuirks } from "../../src/model/quirks.ts";
import { reportedUsage } from "../../src/model/usage.ts";
import { wireCallId } from "../../src/model/wire/pieces.ts";
import { chatCalls } from "../../src/wires/chat-calls.ts";
import { eventSplitter } from "../../src/model/wire/sse.ts";
import { startStreamServer, type StreamChunk } from "../support/stream-server.ts";
import { hear, wireProvider, type Heard } from "../support/wire-provider.ts";

const data = (value: unknown): string => `data: ${JSON.stringify(value)}\n\n`;
const delta = (change: object, finish: string | null = null): string =>
  data({
    id: "c",
    object: "chat.completion.chunk",
    created: 1,
    model: "m",
    choices: [{ index: 0, delta: change, finish_reason: finish }],
  });
const call = (index: number, args: string, name = "note"): string =>
  delta({ tool_calls: [{ index, id: `w${index}`, type: "function", function: { name, arguments: args } }] });

async function heard(...chunks: readonly (StreamChunk | string)[]): Promise<Heard> {
  await using server = await startStreamServer();
  server.answers({
    status: 200,
    headers: { "content-type": "text/event-stream" },
    chunks: chunks.map((chunk) => (typeof chunk === "string" ? { text: chunk } : chunk)),
  });
  return await hear(wireProvider({ api: "openai-chat", url: server.url }));
}
const END = [delta({}, "stop"), "data: [DONE]\n\n"];

test("answer/MAX_CALLS: 64 calls of one answer are taken, of one more it is said that there were too many", async () => {
  const calls = (count: number): Promise<Heard> =>
    heard(...Array.from({ length: count }, (_, n) => call(n, "{}")), delta({}, "tool_calls"), "data: [DONE]\n\n");
  const [all, more] = [await calls(64), await calls(65)];
  expect([all.done?.dropped, more.done?.dropped]).toEqual([undefined, "too-many"]);
});

test("answer/MAX_TEXT_CHARS, answer/MAX_ARGUMENT_CHARS: 4 MB of text and 1 MB of arguments are an answer, one character more is cut", async () => {
  const text = (chars: number): Promise<Heard> =>
    heard(
      delta({ content: "x".repeat(chars / 2) }),
      delta({ content: "x".repeat(chars - Math.floor(chars / 2)) }),
      ...END,
    );
  const most = 4 * 1024 * 1024;
  expect([(await text(most)).done?.finish, (await text(most + 1)).done?.finish]).toEqual(["stop", "cut"]);
  const args = (chars: number): Promise<Heard> =>
    heard(call(0, `{"a":"${"x".repeat(chars - 8)}"}`), delta({}, "tool_calls"), "data: [DONE]\n\n");
  const long = 1024 * 1024;
  expect([(await args(long)).done?.finish, (await args(long + 1)).done?.finish]).toEqual(["tool-calls", "cut"]);
});

test("sse/MAX_LINE_CHARS: a line and an event of 8 MB are read, one character more is refused", () => {
  const most = 8 * 1024 * 1024;
  const read = (...pieces: readonly string[]): string => {
    try {
      const splitter = eventSplitter("p", () => {});
      for (const piece of pieces) splitter.push(piece);
      return "read";
    } catch (error) {
      return String(error);
    }
  };
  expect(read("x".repeat(most))).toBe("read");
  expect(read("x".repeat(most), "x")).toContain("a line");
  const half = `data: ${"x".repeat(most / 2 - 1)}\n`; // each line counts one more: an empty one costs memory too
  expect(read(half, half)).toBe("read");
  expect(read(half, half, "data:\n")).toContain("an event");
});

test("chat-calls/MAX_FOLLOWED, chat-calls/MAX_NAME_CHARS: 256 calls are followed, 16,384 characters of a name are kept", () => {
  const sent = (pieces: readonly object[]): readonly string[] => {
    const names: string[] = [];
    const calls = chatCalls((name) => {
      names.push(name);
      return { add: () => undefined, end: () => undefined };
    });
    for (const piece of pieces) calls.take(piece);
    calls.end();
    return names;
  };
  const followed = (count: number): number => {
    const pieces = Array.from({ length: count }, (_, index) => ({
      index,
      id: `w${index}`,
      function: { name: `note-${index}.`, arguments: "{}" },
    }));
    const said = sent(pieces).join("");
    return pieces.filter((piece) => said.includes(piece.function.name)).length;
  };
  expect([followed(256), followed(257)]).toEqual([256, 256]);
  // A name may come in pieces.
  const named = (chars: number): number => {
    const half = [Math.floor(chars / 2), Math.ceil(chars / 2)];
    const pieces = half.map((length, n) => ({
      index: 0,
      id: "w",
      function: { name: (n === 0 ? "a" : "b").repeat(length) },
    }));
    return /a+b+/.exec(sent(pieces).join(""))?.[0].length ?? 0;
  };
  expect([named(16_384), named(16_385)]).toEqual([16_384, 16_384]);
});

test("failure-text/MAX_SENTENCE_CHARS: 300 characters of a provider's words are told", () => {
  expect(sentence(`${"no ".repeat(99)}no.`)).toBe(`${"no ".repeat(99)}no.`);
  expect(sentence(`${"no ".repeat(99)}nono`)).toHaveLength(300);
});

test("pieces/MAX_ID_CHARS: an id of forty characters goes over the wire, a longer one as its fingerprint", () => {
  expect(wireCallId("c".repeat(40), "plain")).toBe("c".repeat(40));
  expect(wireCallId("c".repeat(41), "plain")).toMatch(/^call-[0-9a-f]+$/);
});

test("usage/MAX_TOKENS: a hundred million tokens are a count, more is none", () => {
  const input = (total: number): number | undefined =>
    reportedUsage({
      inputTokens: { total, noCache: undefined, cacheRead: undefined, cacheWrite: undefined },
      outputTokens: { total: 1 },
    })?.input;
  expect([input(100_000_000), input(100_000_001)]).toEqual([100_000_000, undefined]);
});

test("body/MAX_BODY_CHARS: an answer of 32 MB in one piece is read, one character more is refused", async () => {
  const message = { role: "assistant", content: "hello" };
  const body = JSON.stringify({ id: "c", choices: [{ index: 0, message, finish_reason: "stop" }] });
  const answer = (chars: number): Promise<Heard> => heard(body, { repeat_text: " ", times: chars - body.length });
  const most = 32 * 1024 * 1024;
  expect((await answer(most)).text).toBe("hello");
  expect((await answer(most + 1)).error?.message).toContain("more than 32 MB");
});

test("body/MAX_STREAM_CHARS: a stream of 512 MB is read, one character more is refused", async () => {
  const comment = (chars: number): Buffer => Buffer.from(`:${"x".repeat(chars - 2)}\n`);
  const line = comment(4 * 1024 * 1024);
  const last = [delta({ content: "hello" }), ...END].join("");
  const streamed = (more: number): Promise<Heard> => {
    const rest = Buffer.concat([comment(line.length - last.length + more), Buffer.from(last)]);
    let left = 128; // of 4 MB each
    const pull = (controller: ReadableStreamDefaultController<Uint8Array>): void => {
      left -= 1;
      controller.enqueue(left > 0 ? line : rest);
      if (left === 0) controller.close();
    };
    const fetch = async (): Promise<Response> => new Response(new ReadableStream({ pull }));
    return hear(wireProvider({ api: "openai-chat", url: "http://vendor.test", fetch }));
  };
  expect((await streamed(0)).text).toBe("hello");
  expect((await streamed(1)).error?.message).toContain("more than 512 MB");
});

test("media/MAX_CACHED_CHARS: pictures that are 16 MB together are read once, of more the oldest anew", async () => {
  // Base64 grows by four: a bound that is one to three larger is the same.
  const read = async (...sizes: readonly number[]): Promise<readonly string[]> => {
    const asked: string[] = [];
    const reader = createMediaReader(resolveQuirks({}, "anthropic.messages"))(({ sha256, bytes }) => {
      asked.push(sha256);
      return Promise.resolve(new Uint8Array(bytes));
    });
    const images = sizes.map((bytes, n): MediaPart => ({
      type: "media",
      mediaType: "image/png",
      blob: { sha256: `p${n}`, bytes },
    }));
    for (const image of [...images, ...images]) await reader(image);
    return asked;
  };
  const most = 12 * 1024 * 1024;
  expect(await read(most - 3, 3)).toEqual(["p0", "p1"]);
  expect((await read(most - 3, 6)).slice(0, 3)).toEqual(["p0", "p1", "p0"]);
});
