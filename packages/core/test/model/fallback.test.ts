import { expect, test } from "vitest";
import type { CallId } from "../../src/contract/base.ts";
import type { ModelEvent, Provider } from "../../src/contract/provider.ts";
import { withFallback } from "../../src/model/fallback.ts";
import type { FallbackProvider } from "../../src/model/fallback.ts";
import { fakeClock } from "../../src/testing/fake-clock.ts";
import type { FakeClock } from "../../src/testing/fake-clock.ts";
import { scripted } from "../support/scripted-provider.ts";
import type { ScriptedProvider } from "../support/scripted-provider.ts";
import { hear, modelRequest } from "../support/wire-provider.ts";

function chain(
  first: ScriptedProvider,
  second: ScriptedProvider,
): { readonly provider: FallbackProvider; readonly clock: FakeClock } {
  const clock = fakeClock();
  const provider = withFallback(
    [
      { provider: first, model: "one", contextWindow: 200_000 },
      { provider: second, model: "two", contextWindow: 32_000 },
    ],
    clock,
  );
  return { provider, clock };
}

test("PR18 the smallest window of the chain is the budget, and the first model answers while it can", async () => {
  const [a, b] = [scripted("a", "from a"), scripted("b", "from b")];
  const { provider } = chain(a, b);
  expect(provider).toMatchObject({ id: "a", contextWindow: 32_000 });
  const heard = await hear(provider, modelRequest({ model: "asked" }));
  expect(heard.text).toBe("from a");
  expect(heard.done?.model).toBeUndefined();
  expect(a.requests[0]?.model).toBe("asked");
});

for (const error of ["provider.quota", "provider.auth"] as const)
  test(`PR17 ${error} moves on at once, and the answer names its model`, async () => {
    const [a, b] = [scripted("a", { error }), scripted("b", "from b")];
    const heard = await hear(chain(a, b).provider);
    expect(heard).toMatchObject({ text: "from b", done: { model: "b/two" } });
    expect(b.requests[0]).toMatchObject({ model: "two", messages: a.requests[0]?.messages });
  });

test("PR17 a failure that may pass is retried by the caller first, and moves on at the third", async () => {
  const [a, b] = [scripted("a", { error: "provider.overloaded", retryable: true }), scripted("b", "from b")];
  const { provider } = chain(a, b);
  expect((await hear(provider)).error).toMatchObject({ code: "provider.overloaded", retryable: true });
  expect((await hear(provider)).error).toMatchObject({ code: "provider.overloaded" });
  expect(await hear(provider)).toMatchObject({ text: "from b" });
});

for (const error of [
  "provider.bad-request",
  "provider.not-found",
  "provider.context-length",
  "provider.media-rejected",
] as const)
  test(`PR17 ${error} is the request's own fault and moves on to nobody`, async () => {
    const b = scripted("b", "from b");
    expect((await hear(chain(scripted("a", { error }), b).provider)).error?.code).toBe(error);
    expect(b.requests).toEqual([]);
  });

test("PR17 nobody else is asked once text was shown; thinking alone does not count", async () => {
  const b = scripted("b", "from b");
  expect(await hear(chain(scripted("a", { text: "Hel", error: "provider.quota" }), b).provider)).toMatchObject({
    text: "Hel",
    error: { code: "provider.quota" },
  });
  expect(await hear(chain(scripted("a", { thinking: "hm", error: "provider.quota" }), b).provider)).toMatchObject({
    text: "from b",
  });
});

test("PR19 after three failures in a row a model is skipped for 60 s, then probed once", async () => {
  const a = scripted("a", { error: "provider.quota" });
  const { provider, clock } = chain(a, scripted("b", "from b"));
  for (let n = 0; n < 3; n++) await hear(provider);
  expect(a.requests.length).toBe(3);
  await hear(provider);
  expect(a.requests.length).toBe(3);
  await clock.advance(60_000);
  await hear(provider);
  expect(a.requests.length).toBe(4);
  await hear(provider);
  expect(a.requests.length).toBe(4);
});

test("PR19 when every model rests the one that rests the shortest is still asked", async () => {
  const [a, b] = [
    scripted("a", { error: "provider.quota" }),
    scripted("b", { error: "provider.quota" }, { error: "provider.quota" }, { error: "provider.quota" }, "back"),
  ];
  const { provider } = chain(a, b);
  for (let n = 0; n < 3; n++) expect((await hear(provider)).error?.code).toBe("provider.quota");
  await hear(provider);
  expect(a.requests.length + b.requests.length).toBe(7);
});

test("DF27 R321 with no attempt left the next model is asked at once, with one attempt left after it", async () => {
  for (const attempts of [1, 2]) {
    const [a, b] = [scripted("a", { error: "provider.overloaded", retryable: true }), scripted("b", "from b")];
    const { provider } = chain(a, b);
    const asked = async (left: number): ReturnType<typeof hear> =>
      hear(provider, modelRequest({ patience: { attempts: left, empty: 0 } }));
    for (let left = attempts - 1; left > 0; left--)
      expect((await asked(left)).error).toMatchObject({ code: "provider.overloaded" });
    expect(await asked(0)).toMatchObject({ text: "from b" });
    expect(a.requests).toHaveLength(attempts);
  }
});

test("DF27 R321 each empty answer of a turn goes one model on, and the last stays", async () => {
  const [a, b] = [scripted("a", "from a"), scripted("b", "from b", "from b")];
  const { provider } = chain(a, b);
  for (const empty of [1, 2])
    expect(await hear(provider, modelRequest({ patience: { attempts: 3, empty } }))).toMatchObject({ text: "from b" });
  expect(a.requests).toEqual([]);
});

test("R429 R321 while a person waits a silent model has its share of the time, and one that wants to be left alone for longer is passed over", async () => {
  const silent = { id: "a", stream: never };
  const clock = fakeClock();
  const b = scripted("b", "from b", "from b");
  const links = (first: Provider): FallbackProvider =>
    withFallback(
      [
        { provider: first, model: "one", contextWindow: 1 },
        { provider: b, model: "two", contextWindow: 1 },
      ],
      clock,
    );
  const patience = { attempts: 3, empty: 0, firstMs: 60_000 };
  const heard = hear(links(silent), modelRequest({ patience }));
  expect(await clock.waitForSleep()).toBe(30_000);
  await clock.advance(30_000);
  expect(await heard).toMatchObject({ text: "from b" });
  const busy = scripted("a", { error: "provider.overloaded", retryable: true, retryAfterMs: 50_000 });
  expect(await hear(links(busy), modelRequest({ patience }))).toMatchObject({ text: "from b" });
  expect(clock.pending()).toEqual([]);
});

test.each<ModelEvent>([
  { type: "text.delta", index: 0, text: "fr" },
  { type: "thinking.delta", index: 0, text: "hm" },
  { type: "tool-call.delta", index: 0, callId: "turn-1-a-1" as CallId, name: "read_file", text: "{" },
])("R429 a model that began with a $type is not left, however long the rest takes", async (begun) => {
  const clock = fakeClock();
  async function* slow(): AsyncGenerator<ModelEvent> {
    yield begun;
    await clock.advance(120_000);
    yield { type: "text.delta", index: 1, text: "from a" };
    yield { type: "done", finish: "stop", usage: { input: 1, output: 1, cacheRead: 0, cacheWrite: 0 } };
  }
  const b = scripted("b", "from b");
  const links = [
    { provider: { id: "a", stream: slow }, model: "one", contextWindow: 1 },
    { provider: b, model: "two", contextWindow: 1 },
  ];
  const heard = await hear(
    withFallback(links, clock),
    modelRequest({ patience: { attempts: 3, empty: 0, firstMs: 60_000 } }),
  );
  expect(heard.text).toMatch(/from a$/);
  expect(b.requests).toEqual([]);
});

// oxlint-disable-next-line require-yield -- it never says anything, whatever its signal says
async function* never(): AsyncGenerator<ModelEvent> {
  await new Promise(() => {});
}
