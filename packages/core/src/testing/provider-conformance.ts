// What every provider must do, whatever wire is behind it.

import assert from "node:assert/strict";

import type { PluginOptions, ProviderPlugin } from "../bridge/provider-plugin.ts";
import { pluginProvider, type ProviderHost } from "../bridge/plugin-host.ts";
import type { CallId } from "../contract/base.ts";
import type { AssistantPart } from "../contract/message.ts";
import type { ModelEvent, ModelRequest, Provider } from "../contract/provider.ts";
import { never } from "../lib/async/never.ts";
import { RuntimeError } from "../lib/errors/errors.ts";
import { httpFetch } from "../machine/http/http-fetch.ts";
import { systemClock } from "../machine/system/clock.ts";
import type { Register } from "./conformance.ts";
import { userMessage } from "./conformance.ts";
import type { Answer, Failure } from "./mock-llm/script.ts";
import { callsTool, callsTools, emptyAnswer, fails, says, stalls, thinks } from "./mock-llm/script.ts";

/** A provider and a way to say what it is answered. */
export interface ProviderPlace extends Partial<AsyncDisposable> {
  /** Or the plugin that makes it, with what margay would hand it: the suite gives it a host. */
  readonly provider: Provider | { readonly plugin: ProviderPlugin<ProviderHost>; readonly options: PluginOptions };
  /** Sent as the request's model. */
  readonly model: string;
  /** Queues answers; each request takes the next. */
  replies(...answers: readonly (Answer | Failure)[]): void;
}
export interface ProviderTraits {
  /** Text arrives while the answer is being made. Default true. */
  readonly streams?: boolean;
  /** The status of a failure reaches the error's code. Default true. */
  readonly statuses?: boolean;
  /** Reasoning is shown. Default true; where it is not, it must still not become text. */
  readonly thinking?: boolean;
}

/**
 * Registers the tests of the Provider contract.
 * @param create A new place, with nothing queued.
 */
export function providerConformance(
  register: Register,
  create: () => Promise<ProviderPlace>,
  traits: ProviderTraits = {},
): void {
  const test: Test = (name, body) =>
    register(`provider: ${name}`, async () => {
      const place = await create();
      try {
        const { provider, model } = place;
        await body({ provider: made(provider), model, replies: (...answers) => place.replies(...answers) });
      } finally {
        await place[Symbol.asyncDispose]?.();
      }
    });

  answers(test);
  reasoningAndEndings(test, traits);
  if (traits.streams !== false) streaming(test);
  if (traits.statuses !== false) failures(test);
}

type Place = ProviderPlace & { readonly provider: Provider };
type Test = (name: string, body: (place: Place) => Promise<void>) => void;

function made(given: ProviderPlace["provider"]): Provider {
  if ("stream" in given) return given;
  const { apiKey, settings, ...options } = given.options;
  return pluginProvider(() => Promise.resolve(given.plugin), {
    ...{ ...options, apiKeys: apiKey === undefined ? [] : [apiKey], settings: () => settings },
    ...{ fetch: httpFetch(), clock: systemClock() },
  });
}

function answers(test: Test): void {
  test("text comes as deltas, then as a part, then exactly one done", async (place) => {
    place.replies(says("Hello there.", { chunks: 3 }));
    const events = await read(place);
    assert.equal(textOf(events), "Hello there.");
    assert.deepEqual(partsOf(events), [{ type: "text", text: "Hello there." }]);
    assert.deepEqual(
      events.filter((event) => event.type === "done").map((event) => event.finish),
      ["stop"],
    );
    assert.equal(events.at(-1)?.type, "done");
  });

  test("usage is reported or estimated, and says which", async (place) => {
    place.replies(says("Hi", { usage: { input: 12, output: 3 } }), says("Hi", { usage: null }));
    const reported = done(await read(place));
    assert.deepEqual([reported.usage.input, reported.usage.output, reported.usage.estimated], [12, 3, undefined]);
    const estimated = done(await read(place));
    assert.equal(estimated.usage.estimated, true);
    assert.ok(estimated.usage.input > 0);
  });

  test("calls are named after the request in order of appearance and keep their arguments", async (place) => {
    place.replies(
      callsTools(
        [
          { name: "look", args: { at: "a" } },
          { name: "look", args: { at: "b" } },
        ],
        { text: "Looking." },
      ),
    );
    const events = await read(place);
    const calls = partsOf(events).filter((part) => part.type === "tool-call");
    assert.deepEqual(
      calls.map(({ callId, name, input }) => [callId, name, input]),
      [
        ["request-1-1", "look", { at: "a" }],
        ["request-1-2", "look", { at: "b" }],
      ],
    );
    assert.equal(done(events).finish, "tool-calls");
    assert.equal(done(events).dropped, undefined);
  });

  test("the conversation goes on with results of calls", async (place) => {
    place.replies(callsTool("look", { at: "a" }), says("Seen."));
    const parts = partsOf(await read(place));
    const events = await read(place, {
      id: "request-2",
      messages: [
        userMessage("1", "Look."),
        {
          role: "assistant",
          at: 0,
          model: { provider: place.provider.id, model: place.model },
          parts,
          finish: "tool-calls",
          usage: { input: 1, output: 1, cacheRead: 0, cacheWrite: 0 },
        },
        {
          role: "tool",
          at: 0,
          callId: "request-1-1" as CallId,
          name: "look",
          parts: [{ type: "text", text: "a door" }],
          status: "ok",
        }, // as minted above
      ],
    });
    assert.equal(textOf(events), "Seen.");
  });

  test("arguments that are no object are kept as text and never repaired", async (place) => {
    place.replies(callsTool("look", "[1, 2]"));
    const [call] = partsOf(await read(place)).filter((part) => part.type === "tool-call");
    if (call === undefined) return; // A wire that carries objects cannot send such arguments.
    if (call.inputText !== undefined) assert.deepEqual([call.input, call.inputText], [{}, "[1, 2]"]);
  });
}

function reasoningAndEndings(test: Test, traits: ProviderTraits): void {
  test("reasoning is never text", async (place) => {
    place.replies(thinks("secret plan", says("Hi")));
    const events = await read(place);
    assert.equal(textOf(events), "Hi");
    if (traits.thinking !== false)
      assert.ok(events.some((event) => event.type === "thinking.delta" && event.text.includes("plan")));
  });

  test("an answer without content is done without parts", async (place) => {
    place.replies(emptyAnswer());
    const events = await read(place);
    assert.deepEqual(partsOf(events), []);
    assert.equal(done(events).finish, "stop");
  });

  test("calls of an answer that ran into the limit are left out", async (place) => {
    place.replies({ ...callsTool("look", { at: "a" }, { text: "Wait" }), finish: "length" });
    const events = await read(place);
    assert.deepEqual(partsOf(events), [{ type: "text", text: "Wait" }]);
    assert.deepEqual([done(events).finish, done(events).dropped], ["length", "unfinished"]);
  });

  test("a refusal is an answer, not an error", async (place) => {
    place.replies({ ...says("I cannot."), finish: "refusal" });
    assert.equal(done(await read(place)).finish, "refusal");
  });

  test("a request that was aborted before it began throws the reason", async (place) => {
    const reason = new Error("stopped");
    await assert.rejects(read(place, {}, AbortSignal.abort(reason)), reason);
  });
}

function streaming(test: Test): void {
  test("text is heard while the rest is still to come", async (place) => {
    const held = stalls({ after: "Hel", rest: says("lo") });
    place.replies(held);
    let text = "";
    for await (const event of place.provider.stream(request(place), never())) {
      if (event.type !== "text.delta") continue;
      text += event.text;
      held.release();
    }
    assert.equal(text, "Hello");
  });

  test("a request that is aborted in the middle throws the reason", async (place) => {
    place.replies(stalls({ after: "Hel" }));
    const controller = new AbortController();
    const reason = new Error("stopped");
    await assert.rejects(async () => {
      for await (const event of place.provider.stream(request(place), controller.signal))
        if (event.type === "text.delta") controller.abort(reason);
    }, reason);
  });

  test("leaving the loop is possible at any time", async (place) => {
    place.replies(stalls({ after: "Hel" }));
    for await (const event of place.provider.stream(request(place), never())) if (event.type === "text.delta") break;
  });
}

function failures(test: Test): void {
  for (const [status, code, retryable] of STATUSES)
    test(`HTTP ${status} is ${code}`, async (place) => {
      place.replies(fails(status, undefined, status === 429 ? { "retry-after": "7" } : {}));
      const error = await read(place).then(
        () => undefined,
        (thrown: unknown) => thrown,
      );
      assert.ok(error instanceof RuntimeError);
      assert.deepEqual([error.code, error.retryable], [code, retryable]);
      // Seven seconds were asked for; one more is the margin.
      if (status === 429) assert.deepEqual(error.details, { ...object(error.details), retryAfterMs: 8000 });
    });
}

const STATUSES: readonly (readonly [number, string, boolean])[] = [
  [400, "provider.bad-request", false],
  [401, "provider.auth", false],
  [404, "provider.not-found", false],
  [429, "provider.rate-limited", true],
  [503, "provider.overloaded", true],
];

function request(place: Place, change: Partial<ModelRequest> = {}): ModelRequest {
  return {
    id: "request-1",
    model: place.model,
    prefix: {
      hash: "conformance",
      system: "You are being tested.",
      tools: [
        {
          name: "look",
          description: "Looks.",
          inputSchema: { type: "object", properties: { at: { type: "string" } } },
        },
      ],
    },
    messages: [userMessage("1", "Look.")],
    sampling: { maxOutputTokens: 1000, thinking: "off", toolChoice: "auto" },
    cacheKey: "conformance",
    media: () => Promise.reject(new RuntimeError("blob.missing", "There is no blob in this test.")),
    ...change,
  };
}

async function read(
  place: Place,
  change: Partial<ModelRequest> = {},
  signal: AbortSignal = never(),
): Promise<readonly ModelEvent[]> {
  const events: ModelEvent[] = [];
  for await (const event of place.provider.stream(request(place, change), signal)) events.push(event);
  return events;
}

function textOf(events: readonly ModelEvent[]): string {
  return events.map((event) => (event.type === "text.delta" ? event.text : "")).join("");
}

function partsOf(events: readonly ModelEvent[]): readonly AssistantPart[] {
  return events.flatMap((event) => (event.type === "part" ? [event.part] : []));
}

function done(events: readonly ModelEvent[]): Extract<ModelEvent, { type: "done" }> {
  const last = events.at(-1);
  assert.equal(last?.type, "done");
  return last;
}

function object(value: unknown): object {
  return typeof value === "object" && value !== null ? value : {};
}
