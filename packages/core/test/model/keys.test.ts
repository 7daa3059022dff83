import { expect, test } from "vitest";
import type { Provider } from "../../src/contract/provider.ts";
import { withKeys } from "../../src/model/keys.ts";
import { fakeClock } from "../../src/testing/fake-clock.ts";
import { scripted } from "../support/scripted-provider.ts";
import type { Play, ScriptedProvider } from "../support/scripted-provider.ts";
import { startStreamServer } from "../support/stream-server.ts";
import { hear, wireProvider } from "../support/wire-provider.ts";

function keyed(plays: Readonly<Record<string, readonly Play[]>>): {
  readonly provider: Provider;
  readonly clock: ReturnType<typeof fakeClock>;
  readonly used: () => Readonly<Record<string, number>>;
} {
  const clock = fakeClock();
  const made = new Map<string, ScriptedProvider>();
  const provider = withKeys(
    "vendor",
    Object.keys(plays),
    (key) => {
      const one = scripted("vendor", ...(plays[key] ?? []));
      made.set(key, one);
      return one;
    },
    clock,
  );
  return { provider, clock, used: () => Object.fromEntries([...made].map(([key, one]) => [key, one.requests.length])) };
}

for (const error of ["provider.auth", "provider.rate-limited", "provider.quota"] as const)
  test(`R74 R396 ${error} on the first key is answered with the second`, async () => {
    const { provider, used } = keyed({ a: [{ error }], b: ["from b"] });
    expect(await hear(provider)).toMatchObject({ text: "from b", error: undefined });
    expect(used()).toEqual({ a: 1, b: 1 });
  });

test("R74 a key that failed rests 60 s, or as long as the provider asked", async () => {
  const { provider, clock, used } = keyed({
    a: [{ error: "provider.auth" }, { error: "provider.rate-limited", retryAfterMs: 5000 }, "a again"],
    b: ["from b"],
  });
  await hear(provider);
  await hear(provider);
  expect(used()).toEqual({ a: 1, b: 2 });
  await clock.advance(60_000);
  await hear(provider);
  expect(used()).toEqual({ a: 2, b: 3 });
  await clock.advance(4999);
  await hear(provider);
  expect(used()).toEqual({ a: 2, b: 4 });
  await clock.advance(1);
  expect(await hear(provider)).toMatchObject({ text: "a again" });
});

test("R74 when every key fails the last error is thrown; the key that rests the shortest is tried next", async () => {
  const { provider, used } = keyed({
    a: [{ error: "provider.rate-limited", retryAfterMs: 30_000, retryable: true }],
    b: [{ error: "provider.rate-limited", retryAfterMs: 9000, retryable: true }, "b again"],
  });
  expect((await hear(provider)).error).toMatchObject({
    code: "provider.rate-limited",
    retryable: true,
    details: { retryAfterMs: 9000 },
  });
  expect(await hear(provider)).toMatchObject({ text: "b again" });
  expect(used()).toEqual({ a: 1, b: 2 });
});

test("R74 no other key is used after text was shown, nor for errors that are not the key's", async () => {
  const shown = keyed({ a: [{ text: "Hel", error: "provider.rate-limited" }], b: ["no"] });
  expect(await hear(shown.provider)).toMatchObject({ text: "Hel", error: { code: "provider.rate-limited" } });
  expect(shown.used()).toEqual({ a: 1 });
  const broken = keyed({ a: [{ error: "provider.overloaded" }], b: ["no"] });
  expect((await hear(broken.provider)).error?.code).toBe("provider.overloaded");
});

test("R74 a provider without any key says which setting is missing", () => {
  expect(() => withKeys("vendor", [], () => scripted("vendor"), fakeClock())).toThrow(/providers\.vendor\.apiKey/);
});

test("R396 a 429 as the first event of a stream leads to the next key as well", async () => {
  await using server = await startStreamServer();
  const event = (value: unknown): { readonly text: string } => ({ text: `data: ${JSON.stringify(value)}\n\n` });
  server.answers(
    {
      status: 200,
      headers: { "content-type": "text/event-stream" },
      chunks: [event({ error: { message: "Rate limit", code: 429 } })],
    },
    {
      status: 200,
      headers: { "content-type": "text/event-stream" },
      chunks: [event({ choices: [{ index: 0, delta: { content: "Hi" }, finish_reason: "stop" }] })],
    },
  );
  const provider = withKeys(
    "vendor",
    ["key-number-1", "key-number-2"],
    (key) => wireProvider({ api: "openai-chat", url: server.url, key }),
    fakeClock(),
  );
  expect(await hear(provider)).toMatchObject({ text: "Hi" });
  expect(server.requests.map((request) => request.headers["authorization"])).toEqual([
    "Bearer key-number-1",
    "Bearer key-number-2",
  ]);
});

test("R74 a key that cannot be sent is followed by the next one", async () => {
  await using server = await startStreamServer();
  const text = `data: ${JSON.stringify({ choices: [{ index: 0, delta: { content: "Hi" }, finish_reason: "stop" }] })}\n\n`;
  server.answers({ status: 200, headers: { "content-type": "text/event-stream" }, chunks: [{ text }] });
  const provider = withKeys(
    "vendor",
    ["\u043aey-number-1", "key-number-2"],
    (key) => wireProvider({ api: "openai-chat", url: server.url, key }),
    fakeClock(),
  );
  expect(await hear(provider)).toMatchObject({ text: "Hi", error: undefined });
  expect(server.requests.map((request) => request.headers["authorization"])).toEqual(["Bearer key-number-2"]);
});
