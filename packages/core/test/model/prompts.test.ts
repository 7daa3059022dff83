import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import type { Json } from "../../src/contract/base.ts";
import type { Message } from "../../src/contract/message.ts";
import type { ModelRequest } from "../../src/contract/provider.ts";
import type { Quirks, WireKind } from "../../src/model/quirks.ts";
import { RuntimeError } from "../../src/lib/errors/errors.ts";
import { startStreamServer } from "../support/stream-server.ts";
import { assistant, hear, modelRequest, toolMessage, user, wireProvider } from "../support/wire-provider.ts";

const APIS: readonly WireKind[] = ["anthropic", "openai-chat", "openai-responses", "google"];
/** Names for which the adapters have no special rules beyond the API's own. */
const MODELS: Readonly<Record<WireKind, string>> = {
  anthropic: "claude-sonnet-4-5",
  "openai-chat": "test-model",
  "openai-responses": "gpt-5.1",
  google: "gemini-2.5-flash",
};

const call = (
  callId: string,
  input: string,
  name = "read_file",
): Extract<ReturnType<typeof assistant>["parts"][number], { type: "tool-call" }> => {
  const parsed = parse(input);
  // Ids in tests are written by hand.
  return {
    type: "tool-call",
    callId: callId as never,
    name,
    input: (parsed ?? {}) as Json,
    ...((parsed === undefined || JSON.stringify(parsed) !== input) && { inputText: input }),
  };
};
const notice = (text: string): Message => ({ role: "notice", at: 0, kind: "clock", text });
const IMAGE = { sha256: "image", bytes: 3 };

const HISTORY: readonly Message[] = [
  notice("It is Monday."),
  {
    ...user("What is in a.txt and on this picture?"),
    parts: [
      { type: "media", mediaType: "image/png", blob: IMAGE, name: "p.png" },
      { type: "text", text: "What is in a.txt and on this picture?" },
    ],
  },
  assistant([
    {
      type: "thinking",
      text: "I should look.",
      opaque: {
        provider: "vendor",
        metadata: {
          anthropic: { signature: "SIG==" },
          openai: { itemId: "rs_1", reasoningEncryptedContent: "ENC==" },
          google: { thoughtSignature: "TS==" },
        },
      },
    },
    {
      type: "thinking",
      text: "Somebody else's.",
      opaque: { provider: "other", metadata: { anthropic: { signature: "FOREIGN" } } },
    },
    { type: "text", text: "Looking." },
    call("turn-0-a-1", '{"path":"a.txt"}'),
    call("turn-0-a-2", '{ "path": "b.txt" }'),
    call("turn-0-a-3", "{'path': 'c.txt'}"),
    call("turn-0-a-4", "{}", "bad tool name!"),
  ]),
  toolMessage("turn-0-a-2", "b"),
  notice("A file changed."),
  toolMessage("turn-0-a-1", "a \ud800 half"),
  { ...toolMessage("turn-0-a-3", "Error: bad input"), status: "error" } as Message,
  {
    ...toolMessage("turn-0-a-4", "ok", "bad tool name!"),
    parts: [
      { type: "text", text: "chart" },
      { type: "media", mediaType: "image/png", blob: IMAGE },
    ],
  } as Message,
  assistant([{ type: "text", text: "It says a." }]),
  user("Thanks."),
  notice("It is Tuesday."),
  user("And now?"),
];

function requestFor(api: WireKind, change: Partial<ModelRequest> = {}): ModelRequest {
  const model = MODELS[api];
  const messages = HISTORY.map((message) =>
    message.role === "assistant" ? { ...message, model: { provider: "vendor", model } } : message,
  );
  return modelRequest({
    model,
    messages,
    media: (ref) =>
      ref.sha256 === "image"
        ? Promise.resolve(new Uint8Array([1, 2, 3]))
        : Promise.reject(new RuntimeError("blob.missing", "gone")),
    ...change,
  });
}

async function bodyOf(
  api: WireKind,
  request: ModelRequest,
  quirks: Quirks = {},
): Promise<Readonly<Record<string, unknown>>> {
  await using server = await startStreamServer();
  server.answers({ status: 400, chunks: [] });
  await hear(wireProvider({ api, url: server.url, quirks }), request);
  return parse(server.requests[0]?.body ?? "") as Readonly<Record<string, unknown>>; // Written by the adapter.
}

for (const api of APIS)
  test(`R2 R139 PR5 PR6 PR21 PR23 PR24 a history of every kind is legal on ${api}`, async () => {
    const golden: unknown = JSON.parse(
      readFileSync(new URL(`../fixtures/prompts/${api}.json`, import.meta.url), "utf8"),
    );
    expect(await bodyOf(api, requestFor(api))).toEqual(golden);
  });

for (const api of APIS)
  test(`PR5 CX12 the same history gives the same bytes in every request on ${api}`, async () => {
    await using server = await startStreamServer();
    server.answers({ status: 400, chunks: [] });
    const provider = wireProvider({ api, url: server.url });
    for (let n = 0; n < 3; n++) await hear(provider, requestFor(api));
    const [first, ...others] = server.requests.map((request) => request.body);
    expect(others).toEqual([first, first]);
  });

test("CX12 Anthropic gets four breakpoints: tools, system, the previous turn's last message, the last message", async () => {
  const body = await bodyOf("anthropic", requestFor("anthropic"));
  const marks = JSON.stringify(body).match(/"cache_control":\{"type":"ephemeral"\}/g);
  expect(marks?.length).toBe(4);
  const messages = body["messages"] as readonly {
    readonly role: string;
    readonly content: readonly Readonly<Record<string, unknown>>[];
  }[]; // As pinned above.
  expect(messages.map(({ content }) => content.some((part) => part["cache_control"] !== undefined))).toEqual([
    false,
    false,
    false,
    true,
    true,
  ]);
});

test("CX12 a router gets its breakpoints on content parts, and no other byte moves with them", async () => {
  const quirks: Quirks = { cacheControl: "blocks" };
  const first = await bodyOf("openai-chat", requestFor("openai-chat", { messages: HISTORY.slice(0, 2) }), quirks);
  const second = await bodyOf("openai-chat", requestFor("openai-chat"), quirks);
  const bare = (body: Readonly<Record<string, unknown>>): readonly unknown[] =>
    parse(
      JSON.stringify(body["messages"]).replaceAll(',"cache_control":{"type":"ephemeral"}', ""),
    ) as readonly unknown[];
  expect(bare(second).slice(0, bare(first).length)).toEqual(bare(first));
  expect(JSON.stringify(second).match(/cache_control/g)?.length).toBe(4);
});

test("CX12 without breakpoints there are none, on tools neither", async () => {
  const sent = [
    await bodyOf("anthropic", requestFor("anthropic"), { cacheControl: "none" }),
    await bodyOf("anthropic", requestFor("anthropic")),
  ];
  expect(sent.map((body) => JSON.stringify(body["tools"]).includes("cache_control"))).toEqual([false, true]);
  expect(JSON.stringify(sent[0])).not.toContain("cache_control");
});

test("R11 temperature is sent only when it is set; the limit always", async () => {
  for (const api of APIS) {
    const without = JSON.stringify(await bodyOf(api, requestFor(api)));
    expect(without).not.toContain("temperature");
    expect(without).toMatch(/"(?:max_tokens|max_output_tokens|maxOutputTokens)":1000/);
    const model = api === "openai-responses" ? "gpt-4.1" : MODELS[api];
    expect(
      JSON.stringify(
        await bodyOf(
          api,
          requestFor(api, {
            model,
            sampling: { maxOutputTokens: 1000, temperature: 0.7, thinking: "off", toolChoice: "auto" },
          }),
        ),
      ),
    ).toContain('"temperature":0.7');
  }
});

const THINKING: readonly (readonly [name: string, api: WireKind, model: string, quirks: Quirks, expected: object])[] = [
  [
    "Anthropic takes a budget",
    "anthropic",
    "claude-sonnet-4-5",
    {},
    { thinking: { type: "enabled", budget_tokens: 8192 } },
  ],
  [
    "later Claude models take an effort",
    "anthropic",
    "claude-sonnet-5-5",
    {},
    { thinking: { type: "adaptive", display: "summarized" }, output_config: { effort: "medium" } },
  ],
  [
    "OpenAI takes an effort",
    "openai-responses",
    "gpt-5.1",
    {},
    {
      reasoning: { effort: "medium", summary: "auto" },
      store: false,
      include: ["reasoning.encrypted_content"],
      prompt_cache_key: "session-1",
    },
  ],
  [
    "Gemini takes a thinking configuration",
    "google",
    "gemini-2.5-flash",
    {},
    { generationConfig: { thinkingConfig: { includeThoughts: true } } },
  ],
  ["Groq takes reasoning_effort", "openai-chat", "m", { thinking: "effort" }, { reasoning_effort: "medium" }],
  [
    "OpenRouter takes a reasoning object",
    "openai-chat",
    "m",
    { thinking: "reasoning-object" },
    { reasoning: { effort: "medium" } },
  ],
  ["GLM takes a thinking type", "openai-chat", "m", { thinking: "thinking-type" }, { thinking: { type: "enabled" } }],
  ["Qwen takes enable_thinking", "openai-chat", "m", { thinking: "enable-thinking" }, { enable_thinking: true }],
];
for (const [name, api, model, quirks, expected] of THINKING)
  test(`thinking: ${name}`, async () => {
    expect(
      await bodyOf(
        api,
        requestFor(api, { model, sampling: { maxOutputTokens: 1000, thinking: "medium", toolChoice: "auto" } }),
        quirks,
      ),
    ).toMatchObject(expected);
  });

test("PR6 Mistral gets call ids of nine letters and digits, the same in the call and its result", async () => {
  const text = JSON.stringify(await bodyOf("openai-chat", requestFor("openai-chat"), { callIds: "nine" }));
  const ids = [...text.matchAll(/"(?:id|tool_call_id)":"([^"]*)"/g)].map((match) => match[1]);
  expect(ids.length).toBe(8);
  expect(ids.filter((id) => !/^[a-z0-9]{9}$/.test(id ?? ""))).toEqual([]);
  expect(new Set(ids).size).toBe(4);
});

test("PR5 a server that parses arguments gets an empty object instead of broken text", async () => {
  expect(
    JSON.stringify(await bodyOf("openai-chat", requestFor("openai-chat"), { brokenArguments: "object" })),
  ).not.toContain("'c.txt'");
});

test("PR21 reasoning goes back to the model that made it and to no other", async () => {
  for (const by of [
    { provider: "other", model: "claude-sonnet-4-5" },
    { provider: "vendor", model: "claude-opus-5" },
  ]) {
    const opaque = { provider: by.provider, metadata: { anthropic: { signature: "SIG==" } } };
    const messages = [
      user("Hi"),
      assistant(
        [
          { type: "thinking", text: "plan", opaque },
          { type: "text", text: "Hello" },
        ],
        by,
      ),
      user("Go on"),
    ];
    expect(JSON.stringify(await bodyOf("anthropic", requestFor("anthropic", { messages })))).not.toContain("SIG==");
  }
});

test("PR21 a vendor that demands reasoning beside calls gets it, even an empty one", async () => {
  const body = JSON.stringify(
    await bodyOf(
      "openai-chat",
      modelRequest({ messages: [user("Hi"), assistant([call("turn-1-1", "{}")]), toolMessage("turn-1-1", "x")] }),
      { echoReasoning: true },
    ),
  );
  expect(body).toContain('"reasoning_content":""');
});

test("PR24 a history that begins with an answer, has a call without result and a result without call is made legal", async () => {
  const messages = [
    assistant([{ type: "text", text: "Earlier." }]),
    user("Hi"),
    assistant([call("turn-1-1", "{}")]),
    toolMessage("turn-9-9", "lost"),
    user("Go on"),
  ];
  const body = await bodyOf("openai-chat", modelRequest({ messages }));
  const rows = body["messages"] as readonly { readonly role: string; readonly tool_call_id?: string }[]; // OpenAI's shape.
  expect(rows.map((row) => row.role)).toEqual(["system", "user", "assistant", "user", "assistant", "tool", "user"]);
  expect(rows[5]?.tool_call_id).toBe("turn-1-1");
});

test("R141 media a model cannot take, and media that is lost, become a line of text", async () => {
  const media = (mediaType: string, sha256: string): Message => ({
    ...user(""),
    parts: [{ type: "media", mediaType, name: "f.bin", blob: { sha256, bytes: 3 } }],
  });
  const body = JSON.stringify(
    await bodyOf(
      "openai-chat",
      requestFor("openai-chat", {
        messages: [media("video/mp4", "image"), media("image/png", "lost"), media("application/pdf", "image")],
      }),
    ),
  );
  expect(body).toContain("[attachment: f.bin, video/mp4, 3 bytes");
  expect(body).toContain("[attachment missing: f.bin]");
  expect(body).toContain("[attachment: f.bin, application/pdf, 3 bytes");
});

function parse(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text);
    return value;
  } catch {
    return undefined; // Broken on purpose.
  }
}
