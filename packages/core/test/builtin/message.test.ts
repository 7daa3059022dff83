import fs from "node:fs";
import { join } from "node:path";
import { setImmediate } from "node:timers/promises";
import { expect, test } from "vitest";
import { messageTool, type MessageOptions } from "../../src/builtin/message.ts";
import { openBlobs } from "../../src/journal/blobs.ts";
import { openFileLabels } from "../../src/labels/file-labels.ts";
import type { ToolSend } from "../../src/contract/agent.ts";
import type { CallId } from "../../src/contract/base.ts";
import type { BlobStore } from "../../src/contract/services.ts";
import type { Tool } from "../../src/contract/tool.ts";
import { sha256 } from "../../src/machine/system/hash.ts";
import { safeFiles } from "../../src/machine/files/safe-files.ts";
import { createMachine, textOf, type Machine } from "./machine.ts";

const blobs: BlobStore = {
  put: async (bytes) => ({ sha256: sha256(bytes), bytes: bytes.length }),
  read: () => Promise.reject(new Error("not read here")),
};

function recorder(
  machine: Machine,
  answer: "queued" | "unknown-chat" = "queued",
  given: Partial<MessageOptions> = {},
): { tool: Tool; sent: ToolSend[] } {
  const sent: ToolSend[] = [];
  const files = safeFiles({ root: machine.workspace, restrict: true });
  const send = async (request: ToolSend): Promise<"queued" | "unknown-chat"> => {
    sent.push(request);
    return answer;
  };
  return { tool: messageTool({ send, files, blobs, ...given }), sent };
}

test("R114 channel and chat default to the current ones, with their thread", async () => {
  using machine = createMachine();
  const { tool, sent } = recorder(machine);
  const origin = { channel: "telegram", chat: "42", thread: "7" };
  expect(textOf(await machine.run(tool, { content: "hello" }, { origin }))).toBe("Queued for telegram:42?thread=7.");
  expect(textOf(await machine.run(tool, { content: "hello", chat_id: "43" }, { origin }))).toBe(
    "Queued for telegram:43.",
  );
  expect(sent.map(({ to }) => to)).toEqual([origin, { channel: "telegram", chat: "43" }]);
  expect(sent[0]?.parts).toEqual([{ type: "text", text: "hello" }]);
});

test("R114 a rerun of the call carries the same reply id, another call another one", async () => {
  using machine = createMachine();
  const { tool, sent } = recorder(machine);
  for (const callId of ["c-1", "c-1", "c-2"]) await machine.run(tool, { content: "hi" }, { callId: callId as CallId });
  expect(sent[0]?.reply).toBe(sent[1]?.reply);
  expect(sent[2]?.reply).not.toBe(sent[0]?.reply);
});

test("R114 media are read by the rules of the file tools and typed by content", async () => {
  using machine = createMachine();
  const { tool, sent } = recorder(machine);
  const png = Buffer.from("89504e470d0a1a0a00000000", "hex");
  fs.writeFileSync(join(machine.workspace, "chart.txt"), png);
  await machine.run(tool, { content: "", media: ["chart.txt"] });
  expect(sent[0]?.parts).toEqual([
    { type: "media", mediaType: "image/png", blob: { sha256: sha256(png), bytes: 12 }, name: "chart.txt" },
  ]);
  fs.writeFileSync(join(machine.workspace, "notes"), "plain words");
  fs.writeFileSync(join(machine.workspace, "core"), Buffer.from([0, 1, 2]));
  fs.writeFileSync(join(machine.workspace, "a.PDF"), "%PDF-1.7\n\0");
  await machine.run(tool, { content: "", media: ["notes", "core", "a.PDF"] });
  expect(sent[1]?.parts.map((part) => part.type === "media" && part.mediaType)).toEqual([
    "text/plain",
    "application/octet-stream",
    "application/pdf",
  ]);
  const outside = await machine.run(tool, { content: "x", media: ["/etc/passwd"] });
  expect(textOf(outside)).toMatch(/^Error: .*is outside the workspace/);
  expect(outside.isError).toBe(true);
  expect(sent).toHaveLength(2);
});

test("R115 an unknown chat is an error", async () => {
  using machine = createMachine();
  const { tool } = recorder(machine, "unknown-chat");
  const result = await machine.run(tool, { content: "hi", channel: "telegram", chat_id: "9" });
  expect(result).toEqual({
    parts: [{ type: "text", text: "Error: no chat telegram:9. Next: use a chat that has written to you." }],
    isError: true,
  });
});

test("R114 an empty message and a channel without a chat are parameter errors", async () => {
  using machine = createMachine();
  const { tool, sent } = recorder(machine);
  expect(textOf(await machine.run(tool, { content: " " }))).toBe("Parameter error: content is empty");
  expect(textOf(await machine.run(tool, { content: "x", channel: "telegram" }))).toBe(
    "Parameter error: chat_id is required with another channel",
  );
  expect(sent).toEqual([]);
});

/** A store that does something while it takes a file in: in front of the first byte, and behind the last. */
function slowStore(machine: Machine, first: () => void, last: () => void = () => {}): BlobStore {
  const store = openBlobs(join(machine.state, "blobs"));
  return {
    ...store,
    putFile: async (file, most) => {
      first();
      const blob = await store.putFile!(file, most);
      last();
      return blob;
    },
  };
}

test("CH81 a file of the workspace of ten megabytes goes into the store with at most two more in memory than without", async () => {
  using machine = createMachine();
  const store = openBlobs(join(machine.state, "blobs"));
  const { tool, sent } = recorder(machine, "queued", { blobs: store });
  const bytes = Buffer.alloc(10 * 1024 * 1024, "margay ");
  fs.writeFileSync(join(machine.workspace, "large.bin"), bytes);
  let over = false;
  const before = process.memoryUsage().arrayBuffers;
  const sending = machine.run(tool, { content: "", media: ["large.bin"] }).finally(() => (over = true));
  let most = 0;
  while (!over) {
    most = Math.max(most, process.memoryUsage().arrayBuffers - before);
    await setImmediate();
  }
  expect(textOf(await sending)).toMatch(/^Queued/);
  const [part] = sent[0]?.parts ?? [];
  expect(part).toMatchObject({ blob: { bytes: bytes.length, sha256: sha256(bytes) }, mediaType: "text/plain" });
  expect(bytes.equals(await store.read({ sha256: sha256(bytes), bytes: bytes.length }))).toBe(true);
  expect(most).toBeLessThan(2 * 1024 * 1024);
});

test("CH81 of a file that grows while it is read what it was leaves, of one that becomes shorter what is left", async () => {
  using machine = createMachine();
  const path = join(machine.workspace, "log.txt");
  fs.writeFileSync(path, "one line\n");
  const grows = recorder(machine, "queued", { blobs: slowStore(machine, () => fs.appendFileSync(path, "and more\n")) });
  await machine.run(grows.tool, { content: "", media: ["log.txt"] });
  expect(grows.sent[0]?.parts).toMatchObject([{ blob: { bytes: 9, sha256: sha256("one line\n") } }]);
  const shrinks = recorder(machine, "queued", { blobs: slowStore(machine, () => fs.truncateSync(path, 3)) });
  await machine.run(shrinks.tool, { content: "", media: ["log.txt"] });
  expect(shrinks.sent[0]?.parts).toMatchObject([{ blob: { bytes: 3, sha256: sha256("one") } }]);
});

test("PE40 CH81 who may read a file is asked of what leaves, also when something else stands there a moment later", async () => {
  using machine = createMachine();
  const path = join(machine.workspace, "copy.txt");
  const [secret, harmless] = ["eva's secret number is 4711", "nothing that anybody minds!"];
  const labels = openFileLabels(machine.state);
  const readers = [{ by: "eva", to: ["eva"] }];
  labels.addReaders("original.txt", sha256(secret), readers);
  const exchange = (): void => fs.writeFileSync(path, harmless);
  for (const store of [slowStore(machine, () => {}, exchange), withoutFiles(machine, exchange)]) {
    fs.writeFileSync(path, secret);
    const { tool, sent } = recorder(machine, "queued", { labels, blobs: store });
    await machine.run(tool, { content: "", media: ["copy.txt"] });
    expect(sent[0]).toMatchObject({ parts: [{ blob: { sha256: sha256(secret) } }], readers });
  }
  const marked = "- 4711 (source: untrusted content; readers eva>eva)\n";
  const memory = join(machine.workspace, "memory", "MEMORY.md");
  fs.mkdirSync(join(machine.workspace, "memory"));
  fs.writeFileSync(memory, marked);
  const emptied = slowStore(
    machine,
    () => {},
    () => fs.writeFileSync(memory, ""),
  );
  const { tool, sent } = recorder(machine, "queued", { labels, blobs: emptied });
  await machine.run(tool, { content: "", media: ["memory/MEMORY.md"] });
  expect(sent[0]).toMatchObject({ parts: [{ blob: { sha256: sha256(marked) } }], readers });
});

/** A store that takes bytes alone. */
function withoutFiles(machine: Machine, last: () => void): BlobStore {
  const { read, put } = openBlobs(join(machine.state, "blobs"));
  return { read, put: (bytes) => put(bytes).finally(last) };
}
