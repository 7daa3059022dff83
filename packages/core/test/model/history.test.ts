// A long history is sent as bytes of earlier requests: nobody on the other side may be able to tell.
import fc from "fast-check";
import { expect, test } from "vitest";
import type { AssistantMessage, AssistantPart, Message } from "../../src/contract/message.ts";
import type { ModelRequest, Provider } from "../../src/contract/provider.ts";
import type { Quirks, WireKind } from "../../src/model/quirks.ts";
import { createSplicer } from "../../src/model/wire/splice.ts";
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

/** What was handed to the network, and whether it was put together from bytes. */
interface Sent {
  readonly text: string;
  readonly spliced: boolean;
}

function recording(one: Case, splices: boolean): { readonly provider: Provider; readonly sent: Sent[] } {
  const sent: Sent[] = [];
  const record = (_url: unknown, init?: RequestInit): Promise<Response> => {
    const { body, headers } = init ?? {};
    expect(JSON.stringify(headers)).not.toContain("margay");
    if (typeof body === "string") sent.push({ text: body, spliced: false });
    else if (body instanceof Uint8Array) sent.push({ text: new TextDecoder().decode(body), spliced: true });
    return Promise.resolve(new Response('{"error":{"message":"no"}}', { status: 400 }));
  };
  const provider = wireProvider({
    api: one.api,
    url: "http://127.0.0.1:9",
    ...(one.quirks !== undefined && { quirks: one.quirks }),
    fetch: record as typeof fetch,
    splicer: splices ? createSplicer(0) : null,
  });
  return { provider, sent };
}

function asking(one: Case, messages: readonly Message[], change: Partial<ModelRequest> = {}): ModelRequest {
  return modelRequest({
    model: one.model,
    messages,
    media: () => Promise.resolve(new Uint8Array([1, 2, 3])),
    ...change,
  });
}

/** Sends each history to both and compares every byte. */
async function compare(one: Case, requests: readonly ModelRequest[]): Promise<readonly Sent[]> {
  const [plain, spliced] = [recording(one, false), recording(one, true)];
  for (const request of requests) {
    await hear(plain.provider, request);
    await hear(spliced.provider, request);
    expect(spliced.sent.at(-1)?.text).toBe(plain.sent.at(-1)?.text);
  }
  expect(spliced.sent.length).toBe(requests.length);
  expect(spliced.sent.every(({ text }) => !text.includes("margay cut"))).toBe(true);
  return spliced.sent;
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
  test(`CX12 a history sent as remembered bytes is the one the adapter makes of it, for ${one.name}`, async () => {
    let spliced = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(STEP, { minLength: 8, maxLength: 20 }), fc.boolean(), async (steps, system) => {
        const requests: ModelRequest[] = [];
        let messages: readonly Message[] = [];
        for (const step of steps) {
          messages = [...messages, ...step(one)];
          const prefix = { ...modelRequest().prefix, ...(!system && { system: "" }) };
          requests.push(asking(one, messages, { prefix }));
        }
        spliced += (await compare(one, requests)).filter((sent) => sent.spliced).length;
      }),
      { numRuns: 25 },
    );
    expect(spliced).toBeGreaterThan(20);
  });

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
    const sent = await compare(
      one,
      histories.map((history) => asking(one, history)),
    );
    // All but the requests that a history begins with.
    expect(sent.filter(({ spliced }) => !spliced).length).toBeLessThanOrEqual(2);
  });

test("CX12 a history that quotes the marks of a cut goes through the adapter whole", async () => {
  const one: Case = { name: "chat", api: "openai-chat", model: "test-model" };
  const quote = Array.from({ length: 40 }, (_, at) => `margay cut ${at}.0a margay cut ${at}.0b`).join("\n");
  const history = [user(quote), ...rounds(one, 5)];
  const [plain, spliced] = [recording(one, false), recording(one, true)];
  for (const { provider } of [plain, spliced]) await hear(provider, asking(one, history));
  expect(spliced.sent).toEqual(plain.sent);
});
