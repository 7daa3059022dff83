import type { CallId } from "@margay/core/internal";
import { says } from "@margay/core/testing";
import { expect, test } from "vitest";
import { startConverse } from "./support/converse-server.ts";
import { eventFrame, exceptionFrame } from "./support/event-stream.ts";
import { bedrock, hear, request } from "./support/provider.ts";

const PAIR = { region: "eu-central-1", accessKeyId: "AKIDEXAMPLE", secretAccessKey: "wJalrXUtnFEMI" };

test("a key travels as a bearer token to the model's own path", async () => {
  await using server = await startConverse();
  server.replies(says("ok"));
  await hear(bedrock(server.url));
  const [seen] = server.requests;
  expect(seen?.headers.authorization).toBe("Bearer key-1");
  expect(seen?.path).toBe("/model/anthropic.claude-sonnet-4-5-20250929-v1%3A0/converse-stream");
});

test("an access key pair signs the request and never travels itself", async () => {
  await using server = await startConverse();
  server.replies(says("ok"));
  await hear(bedrock(server.url, { ...PAIR, sessionToken: "session-token" }, []));
  const headers = server.requests[0]?.headers ?? {};
  expect(headers.authorization).toMatch(
    /^AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE\/\d{8}\/eu-central-1\/bedrock\/aws4_request, SignedHeaders=.*, Signature=[0-9a-f]{64}$/,
  );
  expect(headers["x-amz-security-token"]).toBe("session-token");
  expect(JSON.stringify(headers)).not.toContain(PAIR.secretAccessKey);
});

test("missing credentials and a missing region are named before anything is sent", async () => {
  await expect(hear(bedrock("http://127.0.0.1:9", { region: "eu-central-1" }, []))).rejects.toMatchObject({
    code: "provider.no-key",
    details: { name: "AWS_BEARER_TOKEN_BEDROCK" },
  });
  const { region: _, ...pair } = PAIR;
  await expect(hear(bedrock("http://127.0.0.1:9", pair, []))).rejects.toMatchObject({ code: "config.invalid" });
});

test("CX12 cache points stand where the stable part ends, only for models that take them", async () => {
  await using server = await startConverse();
  server.replies(says("ok"), says("ok"));
  await hear(bedrock(server.url));
  await hear(bedrock(server.url), request({ model: "meta.llama4-maverick-17b-instruct-v1:0" }));
  const point = { cachePoint: { type: "default" } };
  const [claude, llama] = server.requests;
  expect(claude?.body["system"]).toEqual([{ text: "Be brief." }, point]);
  expect(claude?.body["messages"]).toEqual([{ role: "user", content: [{ text: "Hello" }, point] }]);
  expect(JSON.stringify(llama?.body)).not.toContain("cachePoint");
});

test("arguments kept as text go back as the object they are", async () => {
  await using server = await startConverse();
  server.replies(says("ok"));
  const callId = "turn-1-a-1" as CallId; // minted by hand
  const call = { type: "tool-call" as const, callId, name: "look", input: { at: "a" }, inputText: '{ "at": "a" }' };
  const usage = { input: 1, output: 1, cacheRead: 0, cacheWrite: 0 };
  const asked = request();
  await hear(
    bedrock(server.url),
    request({
      messages: [
        ...asked.messages,
        {
          role: "assistant",
          at: 0,
          model: { provider: "bedrock", model: asked.model },
          parts: [call],
          finish: "tool-calls",
          usage,
        },
        { role: "tool", at: 0, callId, name: "look", parts: [{ type: "text", text: "a door" }], status: "ok" },
      ],
    }),
  );
  expect(JSON.stringify(server.requests[0]?.body["messages"])).toContain('"input":{"at":"a"}');
});

test("thinking is asked for in the model's own way", async () => {
  await using server = await startConverse();
  server.replies(says("ok"));
  const sampling = { maxOutputTokens: 8000, thinking: "low" as const, toolChoice: "auto" as const };
  await hear(bedrock(server.url), request({ sampling }));
  expect(server.requests[0]?.body["additionalModelRequestFields"]).toMatchObject({ thinking: { type: "enabled" } });
});

test.each([
  ["throttlingException", "provider.rate-limited", true],
  ["validationException", "provider.bad-request", false],
  ["serviceUnavailableException", "provider.overloaded", true],
  ["internalServerException", "provider.overloaded", true],
])("PR16 %s in the stream is %s", async (type, code, retryable) => {
  await using server = await startConverse();
  server.replies({ kind: "bytes", pieces: [exceptionFrame(type, "It happened.")] });
  await expect(hear(bedrock(server.url))).rejects.toMatchObject({ code, retryable });
});

test("PR14 a stream that ends inside a frame, or without its end, is tried again", async () => {
  await using server = await startConverse();
  const text = eventFrame({ contentBlockDelta: { contentBlockIndex: 0, delta: { text: "Hel" } } });
  const stop = eventFrame({ messageStop: { stopReason: "end_turn" } });
  server.replies({ kind: "bytes", pieces: [text, stop.subarray(0, 20)] }, { kind: "bytes", pieces: [text] });
  const truncated = { code: "provider.truncated", retryable: true };
  await expect(hear(bedrock(server.url))).rejects.toMatchObject(truncated);
  await expect(hear(bedrock(server.url))).rejects.toMatchObject(truncated);
});
