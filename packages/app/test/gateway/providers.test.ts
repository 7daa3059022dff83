// Providers and models over HTTP: the catalog, changing one, testing one, choosing the model.
import { createServer, type IncomingHttpHeaders } from "node:http";
import { createServer as createTlsServer } from "node:https";
import type { AddressInfo } from "node:net";
import { getCACertificates, setDefaultCACertificates } from "node:tls";
import { promisify } from "node:util";
import { modelInfo } from "@margay/core/internal";
import { says } from "@margay/core/testing";
import { describe, expect, test } from "vitest";
import { selfSigned } from "./certificate.ts";
import { expectScopes, operations, operationsBelow } from "./operations.ts";
import { startGateway, type Owner } from "./support.ts";

const KEY = "sk-planted-0d6e1b7c92aa4f55";
const ANY = { "if-match": "*" };

interface Listed {
  readonly id: string;
  readonly hash: string;
}

function named(body: readonly Listed[], id: string): Listed {
  const found = body.find((one) => one.id === id);
  if (found === undefined) throw new Error(`${id} is not listed`);
  return found;
}

/** A provider that answers its model list as it is told, and remembers who asked. */
async function fakeProvider(
  t: Owner,
  answer: { status: number; body: unknown },
): Promise<{ readonly url: string; readonly keys: readonly (string | undefined)[] }> {
  const keys: (string | undefined)[] = [];
  const server = createServer((request, response) => {
    keys.push(request.headers.authorization);
    response.writeHead(answer.status, { "content-type": "application/json" });
    response.end(JSON.stringify(answer.body));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  t.onTestFinished(
    () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  );
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`, keys };
}

test("R283 every route of providers and models asks for a credential of its scope", async (t) => {
  await expectScopes(await startGateway(t), operationsBelow("/providers", "/models"));
});

describe("the list", () => {
  test("R282 names catalog and own providers; a key is a mask with its source", async (t) => {
    const operate = operations(await startGateway(t, { env: { OPENAI_API_KEY: KEY } }));
    const { body } = await operate("listProviders");
    expect(named(body, "mock")).toMatchObject({
      group: "custom",
      wire: "openai-chat",
      configured: true,
      usable: true,
      key: { $secret: { set: true, source: "file" } },
    });
    expect(named(body, "openai")).toMatchObject({
      group: "cloud",
      configured: false,
      usable: true,
      key: { $secret: { set: true, source: "env:OPENAI_API_KEY" } },
    });
    expect(named(body, "anthropic")).toMatchObject({ usable: false, key: { $secret: { set: false } } });
    expect(JSON.stringify(body)).not.toContain(KEY);
    const zh = await operate("listProviders", { headers: { "accept-language": "zh-CN" } });
    expect(JSON.stringify(zh.body)).toContain("粘贴");
  });

  test("what is found on the machine: names of variables, never values", async (t) => {
    const operate = operations(await startGateway(t, { env: { ANTHROPIC_API_KEY: KEY } }));
    const { body } = await operate("detectProviders");
    expect(body.env).toContainEqual({ provider: "anthropic", variable: "ANTHROPIC_API_KEY" });
    expect(JSON.stringify(body)).not.toContain(KEY);
  });
});

describe("changing one", () => {
  test("R12 a new provider is made with If-None-Match, used from the next turn on, and deleted with its ETag", async (t) => {
    const { model, ...gateway } = await startGateway(t);
    const operate = operations(gateway);
    const params = { id: "second" };
    const body = { wire: "openai-chat", baseUrl: `${model.url}/v1`, key: { $secret: KEY }, allowPrivate: true };
    expect((await operate("putProvider", { params, body })).body.code).toBe("precondition.required");
    const made = await operate("putProvider", { params, body, headers: { "if-none-match": "*" } });
    expect(made.body).toMatchObject({
      id: "second",
      configured: true,
      key: { $secret: { set: true, source: "file" } },
    });
    await operate("putActiveModel", { body: { model: "second/mock-model" } });
    await gateway.app.agent.send("web:x", "hi", { origin: { channel: "web", chat: "x" } }).finished;
    expect(model.requests.at(-1)?.headers["authorization"]).toBe(`Bearer ${KEY}`);
    const headers = { "if-match": `"${made.body.hash}"` };
    expect((await operate("deleteProvider", { params, headers: { "if-match": '"other"' } })).status).toBe(412);
    const inUse = await operate("deleteProvider", { params, headers });
    expect(inUse.body).toMatchObject({ code: "settings.invalid", errors: [{ path: "/model" }] }); // the active model is of it
    await operate("putActiveModel", { body: { model: "mock/mock-model" } });
    expect((await operate("deleteProvider", { params, headers })).status).toBe(204);
    expect((await operate("deleteProvider", { params, headers })).body.code).toBe("provider.not-found");
  });

  test.for([
    ["not-a-url", "url"],
    ["ftp://models.example/v1", "url"],
    ["https://me:pass@models.example/v1", "credentials"],
    ["http://models.example/v1", "plain"],
    ["http://169.254.169.254/v1", "reserved"],
    ["https://169.254.169.254/v1", "reserved"],
    ["http://127.0.0.1:9/v1", "private"],
    ["https://10.0.0.7/v1", "private"],
    ["http://[::1]:9/v1", "private"],
    ["http://nas.local/v1", "private"],
  ] as const)("%s is refused as %s", async ([baseUrl, code], t) => {
    const operate = operations(await startGateway(t));
    const answer = await operate("putProvider", {
      params: { id: "x" },
      body: { wire: "openai-chat", baseUrl },
      headers: { "if-none-match": "*" },
    });
    expect(answer.body).toMatchObject({ code: "settings.invalid", errors: [{ path: "/baseUrl", code }] });
  });

  test.for([
    [{ id: "m", window: 1024 }, 200],
    [{ id: "m", window: 20_000_000 }, 200],
    [{ id: "i".repeat(300) }, 200],
    [{ id: "m", window: 1023 }, 422],
    [{ id: "m", window: 20_000_001 }, 422],
    [{ id: "m", window: 2048.5 }, 422],
    [{ id: "i".repeat(301) }, 422],
    [{ id: "" }, 422],
  ] as const)("of a provider's models %j is answered with %i", async ([model, status], t) => {
    const operate = operations(await startGateway(t));
    const body = { wire: "openai-chat", baseUrl: "https://models.example/v1", models: [model] };
    const answer = await operate("putProvider", { params: { id: "x" }, body, headers: { "if-none-match": "*" } });
    expect(answer.status).toBe(status);
  });

  test("R282 a key that is kept goes to no other address without the owner", async (t) => {
    const gateway = await startGateway(t);
    const operate = operations(gateway);
    const other = await fakeProvider(t, { status: 200, body: { data: [] } });
    const token = gateway.token("admin");
    const body = { baseUrl: other.url, allowPrivate: true };
    const moved = await operate("putProvider", { params: { id: "mock" }, body, headers: ANY, token });
    expect(moved.body.code).toBe("auth.scope");
    const tested = await operate("testProvider", { body: { id: "mock", ...body }, token });
    expect(tested.body.code).toBe("auth.scope");
    expect(other.keys).toEqual([]);
    expect((await operate("putProvider", { params: { id: "mock" }, body, headers: ANY })).status).toBe(200);
  });
});

describe("test connection", () => {
  test("R12 a saved provider passes every step, and answers when it is asked to", async (t) => {
    const { model, ...gateway } = await startGateway(t);
    model.replies(says("ok"));
    const { body } = await operations(gateway)("testProvider", {
      body: { id: "mock", model: "mock-model", live: true },
    });
    expect(body.ok).toBe(true);
    expect(body.steps.map(({ id, state }: { id: string; state: string }) => `${id} ${state}`)).toEqual([
      "address ok",
      "tls skipped",
      "key ok",
      "models ok",
      "model ok",
      "live ok",
    ]);
  });

  test("a refused key fails at its step, says what to do, and is not quoted", async (t) => {
    const fake = await fakeProvider(t, { status: 401, body: { error: `bad key ${KEY}` } });
    const operate = operations(await startGateway(t));
    const { body } = await operate("testProvider", {
      body: { wire: "openai-chat", baseUrl: fake.url, key: { $secret: KEY }, allowPrivate: true },
    });
    expect(body).toMatchObject({ ok: false, code: "provider.auth" });
    expect(body.remedy).not.toBe("");
    expect(body.steps.at(-1)).toMatchObject({ id: "live", state: "skipped" });
    expect(fake.keys).toEqual([`Bearer ${KEY}`]);
    expect(JSON.stringify(body)).not.toContain(KEY);
  });

  test("nobody listens: the first step fails and the others are skipped", async (t) => {
    const operate = operations(await startGateway(t));
    const { body } = await operate("testProvider", {
      body: { wire: "openai-chat", baseUrl: "http://127.0.0.1:9/v1", allowPrivate: true },
      headers: { "accept-language": "zh-CN" },
    });
    expect(body).toMatchObject({ ok: false, code: "provider.unreachable" });
    expect(body.steps[0]).toMatchObject({ id: "address", state: "failed", title: "连接到地址" });
    expect(body.steps.slice(1).every(({ state }: { state: string }) => state === "skipped")).toBe(true);
  });

  test("over TLS the certificate is a step of its own, on a connection that ends with it", async (t) => {
    const own = selfSigned("localhost");
    const known = getCACertificates();
    t.onTestFinished(() => setDefaultCACertificates(known));
    const server = createTlsServer(own, (_request, response) => {
      response.writeHead(200, { "content-type": "application/json", connection: "close" });
      response.end(JSON.stringify({ data: [] }));
    });
    await new Promise<void>((resolve) => server.listen(0, "localhost", resolve));
    t.onTestFinished(() => {
      server.close();
      server.closeAllConnections();
    });
    const operate = operations(await startGateway(t));
    const baseUrl = `https://localhost:${(server.address() as AddressInfo).port}/v1`;
    const ask = async () =>
      (await operate("testProvider", { body: { wire: "openai-chat", baseUrl, allowPrivate: true } })).body.steps[1];
    expect(await ask()).toMatchObject({ id: "tls", state: "failed", detail: expect.stringContaining("self-signed") });
    setDefaultCACertificates([...known, own.cert]);
    expect(await ask()).toMatchObject({
      id: "tls",
      state: "ok",
      detail: expect.stringMatching(/^TLSv1\.3, .* 2049 GMT$/),
    });
    const open = (): Promise<number> => promisify(server.getConnections.bind(server))();
    await expect.poll(open, { timeout: 5000 }).toBe(0);
  });

  test("the host of the address is asked, not another of this machine", async (t) => {
    const fake = await fakeProvider(t, { status: 200, body: { data: [] } });
    const baseUrl = fake.url.replace("127.0.0.1", "127.0.0.2");
    const { body } = await operations(await startGateway(t))("testProvider", {
      body: { wire: "openai-chat", baseUrl, allowPrivate: true },
    });
    expect(body.steps[0]).toMatchObject({ id: "address", state: "failed" });
  });

  test("the address of a plugin is looked at where one is given, and one of our own needs one", async (t) => {
    const fake = await fakeProvider(t, { status: 200, body: { data: [] } });
    const mock = { api: "openai-chat", baseUrl: fake.url };
    const operate = operations(await startGateway(t, { config: { providers: { mock, azure: { apiKey: KEY } } } }));
    const address = async (body: object): Promise<object> => (await operate("testProvider", { body })).body.steps[0];
    const skipped = { id: "address", state: "skipped", detail: "The plugin knows it." };
    expect(await address({ id: "azure" })).toMatchObject(skipped);
    const reached = { id: "address", state: "ok", detail: new URL(fake.url).host };
    expect(await address({ id: "azure", baseUrl: fake.url, allowPrivate: true })).toMatchObject(reached);
    const none = { id: "address", state: "failed", detail: "It has no address." };
    expect(await address({ wire: "openai-chat" })).toMatchObject(none);
  });

  test("a vendor is asked as it wants to be asked, unless another wire was chosen", async (t) => {
    const asked: IncomingHttpHeaders[] = [];
    const server = createServer((request, response) => {
      asked.push(request.headers);
      response.end(JSON.stringify({ data: [{ id: "a" }] }));
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    t.onTestFinished(() => {
      server.close();
      server.closeAllConnections();
    });
    const operate = operations(await startGateway(t));
    const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
    const body = { id: "anthropic", baseUrl, key: { $secret: KEY }, allowPrivate: true };
    for (const wire of [undefined, "openai-chat"])
      expect((await operate("testProvider", { body: { ...body, ...(wire !== undefined && { wire }) } })).body.ok).toBe(
        true,
      );
    expect(asked).toMatchObject([{ "x-api-key": KEY }, { authorization: `Bearer ${KEY}` }]);
    expect(asked[0]).not.toHaveProperty("authorization");
  });

  test("a model that is not there: the nearest one is named", async (t) => {
    const fake = await fakeProvider(t, { status: 200, body: { data: [{ id: "gpt-mini" }] } });
    const { body } = await operations(await startGateway(t))("testProvider", {
      body: { wire: "openai-chat", baseUrl: fake.url, model: "gpt-minii", allowPrivate: true },
    });
    expect(body).toMatchObject({ ok: false, code: "model.not-found", remedy: "Did you mean gpt-mini?" });
  });

  test("an unknown id is a 404, an unknown field a 422", async (t) => {
    const operate = operations(await startGateway(t));
    expect((await operate("testProvider", { body: { id: "nobody" } })).body.code).toBe("provider.not-found");
    expect((await operate("testProvider", { body: { id: "mock", apiKey: "x" } })).body.code).toBe("request.invalid");
  });
});

describe("models", () => {
  test("a provider's list is asked once in ten minutes, and anew for another key", async (t) => {
    const fake = await fakeProvider(t, { status: 200, body: { data: [{ id: "a" }, { id: "b" }] } });
    const gateway = await startGateway(t, {
      config: { providers: { mock: { api: "openai-chat", baseUrl: fake.url, apiKey: "first-key-0000" } } },
    });
    const operate = operations(gateway);
    const params = { id: "mock" };
    expect((await operate("listProviderModels", { params })).body.map(({ id }: { id: string }) => id)).toEqual([
      "mock/a",
      "mock/b",
    ]);
    await operate("listProviderModels", { params });
    expect(fake.keys).toHaveLength(1);
    await operate("putProvider", { params, body: { key: { $secret: KEY } }, headers: ANY });
    await operate("listProviderModels", { params });
    expect(fake.keys.at(-1)).toBe(`Bearer ${KEY}`);
    expect((await operate("listProviderModels", { params: { id: "nobody" } })).body.code).toBe("provider.not-found");
  });

  test("DF52 a draft of a provider is asked for its models with the key and the address that were typed, and nothing is saved", async (t) => {
    const fake = await fakeProvider(t, { status: 200, body: { data: [{ id: "a" }] } });
    const gateway = await startGateway(t);
    const operate = operations(gateway);
    const draft = { id: "mine", wire: "openai-chat", baseUrl: fake.url, key: { $secret: KEY }, allowPrivate: true };
    const listed = await operate("listDraftModels", { body: draft });
    expect(listed.body.map(({ id }: { id: string }) => id)).toEqual(["mine/a"]);
    expect(fake.keys).toEqual([`Bearer ${KEY}`]);
    expect((await operate("listProviderModels", { params: { id: "mine" } })).body.code).toBe("provider.not-found");
    const { allowPrivate: _allowPrivate, ...unmeant } = draft;
    expect((await operate("listDraftModels", { body: unmeant })).body.code).toBe("settings.invalid");
    expect((await operate("listDraftModels", { body: { id: "mine" } })).body.code).toBe("provider.not-found");
    const moved = { id: "mock", baseUrl: "http://127.0.0.1:9/v1", allowPrivate: true };
    expect((await operate("listDraftModels", { body: moved })).status).not.toBe(200); // its own key stays with its address
  });

  test.for([
    [401, "provider.auth"],
    [429, "provider.rate-limited"],
    [500, "provider.failed"],
  ] as const)("a provider that answers %i is a %s", async ([status, code], t) => {
    const fake = await fakeProvider(t, { status, body: {} });
    const gateway = await startGateway(t, {
      config: { providers: { mock: { api: "openai-chat", baseUrl: fake.url, apiKey: "first-key-0000" } } },
    });
    expect((await operations(gateway)("listProviderModels", { params: { id: "mock" } })).body.code).toBe(code);
  });

  test("R12 the active model: chain, unknown names refused, null is practice mode", async (t) => {
    const operate = operations(await startGateway(t, { env: { OPENAI_API_KEY: KEY } }));
    const chosen = await operate("putActiveModel", {
      body: {
        model: "openai/gpt-6.1-sol",
        fallbackModels: ["mock/mock-model", "anthropic/claude-sonnet-5-5"],
        memoryModel: "mock/mock-model",
      },
    });
    expect(chosen.body).toMatchObject({
      chain: [
        { model: "openai/gpt-6.1-sol" },
        { model: "mock/mock-model" },
        { model: "anthropic/claude-sonnet-5-5", missingKey: "ANTHROPIC_API_KEY" },
      ],
      memoryModel: "mock/mock-model",
      practice: false,
    });
    const { price, ...info } = modelInfo("openai", "gpt-6.1-sol");
    expect(named((await operate("listModels")).body, "openai/gpt-6.1-sol")).toEqual({
      id: "openai/gpt-6.1-sol",
      window: info.contextWindow,
      maxOutput: info.maxOutputTokens,
      vision: info.images,
      tools: true,
      thinking: info.thinking,
      price: { ...price, asOf: expect.stringMatching(/^\d{4}-\d\d-\d\d$/), source: "built-in" },
    });
    // The next in the order that has its key, never the one that does not answer; pages and terminals are told the same.
    const instead = async (model: string): Promise<unknown> =>
      (await operate("modelsInstead", { query: { model } })).body;
    expect(await instead("openai/gpt-6.1-sol")).toEqual({ fallback: "mock/mock-model" });
    expect(await instead("mock/mock-model")).toEqual({ fallback: "openai/gpt-6.1-sol" });
    expect((await operate("putActiveModel", { body: { model: "nobody/x" } })).body.code).toBe("model.not-found");
    expect((await operate("putActiveModel", { body: { model: "x" } })).body.code).toBe("request.invalid");
    expect((await operate("putActiveModel", { body: { model: null }, headers: { "if-match": '"old"' } })).status).toBe(
      412,
    );
    expect((await operate("getActiveModel")).body.chain).toHaveLength(3);
  });
});
