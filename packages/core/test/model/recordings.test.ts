import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { cuttings, recordings } from "../support/recordings.ts";
import { startStreamServer } from "../support/stream-server.ts";
import { hear, wireProvider } from "../support/wire-provider.ts";
import type { Heard } from "../support/wire-provider.ts";

/** What each recording is known to hold; a change here is a change in what people get. */
// A fixture of our own: one line a recording.
const SUMMARY = JSON.parse(
  readFileSync(new URL("../fixtures/recordings/summary.json", import.meta.url), "utf8"),
) as Readonly<Record<string, string>>;

for (const { name, api, bytes } of recordings()) {
  test(`R2 PR15 the recorded stream ${name} gives the same parts however its bytes are cut`, async () => {
    await using server = await startStreamServer();
    const results: Heard[] = [];
    for (const pieces of cuttings(bytes)) {
      server.answers({
        status: 200,
        headers: { "content-type": "text/event-stream" },
        chunks: pieces.map((piece) => ({ base64: piece.toString("base64") })),
      });
      results.push(await hear(wireProvider({ api, url: server.url })));
    }
    const kept = results.map(facts);
    expect(kept).toEqual(kept.map(() => kept[0]));
    expect(results.map(summary)).toEqual(results.map(() => SUMMARY[name]));
  });
}

/** `finish dropped input/output rCached` and the parts: T text, R reasoning, each with its length, `*` with provider state. */
function summary({ error, done, parts }: Heard): string {
  if (done === undefined) return error?.code ?? "nothing";
  const { usage } = done;
  const said = parts.map((part) => {
    const state = part.type !== "text" && part.opaque !== undefined ? "*" : "";
    if (part.type === "tool-call") return `${part.name}(${JSON.stringify(part.input).slice(0, 40)})${state}`;
    return `${part.type === "text" ? "T" : "R"}${part.text.length}${state}`;
  });
  const tokens = `${usage.input}/${usage.output}${usage.estimated === true ? "e" : ""} r${usage.cacheRead}`;
  return [done.finish, done.dropped ?? "", tokens, said.join(" ").slice(0, 150)]
    .filter((word) => word !== "")
    .join(" ");
}

/** Everything that is kept of an answer; how it was divided into deltas is not. */
function facts(heard: Heard): unknown {
  const stored = (type: "text" | "thinking"): string =>
    heard.parts.map((part) => (part.type === type ? part.text : "")).join("");
  return {
    code: heard.error?.code,
    parts: heard.parts,
    done: heard.done,
    text: heard.text,
    thinking: heard.thinking,
    storedAsShown:
      heard.error !== undefined || (stored("text") === heard.text && stored("thinking") === heard.thinking),
  };
}
