import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";

import type { JsonObject } from "../../src/contract/base.ts";
import { openSessions } from "../../src/index.ts";
import { openJournalDirectory, transcriptObserver } from "../../src/internal.ts";
import { callsTool, fakeClock, says } from "../../src/testing.ts";
import { callsTools } from "../../src/internal-testing.ts";
import { CHAT, ofType, startAgent, tool } from "../support/agent.ts";
import { temporaryFolder } from "../support/folder.ts";
import { collectingLog } from "../support/log.ts";

test("R37 a tool message has role, tool_call_id, name and content, on the OpenAI wire and in the transcript", async (t) => {
  await using folder = await temporaryFolder();
  const journals = openJournalDirectory(folder.path);
  const observer = transcriptObserver({
    directory: folder.path,
    readCommits: journals.read,
    toolResultChars: 500,
    log: collectingLog(),
  });
  const sessions = openSessions({ journals, clock: fakeClock(), observers: [observer] });
  const { agent, model } = await startAgent(t, { tools: [tool("note", "read", () => "noted")], sessions });
  model.replies(callsTools([{ name: "note", args: { n: 1 } }, { name: "nobody" }]), says("done"), says("again"));
  await agent.send(CHAT, "note it").finished;
  await agent.send(CHAT, "and now?").finished;
  await observer.flush();

  const session = await agent.sessions.find(CHAT);
  const transcript = await readFile(join(folder.path, `${session?.state.id}.jsonl`), "utf8");
  const rows = transcript
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as JsonObject);
  const expected = [
    { role: "tool", tool_call_id: expect.any(String) as string, name: "note", content: "noted" },
    {
      role: "tool",
      tool_call_id: expect.any(String) as string,
      name: "nobody",
      content: expect.stringContaining("nobody") as string,
    },
  ];
  const isTool = (row: JsonObject): boolean => row["role"] === "tool";
  expect(rows.filter(isTool)).toEqual(expected.map((row) => ({ ...row, timestamp: expect.any(String) as string })));
  for (const request of model.requests.slice(1)) {
    const messages = request.body["messages"] as readonly JsonObject[]; // OpenAI's shape
    const results = messages.filter(isTool);
    expect(results).toEqual(expected);
    expect(results.map((row) => row["tool_call_id"])).toEqual(request.toolCalls.map(({ callId }) => callId));
  }
});

test("R282 what a tool tells beside its result is in the journal without secrets", async (t) => {
  const details = { headers: { authorization: "key sk-secret" }, "sk-secret": ["sk-secret"] };
  const { agent, model, records } = await startAgent(t, {
    tools: [tool("call", "read", () => ({ parts: [{ type: "text", text: "called" }], details }))],
    redact: (text) => text.replaceAll("sk-secret", "[redacted]"),
  });
  model.replies(callsTool("call"), says("done"));
  await agent.send(CHAT, "call it").finished;
  const all = await records();
  expect(ofType(all, "tool.finished")[0]?.details).toEqual({
    headers: { authorization: "key [redacted]" },
    "[redacted]": ["[redacted]"],
  });
  expect(JSON.stringify(all)).not.toContain("sk-secret");
});
