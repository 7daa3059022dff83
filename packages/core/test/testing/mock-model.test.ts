import { expect, test } from "vitest";

import type { MockModel } from "../../src/testing.ts";
import { fails, says, startMockModel } from "../../src/testing.ts";
import { cutsAfter, emptyAnswer, raw, stalls } from "../../src/internal-testing.ts";

test("answers are taken in order, then it says ok", async () => {
  await using mock = await startMockModel();
  mock.replies(says("one"), (request) => says(`${request.texts("user").join()} two`));
  expect(await textOf(await ask(mock, "a"))).toBe("one");
  expect(await textOf(await ask(mock, "b"))).toBe("b two");
  expect(await textOf(await ask(mock, "c"))).toBe("ok");
  expect(mock.requests.map((request) => request.texts("user"))).toEqual([["a"], ["b"], ["c"]]);
});

test("a route has a queue of its own", async () => {
  await using mock = await startMockModel();
  mock.replies(says("main"));
  mock.route((request) => request.texts("user").includes("child"), says("routed"));
  expect(await textOf(await ask(mock, "child"))).toBe("routed");
  expect(await textOf(await ask(mock, "parent"))).toBe("main");
});

test("failures carry status, headers and the provider's format", async () => {
  await using mock = await startMockModel();
  mock.replies(fails(429, undefined, { "retry-after": "7" }), fails(500, "<html>"));
  const limited = await ask(mock, "a");
  expect([limited.status, limited.headers.get("retry-after"), limited.headers.get("x-request-id")]).toEqual([
    429,
    "7",
    "req-mock-1",
  ]);
  expect(await limited.json()).toMatchObject({ error: { type: "rate_limit_error" } });
  const broken = await ask(mock, "a");
  expect([broken.status, await broken.text()]).toEqual([500, "<html>"]);
});

test("R34 a stalled answer shows its first text, and goes on when released", async () => {
  await using mock = await startMockModel();
  const held = stalls({ after: "first", rest: says(" second") });
  mock.replies(held);
  const body = (await ask(mock, "a")).body;
  const reader = body?.pipeThrough(new TextDecoderStream()).getReader();
  let seen = "";
  while (!seen.includes("first")) seen += (await reader?.read())?.value ?? "";
  expect(seen).not.toContain("second");
  held.release();
  for (let part = await reader?.read(); part?.done === false; part = await reader?.read()) seen += part.value;
  expect(seen).toContain(" second");
  expect(seen).toContain("[DONE]");
  expect(await mock.requests[0]?.closedEarly).toBe(false);
});

test("closing the server ends what it holds, and a client that hangs up is seen", async () => {
  const mock = await startMockModel();
  mock.replies(stalls(), stalls({ after: "x" }));
  const controller = new AbortController();
  const gone = ask(mock, "a", { signal: controller.signal });
  await mock.received(1);
  controller.abort();
  await expect(gone.then((response) => response.text())).rejects.toThrow(/abort/);
  expect(await mock.requests[0]?.closedEarly).toBe(true);
  const held = await ask(mock, "b");
  const text = held.text();
  await Promise.all([mock.close(), expect(text).rejects.toThrow(/terminated/)]);
});

test("a cut connection has no finish; an empty answer has one", async () => {
  await using mock = await startMockModel();
  mock.replies(cutsAfter("half"), emptyAnswer());
  const cut = await ask(mock, "a");
  const reader = cut.body?.pipeThrough(new TextDecoderStream()).getReader();
  let seen = "";
  await expect(
    (async () => {
      for (;;) seen += (await reader?.read())?.value ?? "";
    })(),
  ).rejects.toThrow(/terminated/);
  expect(seen).toContain("half");
  expect(seen).not.toContain('"stop"');
  expect(await (await ask(mock, "b")).text()).toContain('"finish_reason":"stop"');
});

test("raw bytes go out as they are", async () => {
  await using mock = await startMockModel();
  mock.replies(raw({ status: 418, headers: { "content-type": "text/plain" }, chunks: ["a", new Uint8Array([98])] }));
  const response = await ask(mock, "a");
  expect([response.status, await response.text()]).toEqual([418, "ab"]);
});

test("a listener acts before the request is answered", async () => {
  await using mock = await startMockModel();
  const order: string[] = [];
  const stop = mock.on("request", async (_request, number) => {
    await Promise.resolve();
    order.push(`request ${number}`);
  });
  await ask(mock, "a");
  order.push("answered");
  stop();
  await ask(mock, "b");
  expect(order).toEqual(["request 1", "answered"]);
});

test("models are listed for every wire", async () => {
  await using mock = await startMockModel({ models: ["x"] });
  expect(await (await fetch(`${mock.url}/v1/models`)).json()).toMatchObject({
    data: [{ id: "x" }],
    models: [{ name: "models/x" }],
  });
});

function ask(mock: MockModel, text: string, init: RequestInit = {}): Promise<Response> {
  const body = JSON.stringify({ model: "m", stream: true, messages: [{ role: "user", content: text }] });
  return fetch(`${mock.url}/v1/chat/completions`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body,
    ...init,
  });
}

async function textOf(response: Response): Promise<string> {
  const events = (await response.text()).split("\n\n").filter((line) => line.startsWith("data: {"));
  return events
    .map(
      (line) =>
        (JSON.parse(line.slice(6)) as { choices: { delta: { content?: string } }[] }).choices[0]?.delta.content ?? "",
    )
    .join("");
}
