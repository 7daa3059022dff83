import { expect, test } from "vitest";
import type { ContentPart } from "../../src/contract/message.ts";
import { messageParts, type MediaOrder, type MediaSource } from "../../src/context/media.ts";
import { plainName, sniff } from "../../src/lib/files/media-type.ts";
import { createSeedContextBuilder } from "../../src/seeds/context-builder.ts";
import { zonedClock } from "../../src/lib/zoned-time.ts";
import { sha256 } from "../../src/machine/system/hash.ts";
import { noon } from "./fixtures.ts";

const png = Uint8Array.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 1, 2, 3]);
const files: Readonly<Record<string, Uint8Array>> = {
  "a.png": png,
  "notes.txt": new TextEncoder().encode("plain ä text"),
  "fake.png": new TextEncoder().encode("<html>"),
};

function parts(text: string, media: readonly MediaSource[], order: MediaOrder): Promise<readonly ContentPart[]> {
  return messageParts(text, media, {
    order,
    blobs: { put: (bytes) => Promise.resolve({ sha256: sha256(bytes), bytes: bytes.length }) },
    readBytes: (path, maxBytes) => {
      if (path === "huge.png")
        return Promise.resolve({ size: 9_000_000, bytes: png.subarray(0, Math.min(maxBytes, png.length)) });
      if (path === "secret") return Promise.reject(new Error("outside the workspace"));
      const bytes = files[path];
      return Promise.resolve(bytes === undefined ? undefined : { size: bytes.length, bytes });
    },
  });
}
const image = (name: string): ContentPart => ({
  type: "media",
  mediaType: "image/png",
  blob: { sha256: sha256(png), bytes: png.length },
  name,
});

test.each([1, 3])("R139 R140 R411 %i image(s) stand before or after the text", async (count) => {
  const media = Array.from({ length: count }, () => ({ path: "a.png" }));
  const images = media.map(() => image("a.png"));
  const text: ContentPart = { type: "text", text: "what is this" };
  expect(await parts("what is this", media, "media-first")).toEqual([...images, text]);
  expect(await parts("what is this", media, "text-first")).toEqual([text, ...images]);
});

test("R141 CX19 what is no image, too large, missing or refused is a line of text; a message without text is kept", async () => {
  expect(
    await parts(
      "",
      [{ path: "notes.txt" }, { path: "fake.png" }, { path: "huge.png" }, { path: "gone.pdf" }, { path: "secret" }],
      "media-first",
    ),
  ).toEqual([
    { type: "text", text: "[attachment: notes.txt, text/plain, 13 bytes, notes.txt]" },
    { type: "text", text: "[attachment: fake.png, text/plain, 6 bytes, fake.png]" },
    { type: "text", text: "[attachment: huge.png, image/png, 8.6 MB, huge.png]" },
    { type: "text", text: "[attachment missing: gone.pdf]" },
    { type: "text", text: "[attachment missing: secret]" },
  ]);
  expect(await parts("", [{ name: "../x\n].png", bytes: png }], "media-first")).toEqual([image("x__.png")]);
});

test("R261 names lose path parts and control characters", () => {
  expect(["../x", "C:\\a\\b.txt", "/", "..", "a\u202Eb", ""].map(plainName)).toEqual([
    "x",
    "b.txt",
    "file",
    "file",
    "a_b",
    "file",
  ]);
});

test("types are told by content", () => {
  const bytes = (text: string): Uint8Array => Uint8Array.from(text, (character) => character.charCodeAt(0));
  expect(
    [
      "\xff\xd8\xff\xe0",
      "GIF89a",
      "RIFF\0\0\0\0WEBP",
      "%PDF-1.7",
      "PK\x03\x04",
      "\x00\x01",
      "\xff\xfe\xfd",
      "RIFF\0\0\0\0WAVE",
      "RIFX\0\0\0\0WAVE",
    ].map((text) => sniff(bytes(text))),
  ).toEqual([
    "image/jpeg",
    "image/gif",
    "image/webp",
    "application/pdf",
    "application/zip",
    "application/octet-stream",
    "application/octet-stream",
    "audio/wav",
    "application/octet-stream",
  ]);
});

test("R125 R137 R138 R139 the seeds' builder returns new arrays in order and mutates nothing", async () => {
  const builder = createSeedContextBuilder({
    systemPrompt: () => Promise.resolve("SYSTEM"),
    now: () => zonedClock("UTC")(noon),
    mediaOrder: "text-first",
    readBytes: (path) => Promise.resolve(files[path]),
  });
  const history = Object.freeze([
    Object.freeze({ role: "user", content: "before" } as const),
    Object.freeze({ role: "assistant", content: "yes" } as const),
  ]);
  const messages = await builder.buildMessages({
    history,
    currentMessage: "look",
    media: ["a.png"],
    channel: "web",
    chatId: "9",
  });
  expect(messages).toEqual([
    { role: "system", content: "SYSTEM" },
    ...history,
    {
      role: "user",
      content: "<runtime_context>time=2026-11-21T04:05+00:00 Saturday, channel=web, chat_id=9</runtime_context>",
    },
    {
      role: "user",
      content: [
        { type: "text", text: "look" },
        { type: "image_url", image_url: { url: `data:image/png;base64,${Buffer.from(png).toString("base64")}` } },
      ],
    },
  ]);
  const frozen = Object.freeze([...messages]);
  const called = builder.addAssistantMessage(frozen, null, [{ id: "c1", name: "read_file", arguments: { path: "a" } }]);
  const answered = builder.addToolResult(called, "c1", "read_file", "text");
  expect(answered.slice(messages.length)).toEqual([
    {
      role: "assistant",
      content: null,
      tool_calls: [{ id: "c1", type: "function", function: { name: "read_file", arguments: '{"path":"a"}' } }],
    },
    { role: "tool", tool_call_id: "c1", name: "read_file", content: "text" },
  ]);
  expect(called.length).toBe(messages.length + 1);
  expect(await builder.buildSystemPrompt()).toBe("SYSTEM");
});
