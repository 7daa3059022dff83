import { readdirSync, readFileSync } from "node:fs";
import type { ModelEvent } from "@margay/core";
import { expect, test } from "vitest";
import { startConverse } from "./support/converse-server.ts";
import { eventFrame } from "./support/event-stream.ts";
import { bedrock, hear } from "./support/provider.ts";

const FOLDER = new URL("fixtures/recordings/", import.meta.url);
/** Finish, tokens and parts: T text, R reasoning with its length, `*` with provider state; calls with their arguments. */
const HOLDS: Readonly<Record<string, string>> = {
  "amazon-bedrock-json-tool.1.chunks.txt": 'json({"value":"test"}) tool-calls 31/13e',
  "amazon-bedrock-json-tool.3.chunks.txt": 'T17 T18 T12 json({"result":42}) tool-calls 31/26e',
  "amazon-bedrock-json-with-tools.1.chunks.txt":
    'T15 tool-a({"a":"1"}) tool-b({"b":"2"}) T11 json({"final":"result"}) tool-calls 31/47e',
  "amazon-bedrock-reasoning.chunks.txt": "R116* T63 stop 51/94",
  "amazon-bedrock-text.chunks.txt": "T109 stop 22/55",
  "amazon-bedrock-tool-call.1.chunks.txt": 'test-tool({"value":"Sparkle Day"}) tool-calls 125/45',
  "amazon-bedrock-tool-no-args.chunks.txt": "T35 updateIssueList({}) tool-calls 100/25",
};

for (const file of readdirSync(FOLDER).filter((name) => name.endsWith(".chunks.txt")))
  test(`R2 the recorded stream ${file} gives the same parts however its bytes are cut`, async () => {
    await using server = await startConverse();
    const provider = bedrock(server.url);
    const frames = readFileSync(new URL(file, FOLDER), "utf8")
      .trim()
      .split("\n")
      .map((line) => eventFrame(JSON.parse(line) as Readonly<Record<string, unknown>>)); // one object a line
    const bytes = Buffer.concat(frames);
    const results: (readonly ModelEvent[])[] = [];
    for (const size of [bytes.length, 1024, 97, 11]) {
      const count = Math.ceil(bytes.length / size);
      const pieces = Array.from({ length: count }, (_, at) => bytes.subarray(at * size, (at + 1) * size));
      server.replies({ kind: "bytes", pieces });
      results.push(await hear(provider));
    }
    const kept = results.map((events) => events.filter((event) => event.type === "part" || event.type === "done"));
    expect(kept).toEqual(kept.map(() => kept[0]));
    expect(summary(results[0] ?? [])).toBe(HOLDS[file]);
  });

function summary(events: readonly ModelEvent[]): string {
  return events
    .flatMap((event) => {
      if (event.type === "done")
        return [
          `${event.finish} ${event.usage.input}/${event.usage.output}${event.usage.estimated === true ? "e" : ""}`,
        ];
      if (event.type !== "part") return [];
      const { part } = event;
      if (part.type === "tool-call") return [`${part.name}(${JSON.stringify(part.input)})`];
      const state = part.type === "thinking" && part.opaque !== undefined ? "*" : "";
      return [`${part.type === "text" ? "T" : "R"}${part.text.length}${state}`];
    })
    .join(" ");
}
