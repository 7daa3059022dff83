import type { ModelRequest, Provider } from "@margay/core";
import { httpFetch } from "@margay/core/internal";
import { callsTool, fails, fakeClock, says, startMockModel } from "@margay/core/testing";
import type { MockModel } from "@margay/core/testing";
import type { FakeClock } from "@margay/core/internal/testing";
import { expect, test } from "vitest";
import { createProvider, versioned } from "../../src/models/create-provider.ts";
import type { ProviderOptions } from "../../src/models/create-provider.ts";

function request(model: string): ModelRequest {
  return {
    id: "turn-1-a",
    model,
    prefix: {
      hash: "h",
      system: "Be brief.",
      tools: [{ name: "look", description: "Looks.", inputSchema: { type: "object" } }],
    },
    messages: [
      { role: "user", id: "m", at: 0, from: { id: "p", kind: "person" }, parts: [{ type: "text", text: "Hi" }] },
    ],
    sampling: { maxOutputTokens: 100, thinking: "off", toolChoice: "auto" },
    cacheKey: "session-1",
    media: () => Promise.reject(new Error("no media here")),
  };
}

function provider(
  mock: MockModel,
  change: Partial<ProviderOptions> & Pick<ProviderOptions, "id">,
  clock: FakeClock = fakeClock(),
): Provider {
  return createProvider({ baseUrl: mock.url, apiKeys: ["key-number-one"], fetch: httpFetch(), clock, ...change });
}

async function say(from: Provider, model = "mock-model"): Promise<string> {
  let text = "";
  for await (const event of from.stream(request(model), new AbortController().signal))
    if (event.type === "text.delta") text += event.text;
  return text;
}

const APIS: readonly (readonly [
  id: string,
  api: NonNullable<ProviderOptions["api"]>,
  path: string,
  key: readonly [header: string, value: string],
])[] = [
  ["anthropic", "anthropic", "/v1/messages", ["x-api-key", "key-number-one"]],
  ["openai", "openai-responses", "/v1/responses", ["authorization", "Bearer key-number-one"]],
  ["google", "google", "/v1beta/models/gemini-2.5-flash:streamGenerateContent", ["x-goog-api-key", "key-number-one"]],
  ["groq", "openai-chat", "/v1/chat/completions", ["authorization", "Bearer key-number-one"]],
];
for (const [id, api, path, [header, value]] of APIS)
  test(`R2 R322 ${id} speaks ${api} at the configured address with the key in its header only`, async () => {
    await using mock = await startMockModel();
    mock.replies(says("Hello"));
    expect(
      await say(
        provider(mock, { id, headers: { "x-team": "blue" } }),
        api === "google" ? "gemini-2.5-flash" : "mock-model",
      ),
    ).toBe("Hello");
    const [seen] = mock.requests;
    expect(seen?.path.split("?")[0]).toBe(path);
    expect(seen?.headers).toMatchObject({ [header]: value, "x-team": "blue" });
    expect(`${seen?.path} ${seen?.raw}`).not.toContain("key-number-one");
  });

test("R322 a provider of one's own needs an api and an address, and no key", async () => {
  await using mock = await startMockModel();
  mock.replies(says("Hello"));
  expect(await say(provider(mock, { id: "my-server", api: "openai-chat", apiKeys: [] }))).toBe("Hello");
  expect(mock.requests[0]?.headers["authorization"]).toBeUndefined();
  expect(() => createProvider({ id: "my-server", apiKeys: [], fetch, clock: fakeClock() })).toThrow(
    /my-server.*not in the catalog/,
  );
});

test("a vendor without its key says which variable to set, when it is asked and not before", async () => {
  await using mock = await startMockModel();
  const keyless = provider(mock, { id: "anthropic", apiKeys: [] });
  await expect(say(keyless)).rejects.toMatchObject({
    code: "provider.no-key",
    message: expect.stringContaining("ANTHROPIC_API_KEY"),
  });
  expect(mock.requests).toEqual([]);
});

test("R396 R74 a 429 on the first key is answered with the second", async () => {
  await using mock = await startMockModel();
  mock.replies(fails(429), says("Hello"));
  expect(await say(provider(mock, { id: "groq", apiKeys: ["key-number-one", "key-number-two"] }))).toBe("Hello");
  expect(mock.requests.map((seen) => seen.headers["authorization"])).toEqual([
    "Bearer key-number-one",
    "Bearer key-number-two",
  ]);
});

test("R73 R393 an answer that stalls ends after the idle time and its connection is closed", async () => {
  await using mock = await startMockModel();
  mock.replies({
    kind: "raw",
    status: 200,
    headers: { "content-type": "text/event-stream" },
    chunks: ['data: {"choices":[{"index":0,"delta":{"content":"Hel"}}]}\n\n'],
    end: "hang",
  });
  const clock = fakeClock();
  const events = provider(mock, { id: "groq" }, clock)
    .stream(request("m"), new AbortController().signal)
    [Symbol.asyncIterator]();
  expect((await events.next()).value).toMatchObject({ type: "text.delta", text: "Hel" });
  const next = Promise.resolve(events.next()).catch((error: unknown) => error);
  await clock.advance(90_000);
  expect(await next).toMatchObject({ code: "provider.timeout", retryable: true });
  expect(await mock.requests[0]?.closedEarly).toBe(true);
});

test.for([
  ["ollama", {}, 300_000],
  ["ollama", { totalMs: 600_000, idleMs: 50_000 }, 600_000],
  ["groq", {}, 90_000],
  ["groq", { totalMs: 600_000, idleMs: 50_000 }, 50_000],
] as const)("PR13 %s with %j has that long for its first byte: %i ms", async ([id, timeouts, afterMs]) => {
  await using mock = await startMockModel();
  mock.replies({ kind: "raw", status: 200, headers: { "content-type": "text/event-stream" }, chunks: [], end: "hang" });
  const clock = fakeClock();
  const failed = say(provider(mock, { id, timeouts }, clock)).catch((error: unknown) => error);
  expect(await clock.waitForSleep()).toBe(afterMs);
  await clock.advance(afterMs);
  expect(await failed).toMatchObject({ code: "provider.timeout", details: { afterMs } });
});

test("R393 leaving the stream closes the connection", async () => {
  await using mock = await startMockModel();
  mock.replies({
    kind: "raw",
    status: 200,
    headers: { "content-type": "text/event-stream" },
    chunks: ['data: {"choices":[{"index":0,"delta":{"content":"Hel"}}]}\n\n'],
    end: "hang",
  });
  for await (const event of provider(mock, { id: "groq" }).stream(request("m"), new AbortController().signal))
    if (event.type === "text.delta") break;
  expect(await mock.requests[0]?.closedEarly).toBe(true);
});

test("R2 one script gives the same parts on every wire", async () => {
  const heard = await Promise.all(
    APIS.map(async ([id, api]) => {
      await using mock = await startMockModel();
      mock.replies(callsTool("look", { at: "the door" }, { text: "Looking." }));
      const parts: unknown[] = [];
      for await (const event of provider(mock, { id }).stream(
        request(api === "google" ? "gemini-2.5-flash" : "mock-model"),
        new AbortController().signal,
      ))
        if (event.type === "part" && event.part.type !== "thinking")
          parts.push(event.part.type === "tool-call" ? { ...event.part, opaque: undefined } : event.part);
        else if (event.type === "done") parts.push(event.finish);
      return parts;
    }),
  );
  expect(heard).toEqual(
    heard.map(() => [
      { type: "text", text: "Looking." },
      expect.objectContaining({ callId: "turn-1-a-1", name: "look", input: { at: "the door" } }),
      "tool-calls",
    ]),
  );
});

test.for([
  ["openai-chat", "https://a.example", "https://a.example/v1"],
  ["openai-chat", "https://a.example/", "https://a.example/v1"],
  ["openai-chat", "https://a.example/openai", "https://a.example/openai"],
  ["openai-chat", "https://a.example/api/v3/", "https://a.example/api/v3"],
  ["google", "https://a.example", "https://a.example/v1beta"],
  ["google", "https://a.example/proxy", "https://a.example/proxy"],
  ["anthropic", "https://a.example", "https://a.example/v1"],
  ["anthropic", "https://a.example/anthropic/", "https://a.example/anthropic/v1"],
  ["anthropic", "https://a.example/anthropic/v1", "https://a.example/anthropic/v1"],
] as const)("a version is added to an address of %s only where one is missing: %s", ([api, given, used]) => {
  expect(versioned(given, api)).toBe(used);
});
