// What tests of consolidation share: numbered rows, and the mock's requests told apart.

import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";

import type { Message } from "../../src/contract/message.ts";
import type { RecordedRequest } from "../../src/internal-testing.ts";
import { callsTool } from "../../src/testing.ts";
import type { Answer } from "../../src/internal-testing.ts";
import { CHAT, ofType } from "./agent.ts";
import type { Started } from "./agent.ts";

/** Requests that turn rows into memory. */
export function isConsolidation(request: RecordedRequest): boolean {
  return request.texts("system").some((text) => text.startsWith("You keep the long-term memory"));
}

export function consolidations(requests: readonly RecordedRequest[]): readonly RecordedRequest[] {
  return requests.filter(isConsolidation);
}

export function turnRequests(requests: readonly RecordedRequest[]): readonly RecordedRequest[] {
  return requests.filter((request) => !isConsolidation(request));
}

export function saves(history: string, memory: string): Answer {
  return callsTool("save_memory", { history, memory });
}

/** Rows `row 0.`, `row 1.` … of a person and the assistant in turn, the text after the number as given. */
export async function importRows({ agent }: Started, count: number, first = 0, text = ""): Promise<void> {
  const session = await agent.sessions.open(CHAT, { channel: "test", chat: "1" });
  const messages = Array.from({ length: count }, (_, index): Message => {
    const parts = [{ type: "text", text: `row ${first + index}.${text}` } as const];
    return index % 2 === 0
      ? { role: "user", id: `m-${index}`, at: index, from: { id: "ann", kind: "person" }, parts }
      : {
          role: "assistant",
          at: index,
          model: { provider: "mock", model: "mock-model" },
          parts,
          finish: "stop",
          usage: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
        };
  });
  await session.commit({ type: "history.imported", messages, rows: count, consolidated: 0 });
}

/** The numbers of the rows that a request holds, in order. */
export function rowsIn(request: RecordedRequest | undefined): readonly number[] {
  const text = (request?.messages ?? [])
    .filter(({ role }) => role !== "system")
    .flatMap(({ parts }) => parts.map((part) => (part.type === "text" ? part.text : "")))
    .join("\n");
  return [...text.matchAll(/row (\d+)\./g)].map(([, number]) => Number(number));
}

/** A file of the memory directory; `""` when it is not there. */
export function memoryFile({ workspace }: Started, name: "MEMORY.md" | "HISTORY.md"): string {
  const path = join(workspace, "memory", name);
  return existsSync(path) ? readFileSync(path, "utf8") : "";
}

/** The entries of HISTORY.md without their times. */
export function entries(started: Started): readonly string[] {
  const text = memoryFile(started, "HISTORY.md").trim();
  return text === "" ? [] : text.split("\n\n").map((entry) => entry.replace(/^\[[\d -]{10} \d\d:\d\d\] /, ""));
}

/** What a slash command answered. */
export async function command(started: Started, text: string): Promise<string | undefined> {
  const { agent } = started;
  await agent.bus.accept({
    key: `command-${text}-${(await started.records()).length}`,
    origin: { channel: "test", chat: "1" },
    from: { id: "ann", kind: "person" },
    parts: [{ type: "text", text }],
  });
  const reply = ofType(await started.records(), "reply.queued").findLast(({ kind }) => kind === "command");
  const [part] = reply?.parts ?? [];
  return part?.type === "text" ? part.text : undefined;
}
