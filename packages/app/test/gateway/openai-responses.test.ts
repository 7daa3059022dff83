// /v1/responses with the official client against a real gateway.
import OpenAI from "openai";
import type { JsonObject } from "@margay/core";
import { callsTool, fails, says } from "@margay/core/testing";
import { lengthStop, refuses, stalls } from "@margay/core/internal/testing";
import { expect, onTestFinished, test } from "vitest";
import { startGateway, type TestGateway } from "./support.ts";

const owner = { onTestFinished };

async function place(
  config: JsonObject = { agent: { requestAttempts: 1 } },
): Promise<{ gateway: TestGateway; client: OpenAI }> {
  const gateway = await startGateway(owner, { config });
  return {
    gateway,
    client: new OpenAI({ apiKey: gateway.token("chat"), baseURL: `${gateway.url}/v1`, maxRetries: 0 }),
  };
}

test("a response: one message item per round, usage, and the same when it is looked up", async () => {
  const { gateway, client } = await place();
  gateway.model.replies(callsTool("list_dir", { path: "." }, { text: "Looking." }), says("Nothing here."));
  const made = await client.responses.create({ model: "margay", input: "look", metadata: { ticket: "7" } });
  expect(made).toMatchObject({ object: "response", status: "completed", model: "margay", metadata: { ticket: "7" } });
  expect(made.output.map((item) => item.type)).toEqual(["message", "message"]);
  expect(made.output_text).toBe("Looking.Nothing here.");
  expect(made.usage?.total_tokens).toBeGreaterThan(0);
  const { output_text: _shortcut, ...kept } = made;
  expect(await client.responses.retrieve(made.id)).toMatchObject(kept);
});

test("a stream has its events in order, numbered from 0, and ends with the whole object", async () => {
  const { gateway, client } = await place();
  gateway.model.replies(says("one two", { chunks: 2 }));
  const types: string[] = [];
  const numbers: number[] = [];
  const places: (number | undefined)[] = [];
  for await (const event of await client.responses.create({ model: "margay", input: "count", stream: true })) {
    if (types.at(-1) !== event.type) types.push(event.type); // deltas that arrive together are one or two
    numbers.push(event.sequence_number);
    if ("item" in event || "part" in event) places.push("output_index" in event ? event.output_index : undefined);
  }
  expect(types).toEqual([
    "response.created",
    "response.in_progress",
    "response.output_item.added",
    "response.content_part.added",
    "response.output_text.delta",
    "response.output_text.done",
    "response.content_part.done",
    "response.output_item.done",
    "response.completed",
  ]);
  expect(numbers).toEqual(numbers.map((_, index) => index));
  expect(places).toEqual([0, 0, 0, 0]); // an item and its part, as they begin and as they end
});

test("the stream helper assembles the final response", async () => {
  const { gateway, client } = await place();
  gateway.model.replies(callsTool("list_dir", { path: "." }, { text: "First." }), says("Second one.", { chunks: 3 }));
  const runner = client.responses.stream({ model: "margay", input: "go" });
  const deltas: string[] = [];
  runner.on("response.output_text.delta", ({ delta }) => deltas.push(delta));
  const final = await runner.finalResponse();
  expect(final.output_text).toBe("First.Second one.");
  expect(deltas.join("")).toBe("First.Second one.");
});

test("previous_response_id goes on with its session; from an earlier one it forks", async () => {
  const { gateway, client } = await place();
  gateway.model.replies(says("A1"), says("A2"), says("A3"));
  const first = await client.responses.create({ model: "margay", input: "q1" });
  const second = await client.responses.create({ model: "margay", input: "q2", previous_response_id: first.id });
  expect(gateway.model.requests[1]?.texts("assistant")).toEqual(["A1"]);
  const fork = await client.responses.create({ model: "margay", input: "q3", previous_response_id: first.id });
  expect(gateway.model.requests[2]?.texts("assistant")).toEqual(["A1"]);
  expect(fork.previous_response_id).toBe(first.id);
  expect(await gateway.app.agent.sessions.list()).toHaveLength(2);
  expect((await client.responses.retrieve(second.id)).output_text).toBe("A2");
  expect((await client.responses.retrieve(fork.id)).output_text).toBe("A3");
  const error = await client.responses
    .create({ model: "margay", input: "q", previous_response_id: "resp_unknown" })
    .catch((reason: unknown) => reason);
  expect(error).toMatchObject({ status: 400, code: "previous_response_not_found" });
});

test("conversation names the session", async () => {
  const { gateway, client } = await place();
  gateway.model.replies(says("one"), says("two"));
  const made = await client.responses.create({ model: "margay", input: "q1", conversation: "conv-7" });
  expect(made.conversation).toEqual({ id: "conv-7" });
  expect((await client.responses.retrieve(made.id)).conversation).toEqual({ id: "conv-7" });
  await client.responses.create({ model: "margay", input: "q2", conversation: "conv-7" });
  expect(gateway.model.requests[1]?.texts("assistant")).toEqual(["one"]);
  expect((await gateway.app.agent.sessions.list()).map(({ key }) => key)).toEqual([expect.stringMatching(/:conv-7$/)]);
});

test("instructions and a list of items", async () => {
  const { gateway, client } = await place();
  gateway.model.replies(says("ok"));
  await client.responses.create({
    model: "margay",
    instructions: "Be brief.",
    input: [
      { role: "user", content: "earlier question" },
      { role: "assistant", content: "earlier answer" },
      { role: "user", content: [{ type: "input_text", text: "new question" }] },
    ],
  });
  const [request] = gateway.model.requests;
  expect(request?.texts("assistant")).toEqual(["earlier answer"]);
  expect(JSON.stringify(request?.body)).toContain("Be brief.");
  expect(request?.texts("system")[0]).not.toContain("Be brief.");
});

test("in the background: queued, polled, completed; and cancelled", async () => {
  const { gateway, client } = await place();
  const stall = stalls({ rest: says("late") });
  gateway.model.replies(stall);
  const queued = await client.responses.create({ model: "margay", input: "slow", background: true });
  expect(queued.status).toBe("queued");
  await gateway.model.received(1);
  expect((await client.responses.retrieve(queued.id)).status).toBe("in_progress");
  stall.release();
  await expect.poll(async () => (await client.responses.retrieve(queued.id)).status).toBe("completed");
  expect((await client.responses.retrieve(queued.id)).output_text).toBe("late");

  const held = stalls({ after: "never", rest: says("") });
  gateway.model.replies(held);
  const other = await client.responses.create({ model: "margay", input: "slow", background: true });
  await gateway.model.received(2);
  expect((await client.responses.cancel(other.id)).status).toBe("cancelled");
  held.release();
});

test("a token limit is incomplete, a failure failed", async () => {
  const { gateway, client } = await place();
  gateway.model.replies(lengthStop("half"), fails(401), fails(401));
  const half = await client.responses.create({ model: "margay", input: "q", max_output_tokens: 5 });
  expect(half).toMatchObject({ status: "incomplete", incomplete_details: { reason: "max_output_tokens" } });
  const error = await client.responses.create({ model: "margay", input: "q" }).catch((reason: unknown) => reason);
  expect(error).toMatchObject({ status: 502, code: "provider.auth" });
  const background = await client.responses.create({ model: "margay", input: "q", background: true });
  await expect.poll(async () => (await client.responses.retrieve(background.id)).status).toBe("failed");
  expect((await client.responses.retrieve(background.id)).error).toMatchObject({ code: "server_error" });
});

/** The round that a response ends with was cut short; the one before it was not. */
for (const [reply, reason] of [
  [lengthStop("half"), "max_output_tokens"],
  [refuses("half"), "content_filter"],
] as const)
  test(`an answer that ends for ${reason} is incomplete in its last item alone, in the stream, at its end and looked up`, async () => {
    const { gateway, client } = await place();
    gateway.model.replies(callsTool("list_dir", { path: "." }, { text: "Looking." }), reply);
    const done: unknown[] = [];
    let last: OpenAI.Responses.ResponseStreamEvent | undefined;
    for await (const event of await client.responses.create({
      model: "margay",
      input: "look",
      max_output_tokens: 50, // the client's own limit is no reason to go on
      stream: true,
    })) {
      if (event.type === "response.output_item.done") done.push(event.item);
      last = event;
    }
    if (last?.type !== "response.incomplete") throw new Error(`it ended with ${last?.type}`);
    expect(last.response.incomplete_details).toEqual({ reason });
    expect(last.response.output).toMatchObject([
      { status: "completed", content: [{ text: "Looking." }] },
      { status: "incomplete", content: [{ text: "half" }] },
    ]);
    expect(done).toEqual(last.response.output);
    expect((await client.responses.retrieve(last.response.id)).output).toEqual(last.response.output);
  });

for (const [rounds, output] of [
  ["all", ["Looking.", "Hello again."]],
  ["final", ["Hello again."]],
] as const)
  test(`a response holds nothing of an answer that began again, with api.text ${rounds}`, async () => {
    const { gateway, client } = await place({
      agent: { idleTimeoutSeconds: 1 },
      gateway: { api: { text: rounds } },
    });
    const stall = stalls({ after: "Hello the" });
    gateway.model.replies(callsTool("list_dir", { path: "." }, { text: "Looking." }), stall, says("Hello again."));
    const made = await client.responses.create({ model: "margay", input: "greet" });
    stall.release();
    const texts = ({ output }: OpenAI.Responses.Response): unknown =>
      output.map((item) => "content" in item && item.content);
    const part = (text: string): object => expect.objectContaining({ text });
    expect(texts(made)).toEqual(output.map((text) => [part(text)]));
    expect(texts(await client.responses.retrieve(made.id))).toEqual(texts(made));
  });

test("a deleted response is gone; one of another token was never there", async () => {
  const { gateway, client } = await place();
  gateway.model.replies(says("ok"));
  const made = await client.responses.create({ model: "margay", input: "q" });
  const stranger = new OpenAI({ apiKey: gateway.token("chat"), baseURL: `${gateway.url}/v1`, maxRetries: 0 });
  const missing = { status: 404, code: "response_not_found" };
  expect(await stranger.responses.retrieve(made.id).catch((reason: unknown) => reason)).toMatchObject(missing);
  expect(await stranger.responses.delete(made.id).catch((reason: unknown) => reason)).toMatchObject(missing);
  await client.responses.delete(made.id);
  expect(await client.responses.retrieve(made.id).catch((reason: unknown) => reason)).toMatchObject(missing);
});

test("pictures and files of an item reach the model", async () => {
  const { gateway, client } = await place();
  const png = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
  gateway.model.replies(says("A pixel and a note."));
  await client.responses.create({
    model: "margay",
    input: [
      {
        role: "user",
        content: [
          { type: "input_text", text: "what are these" },
          { type: "input_image", detail: "auto", image_url: `data:image/png;base64,${png}` },
          { type: "input_file", filename: "note.txt", file_data: Buffer.from("a note").toString("base64") },
        ],
      },
    ],
  });
  const sent = JSON.stringify(gateway.model.requests[0]?.body);
  expect(sent).toContain(png);
  expect(sent).toContain("a note");
});

test("a streamed response goes on in the background when its client leaves", async () => {
  const { gateway, client } = await place();
  const stall = stalls({ after: "Working on", rest: says(" it, done.") });
  gateway.model.replies(stall);
  const controller = new AbortController();
  const stream = await client.responses.create(
    { model: "margay", input: "work", stream: true, background: true },
    { signal: controller.signal },
  );
  let id = "";
  for await (const event of stream) {
    if (event.type === "response.created") ({ id } = event.response);
    if (event.type === "response.output_text.delta") break;
  }
  controller.abort();
  stall.release();
  await expect.poll(async () => (await client.responses.retrieve(id)).status).toBe("completed");
  expect((await client.responses.retrieve(id)).output_text).toBe("Working on it, done.");
});

test("a response whose session was removed is not found, and not continued", async () => {
  const { gateway, client } = await place();
  gateway.model.replies(says("ok"));
  const made = await client.responses.create({ model: "margay", input: "q" });
  await gateway.app.agent.sessions.remove((await gateway.app.agent.sessions.list())[0]?.key ?? "");
  const look = client.responses.retrieve(made.id).catch((reason: unknown) => reason);
  expect(await look).toMatchObject({ status: 404, code: "response_not_found" });
  const next = client.responses.create({ model: "margay", input: "q", previous_response_id: made.id });
  expect(await next.catch((reason: unknown) => reason)).toMatchObject({ code: "previous_response_not_found" });
  expect(await gateway.app.agent.sessions.list()).toEqual([]);
});
