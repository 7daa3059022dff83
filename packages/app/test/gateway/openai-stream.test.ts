// Streams of /v1 when something goes otherwise, and what a stream may show besides.
import OpenAI from "openai";
import { fakeClock, callsTool, says } from "@margay/core/testing";
import { cutsAfter, stalls, thinks } from "@margay/core/internal/testing";
import { expect, onTestFinished, test } from "vitest";
import { createRedactedText } from "../../src/features/openai-api/reply/redacted-text.ts";
import { createStopText } from "../../src/features/openai-api/reply/stop-text.ts";
import { sseBody } from "../../src/host/live/sse-body.ts";
import { MOCK_KEY, startGateway, type GatewayPlaceOptions, type TestGateway } from "./support.ts";

const owner = { onTestFinished };

async function place(options: GatewayPlaceOptions = {}): Promise<{ gateway: TestGateway; client: OpenAI }> {
  const gateway = await startGateway(owner, options);
  return {
    gateway,
    client: new OpenAI({ apiKey: gateway.token("chat"), baseURL: `${gateway.url}/v1`, maxRetries: 0 }),
  };
}

const ask = (content: string): { role: "user"; content: string } => ({ role: "user", content });

/** All text of a stream, and how it failed. */
async function read(
  stream: AsyncIterable<OpenAI.ChatCompletionChunk>,
): Promise<{ text: string; error: unknown; finish: unknown }> {
  let text = "";
  let finish: unknown;
  try {
    for await (const { choices } of stream) {
      text += choices[0]?.delta.content ?? "";
      finish = choices[0]?.finish_reason ?? finish;
    }
    return { text, finish, error: undefined };
  } catch (error) {
    return { text, finish, error };
  }
}

test("UI14 an answer that breaks off is an error of the client, without [DONE]", async () => {
  const { gateway, client } = await place();
  gateway.model.replies(cutsAfter("Half an ans"));
  const { text, error } = await read(
    await client.chat.completions.create({ model: "margay", messages: [ask("q")], stream: true }),
  );
  expect(text).toBe("Half an ans");
  expect(error).toBeInstanceOf(OpenAI.APIError);
  expect(error).toMatchObject({ code: "provider.truncated", type: "server_error" });
  gateway.model.replies(cutsAfter("Half an ans"));
  const events: string[] = [];
  for await (const event of await client.responses.create({ model: "margay", input: "q", stream: true }))
    events.push(event.type);
  expect(events.at(-1)).toBe("response.failed");
});

test("an answer that begins again ends the stream; the same request gets the rest of that turn", async () => {
  const { gateway, client } = await place({ config: { agent: { idleTimeoutSeconds: 1 } } });
  const stall = stalls({ after: "Hello the" });
  gateway.model.replies(stall, says("Hello again."));
  const request = { model: "margay", messages: [ask("greet")] };
  const { text, error } = await read(await client.chat.completions.create({ ...request, stream: true }));
  stall.release();
  expect(text).toBe("Hello ");
  expect(error).toMatchObject({ code: "stream.restarted" });
  const whole = await client.chat.completions.create(request);
  expect(whole.choices[0]?.message.content).toBe("Hello again.");
  expect(gateway.model.requests).toHaveLength(2);
  expect(await gateway.app.agent.sessions.list()).toHaveLength(1); // of that turn: nothing began anew
});

test("Margay-Events shows the tools, api.reasoning the thoughts", async () => {
  const { gateway, client } = await place({ config: { gateway: { api: { reasoning: true } } } });
  gateway.model.replies(callsTool("list_dir", { path: "." }), says("Empty."));
  const stream = await client.chat.completions.create(
    { model: "margay", messages: [ask("look")], stream: true },
    { headers: { "Margay-Events": "1" } },
  );
  const tools: unknown[] = [];
  for await (const chunk of stream) if ("margay" in chunk) tools.push(chunk.margay);
  expect(tools).toEqual([
    expect.objectContaining({ name: "list_dir", status: "started" }),
    expect.objectContaining({ name: "list_dir", status: "ok" }),
  ]);
  gateway.model.replies(thinks("Let me think.", says("Done.")));
  const whole = await client.chat.completions.create({ model: "margay", messages: [ask("think")] });
  expect(whole.choices[0]?.message).toMatchObject({ content: "Done.", reasoning_content: "Let me think." });
});

test("api.text final gives the last round alone, in both forms", async () => {
  const { gateway, client } = await place({ config: { gateway: { api: { text: "final" } } } });
  const script = [callsTool("list_dir", { path: "." }, { text: "Looking." }), says("Empty.")];
  gateway.model.replies(...script, ...script);
  const request = { model: "margay", messages: [ask("look")] };
  expect((await client.chat.completions.create(request)).choices[0]?.message.content).toBe("Empty.");
  expect((await read(await client.chat.completions.create({ ...request, stream: true }))).text).toBe("Empty.");
});

test("our limit of calls is finish_reason length, with the notice", async () => {
  const { gateway, client } = await place({ config: { agent: { maxIterations: 2 } } });
  const script = [
    callsTool("list_dir", { path: "." }, { text: "One." }),
    callsTool("list_dir", { path: "." }, { text: "Two." }),
  ];
  gateway.model.replies(...script, ...script);
  const request = { model: "margay", messages: [ask("look")] };
  const whole = await client.chat.completions.create(request);
  expect(whole.choices[0]?.finish_reason).toBe("length");
  expect(whole.choices[0]?.message.content).toBe("One.\n\nTwo.\n\n[reached the maximum of 2 tool calls]");
  const streamed = await read(await client.chat.completions.create({ ...request, stream: true }));
  expect(streamed).toMatchObject({ text: whole.choices[0]?.message.content, finish: "length" });
});

test("a budget that is used up is insufficient_quota", async () => {
  const { gateway, client } = await place({ config: { budgets: [{ scope: "day", tokens: 1 }] } });
  gateway.model.replies(says("one"));
  const error = await client.chat.completions
    .create({ model: "margay", messages: [ask("q")] })
    .catch((reason: unknown) => reason);
  expect(error).toBeInstanceOf(OpenAI.RateLimitError);
  expect(error).toMatchObject({ code: "insufficient_quota", type: "insufficient_quota" });
});

test("a secret never leaves, whatever pieces it comes in; Chinese text waits for nothing", async () => {
  const { gateway, client } = await place();
  const secret = MOCK_KEY; // of the provider, in the configuration
  const reply = says(`The key is ${secret}, 保密`, { chunks: 9 });
  gateway.model.replies(reply, reply, reply);
  const request = { model: "margay", messages: [ask("tell")] };
  const whole = await client.chat.completions.create(request);
  expect(whole.choices[0]?.message.content).toBe("The key is [redacted], 保密");
  expect((await read(await client.chat.completions.create({ ...request, stream: true }))).text).toBe(
    "The key is [redacted], 保密",
  );
  expect((await client.responses.create({ model: "margay", input: "tell" })).output_text).toBe(
    "The key is [redacted], 保密",
  );
  const text = createRedactedText((each) => each);
  expect(["你好，", "世", "界 ab", "c d"].map((piece) => text.push(piece))).toEqual(["你好，", "世", "界 ", "abc "]);
  expect(text.end()).toBe("d");
});

test("silence is broken by comment lines", async () => {
  const clock = fakeClock();
  const gate = Promise.withResolvers<void>();
  const reader = sseBody(
    (async function* () {
      yield "data: 1\n\n";
      await gate.promise;
      yield "data: 2\n\n";
    })(),
    { clock, over: new AbortController().signal, farewell: () => "" },
  ).getReader();
  const next = async (): Promise<string> => new TextDecoder().decode((await reader.read()).value);
  expect(await next()).toBe("data: 1\n\n");
  const silent = next();
  await clock.waitForSleep(15_000, 15_000);
  await clock.advance(15_000);
  expect(await silent).toMatch(/^: /);
  gate.resolve();
  expect(await next()).toBe("data: 2\n\n");
});

test("stop sequences give the same text whatever the pieces are", () => {
  const whole = "abcabdabcd--tail";
  const cut = (pieces: readonly string[]): string => {
    const text = createStopText(["abcd", "bd-"]);
    return pieces.map((piece) => text.push(piece)).join("") + text.end();
  };
  const expected = cut([whole]);
  expect(expected).toBe("abcabd");
  for (let size = 1; size < whole.length; size++) {
    const pieces = Array.from({ length: Math.ceil(whole.length / size) }, (_, at) =>
      whole.slice(at * size, (at + 1) * size),
    );
    expect(cut(pieces)).toBe(expected);
  }
});

test("a file of text is read, another one refused", async () => {
  const { gateway, client } = await place();
  gateway.model.replies(says("It says hello."));
  const file = (data: Buffer): OpenAI.ChatCompletionContentPart => ({
    type: "file",
    file: { filename: "note.txt", file_data: `data:text/plain;base64,${data.toString("base64")}` },
  });
  const create = (data: Buffer): Promise<unknown> =>
    client.chat.completions
      .create({ model: "margay", messages: [{ role: "user", content: [{ type: "text", text: "read" }, file(data)] }] })
      .catch((reason: unknown) => reason);
  await create(Buffer.from("hello file"));
  expect(gateway.model.requests[0]?.texts("user").join("\n")).toContain("[file: note.txt]\nhello file");
  expect(await create(Buffer.from([0xff, 0xfe, 0x00, 0x80]))).toMatchObject({
    status: 400,
    code: "unsupported_content",
  });
});

test("a client that leaves before the whole answer stops the turn of an unnamed session", async () => {
  const { gateway, client } = await place();
  const stall = stalls({ after: "Working on" });
  gateway.model.replies(stall);
  const controller = new AbortController();
  const answer = client.chat.completions.create(
    { model: "margay", messages: [ask("work")] },
    { signal: controller.signal },
  );
  await gateway.model.received(1);
  const [{ key } = { key: "" }] = await gateway.app.agent.sessions.list();
  const session = await gateway.app.agent.sessions.find(key);
  controller.abort();
  expect(await answer.catch((reason: unknown) => reason)).toBeInstanceOf(OpenAI.APIUserAbortError);
  await expect.poll(() => session?.state.turn).toBeUndefined();
  stall.release();
});

test("a stream of a gateway that stops ends with an error", async () => {
  const { gateway, client } = await place();
  const stall = stalls({ after: "Working on" });
  gateway.model.replies(stall);
  const stream = await client.chat.completions.create({ model: "margay", messages: [ask("work")], stream: true });
  const reading = read(stream);
  await expect.poll(() => gateway.model.requests.length).toBe(1);
  await gateway.stop();
  expect((await reading).error).toMatchObject({ code: "state.closing" });
});

test("LP21 an answer that is not done when a gateway has waited for it is refused, not cut off", async () => {
  // The least there is: by default fifteen seconds would be waited for.
  const { gateway, client } = await place({ config: { gateway: { shutdownMs: 1000 } } });
  gateway.model.replies(stalls({ after: "Working on" }));
  const answer = client.chat.completions
    .create({ model: "margay", messages: [ask("work")] })
    .catch((reason: unknown) => reason);
  await gateway.model.received(1);
  await gateway.stop();
  expect(await answer).toMatchObject({ status: 503, code: "state.closing" });
});

test("a request that waits for its session is refused when the emergency stop comes meanwhile", async () => {
  const { gateway, client } = await place();
  gateway.model.replies(stalls());
  const headers = { "margay-session": "one" };
  const send = (text: string): Promise<unknown> =>
    client.chat.completions
      .create({ model: "margay", messages: [ask(text)] }, { headers })
      .catch((reason: unknown) => reason);
  const first = send("one");
  await gateway.model.received(1);
  const second = send("two");
  await gateway.api("/sessions"); // the second one has come as well
  await gateway.api("/estop", { method: "PUT", body: { on: true } });
  expect(await first).toMatchObject({ object: "chat.completion" });
  expect(await second).toMatchObject({ status: 503, code: "system.estopped" });
});

test("a token that is revoked ends its streams with an error", async () => {
  const { gateway } = await place();
  const { id, token } = await gateway.gateway.auth.createToken({ name: "short", scopes: ["chat"] });
  const client = new OpenAI({ apiKey: token, baseURL: `${gateway.url}/v1`, maxRetries: 0 });
  const stall = stalls({ after: "Working on" });
  gateway.model.replies(stall);
  const stream = await client.chat.completions.create({ model: "margay", messages: [ask("work")], stream: true });
  const reading = read(stream);
  await gateway.gateway.auth.revokeToken(id);
  expect((await reading).error).toMatchObject({ code: "invalid_api_key" });
  stall.release();
});

test("a PDF goes to a model that can read it, and is refused for another", async () => {
  const { gateway, client } = await place();
  const data = Buffer.from("%PDF-1.7 pages").toString("base64");
  const create = (): Promise<unknown> =>
    client.chat.completions
      .create({
        model: "margay",
        messages: [{ role: "user", content: [{ type: "file", file: { filename: "a.pdf", file_data: data } }] }],
      })
      .catch((reason: unknown) => reason);
  expect(await create()).toMatchObject({ status: 400, code: "unsupported_content" });
  await gateway.configure({
    providers: { mock: { api: "anthropic", baseUrl: `${gateway.model.url}/v1`, apiKey: "test-key-for-mock" } },
  });
  gateway.model.replies(says("Pages."));
  await create();
  expect(JSON.stringify(gateway.model.requests[0]?.body)).toContain(data);
});
