// /v1/chat/completions with the official client against a real gateway.
import { once } from "node:events";
import { createServer, type AddressInfo } from "node:net";
import OpenAI from "openai";
import { callsTool, fails, says } from "@margay/core/testing";
import { lengthStop, refuses, stalls } from "@margay/core/internal/testing";
import { expect, onTestFinished, test } from "vitest";
import { freePort } from "../free-port.ts";
import { startGateway, type GatewayPlaceOptions, type TestGateway } from "./support.ts";

const owner = { onTestFinished };

async function place(
  options: GatewayPlaceOptions = {},
): Promise<{ gateway: TestGateway; client: OpenAI; token: string }> {
  const gateway = await startGateway(owner, options);
  const token = gateway.token("chat");
  return { gateway, token, client: new OpenAI({ apiKey: token, baseURL: `${gateway.url}/v1`, maxRetries: 2 }) };
}

const ask = (content: string): { role: "user"; content: string } => ({ role: "user", content });

test("models: margay and each configured model; another id is model_not_found", async () => {
  const { client } = await place();
  const ids = [];
  for await (const { id } of client.models.list()) ids.push(id);
  expect(ids).toEqual(["margay", "margay/mock/mock-model"]);
  expect(await client.models.retrieve("margay/mock/mock-model")).toMatchObject({ object: "model", owned_by: "margay" });
  const error = await client.models.retrieve("gpt-4o").catch((reason: unknown) => reason);
  expect(error).toBeInstanceOf(OpenAI.NotFoundError);
  expect(error).toMatchObject({ code: "model_not_found", type: "not_found_error", param: "model" });
});

test("a completion: text, real usage, headers; the model saw the whole agent", async () => {
  const { gateway, client } = await place();
  gateway.model.replies(says("Hello Ada.", { usage: { input: 120, output: 7, cacheRead: 20 } }));
  const { data, response } = await client.chat.completions
    .create({ model: "margay", messages: [ask("hi")], seed: 7, top_p: 0.5 })
    .withResponse();
  expect(data).toMatchObject({
    object: "chat.completion",
    model: "margay",
    choices: [
      { index: 0, message: { role: "assistant", content: "Hello Ada.", refusal: null }, finish_reason: "stop" },
    ],
    usage: { completion_tokens: 7, prompt_tokens_details: { cached_tokens: 20 } },
  });
  expect(response.headers.get("margay-session")).toMatch(/^auto-/);
  expect(response.headers.get("margay-turn")).toMatch(/^turn-/);
  expect(response.headers.get("x-request-id")).toMatch(/^request-/);
  expect(response.headers.get("margay-ignored")).toBe("seed, top_p");
  const [request] = gateway.model.requests;
  expect(request?.texts("system")[0]).toContain("margay");
  expect(JSON.stringify(request?.body["tools"])).toContain("read_file");
});

test("a stream concatenates to the answer, with role, finish and usage chunks", async () => {
  const { gateway, client } = await place();
  gateway.model.replies(
    callsTool("list_dir", { path: "." }, { text: "Looking." }),
    says("There is nothing here.", { chunks: 4 }),
  );
  const stream = await client.chat.completions.create({
    model: "margay",
    messages: [ask("look")],
    stream: true,
    stream_options: { include_usage: true },
  });
  const chunks = [];
  for await (const chunk of stream) chunks.push(chunk);
  expect(chunks[0]?.choices[0]?.delta).toEqual({ role: "assistant", content: "" });
  expect(chunks.map((chunk) => chunk.choices[0]?.delta.content ?? "").join("")).toBe(
    "Looking.\n\nThere is nothing here.",
  );
  expect(chunks.at(-2)?.choices[0]?.finish_reason).toBe("stop");
  expect(chunks.at(-1)).toMatchObject({ choices: [], usage: { total_tokens: expect.any(Number) } });
});

test("the stream helper of the client assembles the same completion", async () => {
  const { gateway, client } = await place();
  gateway.model.replies(says("one two three", { chunks: 3 }));
  const runner = client.chat.completions.stream({ model: "margay", messages: [ask("count")] });
  const deltas: string[] = [];
  runner.on("content", (delta) => deltas.push(delta));
  const whole = await runner.finalChatCompletion();
  expect(whole.choices[0]?.message.content).toBe("one two three");
  expect(deltas.join("")).toBe("one two three");
});

test("a history that was seen continues its session, another one is imported", async () => {
  const { gateway, client } = await place();
  gateway.model.replies(says("I am fine."), says("Still fine."), says("Who are you?"));
  const first = await client.chat.completions
    .create({ model: "margay", messages: [ask("how are you")] })
    .withResponse();
  const history = [ask("how are you"), { role: "assistant" as const, content: "I am fine." }];
  const second = await client.chat.completions
    .create({ model: "margay", messages: [...history, ask("and now?")] })
    .withResponse();
  expect(second.response.headers.get("margay-history")).toBe("matched");
  expect(second.response.headers.get("margay-session")).toBe(first.response.headers.get("margay-session"));
  const third = await client.chat.completions
    .create({ model: "margay", messages: [ask("other"), { role: "assistant", content: "Other." }, ask("and?")] })
    .withResponse();
  expect(third.response.headers.get("margay-history")).toBe("imported");
  expect(third.response.headers.get("margay-session")).not.toBe(first.response.headers.get("margay-session"));
  expect(gateway.model.requests[2]?.texts("user")).toEqual(
    expect.arrayContaining([expect.stringContaining("other"), expect.stringContaining("and?")]),
  );
  expect(gateway.model.requests[2]?.texts("assistant")).toEqual(["Other."]);
});

test("a named session keeps the transcript of the server", async () => {
  const { gateway, client, token } = await place();
  gateway.model.replies(says("Noted."), says("Lisbon."), says("Porto."));
  const headers = { "Margay-Session": "travel" };
  await client.chat.completions.create({ model: "margay", messages: [ask("I live in Lisbon")] }, { headers });
  const second = await client.chat.completions
    .create({ model: "margay", messages: [ask("where?")] }, { headers })
    .withResponse();
  expect(second.data.choices[0]?.message.content).toBe("Lisbon.");
  expect(gateway.model.requests[1]?.texts("user").join("\n")).toContain("I live in Lisbon");
  const third = await client.chat.completions
    .create(
      { model: "margay", messages: [ask("invented"), { role: "assistant", content: "never said" }, ask("and?")] },
      { headers },
    )
    .withResponse();
  expect(third.response.headers.get("margay-history")).toBe("ignored");
  expect(JSON.stringify(gateway.model.requests[2]?.body)).not.toContain("never said");
  const sessions = await gateway.app.agent.sessions.list();
  expect(sessions.map(({ key }) => key)).toEqual([expect.stringMatching(/^api:[a-z0-9-]+:travel$/)]);
  expect(token).not.toContain("travel");
});

test("a session name of another shape is refused, and so is a session of somebody else", async () => {
  const { gateway, client } = await place();
  for (const name of ["cli:direct", "../x", "a b", "x".repeat(65)]) {
    const error = await client.chat.completions
      .create({ model: "margay", messages: [ask("hi")] }, { headers: { "Margay-Session": name } })
      .catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(OpenAI.BadRequestError);
    expect(error).toMatchObject({ code: "invalid_session" });
  }
  expect(await gateway.app.agent.sessions.list()).toEqual([]);
});

test("instructions are a notice behind our own prompt, once", async () => {
  const { gateway, client } = await place();
  gateway.model.replies(says("Ahoy."), says("Aye."));
  const system = { role: "system" as const, content: "Talk like a pirate." };
  await client.chat.completions.create({ model: "margay", messages: [system, ask("hello")] });
  await client.chat.completions.create({
    model: "margay",
    messages: [system, ask("hello"), { role: "assistant", content: "Ahoy." }, ask("again")],
  });
  const [first, second] = gateway.model.requests;
  expect(first?.texts("system")[0]).not.toContain("pirate");
  expect(JSON.stringify(second?.body).split("pirate")).toHaveLength(2);
});

test("UI14 what cannot be done is refused by name", async () => {
  const { client } = await place();
  const refused = async (body: object): Promise<unknown> =>
    client.chat.completions
      .create({ model: "margay", messages: [ask("hi")], ...body } as never)
      .catch((reason: unknown) => reason);
  for (const [body, param] of [
    [{ n: 2 }, "n"],
    [{ logprobs: true }, "logprobs"],
    [{ response_format: { type: "json_object" } }, "response_format"],
    [{ functions: [{ name: "x" }] }, "functions"],
    [{ modalities: ["audio"], audio: { voice: "x" } }, "audio"],
  ] as const) {
    const error = await refused(body);
    expect(error).toBeInstanceOf(OpenAI.BadRequestError);
    expect(error).toMatchObject({ code: "unsupported_parameter", param, type: "invalid_request_error" });
  }
  expect(await refused({ model: "gpt-4o" })).toMatchObject({ status: 404, code: "model_not_found" });
  expect(await refused({ messages: [] })).toMatchObject({
    status: 400,
    type: "invalid_request_error",
    param: "messages",
  });
  expect(await refused({ messages: [{ role: "assistant", content: "hi" }] })).toMatchObject({ status: 400 });
  expect(await refused({ messages: [ask("/restart")] })).toMatchObject({ status: 400, code: "command_not_allowed" });
});

test("stop sequences cut the answer in both forms, across deltas", async () => {
  const { gateway, client } = await place();
  const reply = says("alpha END omega", { chunks: ["alpha E", "ND om", "ega"] });
  gateway.model.replies(reply, reply);
  const request = { model: "margay", messages: [ask("go")], stop: ["END"] };
  const whole = await client.chat.completions.create(request);
  expect(whole.choices[0]).toMatchObject({ message: { content: "alpha " }, finish_reason: "stop" });
  let text = "";
  for await (const chunk of await client.chat.completions.create({ ...request, stream: true }))
    text += chunk.choices[0]?.delta.content ?? "";
  expect(text).toBe("alpha ");
});

test("max_tokens, temperature and effort reach the model; a token limit is finish_reason length", async () => {
  const { gateway, client } = await place();
  gateway.model.replies(lengthStop("cut h"));
  const whole = await client.chat.completions.create({
    model: "margay",
    messages: [ask("long")],
    max_completion_tokens: 12,
    temperature: 0.3,
  });
  expect(whole.choices[0]).toMatchObject({ message: { content: "cut h" }, finish_reason: "length" });
  expect(gateway.model.requests).toHaveLength(1);
  expect(gateway.model.requests[0]?.body).toMatchObject({ temperature: 0.3 });
  expect(JSON.stringify(gateway.model.requests[0]?.body)).toMatch(/"max_(completion_)?tokens":12\b/);
});

test("a refusal of the provider is content_filter", async () => {
  const { gateway, client } = await place();
  gateway.model.replies(refuses("I cannot do that."));
  const whole = await client.chat.completions.create({ model: "margay", messages: [ask("bad")] });
  expect(whole.choices[0]).toMatchObject({
    message: { content: "I cannot do that." },
    finish_reason: "content_filter",
  });
});

test("errors of the model are typed errors of the client, once", async () => {
  const { gateway, client } = await place({ config: { agent: { requestAttempts: 1 } } });
  for (const stream of [false, true]) {
    const before = gateway.model.requests.length;
    gateway.model.replies(fails(401));
    const error = await client.chat.completions
      .create({ model: "margay", messages: [ask("hi")], stream })
      .catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(OpenAI.InternalServerError);
    expect(error).toMatchObject({ status: 502, type: "server_error", code: "provider.auth" });
    expect(gateway.model.requests.length - before).toBe(1);
  }
});

test("without a token, with a wrong one, with a wrong scope: typed errors", async () => {
  const { gateway } = await place();
  const as = (apiKey: string): OpenAI => new OpenAI({ apiKey, baseURL: `${gateway.url}/v1`, maxRetries: 0 });
  const attempt = (client: OpenAI): Promise<unknown> => client.models.list().catch((reason: unknown) => reason);
  expect(await attempt(as("wrong"))).toMatchObject({
    status: 401,
    code: "invalid_api_key",
    type: "authentication_error",
  });
  expect(await attempt(as(gateway.token("read")))).toMatchObject({ status: 403, type: "permission_error" });
  const answer = await gateway.api("/!/v1/embeddings", { method: "POST", body: {} });
  expect(answer.status).toBe(404);
  expect(answer.body).toEqual({ error: expect.objectContaining({ type: "not_found_error" }) });
});

test("a client that leaves stops the turn of an unnamed session, not of a named one", async () => {
  const { gateway, client } = await place();
  for (const named of [false, true]) {
    const stall = stalls({ after: "Working on", rest: says(" it, done.") });
    gateway.model.replies(stall);
    const controller = new AbortController();
    const stream = await client.chat.completions.create(
      { model: "margay", messages: [ask("work")], stream: true },
      { signal: controller.signal, ...(named && { headers: { "Margay-Session": "job" } }) },
    );
    for await (const chunk of stream) if (chunk.choices[0]?.delta.content === "Working ") break;
    controller.abort();
    if (named) stall.release();
    const [{ key } = { key: "" }] = (await gateway.app.agent.sessions.list()).filter(
      (each) => each.key.endsWith(":job") === named,
    );
    const session = await gateway.app.agent.sessions.find(key);
    const ended = async (): Promise<unknown> => {
      for await (const { records } of session?.history() ?? [])
        for (const record of records) if (record.type === "turn.ended") return record;
      return undefined;
    };
    await expect
      .poll(ended)
      .toMatchObject(named ? { reason: "done", text: "Working on it, done." } : { reason: "cancelled" });
    stall.release();
  }
});

test("two requests for one session are answered in order", async () => {
  const { gateway, client } = await place();
  const stall = stalls({ rest: says("first") });
  gateway.model.replies(stall, says("second"));
  const headers = { "Margay-Session": "line" };
  const one = client.chat.completions.create({ model: "margay", messages: [ask("one")] }, { headers });
  await gateway.model.received(1);
  const two = client.chat.completions.create({ model: "margay", messages: [ask("two")] }, { headers });
  const status = await client.chat.completions.create({ model: "margay", messages: [ask("/status")] }, { headers });
  expect(status.choices[0]?.message.content).toContain("mock/mock-model");
  expect(gateway.model.requests).toHaveLength(1);
  stall.release();
  expect((await one).choices[0]?.message.content).toBe("first");
  expect((await two).choices[0]?.message.content).toBe("second");
});

test("what needs an approval is denied at once, with the reason for the model", async () => {
  const { gateway, client } = await place();
  gateway.model.replies(callsTool("exec", { command: "echo hi" }), says("Not allowed."));
  const whole = await client.chat.completions.create({ model: "margay", messages: [ask("run it")] });
  expect(whole.choices[0]?.message.content).toBe("Not allowed.");
  expect(JSON.stringify(gateway.model.requests[1]?.body)).toContain("nobody is there to approve it");
});

test("with Margay-Approvals: wait the operator answers elsewhere", async () => {
  const { gateway, client } = await place();
  gateway.model.replies(callsTool("exec", { command: "echo hi" }), says("Ran."));
  const answer = client.chat.completions.create(
    { model: "margay", messages: [ask("run it")] },
    { headers: { "Margay-Approvals": "wait" } },
  );
  await expect.poll(() => gateway.app.agent.approvals()).toHaveLength(1);
  const [approval] = await gateway.app.agent.approvals();
  await gateway.app.agent.control(
    approval?.sessionKey ?? "",
    { type: "allow", call: approval?.call as never },
    { id: "user", kind: "person" },
  );
  expect((await answer).choices[0]?.message.content).toBe("Ran.");
});

test("WB3 pictures: a data URL reaches the model; what is no picture, and an address inside of this machine, is refused and never asked", async () => {
  const silent = `127.0.0.1:${await freePort()}`; // may be asked, and nobody is there
  let asked = 0;
  const inside = createServer((socket) => {
    asked += 1;
    socket.destroy();
  });
  inside.listen(0, "127.0.0.1");
  await once(inside, "listening");
  onTestFinished(() => void inside.close());
  const { port } = inside.address() as AddressInfo; // it listens on a port
  const { gateway, client } = await place({ config: { tools: { webFetch: { allowHosts: [silent] } } } });
  const png = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
  const message = (url: string): { role: "user"; content: OpenAI.ChatCompletionContentPart[] } => ({
    role: "user",
    content: [
      { type: "text", text: "what is this" },
      { type: "image_url", image_url: { url } },
    ],
  });
  gateway.model.replies(says("A pixel."));
  await client.chat.completions.create({ model: "margay", messages: [message(`data:image/png;base64,${png}`)] });
  expect(JSON.stringify(gateway.model.requests[0]?.body)).toContain(png);
  for (const url of [
    "data:image/png;base64,aGVsbG8=",
    "http://example.com/x.png",
    `https://127.0.0.1:${port}/x.png`,
    `https://localhost:${port}/x.png`,
    `https://${silent}/x.png`,
    "file:///etc/passwd",
  ]) {
    const error = await client.chat.completions
      .create({ model: "margay", messages: [message(url)] })
      .catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(OpenAI.BadRequestError);
    expect(error).toMatchObject({ param: "messages[0].content[1]" });
  }
  expect(gateway.model.requests).toHaveLength(1);
  expect(asked).toBe(0);
});

test("a model without eyes refuses a picture instead of dropping it", async () => {
  const { gateway, client } = await place();
  await gateway.configure({
    model: "deepseek/deepseek-flash",
    providers: { deepseek: { api: "openai-chat", baseUrl: `${gateway.model.url}/v1`, apiKey: "test-key-for-mock" } },
  });
  const error = await client.chat.completions
    .create({
      model: "margay",
      messages: [
        { role: "user", content: [{ type: "image_url", image_url: { url: "data:image/png;base64,aGVsbG8=" } }] },
      ],
    })
    .catch((reason: unknown) => reason);
  expect(error).toMatchObject({ status: 400, code: "unsupported_content", param: "messages[0].content[0]" });
  expect(gateway.model.requests).toHaveLength(0);
});

test("instructions are text, and whoever sends another thing is told just that", async () => {
  const { gateway, client, token } = await place();
  const picture = { type: "image_url", image_url: { url: "data:image/png;base64,aGVsbG8=" } };
  const body = { model: "margay", messages: [{ role: "system", content: [picture] }, ask("hi")] };
  const answer = await gateway.api("/!/v1/chat/completions", { method: "POST", token, body });
  expect([answer.status, answer.body.error]).toEqual([
    400,
    {
      message: "Instructions are text only.",
      type: "invalid_request_error",
      param: "messages[0].content",
      code: "unsupported_content",
    },
  ]);
  const error = await client.responses
    .create({ model: "margay", input: [{ role: "developer", content: [{ type: "input_image", detail: "auto" }] }] })
    .catch((reason: unknown) => reason);
  expect(error).toMatchObject({ status: 400, code: "unsupported_content" });
  expect(gateway.model.requests).toHaveLength(0);
});

test("errors of the server itself have the shape that clients read", async () => {
  const { gateway, token } = await place({ config: { gateway: { limits: { apiBodyBytes: 2000 } } } });
  const path = "/!/v1/chat/completions";
  const json = { "content-type": "application/json" };
  const shape = (type: string): object => ({
    error: { message: expect.any(String), type, param: null, code: expect.any(String) },
  });
  const send = (init: object): ReturnType<TestGateway["api"]> => gateway.api(path, { method: "POST", token, ...init });
  for (const [answer, status, type] of [
    [await send({ raw: "{", headers: json }), 400, "invalid_request_error"],
    [await send({ raw: "{}", headers: { "content-type": "text/plain" } }), 415, "invalid_request_error"],
    [await send({ raw: JSON.stringify({ x: "y".repeat(3000) }), headers: json }), 413, "invalid_request_error"],
    [await gateway.api(path, { token }), 405, "invalid_request_error"],
    [await gateway.api("/!/v1/completions", { method: "POST", token, body: {} }), 404, "not_found_error"],
  ] as const) {
    expect(answer.status).toBe(status);
    expect(answer.headers.get("content-type")).toBe("application/json");
    expect(answer.headers.get("x-request-id")).toMatch(/^request-/);
    expect(answer.body).toEqual(shape(type));
  }
});

test("a browser's cookie opens no door here", async () => {
  const { gateway } = await place();
  const { cookie, key } = await gateway.gateway.auth.openBrowser({ address: "127.0.0.1", userAgent: "test" });
  const answer = await gateway.api("/!/v1/models", {
    token: null,
    headers: { cookie: `margay_${gateway.port}=${cookie}`, "margay-key": key },
  });
  expect(answer.status).toBe(401);
  expect(answer.body.error).toMatchObject({ type: "authentication_error" });
});
