// What the wires read of recorded and of broken streams, byte by byte, without anything between.
import { expect, test } from "vitest";
import type { ModelEvent } from "../../src/contract/provider.ts";
import { RuntimeError } from "../../src/lib/errors/errors.ts";
import { fromHttp } from "../../src/model/failures.ts";
import type { WireKind } from "../../src/model/quirks.ts";
import { createAnswer } from "../../src/model/wire/answer.ts";
import { bodyReader } from "../../src/model/wire/body.ts";
import { WIRES } from "../../src/wires/wires.ts";
import { recordings } from "../support/recordings.ts";
import { bytesOf, streamCases } from "../support/stream-server.ts";

const APIS: Readonly<Record<string, WireKind>> = {
  "openai-chat": "openai-chat",
  "anthropic-messages": "anthropic",
  "openai-responses": "openai-responses",
};

/** Everything that is kept of an answer, or how it failed; and the words that were heard until then. */
interface Kept {
  readonly said: string;
  readonly parts: readonly ModelEvent[];
  readonly failure: string | undefined;
}

/** @param size Bytes of a piece. */
function decoded(api: WireKind, bytes: Uint8Array, size: number): Kept {
  const usage = { input: 1, output: 1, cacheRead: 0, cacheWrite: 0 };
  const answer = createAnswer({ provider: "vendor", requestId: "turn-1-a", estimate: () => usage });
  const context = { provider: "vendor", now: 0, media: false };
  const reading = WIRES[api].decode(answer, (status, body) =>
    fromHttp({ status, body: JSON.stringify(body) }, context),
  );
  const input = bodyReader(reading, "vendor");
  const decoder = new TextDecoder();
  const events: ModelEvent[] = [];
  let failure: string | undefined;
  try {
    for (let at = 0; at < bytes.length && !reading.closed && !answer.cut; at += size) {
      input.push(decoder.decode(bytes.subarray(at, at + size), { stream: true }));
      reading.flush();
      events.push(...answer.events.splice(0));
    }
    if (!reading.closed && !answer.cut) input.end();
    events.push(...answer.end());
  } catch (error) {
    if (!(error instanceof RuntimeError)) throw error;
    reading.flush();
    events.push(...answer.events.splice(0));
    failure = `${error.code} ${error.message}`;
  }
  return {
    said: events.map((event) => (event.type === "text.delta" ? event.text : "")).join(""),
    parts: events.filter((event) => event.type === "part" || event.type === "done"),
    failure,
  };
}

for (const { name, api, bytes } of recordings())
  test(`R2 PR15 the recorded stream ${name} is the same read as a whole and byte by byte`, () => {
    const whole = decoded(api, bytes, bytes.length);
    expect(whole.parts.length + (whole.failure?.length ?? 0)).toBeGreaterThan(0);
    expect(decoded(api, bytes, 1)).toEqual(whole);
  });

test("R72 PR15 each stream of the corpus is the same read as a whole and byte by byte", () => {
  let read = 0;
  for (const item of streamCases()) {
    const api = APIS[item.api];
    const bytes = bytesOf(item.response);
    // What is megabytes long is about bounds.
    if (api === undefined || item.response.status !== 200 || bytes.length > 1_000_000) continue;
    read++;
    expect(decoded(api, bytes, 1), item.id).toEqual(decoded(api, bytes, bytes.length));
  }
  expect(read).toBeGreaterThan(60);
});
