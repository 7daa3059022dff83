import { expect, test } from "vitest";
import { withFallback } from "../../src/providers/fallback.ts";
import type { FallbackProvider } from "../../src/providers/fallback.ts";
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
