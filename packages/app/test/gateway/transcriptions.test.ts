// Speech to text over HTTP: the real gateway, and the mock model where the provider is.
import { type JsonObject } from "@margay/core";
import { systemClock } from "@margay/core/internal";
import { says, startMockModel } from "@margay/core/testing";
import OpenAI from "openai";
import { expect, test } from "vitest";
import { resolve } from "../../src/config/resolve.ts";
import { transcriberFor } from "../../src/models/transcriber.ts";
import { logIn } from "./browser.ts";
import { startGateway, type ApiAnswer, type Owner, type TestGateway } from "./support.ts";

/** Half a second of silence at 8 kHz, with bytes in it that a careless form would break on. */
const WAV = wav(4000);
const KEY = "ears-key-0123456789";

interface EarsOptions {
  readonly model?: string;
  readonly provider?: JsonObject;
  readonly config?: JsonObject;
}

/** A gateway whose recordings go to the mock model, under a provider of its own. */
function listening(
  t: Owner,
  { model = "whisper-9", provider = {}, config = {} }: EarsOptions = {},
): Promise<TestGateway> {
  return startGateway(t, {
    config: (url) => ({
      agent: { transcriptionModel: `ears/${model}` },
      providers: {
        ...mock({ model: { url } }),
        ears: { api: "openai-chat", baseUrl: `${url}/v1`, apiKey: KEY, ...provider },
      },
      ...config,
    }),
  });
}

/** The provider of the agent itself. */
function mock({ model }: { readonly model: { readonly url: string } }): JsonObject {
  return { mock: { api: "openai-chat", baseUrl: `${model.url}/v1`, apiKey: "test-key-for-mock" } };
}

function transcribe(
  { api }: Pick<TestGateway, "api">,
  raw: Uint8Array | string = WAV,
  init: { readonly token?: string | null; readonly language?: string } = {},
): Promise<ApiAnswer> {
  const headers = { "content-type": "audio/wav", "accept-language": init.language ?? "en" };
  return api("/transcriptions", {
    method: "POST",
    raw,
    headers,
    ...(init.token !== undefined && { token: init.token }),
  });
}

test("POST /transcriptions: a recording reaches the configured model as it is, and its text comes back", async (t) => {
  const gateway = await listening(t);
  gateway.model.hears(" Buy oat milk. ");
  const { status, body } = await transcribe(gateway, WAV, { token: gateway.token("chat") });
  expect([status, body]).toEqual([200, { text: "Buy oat milk.", ms: expect.any(Number) }]);
  expect(gateway.model.recordings).toHaveLength(1);
  const [heard] = gateway.model.recordings;
  expect(heard).toMatchObject({ path: "/v1/audio/transcriptions", model: "whisper-9", mediaType: "audio/wav" });
  expect(heard?.fileName).toMatch(/\.wav$/); // services tell the format by it
  expect(heard?.headers["authorization"]).toBe(`Bearer ${KEY}`);
  expect(Buffer.from(heard?.bytes ?? []).equals(WAV)).toBe(true);
  expect(gateway.model.requests).toEqual([]);
});

test("POST /transcriptions: what phones and browsers record is taken by what its bytes are", async (t) => {
  const gateway = await listening(t);
  const kinds = [
    ["audio/webm", "\u001aE\u00df\u00a3", "webm"],
    ["audio/ogg", "OggS", "ogg"],
    ["audio/mpeg", "ID3", "mp3"],
    ["audio/flac", "fLaC", "flac"],
    ["audio/mp4", "\0\0\0\u0020ftypM4A ", "m4a"],
    ["audio/mp4", "\0\0\0\u0020ftypiso5", "m4a"], // Safari's recorder
  ] as const;
  for (const [, head] of kinds) {
    const { status } = await transcribe(gateway, Buffer.concat([Buffer.from(head, "latin1"), Buffer.alloc(64)]));
    expect(status).toBe(200);
  }
  expect(gateway.model.recordings.map(({ mediaType, fileName }) => [mediaType, fileName.split(".").at(-1)])).toEqual(
    kinds.map(([type, , ending]) => [type, ending]),
  );
});

test("POST /transcriptions: 404 without a model for it; what is no recording is not sent", async (t) => {
  const gateway = await startGateway(t);
  const unset = await transcribe(gateway);
  expect([unset.status, unset.body.code]).toEqual([404, "model.not-found"]);
  expect(unset.body.remedy).toContain("agent.transcriptionModel");
  expect((await transcribe(gateway, WAV, { language: "zh-CN" })).body.detail).toContain("语音转文字");
  await gateway.configure({ agent: { transcriptionModel: "anthropic/claude-opus-5" } });
  expect((await transcribe(gateway)).body).toMatchObject({ code: "model.not-found", status: 404 });
  expect((await gateway.api("/system")).body.transcription).toBe(false);
  await gateway.configure({ agent: { transcriptionModel: "mock/whisper-9" } });
  expect((await gateway.api("/system")).body.transcription).toBe(true);
  for (const [raw, language, detail] of [
    ["just text", "en", "text/plain"],
    ["just text", "zh-CN", "不是录音"],
    ["", "en", "empty"],
  ] as const) {
    const { status, body } = await transcribe(gateway, raw, { language });
    expect([status, body.code]).toEqual([422, "attachment.unsupported"]);
    expect(body.detail).toContain(detail);
  }
  expect(gateway.model.recordings).toEqual([]);
});

test("POST /transcriptions: 25 MiB at most, and as many a minute as messages", async (t) => {
  const gateway = await listening(t, { config: { gateway: { limits: { sendsPerMinute: 2 } } } });
  const large = await transcribe(gateway, new Uint8Array(25 * 1024 * 1024 + 1));
  expect([large.status, large.body.code]).toEqual([413, "request.too-large"]);
  const answers = [];
  for (let at = 0; at < 3; at++) answers.push((await transcribe(gateway)).status);
  expect(answers).toEqual([200, 200, 429]);
  expect(gateway.model.recordings).toHaveLength(2);
});

test("POST /transcriptions: a read token may not, a browser may", async (t) => {
  const gateway = await listening(t);
  gateway.model.hears("from the page");
  const refused = await transcribe(gateway, WAV, { token: gateway.token("read") });
  expect([refused.status, refused.body.code]).toEqual([403, "auth.scope"]);
  expect((await transcribe(gateway, WAV, { token: null })).status).toBe(401);
  const browser = await logIn(gateway);
  const answer = await gateway.api("/transcriptions", {
    method: "POST",
    raw: WAV,
    headers: { ...browser.headers(), "content-type": "audio/wav" },
    token: null,
  });
  expect([answer.status, answer.body.text]).toEqual([200, "from the page"]);
  const { items } = (await gateway.api("/sessions?source=voice")).body;
  expect(items.map(({ key }: { key: string }) => key)).toEqual(["voice:operator"]);
});

test("POST /transcriptions: what the provider answers instead is told by its kind, without its key", async (t) => {
  const gateway = await listening(t);
  for (const [answer, status, code] of [
    [{ status: 401, body: { error: { message: `Incorrect API key provided: ${KEY}` } } }, 424, "provider.auth"],
    [{ status: 429, body: {} }, 429, "provider.rate-limited"],
    [{ status: 429, body: { error: { code: "insufficient_quota" } } }, 424, "provider.quota"],
    [{ status: 500, body: KEY }, 502, "provider.failed"],
    [{ status: 400, body: { error: { message: "Invalid file format." } } }, 502, "provider.failed"],
    [{ status: 404, body: {} }, 502, "provider.failed"],
    [{ status: 200, body: "<html>" }, 502, "provider.failed"],
    [{ status: 200, body: { words: 1 } }, 502, "provider.failed"],
    [{ status: 302, body: "", headers: { location: "http://127.0.0.1:9/" } }, 502, "provider.failed"],
  ] as const) {
    gateway.model.hears(answer);
    const problem = await transcribe(gateway);
    expect([problem.status, problem.body.code]).toEqual([status, code]);
    expect(JSON.stringify(problem.body)).not.toContain("ears-key");
    expect(problem.body.detail).toMatch(/\. [A-Z]/); // what happened. what to do.
  }
  await gateway.configure({
    agent: { transcriptionModel: "ears/whisper-9" },
    providers: { ...mock(gateway), ears: { api: "openai-chat", baseUrl: "http://127.0.0.1:9/v1", apiKey: KEY } },
  });
  expect(await transcribe(gateway)).toMatchObject({ status: 502, body: { code: "provider.unreachable" } });
  await gateway.configure({ agent: { transcriptionModel: "openai/whisper-1" } }); // without a key
  expect(await transcribe(gateway)).toMatchObject({ status: 424, body: { code: "provider.auth" } });
});

test("POST /transcriptions: the next key is tried; a server without keys gets none; Google's API is spoken too", async (t) => {
  const gateway = await listening(t, { provider: { apiKey: "first-key-00000000", apiKeys: ["second-key-0000000"] } });
  gateway.model.hears({ status: 401, body: {} }, "with the second");
  expect((await transcribe(gateway)).body.text).toBe("with the second");
  expect(gateway.model.recordings.map(({ headers }) => headers["authorization"])).toEqual([
    "Bearer first-key-00000000",
    "Bearer second-key-0000000",
  ]);
  const { url } = gateway.model;
  await gateway.configure({
    agent: { transcriptionModel: "home/whisper" },
    providers: { ...mock(gateway), home: { api: "openai-chat", baseUrl: `${url}/v1` } },
  });
  await transcribe(gateway);
  expect(gateway.model.recordings.at(-1)?.headers).not.toHaveProperty("authorization");
  await gateway.configure({
    agent: { transcriptionModel: "google/gemini-3.5-transcribe" },
    providers: { ...mock(gateway), google: { baseUrl: `${url}/v1beta`, apiKey: "google-key-0000000" } },
  });
  gateway.model.hears("grüß dich");
  expect((await transcribe(gateway)).body.text).toBe("grüß dich");
  const last = gateway.model.recordings.at(-1);
  expect(last).toMatchObject({ path: "/v1beta/interactions", model: "gemini-3.5-transcribe", mediaType: "audio/wav" });
  expect(Buffer.from(last?.bytes ?? []).equals(WAV)).toBe(true);
  expect(last?.headers["x-goog-api-key"]).toBe("google-key-0000000");
});

test("POST /transcriptions: headers of the provider go with a recording too", async (t) => {
  const gateway = await listening(t, { provider: { headers: { "x-tenant": "ada" } } });
  await transcribe(gateway);
  expect(gateway.model.recordings[0]?.headers["x-tenant"]).toBe("ada");
});

test("PR26 as much is booked for a recording as its thriftiest codec may hold: half a minute finds no room for 900 tokens", async (t) => {
  const gateway = await listening(t, { config: { budgets: [{ scope: "day", tokens: 2900 }] } });
  const kinds = [
    ["RIFF....WAVE", 8000],
    ["fLaC", 4000],
    ["ID3", 1000],
    ["\0\0\0\u0020ftypM4A ", 1000],
    ["OggS", 750],
    ["\u001aE\u00df\u00a3", 750],
  ] as const;
  for (const [head, bytesPerSecond] of kinds) {
    const { status } = await transcribe(
      gateway,
      Buffer.alloc(30 * bytesPerSecond).fill(head, 0, head.length, "latin1"),
    );
    expect(status, head).toBe(402);
  }
  expect(gateway.model.recordings).toEqual([]);
});

test("PR26 a recording counts: what it costs is booked before, journaled after, and nothing is asked without room", async (t) => {
  const gateway = await listening(t, { config: { budgets: [{ scope: "day", tokens: 2900 }] } });
  gateway.model.hears({
    status: 200,
    body: { text: "one", usage: { type: "tokens", input_tokens: 900, output_tokens: 50 } },
  });
  expect((await transcribe(gateway)).status).toBe(200);
  const usage = await gateway.api("/usage?group=purpose");
  expect(JSON.stringify(usage.body)).toContain('"transcription"');
  const refused = await transcribe(gateway); // 950 are spent, and 2,000 and more are booked for each
  expect([refused.status, refused.body.code]).toEqual([402, "budget.exhausted"]);
  expect(gateway.model.recordings).toHaveLength(1);
  expect(gateway.app.agent.reservedTokens).toBe(0);
  const listed = await gateway.api("/sessions");
  expect(listed.body.items).toEqual([]); // it is no conversation
  const account = (await gateway.api("/sessions?source=voice")).body.items;
  expect(account).toMatchObject([{ key: expect.stringMatching(/^voice:token-/), usage: { input: 900, output: 50 } }]);
});

test("PR26 minutes and tokens are priced where the price is known; a token pays for its own recordings", async (t) => {
  const gateway = await startGateway(t, {
    config: (url) => ({
      agent: { transcriptionModel: "openai/whisper-1" },
      providers: {
        ...mock({ model: { url } }),
        openai: { baseUrl: `${url}/v1`, apiKey: KEY },
      },
    }),
  });
  const { id, token } = await gateway.gateway.auth.createToken({
    name: "app",
    scopes: ["chat"],
    budgetUsdPerDay: 0.01,
  });
  gateway.model.hears({ status: 200, body: { text: "two minutes", duration: 120 } });
  expect((await transcribe(gateway, WAV, { token })).status).toBe(200);
  const { items } = (await gateway.api("/sessions?source=voice")).body;
  expect(items).toMatchObject([{ key: `voice:${id}`, costUsd: 0.012 }]);
  const spent = await transcribe(gateway, WAV, { token });
  expect([spent.status, spent.body.code]).toEqual([402, "budget.exhausted"]);
  expect((await transcribe(gateway)).status).toBe(200); // somebody else
  expect(gateway.model.recordings).toHaveLength(2);
});

test("a recording that is not written down within agent.requestTimeoutSeconds fails with what to do", async () => {
  await using model = await startMockModel();
  const ears = { api: "openai-chat", baseUrl: `${model.url}/v1`, apiKey: KEY };
  const { config } = resolve({ providers: { ears } }, {}, { env: {}, readFile: () => undefined });
  const agent = { ...config.agent, transcriptionModel: "ears/whisper-9", requestTimeoutSeconds: 0.05 };
  const transcriber = transcriberFor({ config: { ...config, agent }, env: {}, clock: systemClock() });
  model.hears(() => new Promise(() => {})); // never answers
  const recording = { bytes: WAV, mediaType: "audio/wav" };
  await expect(transcriber?.transcribe(recording, new AbortController().signal)).rejects.toMatchObject({
    code: "provider.timeout",
    message: expect.stringContaining("raise agent.requestTimeoutSeconds"),
  });
});

test("transcribe/MAX_TEXT_CHARS: a million characters of what was said are kept", async () => {
  await using model = await startMockModel();
  const ears = { api: "openai-chat", baseUrl: `${model.url}/v1`, apiKey: KEY };
  const { config } = resolve({ providers: { ears } }, {}, { env: {}, readFile: () => undefined });
  const agent = { ...config.agent, transcriptionModel: "ears/whisper-9" };
  const transcriber = transcriberFor({ config: { ...config, agent }, env: {}, clock: systemClock() });
  const said = async (chars: number): Promise<number | undefined> => {
    model.hears("w".repeat(chars));
    const recording = { bytes: WAV, mediaType: "audio/wav" };
    return (await transcriber?.transcribe(recording, new AbortController().signal))?.text.length;
  };
  expect([await said(1_000_000), await said(1_000_001)]).toEqual([1_000_000, 1_000_000]);
});

test("POST /transcriptions: four at once; one whose client has left is not waited for", async (t) => {
  const gateway = await listening(t, { config: { gateway: { limits: { sendsPerMinute: 10_000 } } } });
  const reached = Array.from({ length: 4 }, () => Promise.withResolvers<void>());
  for (const { resolve } of reached)
    gateway.model.hears(() => {
      resolve();
      return new Promise(() => {}); // never answers
    });
  const leaving = new AbortController();
  const headers = { authorization: `Bearer ${gateway.token("chat")}` };
  const open = reached.map(() =>
    fetch(`${gateway.url}/api/v1/transcriptions`, {
      method: "POST",
      body: new Uint8Array(WAV),
      headers,
      signal: leaving.signal,
    }).catch((error: unknown) => error),
  );
  await Promise.all(reached.map(({ promise }) => promise));
  const fifth = await transcribe(gateway);
  expect([fifth.status, fifth.body.code]).toEqual([429, "rate.exceeded"]);
  leaving.abort();
  await Promise.all(open);
  await expect.poll(async () => (await transcribe(gateway)).status, { timeout: 15_000, interval: 100 }).toBe(200);
});

test("R183 the emergency stop ends a recording that is written down, and takes none", async (t) => {
  const gateway = await listening(t);
  const reached = Promise.withResolvers<void>();
  gateway.model.hears(() => {
    reached.resolve();
    return new Promise(() => {}); // never answers
  });
  const open = transcribe(gateway);
  await reached.promise;
  expect((await gateway.api("/estop", { method: "PUT", body: { on: true } })).status).toBe(200);
  expect(await open).toMatchObject({ status: 423, body: { code: "system.estopped" } });
  expect(await transcribe(gateway)).toMatchObject({ status: 423, body: { code: "system.estopped" } });
  expect(gateway.model.recordings).toHaveLength(1);
});

test("R141 a sound file that is attached to a message is not written down: the model is told what it is", async (t) => {
  const gateway = await listening(t);
  const headers = { "content-type": "audio/wav" };
  const { body } = await gateway.api("/uploads?name=memo.wav", { method: "POST", raw: WAV, headers });
  const parts = [{ type: "media", blob: body.blob, name: "memo.wav" }];
  expect((await gateway.api("/sessions", { method: "POST", body: { message: { parts } } })).status).toBe(201);
  await gateway.app.agent.idle();
  expect(gateway.model.requests[0]?.texts("user").at(-1)).toBe(
    `[attachment: memo.wav, audio/wav, ${WAV.length} bytes; this model cannot take it]`,
  );
  expect(gateway.model.recordings).toEqual([]);
});

const AUDIO = { type: "input_audio", input_audio: { data: WAV.toString("base64"), format: "wav" } } as const;

test("input_audio: what is said is the message of the token, in both APIs", async (t) => {
  const gateway = await listening(t);
  const client = new OpenAI({ apiKey: gateway.token("chat"), baseURL: `${gateway.url}/v1`, maxRetries: 0 });
  gateway.model.hears("Buy oat milk", "and rice");
  gateway.model.replies(says("Noted."), says("Noted too."));
  const first = [{ role: "user" as const, content: [{ type: "text" as const, text: "My list:" }, AUDIO] }];
  const answer = await client.chat.completions.create({ model: "margay", messages: first });
  expect(answer.choices[0]?.message.content).toBe("Noted.");
  expect(gateway.model.requests[0]?.texts("user").slice(-2)).toEqual(["My list:", "Buy oat milk"]);
  const listed = (await gateway.app.agent.sessions.list()).find(({ key }) => key.startsWith("api:"));
  const session = await gateway.app.agent.sessions.find(listed?.key ?? "");
  const message = session?.state.messages.find(({ role }) => role === "user");
  expect(message).toMatchObject({ integrity: "untrusted" }); // a token's word, spoken or typed, is not the operator's
  // The client sends its history again: it is known by its bytes, and not paid for twice.
  const { response } = await client.chat.completions
    .create({
      model: "margay",
      messages: [...first, { role: "assistant", content: "Noted." }, { role: "user", content: [AUDIO] }],
    })
    .withResponse();
  expect(response.headers.get("margay-history")).toBe("matched");
  expect(gateway.model.recordings).toHaveLength(2);
  expect(gateway.model.requests[1]?.texts("user").at(-1)).toBe("and rice");
  gateway.model.hears("from a response");
  const input = [{ role: "user", content: [AUDIO] }];
  const raw = await gateway.api("/!/v1/responses", { method: "POST", body: { model: "margay", input } });
  expect(raw.status).toBe(200);
  expect(gateway.model.requests[2]?.texts("user").at(-1)).toBe("from a response");
});

test("input_audio: two conversations that begin with a recording are not taken for one another", async (t) => {
  const gateway = await listening(t);
  const client = new OpenAI({ apiKey: gateway.token("chat"), baseURL: `${gateway.url}/v1`, maxRetries: 0 });
  gateway.model.hears("the first secret");
  await client.chat.completions.create({ model: "margay", messages: [{ role: "user", content: [AUDIO] }] });
  gateway.model.hears("another one");
  const other = { ...AUDIO, input_audio: { data: wav(3000).toString("base64"), format: "wav" } } as const;
  const { response } = await client.chat.completions
    .create({
      model: "margay",
      messages: [
        { role: "user", content: [other] },
        { role: "assistant", content: "ok" },
        { role: "user", content: "and now?" },
      ],
    })
    .withResponse();
  expect(response.headers.get("margay-history")).toBe("imported");
  expect(JSON.stringify(gateway.model.requests.at(-1)?.body)).not.toContain("the first secret");
  expect(JSON.stringify(gateway.model.requests.at(-1)?.body)).toContain("another one");
});

test("input_audio: 400 without a model for it, for what is no recording, and what the provider says", async (t) => {
  const gateway = await startGateway(t);
  const token = gateway.token("chat");
  const ask = async (part: object): Promise<readonly unknown[]> => {
    const messages = [{ role: "user", content: [part] }];
    const { status, body } = await gateway.api("/!/v1/chat/completions", {
      method: "POST",
      body: { model: "margay", messages },
      token,
    });
    return [status, body.error.code, body.error.param];
  };
  const param = "messages[0].content[0]";
  expect(await ask(AUDIO)).toEqual([400, "unsupported_content", param]);
  const { url } = gateway.model;
  await gateway.configure({
    agent: { transcriptionModel: "ears/whisper-9" },
    providers: { ...mock(gateway), ears: { api: "openai-chat", baseUrl: `${url}/v1`, apiKey: KEY } },
  });
  const of = (data: unknown): object => ({ type: "input_audio", input_audio: { data, format: "wav" } });
  expect(await ask(of("not base64!"))).toEqual([400, "invalid_data_url", param]);
  expect(await ask(of(7))).toEqual([400, "unsupported_content", param]);
  expect(await ask(of(Buffer.from("just text").toString("base64")))).toEqual([400, "unsupported_content", param]);
  expect(await ask(AUDIO)).toEqual([400, "empty_message", "messages"]); // silence
  gateway.model.hears({ status: 429, body: { error: { code: "insufficient_quota" } } }, { status: 401, body: {} });
  expect(await ask(AUDIO)).toEqual([429, "insufficient_quota", null]);
  expect(await ask(AUDIO)).toEqual([502, "provider.auth", null]);
  expect(gateway.model.requests).toEqual([]);
});

function wav(samples: number): Buffer {
  const data = Buffer.from(Array.from({ length: samples }, (_, at) => [0, 255, 13, 10, 45, 45][at % 6] ?? 0));
  const head = Buffer.alloc(44);
  head.write("RIFF", 0, "latin1");
  head.writeUInt32LE(36 + samples, 4);
  head.write("WAVEfmt ", 8, "latin1");
  head.writeUInt32LE(16, 16);
  head.writeUInt16LE(1, 20); // PCM
  head.writeUInt16LE(1, 22); // mono
  head.writeUInt32LE(8000, 24);
  head.writeUInt32LE(8000, 28);
  head.writeUInt16LE(1, 32);
  head.writeUInt16LE(8, 34);
  head.write("data", 36, "latin1");
  head.writeUInt32LE(samples, 40);
  return Buffer.concat([head, data]);
}
