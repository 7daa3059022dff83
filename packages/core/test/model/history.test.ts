// A long history is made once: nobody on the other side may be able to tell, and each request goes on with the bytes of the last.
import fc from "fast-check";
import { expect, test } from "vitest";
import type { AssistantMessage, AssistantPart, Message } from "../../src/contract/message.ts";
import type { ModelRequest } from "../../src/contract/provider.ts";
import type { Quirks, WireKind } from "../../src/model/quirks.ts";
import { assistant, hear, modelRequest, toolMessage, user, wireProvider } from "../support/wire-provider.ts";

interface Case {
  readonly name: string;
  readonly api: WireKind;
  readonly model: string;
  readonly quirks?: Quirks;
}
const CASES: readonly Case[] = [
  { name: "anthropic", api: "anthropic", model: "claude-sonnet-4-5" },
  { name: "openai-chat", api: "openai-chat", model: "test-model" },
  { name: "a router", api: "openai-chat", model: "test-model", quirks: { cacheControl: "blocks", callIds: "nine" } },
  { name: "DeepSeek", api: "openai-chat", model: "test-model", quirks: { echoReasoning: true, images: false } },
  { name: "openai-responses", api: "openai-responses", model: "gpt-5.1" },
  { name: "google", api: "google", model: "gemini-3-pro" },
  { name: "gemma", api: "google", model: "gemma-3-27b-it" },
];

/** Sends requests to one provider. @returns the bodies that were handed to the network. */
async function sent(one: Case, requests: readonly ModelRequest[]): Promise<readonly string[]> {
  const bodies: string[] = [];
  const record = (_url: unknown, init?: RequestInit): Promise<Response> => {
    bodies.push(String(init?.body));
    return Promise.resolve(new Response('{"error":{"message":"no"}}', { status: 400 }));
  };
  const provider = wireProvider({
    api: one.api,
    url: "http://127.0.0.1:9",
    ...(one.quirks !== undefined && { quirks: one.quirks }),
    fetch: record as typeof fetch,
  });
  for (const request of requests) await hear(provider, request);
  return bodies;
}

function asking(one: Case, messages: readonly Message[], change: Partial<ModelRequest> = {}): ModelRequest {
  return modelRequest({
    model: one.model,
    messages,
    media: () => Promise.resolve(new Uint8Array([1, 2, 3])),
    ...change,
  });
}

/** One provider that remembers gets them all, and each goes to one that has never seen anything. */
async function compare(one: Case, requests: readonly ModelRequest[]): Promise<readonly string[]> {
  const bodies = await sent(one, requests);
  expect(bodies.length).toBe(requests.length);
  for (const [at, request] of requests.entries()) expect(bodies[at]).toBe((await sent(one, [request]))[0]);
  return bodies;
}

/** Where the conversation stands in a body. */
const ROWS: Readonly<Record<WireKind, string>> = {
  anthropic: "messages",
  "openai-chat": "messages",
  "openai-responses": "input",
  google: "contents",
};

/** Up to the last row, which the next request may add to. */
function settled(one: Case, body: string): string {
  const rows = (JSON.parse(body) as Readonly<Record<string, readonly unknown[]>>)[ROWS[one.api]]; // one of ours
  const last = JSON.stringify(rows?.at(-1));
  const at = body.lastIndexOf(last);
  expect(at).toBeGreaterThan(0);
  return body.slice(0, at);
}

let serial = 0;
const TEXTS = fc.oneof(
  fc.string({ unit: "binary", maxLength: 30 }),
  fc.constantFrom(
    "",
    " padded ",
    "mañana 🐈 明天",
    "half \ud800",
    '{"role":"user"}',
    "],[{",
    "margay_raw_arguments",
    "\u2028",
  ),
);
const opaque = (
  metadata: Record<string, Record<string, string>>,
): Pick<AssistantPart & { type: "thinking" }, "opaque"> => ({
  opaque: { provider: "vendor", metadata },
});
const REASONING = opaque({
  anthropic: { signature: "SIG==" },
  openai: { itemId: "rs_1", reasoningEncryptedContent: "ENC==" },
  google: { thoughtSignature: "TS==" },
});

/** What a session may add to its history between two requests. */
const STEP: fc.Arbitrary<(one: Case) => readonly Message[]> = fc.oneof(
  TEXTS.map((text) => () => [user(text)]),
  TEXTS.map((text) => () => [{ role: "notice", at: 0, kind: "clock", text } as const]),
  TEXTS.map((text) => (one: Case) => [says(one, [{ type: "text", text }])]),
  TEXTS.map((text) => (one: Case) => [
    says(one, [
      { type: "thinking", text, ...REASONING },
      { type: "text", text },
    ]),
  ]),
  fc.constant(() => [
    { ...user(""), parts: [{ type: "media", mediaType: "image/png", blob: { sha256: "i", bytes: 3 } }] } as Message,
  ]),
  fc
    .record({
      results: fc.array(TEXTS, { minLength: 1, maxLength: 3 }),
      said: TEXTS,
      input: fc.constantFrom('{"a":1}', '{ "a": [2] }', "{'broken'", ""),
      lost: fc.boolean(),
      image: fc.boolean(),
    })
    .map(({ results, said, input, lost, image }) => (one: Case): readonly Message[] => {
      const ids = results.map(() => `turn-${++serial}-call` as never);
      return [
        says(one, [
          { type: "thinking", text: said, ...REASONING },
          { type: "text", text: said },
          ...ids.map(
            (callId) => ({ type: "tool-call", callId, name: "read_file", input: {}, inputText: input }) as const,
          ),
        ]),
        ...results.slice(lost ? 1 : 0).map((text, at): Message => {
          const message = toolMessage(ids[at + (lost ? 1 : 0)] ?? "", text);
          return image && message.role === "tool"
            ? {
                ...message,
                parts: [...message.parts, { type: "media", mediaType: "image/png", blob: { sha256: "i", bytes: 3 } }],
              }
            : message;
        }),
        ...(lost ? [toolMessage(`orphan-${serial}`, "late")] : []),
      ];
    }),
);
function says(one: Case, parts: readonly AssistantPart[]): AssistantMessage {
  return assistant(parts, { provider: "vendor", model: one.model });
}

for (const one of CASES)
  test(`CX12 a history that is remembered is sent as one that is not, for ${one.name}`, async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(STEP, { minLength: 8, maxLength: 20 }), fc.boolean(), async (steps, system) => {
        await compare(one, growing(one, steps, system));
      }),
      { numRuns: 25 },
    );
  });

for (const one of CASES)
  test(`PR5 CX12 a request begins with the bytes of the one before it, up to its last row, for ${one.name}`, async () => {
    // Breakpoints move on; what is between them does not change.
    const plain: Case = { ...one, quirks: { ...one.quirks, cacheControl: "none" } };
    await fc.assert(
      fc.asyncProperty(fc.array(STEP, { minLength: 2, maxLength: 12 }), fc.boolean(), async (steps, system) => {
        const bodies = await sent(plain, growing(plain, steps, system));
        for (const [at, body] of bodies.slice(1).entries())
          expect(body.startsWith(settled(plain, bodies[at] ?? ""))).toBe(true);
      }),
      { numRuns: 50 },
    );
  });

function growing(
  one: Case,
  steps: readonly ((one: Case) => readonly Message[])[],
  system: boolean,
): readonly ModelRequest[] {
  const prefix = { ...modelRequest().prefix, ...(!system && { system: "" }) };
  let messages: readonly Message[] = [];
  return steps.map((step) => {
    messages = [...messages, ...step(one)];
    return asking(one, messages, { prefix });
  });
}

/** Rounds with calls and results, as a long turn has them. */
function rounds(one: Case, count: number): readonly Message[] {
  return Array.from({ length: count }, (_, at) => [
    says(one, [{ type: "tool-call", callId: `call-${at}` as never, name: "read_file", input: { at } }]),
    toolMessage(`call-${at}`, `result ${at}`),
  ]).flat();
}

for (const one of CASES)
  test(`CX12 turns and rounds that follow each other, a compaction and another session change no byte on ${one.name}`, async () => {
    const histories: (readonly Message[])[] = [];
    let messages: readonly Message[] = [user("first")];
    for (let turn = 0; turn < 3; turn++) {
      for (const message of rounds(one, 4)) {
        messages = [...messages, message];
        if (message.role === "tool") histories.push(messages);
      }
      messages = [...messages, says(one, [{ type: "text", text: `done ${turn} ` }]), user(`next ${turn}`)];
      histories.push(messages);
    }
    const changed = messages.map((message, at) => (at === 4 ? says(one, [{ type: "text", text: "other" }]) : message));
    const other = [user("elsewhere"), ...messages.slice(1)];
    histories.push(
      changed,
      messages,
      [messages[0]!, ...messages.slice(9)],
      other,
      [...other, ...rounds(one, 1)],
      messages,
    );
    await compare(
      one,
      histories.map((history) => asking(one, history)),
    );
  });
