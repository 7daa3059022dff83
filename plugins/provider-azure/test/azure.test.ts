import { readFileSync } from "node:fs";
import { type ModelEvent, type ModelRequest, type Provider } from "@margay/core";
import { httpFetch, pluginProvider } from "@margay/core/internal";
import { fakeClock, providerConformance, says, startMockModel, type MockModel } from "@margay/core/testing";
import { raw } from "@margay/core/internal/testing";
import { expect, onTestFinished, test } from "vitest";
import { plugin } from "../src/index.ts";

interface Change {
  readonly api?: string;
  readonly baseUrl?: string;
  readonly keys?: readonly string[];
  readonly settings?: Readonly<Record<string, string>>;
  readonly fetch?: typeof fetch;
}

function azure({ api, baseUrl, keys = ["key-1"], settings = {}, fetch = httpFetch() }: Change): Provider {
  return pluginProvider(() => Promise.resolve(plugin), {
    id: "azure",
    apiKeys: keys,
    headers: {},
    settings: () => settings,
    fetch,
    clock: fakeClock(),
    ...(api !== undefined && { api }),
    ...(baseUrl !== undefined && { baseUrl }),
  });
}

async function startMock(): Promise<MockModel> {
  const mock = await startMockModel({ rules: "off" });
  onTestFinished(() => mock.close());
  return mock;
}

for (const api of ["openai-responses", "openai-chat"])
  providerConformance(
    (name, run) => {
      test(`R2 R305 azure ${api}, ${name}`, run);
    },
    async () => {
      const mock = await startMockModel({ rules: "off" });
      return {
        provider: azure({ api, baseUrl: `${mock.url}/openai/v1` }),
        model: "gpt-4.1",
        replies: mock.replies,
        [Symbol.asyncDispose]: () => mock.close(),
      };
    },
    { thinking: api !== "openai-chat" }, // OpenAI's Chat Completions has no field for it
  );

test("the key travels in Azure's own header and the deployment as the model", async () => {
  const mock = await startMock();
  mock.replies(says("ok"));
  await hear(azure({ baseUrl: `${mock.url}/openai/v1` }));
  const [seen] = mock.requests;
  expect([seen?.path, seen?.headers["api-key"], seen?.model]).toEqual(["/openai/v1/responses", "key-1", "my-gpt"]);
});

test.each([
  [{ settings: { resourceName: "contoso" } }, "https://contoso.openai.azure.com/openai/v1/responses?api-version=v1"],
  [
    { baseUrl: "https://contoso.openai.azure.com/" },
    "https://contoso.openai.azure.com/openai/v1/responses?api-version=v1",
  ],
  [
    { settings: { endpoint: "https://contoso.openai.azure.com", apiVersion: "preview" } },
    "https://contoso.openai.azure.com/openai/v1/responses?api-version=preview",
  ],
  [
    { api: "openai-chat", baseUrl: "https://contoso.openai.azure.com/openai/v1" },
    "https://contoso.openai.azure.com/openai/v1/chat/completions",
  ],
])("%j is asked at %s", async (change: Change, address) => {
  const asked: string[] = [];
  const fetch = ((input: string | URL) => {
    asked.push(String(input));
    return Promise.reject(Object.assign(new Error("not there"), { code: "ECONNREFUSED" }));
  }) as typeof globalThis.fetch; // the address is all that is looked at
  await expect(hear(azure({ ...change, fetch }))).rejects.toMatchObject({ code: "provider.connection" });
  expect(asked).toEqual([address]);
});

test("a missing key and a missing address are named before anything is sent", async () => {
  await expect(hear(azure({ keys: [] }))).rejects.toMatchObject({
    code: "provider.no-key",
    details: { name: "AZURE_API_KEY" },
  });
  await expect(hear(azure({}))).rejects.toMatchObject({ code: "config.invalid" });
});

test.each([
  { settings: { endpoint: "contoso.openai.azure.com" } },
  { settings: { endpoint: "contoso.openai.azure.com:443" } },
])("an address without https:// says so: %j", async (change) => {
  await expect(hear(azure(change))).rejects.toMatchObject({
    code: "config.invalid",
    message: expect.stringMatching(/contoso.*https:\/\/NAME\.openai\.azure\.com/),
  });
});

/** Finish, tokens and parts: T text, R reasoning with its length, `*` with provider state. */
const HOLDS: Readonly<Record<string, string>> = {
  "azure-tool-call.1": 'weather({"location":"San Francisco"}) tool-calls 45/24',
  "azure-reasoning-encrypted-content.1": 'R455* calculator({"a":12,"b":7,"op":"add"}) tool-calls 137/28',
};

for (const name of ["azure-tool-call.1", "azure-reasoning-encrypted-content.1"])
  test(`R2 PR21 the recorded stream ${name} gives its parts, and its reasoning goes back`, async () => {
    const mock = await startMock();
    const text = readFileSync(new URL(`fixtures/recordings/${name}.chunks.txt`, import.meta.url), "utf8");
    const events = text
      .trim()
      .split("\n")
      .map((line) => `data: ${line}\n\n`);
    mock.replies(raw({ chunks: events }), says("ok"));
    const provider = azure({ baseUrl: `${mock.url}/openai/v1` });
    const heard = await hear(provider);
    expect(summary(heard)).toBe(HOLDS[name]);
    const parts = heard.flatMap((event) => (event.type === "part" ? [event.part] : []));
    const asked = request();
    await hear(
      provider,
      request({
        messages: [
          ...asked.messages,
          {
            role: "assistant",
            at: 0,
            model: { provider: "azure", model: asked.model },
            parts,
            finish: "stop",
            usage: { input: 1, output: 1, cacheRead: 0, cacheWrite: 0 },
          },
          ...asked.messages,
        ],
      }),
    );
    const done = text
      .split("\n")
      .find((line) => line.includes("output_item.done") && line.includes("encrypted_content"));
    const encrypted = /"encrypted_content":"([^"]+)"/.exec(done ?? "")?.[1];
    expect(mock.requests[1]?.raw).toContain(encrypted ?? "Hello");
  });

function request(change: Partial<ModelRequest> = {}): ModelRequest {
  const text = { type: "text" as const, text: "Hello" };
  return {
    id: "turn-1-a",
    model: "my-gpt",
    prefix: { hash: "h", system: "Be brief.", tools: [] },
    messages: [{ role: "user", id: "m", at: 0, from: { id: "p", kind: "person" }, parts: [text] }],
    sampling: { maxOutputTokens: 1000, thinking: "off", toolChoice: "auto" },
    cacheKey: "session-1",
    media: () => Promise.reject(new Error("There is no blob.")),
    ...change,
  };
}

async function hear(provider: Provider, asked: ModelRequest = request()): Promise<readonly ModelEvent[]> {
  const events: ModelEvent[] = [];
  for await (const event of provider.stream(asked, new AbortController().signal)) events.push(event);
  return events;
}

function summary(events: readonly ModelEvent[]): string {
  return events
    .flatMap((event) => {
      if (event.type === "done") return [`${event.finish} ${event.usage.input}/${event.usage.output}`];
      if (event.type !== "part") return [];
      const { part } = event;
      if (part.type === "tool-call") return [`${part.name}(${JSON.stringify(part.input)})`];
      const state = part.type === "thinking" && part.opaque !== undefined ? "*" : "";
      return [`${part.type === "text" ? "T" : "R"}${part.text.length}${state}`];
    })
    .join(" ");
}
