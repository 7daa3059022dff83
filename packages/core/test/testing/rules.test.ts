import { expect, test } from "vitest";

import type { MockModel } from "../../src/testing.ts";
import { callsTool, says, startMockModel } from "../../src/testing.ts";
import { directive, thinks } from "../../src/internal-testing.ts";

const TOOL = { type: "function", function: { name: "wait", parameters: {} } };
const user = (content: unknown): object => ({ role: "user", content });
const said = (content: string): object => ({ role: "assistant", content });
const call = (id: string, name = "wait"): object => ({
  role: "assistant",
  content: null,
  tool_calls: [{ id, type: "function", function: { name, arguments: "{}" } }],
});
const result = (id: string, content = "done"): object => ({ role: "tool", tool_call_id: id, content });

test("R32 a request that extends the one before is clean, also when repeated", async () => {
  await using mock = await startMockModel();
  await chat(mock, [user("hi")]);
  await chat(mock, [user("hi")]);
  await chat(mock, [user("hi"), call("a"), result("a")]);
  await chat(mock, [user("hi"), call("a"), result("a"), said("ok"), user("more")]);
  expect(mock.violations).toEqual([]);
});

test("R32 a changed earlier message is reported with its position, and closing throws", async () => {
  const mock = await startMockModel();
  await chat(mock, [user("hi"), said("a"), user("b")]);
  await chat(mock, [user("hi"), said("A"), user("b"), said("c"), user("d")]);
  expect(mock.violations).toEqual([
    expect.stringContaining(
      "request 2 (chat): the request does not start with the one before: part 2 of 4 differs at character",
    ),
  ]);
  expect(() => mock.assertClean()).toThrow(/broken rule/);
  await expect(mock.close()).rejects.toThrow(/broken rule/);
});

test("R32 changed tools and a changed system prompt are breaks", async () => {
  await using mock = await startMockModel();
  await chat(mock, [{ role: "system", content: "one" }, user("hi")], { prompt_cache_key: "s" });
  await chat(mock, [{ role: "system", content: "two" }, user("hi")], { prompt_cache_key: "s" });
  await chat(mock, [{ role: "system", content: "two" }, user("hi")], { prompt_cache_key: "s", tools: [] });
  expect(mock.takeViolations()).toEqual([
    expect.stringContaining("part 1 of 3"),
    expect.stringContaining("part 0 of 3"),
  ]);
});

test("R32 a new epoch that was announced is no break", async () => {
  await using mock = await startMockModel();
  await chat(mock, [user("hi"), said("a"), user("b")]);
  mock.expectNewEpoch("compacted");
  await chat(mock, [user("hi"), said("shorter"), user("c")]);
  await chat(mock, [user("hi"), said("shorter"), user("c"), said("d"), user("e")]);
});

test("R32 conversations with the same opening run beside each other", async () => {
  await using mock = await startMockModel();
  await chat(mock, [user("hi")]);
  await chat(mock, [user("hi")]);
  await chat(mock, [user("hi"), said("a"), user("x")]);
  await chat(mock, [user("hi")]);
  await chat(mock, [user("hi"), said("b"), user("y")]);
  await chat(mock, [user("hi"), said("a"), user("x"), said("c"), user("z")]);
});

test("R32 a moved cache marker is no break", async () => {
  await using mock = await startMockModel();
  const marked = (text: string): object => ({ type: "text", text, cache_control: { type: "ephemeral" } });
  const base = { model: "m", max_tokens: 1, tools: [{ name: "wait", input_schema: {} }] };
  await post(mock, "/v1/messages", { ...base, messages: [user([marked("hi")])] });
  await post(mock, "/v1/messages", {
    ...base,
    messages: [user([{ type: "text", text: "hi" }]), said("a"), user([marked("b")])],
  });
});

test("R36 calls and results that do not pair are refused in the provider's format", async () => {
  await using mock = await startMockModel();
  for (const messages of [
    [user("hi"), call("a")],
    [user("hi"), call("a"), user("b")],
    [user("hi"), result("a")],
    [user("hi"), call("a"), result("a"), result("a")],
    [user("hi"), call("a"), result("a"), call("a"), result("a")],
    [user("hi"), call("a", "no name"), result("a")],
    [said("first")],
    [user("a"), user("b")],
    [user("a"), { role: "notice", content: "b" }],
    [],
  ]) {
    const response = await chat(mock, messages);
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ error: { type: "invalid_request_error" } });
  }
  expect(mock.takeViolations().length).toBeGreaterThanOrEqual(10);
});

test("R36 Anthropic roles alternate and results come first", async () => {
  await using mock = await startMockModel();
  const send = (messages: readonly object[]): Promise<Response> =>
    post(mock, "/v1/messages", { model: "m", max_tokens: 1, messages });
  const use = { role: "assistant", content: [{ type: "tool_use", id: "a", name: "wait", input: {} }] };
  const done = { type: "tool_result", tool_use_id: "a", content: "x" };
  expect((await send([user("a"), user("b")])).status).toBe(400);
  expect((await send([user("a"), use, user([{ type: "text", text: "b" }, done])])).status).toBe(400);
  expect((await send([user(" ")])).status).toBe(400);
  expect((await send([user("a"), use, user([done, { type: "text", text: "b" }])])).status).toBe(200);
  expect(mock.takeViolations()).toEqual([
    expect.stringContaining("roles must alternate"),
    expect.stringContaining("two user messages in a row"),
    expect.stringContaining("must come first"),
    expect.stringContaining("non-whitespace"),
  ]);
});

test("R35 signed thinking has to come back with its calls", async () => {
  await using mock = await startMockModel();
  mock.replies(thinks("hm", callsTool("wait", {}, { id: "a" }), { signature: "sig-1" }), says("ok"));
  const send = (messages: readonly object[]): Promise<Response> =>
    post(mock, "/v1/messages", { model: "m", max_tokens: 1, tools: [{ name: "wait", input_schema: {} }], messages });
  const use = { type: "tool_use", id: "a", name: "wait", input: {} };
  const done = user([{ type: "tool_result", tool_use_id: "a", content: "x" }]);
  await (await send([user("go")])).text();
  await send([user("go"), { role: "assistant", content: [use] }, done]);
  expect(mock.takeViolations()).toEqual([expect.stringContaining("'sig-1' was not sent back")]);
});

test("a directive in the user's message scripts rounds and the final text", async () => {
  await using mock = await startMockModel();
  const ask = user(
    `go ${directive({ tools: 1, parallel: 2, tool: "wait", args: { n: "{{n}}" }, chunks: 2, text: "w" })}`,
  );
  const first = await read(await chat(mock, [ask]));
  expect(first.choices[0]?.message.tool_calls?.map((item) => item.function.arguments)).toEqual([
    '{"n":"1"}',
    '{"n":"2"}',
  ]);
  const calls = { role: "assistant", content: null, tool_calls: first.choices[0]?.message.tool_calls };
  const results = (first.choices[0]?.message.tool_calls ?? []).map((item) => result(item.id));
  expect((await read(await chat(mock, [ask, calls, ...results]))).choices[0]?.message.content).toBe("ww");
});

interface ChatBody {
  readonly choices: readonly {
    readonly message: {
      readonly content: string | null;
      readonly tool_calls?: readonly { readonly id: string; readonly function: { readonly arguments: string } }[];
    };
  }[];
}

async function read(response: Response): Promise<ChatBody> {
  return (await response.json()) as ChatBody;
}

function chat(mock: MockModel, messages: readonly object[], more: object = {}): Promise<Response> {
  return post(mock, "/v1/chat/completions", { model: "m", tools: [TOOL], messages, ...more });
}

function post(mock: MockModel, path: string, body: object): Promise<Response> {
  return fetch(mock.url + path, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
  });
}
