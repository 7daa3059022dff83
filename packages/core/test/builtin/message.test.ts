import fs from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { messageTool } from "../../src/builtin/message.ts";
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

function recorder(machine: Machine, answer: "queued" | "unknown-chat" = "queued"): { tool: Tool; sent: ToolSend[] } {
  const sent: ToolSend[] = [];
  const files = safeFiles({ root: machine.workspace, restrict: true });
  const send = async (request: ToolSend): Promise<"queued" | "unknown-chat"> => {
    sent.push(request);
    return answer;
  };
  return { tool: messageTool({ send, files, blobs }), sent };
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
