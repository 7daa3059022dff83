import { expect, test } from "vitest";
import { RuntimeError } from "../../src/lib/errors/errors.ts";
import { httpFetch } from "../../src/machine/http/http-fetch.ts";
import { fromHttp, toFailure } from "../../src/model/failures.ts";
import type { FailureContext } from "../../src/model/failures.ts";

const CONTEXT: FailureContext = { provider: "vendor", now: 0, media: false };

const TABLE: readonly (readonly [status: number, body: unknown, code: string, retryable: boolean, media?: boolean])[] =
  [
    [400, { error: { message: "messages.3: tool_use ids" } }, "provider.bad-request", false],
    [
      400,
      { error: { message: "This model's maximum context length is 8192 tokens", code: "context_length_exceeded" } },
      "provider.context-length",
      false,
    ],
    [
      400,
      {
        type: "error",
        error: { type: "invalid_request_error", message: "prompt is too long: 210000 tokens > 200000 maximum" },
      },
      "provider.context-length",
      false,
    ],
    [400, { error: { message: "Could not process image" } }, "provider.media-rejected", false, true],
    [400, { error: { message: "Could not process image" } }, "provider.bad-request", false, false],
    [
      400,
      { error: { code: 400, message: "API key not valid. Please pass a valid API key.", status: "INVALID_ARGUMENT" } },
      "provider.auth",
      false,
    ],
    [400, { error: { message: "Your credit balance is too low to access the API" } }, "provider.quota", false],
    [401, {}, "provider.auth", false],
    [402, { error: { message: "Insufficient Balance" } }, "provider.quota", false],
    [403, {}, "provider.auth", false],
    [404, { error: { message: "model not found" } }, "provider.not-found", false],
    [408, "", "provider.timeout", true],
    [409, "", "provider.overloaded", true],
    [413, {}, "provider.context-length", false],
    [415, { error: { message: "unsupported image type" } }, "provider.media-rejected", false, true],
    [422, { detail: "validation" }, "provider.bad-request", false],
    [425, "", "provider.overloaded", true],
    [429, { error: { message: "Rate limit" } }, "provider.rate-limited", true],
    [
      429,
      { error: { type: "insufficient_quota", message: "You exceeded your current quota" } },
      "provider.quota",
      false,
    ],
    [500, "", "provider.overloaded", true],
    [502, "<html>Bad gateway</html>", "provider.overloaded", true],
    [529, { error: { type: "overloaded_error", message: "Overloaded" } }, "provider.overloaded", true],
    [301, "", "provider.malformed", false],
    [200, { error: { message: "Rate limit", code: 429 } }, "provider.rate-limited", true],
    [200, { type: "error", error: { type: "overloaded_error", message: "Overloaded" } }, "provider.overloaded", true],
    [
      200,
      { type: "error", error: { type: "authentication_error", message: "invalid x-api-key" } },
      "provider.auth",
      false,
    ],
  ];

for (const [status, body, code, retryable, media] of TABLE) {
  test(`R72 PR10 PR16 HTTP ${status} ${JSON.stringify(body)} is ${code}`, () => {
    const text = typeof body === "string" ? body : JSON.stringify(body);
    expect(fromHttp({ status, body: text }, { ...CONTEXT, media: media ?? false })).toMatchObject({ code, retryable });
  });
}

test("PR27 R60 a message holds no key, no address, no markup and no raw body, but the request id is kept", () => {
  const failure = fromHttp(
    {
      status: 401,
      headers: { "X-Request-Id": "req-9" },
      body: JSON.stringify({
        error: {
          message: "Incorrect key sk-live-51f0c2d9a7e84b63 at https://api.test/v1?key=AIzaSyA1234567890 \u001b[31m",
        },
        debug: "raw-body-marker",
      }),
    },
    CONTEXT,
  );
  expect(failure.message).not.toMatch(/51f0c2|AIza|https?:|\u001b|raw-body/);
  expect(failure.details).toMatchObject({ status: 401, requestId: "req-9" });
  const anthropic = fromHttp({ status: 401, headers: { "request-id": "req-10" }, body: "{}" }, CONTEXT);
  expect(anthropic.details).toMatchObject({ requestId: "req-10" });
  const page = fromHttp({ status: 502, body: "<html><body>Bad gateway at nginx</body></html>" }, CONTEXT);
  expect(page.message).not.toContain("nginx");
});

test("PR27 a message is bounded whatever the provider says", () => {
  expect(
    fromHttp({ status: 400, body: JSON.stringify({ error: { message: "word ".repeat(10_000) } }) }, CONTEXT).message
      .length,
  ).toBeLessThan(600);
});

test("R72 errors of the network can be tried again; ours stay what they are; the rest is not the protocol", () => {
  const reset = Object.assign(new Error("read ECONNRESET"), { code: "ECONNRESET" });
  expect(toFailure(new Error("Cannot connect", { cause: reset }), CONTEXT)).toMatchObject({
    code: "provider.connection",
    retryable: true,
  });
  expect(toFailure(Object.assign(new Error("getaddrinfo"), { code: "ENOTFOUND" }), CONTEXT)).toMatchObject({
    code: "provider.connection",
  });
  expect(toFailure(Object.assign(new Error("late"), { code: "ETIMEDOUT" }), CONTEXT)).toMatchObject({
    code: "provider.timeout",
    retryable: true,
  });
  const own = new RuntimeError("provider.quota", "spent");
  expect(toFailure(new Error("wrapped", { cause: own }), CONTEXT)).toBe(own);
  expect(toFailure(new TypeError("x is not iterable"), CONTEXT)).toMatchObject({
    code: "provider.malformed",
    retryable: false,
  });
  expect(toFailure({ message: "Overloaded", type: "overloaded_error" }, CONTEXT)).toMatchObject({
    code: "provider.overloaded",
  });
  expect(toFailure("boom", CONTEXT).code).toMatch(/^provider\./);
});

test.each([
  ["Too many requests", "provider.rate-limited", true],
  ["insufficient_quota", "provider.quota", false],
  ["The engine is unavailable", "provider.overloaded", true],
  ["authentication_error", "provider.auth", false],
  ["permission_error", "provider.auth", false],
  ["not_found_error", "provider.not-found", false],
  ["invalid_request_error", "provider.bad-request", false],
  ["something odd", "provider.overloaded", true],
])("R72 PR27 an error event that says %s has the code %s", (type, code, retryable) => {
  expect(toFailure({ message: "words of the vendor", type }, CONTEXT)).toMatchObject({ code, retryable });
});

test("R72 PR27 a key that no header can carry is the key's fault, and is not shown", async () => {
  const headers = { authorization: "Bearer sk-\u043aey-12345678" };
  const ways: readonly (() => Promise<unknown>)[] = [
    () => httpFetch()("http://127.0.0.1:9", { headers }), // never reached
    () => Promise.resolve(new Headers(headers)),
    () => Promise.resolve(new Headers({ authorization: "Bearer sk-\nkey-12345678" })),
  ];
  for (const send of ways) {
    const thrown: unknown = await Promise.resolve()
      .then(send)
      .catch((error: unknown) => error);
    const failure = toFailure(new Error("Failed to process", { cause: thrown }), CONTEXT);
    expect([failure.code, failure.retryable, failure.cause]).toEqual(["provider.auth", false, undefined]);
    expect(failure.message).toBe(
      "The key or a header of vendor has a character that cannot be sent. Copy the key again.",
    );
  }
});

test("the cause kept with a failure holds neither the request nor the raw answer", () => {
  const thrown = Object.assign(new Error("Bad body: SECRET"), {
    name: "AI_APICallError",
    statusCode: 500,
    responseBody: "SECRET",
    requestBodyValues: { messages: ["SECRET"] },
  });
  const { cause } = toFailure(thrown, CONTEXT);
  expect(JSON.stringify(cause, Object.getOwnPropertyNames(cause))).not.toContain("SECRET");
});
