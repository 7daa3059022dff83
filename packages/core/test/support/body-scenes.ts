// What is asked of the wires: every kind of history, every setting, and vendors' quirks. The bodies they give are fixtures.
import type { CallId, Json } from "../../src/contract/base.ts";
import type { AssistantPart, ContentPart, Message, ToolStatus } from "../../src/contract/message.ts";
import type { ModelRequest, Sampling, ToolSpec } from "../../src/contract/provider.ts";
import { RuntimeError } from "../../src/lib/errors/errors.ts";
import type { Quirks, WireKind } from "../../src/model/quirks.ts";
import { assistant, modelRequest, user } from "./wire-provider.ts";

export interface BodyScene {
  readonly name: string;
  readonly api: WireKind;
  readonly quirks: Quirks;
  readonly request: ModelRequest;
}

/** For histories: names for which an API has no special rules. */
const MODELS: Readonly<Record<WireKind, string>> = {
  anthropic: "claude-sonnet-4-5",
  "openai-chat": "test-model",
  "openai-responses": "gpt-5.1",
  google: "gemini-2.5-flash",
};

const notice = (text: string): Message => ({ role: "notice", at: 0, kind: "clock", text });
const says = (text: string): Message => assistant([{ type: "text", text }]);
const media = (mediaType: string, name?: string, sha256 = "here"): ContentPart => ({
  type: "media",
  mediaType,
  blob: { sha256, bytes: 3 },
  ...(name !== undefined && { name }),
});
const asks = (...parts: readonly ContentPart[]): Message => ({ ...user(""), parts }) as Message;

/** @param text The arguments as they were written. */
function call(callId: string, text: string, name = "read_file", metadata?: Json): AssistantPart {
  const value = parsed(text);
  return {
    type: "tool-call",
    callId: callId as CallId, // written by hand
    name,
    input: value ?? {},
    ...((value === undefined || JSON.stringify(value) !== text) && { inputText: text }),
    ...(metadata !== undefined && { opaque: { provider: "vendor", metadata } }),
  };
}

function result(callId: string, parts: readonly ContentPart[] | string, status: ToolStatus = "ok"): Message {
  return {
    role: "tool",
    at: 0,
    callId: callId as CallId, // written by hand
    name: "read_file",
    parts: typeof parts === "string" ? [{ type: "text", text: parts }] : parts,
    status,
  };
}

function thinks(text: string, metadata?: Json, provider = "vendor"): AssistantPart {
  return { type: "thinking", text, opaque: { provider, ...(metadata !== undefined && { metadata }) } };
}

/** Nothing but a JSON object is arguments. */
function parsed(text: string): Json | undefined {
  try {
    const value = JSON.parse(text) as Json; // JSON.parse gives nothing else
    return typeof value === "object" && value !== null && !Array.isArray(value) ? value : undefined;
  } catch {
    return undefined; // broken on purpose
  }
}

/** State as each API's answers leave it. */
const STATE: Json = {
  anthropic: { signature: "SIG==" },
  openai: { itemId: "rs_1", reasoningEncryptedContent: "ENC==" },
  google: { thoughtSignature: "TS==" },
};
const round = (id: string, text = "b"): readonly Message[] => [
  assistant([{ type: "text", text: "Looking." }, call(id, '{"path":"a.txt"}')]),
  result(id, text),
];
const LONG_ID = `turn-${"x".repeat(60)}-1`;

const HISTORIES: Readonly<Record<string, readonly Message[]>> = {
  "one message": [user("Hello")],
  "a notice and a message are one row": [notice("It is Monday."), user("Hello"), notice("A file changed.")],
  "an empty message": [user("")],
  "no message at all": [],
  "empty parts between others": [
    asks({ type: "text", text: "" }, { type: "text", text: "Hi" }, { type: "text", text: " " }),
  ],
  "half of a pair": [user("a \ud800 half"), says("and \udc00 another"), user("so")],
  "a turn, and another": [user("Hi"), says("Hello."), user("Bye")],
  "text with blanks around it at the end": [user("Hi"), says("  padded \n")],
  "text with blanks around it in between": [user("Hi"), says("  padded \n"), user("Go on")],
  "blank and empty answers": [user("Hi"), says(" \n"), user("Go on"), says(""), user("And?")],
  "two answers in a row": [user("Hi"), says("One."), says("Two."), user("Go on")],
  "it begins with an answer": [says("Earlier."), user("Hi")],
  "it begins with a result": [result("turn-9-9", "lost"), user("Hi")],
  "a call and its result": [user("Look."), ...round("turn-1-1")],
  "rounds of a long turn, and the next": [
    user("Look."),
    ...round("turn-1-1"),
    ...round("turn-1-2"),
    says("Done."),
    notice("It is Tuesday."),
    user("More."),
    ...round("turn-2-1"),
  ],
  "results in another order, with a notice between": [
    user("Look."),
    assistant([call("turn-1-1", '{"path":"a"}'), call("turn-1-2", '{"path":"b"}')]),
    result("turn-1-2", "second"),
    notice("A file changed."),
    result("turn-1-1", "first"),
    user("And?"),
  ],
  "a result that is missing, and one without its call": [
    user("Look."),
    assistant([call("turn-1-1", "{}"), call("turn-1-2", "{}")]),
    result("turn-1-2", "there"),
    result("turn-9-9", "lost"),
    user("Go on"),
  ],
  "a result that came twice": [user("Look."), ...round("turn-1-1"), result("turn-1-1", "again"), user("Go on")],
  "results that failed, were denied or interrupted": [
    user("Look."),
    assistant([call("t-1", "{}"), call("t-2", "{}"), call("t-3", "{}"), call("t-4", "{}")]),
    result("t-1", "Error: no", "error"),
    result("t-2", "Denied.", "denied"),
    result("t-3", "Interrupted.", "interrupted"),
    result("t-4", "", "ok"),
  ],
  "arguments as they were written": [
    user("Look."),
    assistant([
      call("t-1", '{ "path": "b.txt" }'),
      call("t-2", "{'path': 'c.txt'}"),
      call("t-3", ""),
      call("t-4", "  "),
      call("t-5", "[1, 2]"),
      call("t-6", '{"a":1,"a":2}'),
      call("t-7", '{"__proto__":{"x":1},"n":1e3}'),
      call("t-8", '{"half":"\\ud800"}'),
      call("t-9", '"text"'),
      call("t-10", '{"path":"a \ud800"'),
    ]),
    user("Go on"),
  ],
  "ids that no API takes": [
    user("Look."),
    assistant([call(LONG_ID, "{}"), call("call:1/2", "{}"), call("abcdefghi", "{}")]),
    result(LONG_ID, "long"),
    result("call:1/2", "odd"),
    result("abcdefghi", "nine"),
  ],
  "names that no API takes": [
    user("Look."),
    assistant([call("t-1", "{}", "bad tool name!"), call("t-2", "{}", "读文件"), call("t-3", "{}", "x".repeat(80))]),
    { ...result("t-1", "ok"), name: "bad tool name!" } as Message,
    { ...result("t-2", "ok"), name: "读文件" } as Message,
  ],
  "text behind a call": [
    user("Look."),
    assistant([{ type: "text", text: "First." }, call("t-1", "{}"), { type: "text", text: "Second." }]),
    result("t-1", "ok"),
  ],
  "reasoning with state": [
    user("Look."),
    assistant([thinks("I should look.", STATE), { type: "text", text: "Looking." }, call("t-1", "{}")]),
    result("t-1", "ok"),
  ],
  "reasoning without words": [user("Hi"), assistant([thinks("", STATE), { type: "text", text: "Yes." }]), user("So")],
  "reasoning of its own without state": [
    user("Look."),
    assistant([thinks("I should look."), thinks(" And think."), call("t-1", "{}")]),
    result("t-1", "ok"),
  ],
  "reasoning alone": [user("Hi"), assistant([thinks("Hm.", STATE)]), user("So")],
  "reasoning of another vendor, and of nobody": [
    user("Hi"),
    assistant([
      thinks("Not mine.", STATE, "other"),
      { type: "thinking", text: "Inline." },
      { type: "text", text: "Yes." },
    ]),
    user("So"),
  ],
  "reasoning of another model": [
    user("Hi"),
    assistant([thinks("Not mine.", STATE), { type: "text", text: "Yes." }], { provider: "vendor", model: "other" }),
    user("So"),
  ],
  "reasoning that is redacted": [
    user("Hi"),
    assistant([thinks("", { anthropic: { redactedData: "RED==" } }), { type: "text", text: "Yes." }]),
    user("So"),
  ],
  "summaries of one item of reasoning, between calls": [
    user("Look."),
    assistant([
      thinks("First.", { openai: { itemId: "rs_1", reasoningEncryptedContent: null } }),
      thinks("Second.", STATE),
      thinks("", STATE),
      call("t-1", "{}", "read_file", { openai: { itemId: "fc_1" }, google: { thoughtSignature: "CALL==" } }),
      thinks("Third.", { openai: { itemId: "rs_2", reasoningEncryptedContent: "ENC2==" } }),
      { type: "text", text: "Well." },
      call("t-2", "{}"),
    ]),
    result("t-1", "ok"),
  ],
  "a picture": [asks(media("image/png", "p.png"), { type: "text", text: "What is this?" })],
  "a picture alone, without a name": [asks(media("image/jpeg"))],
  "a document": [asks({ type: "text", text: "Read it." }, media("application/pdf", "d.pdf"), media("application/pdf"))],
  "media that is taken by none, or lost": [
    asks(media("audio/wav", "a.wav"), media("video/mp4"), media("image/png", "lost.png", "gone")),
  ],
  "pictures in results": [
    user("Look."),
    assistant([call("t-1", "{}"), call("t-2", "{}"), call("t-3", "{}")]),
    result("t-1", [{ type: "text", text: "chart" }, media("image/png", "c.png")]),
    result("t-2", [media("image/png"), media("image/png")]),
    result("t-3", [{ type: "text", text: "" }, media("image/png", "lost.png", "gone")], "error"),
    notice("A file changed."),
  ],
  "other media in results": [
    user("Look."),
    assistant([call("t-1", "{}")]),
    result("t-1", [{ type: "text", text: "two" }, media("application/pdf", "d.pdf"), media("audio/wav")]),
  ],
};

const SAMPLINGS: Readonly<Record<string, Partial<Sampling>>> = {
  "no temperature": {},
  "temperature 0": { temperature: 0 },
  "temperature 0.7": { temperature: 0.7 },
  "temperature 1.5": { temperature: 1.5 },
  "no tool may be called": { toolChoice: "none" },
  "a tool must be called": { toolChoice: "required" },
  "that tool must be called": { toolChoice: { name: "read_file" } },
  "thinking low": { thinking: "low" },
  "thinking medium, temperature 0.3": { thinking: "medium", temperature: 0.3 },
  "thinking high": { thinking: "high" },
  "thinking high, a tool must be called": { thinking: "high", toolChoice: "required" },
  "thinking low, that tool must be called": { thinking: "low", toolChoice: { name: "read_file" } },
  "more than a model gives": { maxOutputTokens: 200_000, thinking: "low" },
};

/** Names by which APIs tell models apart. */
const SAMPLED: Readonly<Record<WireKind, readonly string[]>> = {
  anthropic: [
    ...["claude-3-haiku-20240307", "claude-3-5-sonnet-20241022", "claude-sonnet-4-20250514", "claude-opus-4-1"],
    ...["claude-opus-4-20250514", "claude-sonnet-4-5", "claude-haiku-4-5", "claude-opus-4-5", "claude-opus-4-6"],
    ...["claude-opus-4-7", "claude-opus-4-8", "claude-sonnet-5", "claude-opus-5", "claude-sonnet-5-5"],
    ...["claude-opus-5-5", "claude-haiku-5-5", "claude-fable-5", "claude-fable-5-1", "claude-fable-5-5"],
    ...["claude-nova-9", "claude-2.1", "MiniMax-M2.7", "vendor/claude-sonnet-4"],
  ],
  "openai-chat": ["test-model"],
  "openai-responses": [
    ...["gpt-4.1", "gpt-4o", "gpt-4o-mini", "o1", "o3", "o4-mini", "gpt-5", "gpt-5-mini", "gpt-5-nano", "gpt-5-pro"],
    ...["gpt-5-chat-latest", "gpt-5-codex", "gpt-5.1", "gpt-5.2", "gpt-5.6", "gpt-6", "gpt-6-mini", "my-deployment"],
    ...["gpt-4", "gpt-3.5-turbo", "codex-mini-latest", "openai/gpt-5"],
  ],
  google: [
    ...["gemini-1.5-pro", "gemini-2.0-flash", "gemini-2.5-pro", "gemini-2.5-flash", "gemini-2.5-flash-lite"],
    ...["gemini-3-pro", "gemini-3-pro-image", "gemini-3-flash", "gemini-3.7-flash", "gemini-4-pro"],
    ...["gemini-4-hydrogen", "gemini-flash-latest", "gemini-pro-latest", "gemma-3-27b-it", "learnlm-2"],
  ],
};

const QUIRKS: readonly (readonly [name: string, api: WireKind, quirks: Quirks])[] = [
  ["nine letters", "openai-chat", { callIds: "nine" }],
  ["arguments as objects", "openai-chat", { brokenArguments: "object" }],
  ["no pictures", "openai-chat", { images: false }],
  ["files", "openai-chat", { files: true }],
  ["breakpoints", "openai-chat", { cacheControl: "blocks" }],
  ["a key of the cache", "openai-chat", { cacheKey: "prompt_cache_key" }],
  ["reasoning comes back", "openai-chat", { echoReasoning: true, images: false, thinking: "thinking-type" }],
  ["no breakpoints", "anthropic", { cacheControl: "none" }],
  ["no files", "anthropic", { files: false }],
  ["pictures behind the result", "anthropic", { toolResultImages: false }],
  ["nine letters", "anthropic", { callIds: "nine" }],
  ["arguments as objects", "openai-responses", { brokenArguments: "object" }],
  ["pictures behind the result", "openai-responses", { toolResultImages: false }],
  ["no key of the cache", "openai-responses", { cacheKey: "none" }],
  ["pictures in the result", "google", { toolResultImages: true }],
  ["no pictures", "google", { images: false }],
];
const STYLES = ["none", "effort", "reasoning-object", "thinking-type", "enable-thinking"] as const;

const TOOLS: readonly ToolSpec[] = [
  {
    name: "read_file",
    description: "Reads a file \ud800.",
    inputSchema: { type: "object", properties: { path: { type: "string" } } },
  },
  {
    name: "note",
    description: "Notes.",
    inputSchema: {
      $schema: "https://json-schema.org/draft/2020-12/schema",
      type: "object",
      properties: {
        tags: { type: "array", items: { type: "string", pattern: "^(?!x)" } },
        map: { type: "object", propertyNames: { type: "string" }, additionalProperties: { type: "number" } },
        kind: { allOf: [{ $ref: "#/$defs/kind" }] },
      },
      required: ["tags"],
      additionalProperties: false,
      $defs: { kind: { enum: ["a", "b"] } },
    },
  },
];

function scene(api: WireKind, name: string, change: Partial<ModelRequest>, quirks: Quirks = {}): BodyScene {
  const model = change.model ?? MODELS[api];
  const mine = (message: Message): Message =>
    message.role === "assistant" && message.model.model === "test-model"
      ? { ...message, model: { provider: "vendor", model } }
      : message;
  return {
    name,
    api,
    quirks,
    request: modelRequest({
      media: ({ sha256 }) =>
        sha256 === "here"
          ? Promise.resolve(new Uint8Array([1, 2, 3]))
          : Promise.reject(new RuntimeError("blob.missing", "gone")),
      ...change,
      model,
      messages: (change.messages ?? [user("Hello")]).map(mine),
    }),
  };
}

const sampled = (change: Partial<Sampling>): Sampling => ({
  maxOutputTokens: 1000,
  thinking: "off",
  toolChoice: "auto",
  ...change,
});

/** All of them, by API. */
export function bodyScenes(api: WireKind): readonly BodyScene[] {
  const quirks = QUIRKS.filter((one) => one[1] === api);
  const prefix = modelRequest().prefix;
  return [
    ...Object.entries(HISTORIES).map(([name, messages]) => scene(api, name, { messages })),
    scene(api, "no system prompt", { prefix: { ...prefix, system: "" } }),
    scene(api, "no tools", { prefix: { ...prefix, tools: [] }, sampling: sampled({ toolChoice: "required" }) }),
    scene(api, "two tools", { prefix: { ...prefix, system: "Half \ud800.", tools: TOOLS } }),
    scene(api, "that tool of two must be called, with thinking", {
      prefix: { ...prefix, tools: TOOLS },
      sampling: sampled({ thinking: "high", toolChoice: { name: "note" } }),
    }),
    ...quirks.flatMap(([name, , quirk]) =>
      Object.entries(HISTORIES).map(([history, messages]) => scene(api, `${name}: ${history}`, { messages }, quirk)),
    ),
    ...SAMPLED[api].flatMap((model) =>
      Object.entries(SAMPLINGS).map(([name, change]) =>
        scene(api, `${model}: ${name}`, { model, sampling: sampled(change) }),
      ),
    ),
    ...(api === "openai-chat" ? STYLES : []).flatMap((thinking) =>
      Object.entries(SAMPLINGS).map(([name, change]) =>
        scene(api, `thinking as ${thinking}: ${name}`, { sampling: sampled(change) }, { thinking }),
      ),
    ),
    ...(api === "openai-chat"
      ? [scene(api, "another name of the limit", {}, { maxTokensField: "max_completion_tokens" })]
      : []),
    ...(api === "google"
      ? ["gemini-3-pro", "gemma-3-27b-it"].flatMap((model) =>
          Object.entries(HISTORIES).flatMap(([history, messages]) => [
            scene(api, `${model}: ${history}`, { model, messages }),
            ...(model === "gemini-3-pro"
              ? [
                  scene(
                    api,
                    `${model}, pictures in the result: ${history}`,
                    { model, messages },
                    { toolResultImages: true },
                  ),
                ]
              : []),
          ]),
        )
      : []),
    ...(api === "openai-responses"
      ? Object.entries(HISTORIES).map(([history, messages]) =>
          scene(api, `gpt-4.1: ${history}`, { model: "gpt-4.1", messages }),
        )
      : []),
  ];
}
