// OpenClaw's sessions: nothing that was said is lost, and what cannot be taken is named by its line in the file.
import { parseTranscript } from "@margay/core/internal";
import { expect, test } from "vitest";
import { picturesOf } from "../../src/features/import-home/sessions.ts";
import { emptySource } from "../../src/features/import-home/source.ts";
import { transcriptOf } from "../../src/features/import-home/openclaw/openclaw-session.ts";

const SESSION = { type: "session", id: "0b1c", timestamp: "2026-02-01T08:00:00.000Z" };

function message(role: string | undefined, content: unknown, more: object = {}): object {
  return { type: "message", timestamp: "2026-02-01T08:00:00.000Z", message: { role, content, ...more } };
}

function read(lines: readonly (object | string)[]): ReturnType<typeof parseTranscript> {
  const text = lines.map((line) => (typeof line === "string" ? line : JSON.stringify(line))).join("\n");
  return parseTranscript(transcriptOf(text, picturesOf(emptySource("openclaw", "/"))), { timeZone: "UTC" });
}

test("lines are counted as they stand in the file", () => {
  const before = [SESSION, { type: "model_change" }, "", message("user", "hello"), { type: "compaction" }];
  expect(() => read([...before, "not json", message("user", "bye")])).toThrow("Line 6 is not a JSON object");
  expect(() => read([...before, "not json", ""])).toThrow("Line 6 is not a JSON object");
  expect(read([...before, '{"type":"mess']).warnings).toEqual(["line 6: torn; dropped"]);
});

test("a message of an unknown role is named, not silently left out", () => {
  const { rows, warnings } = read([
    SESSION,
    message("user", "hi"),
    message("bashExecution", "ls"),
    message(undefined, "?"),
  ]);
  expect(rows).toBe(1);
  expect(warnings).toEqual([
    'line 3: role "bashExecution" is not part of a transcript; dropped',
    "line 4: role null is not part of a transcript; dropped",
  ]);
});

test("pictures leave their mark, and a result without text is still a result", () => {
  const image = { type: "image", data: "AAAA", mimeType: "image/png" };
  const { transcript } = read([
    SESSION,
    message("user", [{ type: "text", text: "what is this?" }, image]),
    message("assistant", [{ type: "toolCall", id: "t1", name: "screenshot", arguments: {} }]),
    message("toolResult", [image], { toolCallId: "t1", toolName: "screenshot" }),
  ]);
  expect(transcript.map(({ role, content }) => [role, content])).toEqual([
    ["user", "what is this?\n[image: image]"],
    ["assistant", ""],
    ["tool", "[image: image]"],
  ]);
});

test("a call that says little of itself is kept with what it says", () => {
  const { transcript } = read([
    SESSION,
    message("user", "go"),
    message("assistant", [
      { type: "toolCall", id: "t1", name: "screenshot" },
      { type: "toolCall", id: "t2", name: "read", arguments: { path: "a.txt" } },
    ]),
  ]);
  expect(transcript[1]?.tool_calls).toMatchObject([
    { id: "t1", function: { name: "screenshot", arguments: "{}" } },
    { id: "t2", function: { name: "read", arguments: '{"path":"a.txt"}' } },
  ]);
});

test("the time of the message counts where the line has none", () => {
  const at = Date.UTC(2026, 1, 2, 9);
  const { transcript } = read([
    SESSION,
    { type: "message", message: { role: "user", content: "hello", timestamp: at } },
  ]);
  expect(transcript[0]?.timestamp).toBe(new Date(at).toISOString());
});
