// Whatever went wrong on the way to a model → one RuntimeError with a `provider.*` code, and whether to try again.
import type { Json, Millis } from "../contract/base.ts";
import type { ErrorCode } from "../lib/errors/error-codes.ts";
import { connectionCode } from "../lib/errors/connection-failure.ts";
import { RuntimeError } from "../lib/errors/errors.ts";
import { asRecord, errorFields, sentence } from "./failure-text.ts";
import { retryAfter } from "../lib/errors/retry-after.ts";
import { QUOTA_ZH } from "./failures.zh.ts";

export interface FailureContext {
  /** Who failed, as a person knows it: the provider's id. */
  readonly provider: string;
  readonly now: Millis;
  /** The request carried images or files. */
  readonly media: boolean;
}

/** An HTTP answer that is not a success, or the same news inside a stream. */
export interface HttpFailure {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly body: string;
}

/**
 * Any thrown value → RuntimeError. Idempotent. The message never holds a key, a URL, a header or a raw body; the
 * request id is in `details`.
 */
export function toFailure(error: unknown, context: FailureContext): RuntimeError {
  for (const link of chain(error)) {
    if (link instanceof RuntimeError) return link;
    const http = httpFailure(link);
    if (http !== undefined) return fromHttp(http, context, error);
  }
  if (chain(error).some((link) => link instanceof TypeError && UNSENDABLE.test(link.message)))
    // Without the cause, which prints the value.
    return new RuntimeError(
      "provider.auth",
      `The key or a header of ${context.provider} has a character that cannot be sent. Copy the key again.`,
    );
  for (const link of chain(error)) {
    const code = connectionCode(link);
    if (code !== undefined) return connection(code, context, error);
  }
  for (const link of chain(error)) {
    if (
      link instanceof Error &&
      /without a finish|stream ended|unexpected end of (?:json|stream)|premature|incomplete .{0,40}frame/i.test(
        link.message,
      )
    )
      return new RuntimeError(
        "provider.truncated",
        `${context.provider} ended the answer before it was finished. It is asked again when nothing was shown.`,
        { retryable: true, cause: lightCause(error) },
      );
  }
  const reported = errorFields(error);
  // An error object inside the stream is the same news as an HTTP error.
  if (!(error instanceof Error) && reported !== undefined)
    return fromHttp(
      { status: reported.status ?? statusOf(reported.words), body: JSON.stringify(error) ?? "" },
      context,
      error,
    );
  return new RuntimeError(
    "provider.malformed",
    `${context.provider} sent something that is not its protocol. Check the base URL and the api kind.`,
    { cause: lightCause(error) },
  );
}

/** Codes that another attempt can cure, provided nothing was shown yet. */
const RETRYABLE: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  "provider.rate-limited",
  "provider.overloaded",
  "provider.timeout",
  "provider.connection",
  "provider.truncated",
]);

/** The failure an HTTP status with its body stands for. */
export function fromHttp(failure: HttpFailure, context: FailureContext, cause?: unknown): RuntimeError {
  const fields = errorFields(parse(failure.body));
  // A proxy or a stream may carry the true status in the body: {"error":{"code":429}} under 200.
  const status =
    failure.status >= 400
      ? failure.status
      : (fields?.status ?? (failure.status === 200 ? statusOf(fields?.words ?? failure.body) : failure.status));
  const words = `${fields?.words ?? ""} ${failure.body.slice(0, 4096)}`.toLowerCase();
  const code = classify(status, words, context.media);
  const headers = lowerCase(failure.headers);
  const wait = retryAfter((name) => headers[name], failure.body, context.now);
  const retryable = RETRYABLE.has(code) && wait.kind !== "final";
  const requestId = headers["x-request-id"] ?? headers["request-id"];
  const details: Json = {
    status,
    ...(wait.kind !== "none" && { retryAfterMs: wait.ms }),
    ...(requestId !== undefined && { requestId: requestId.slice(0, 128) }),
  };
  const said = sentence(fields?.message);
  const waiting = wait.kind === "final" ? ` It asked to wait ${Math.ceil(wait.ms / 1000)} s.` : "";
  return new RuntimeError(
    code,
    `${context.provider} ${SAYS[code] ?? "failed"} (${status})${said === undefined ? "." : `: ${said}`}${waiting} ${REMEDY[code] ?? "Try again later."}`,
    {
      retryable,
      details,
      ...(cause !== undefined && { cause: lightCause(cause) }),
    },
  );
}

/**
 * What is worth keeping of the thrown value. The AI SDK's errors hold the whole request, with its images, and the raw
 * body in their message: neither may lie around in a log.
 */
function lightCause(error: unknown): Error {
  const own = chain(error).find((link) => link instanceof Error && !link.name.startsWith("AI_"));
  if (own instanceof Error) return own;
  return new Error(error instanceof Error ? error.name : "an error event of the provider");
}

const SAYS: Partial<Record<ErrorCode, string>> = {
  "provider.auth": "refused the key",
  "provider.quota": "says the account has no credit or quota left",
  "provider.rate-limited": "asked to slow down",
  "provider.overloaded": "is overloaded or broken",
  "provider.timeout": "did not answer in time",
  "provider.bad-request": "rejected the request",
  "provider.not-found": "does not know the model or the address",
  "provider.context-length": "says the conversation is too long for the model",
  "provider.media-rejected": "rejected an image",
  "provider.malformed": "answered with something that is not its protocol",
};
const REMEDY: Partial<Record<ErrorCode, string>> = {
  "provider.auth": "Set a valid key.",
  "provider.quota": "Top up, or use another provider.",
  "provider.rate-limited": "Wait a little.",
  "provider.overloaded": "Wait a little.",
  "provider.bad-request": "Check the model and its settings.",
  "provider.not-found": "Check the model name and the base URL.",
  "provider.context-length": "Start with /new if it does not shrink by itself.",
  "provider.media-rejected": "Send it smaller or in another format.",
  "provider.malformed": "Check the base URL and the api kind.",
};

/** Order matters: what the body says beats the status, and quota beats rate limit. */
function classify(status: number, words: string, media: boolean): ErrorCode {
  if (status === 402 || ((status === 429 || status === 403 || status === 400) && isQuota(words)))
    return "provider.quota";
  if (status === 413 || ((status === 400 || status === 422 || status === 500) && CONTEXT.test(words)))
    return status === 413 && media && /image|file|media/.test(words)
      ? "provider.media-rejected"
      : "provider.context-length";
  if ((status === 400 || status === 415 || status === 422) && media && MEDIA.test(words))
    return "provider.media-rejected";
  if (
    status === 401 ||
    status === 403 ||
    (status === 400 && /api[ _]key not valid|invalid[ _]api[ _]key|incorrect api key/.test(words))
  )
    return "provider.auth";
  if (status === 404 || status === 410) return "provider.not-found";
  if (status === 429) return "provider.rate-limited";
  if (status === 408) return "provider.timeout";
  if (status === 409 || status === 425 || status >= 500) return "provider.overloaded";
  if (status >= 400) return "provider.bad-request";
  // A redirect would send the key to another host; a 204 has no answer.
  return "provider.malformed";
}

function isQuota(text: string): boolean {
  return QUOTA.test(text) || QUOTA_ZH.test(text);
}

const QUOTA =
  /insufficient[_ ](?:quota|balance|credit|funds)|exceeded your current quota|billing|payment required|credit balance|out of credits|no credits|arrears|account.{0,20}(?:suspended|overdue)/;
const CONTEXT =
  /context[_ ](?:length|window)|maximum context|too many tokens|prompt is too long|input (?:is )?too long|input length|exceeds? the (?:model'?s )?(?:maximum|limit|available context)|token (?:count|limit).{0,40}exceed|exceed_context_size|range of input length/;
const MEDIA = /image|media|vision|multimodal|multi-modal|picture|unsupported.{0,20}(?:file|content type)|mime/;
/** How fetch and node:http refuse a header before anything is sent. */
const UNSENDABLE =
  /ByteString|invalid header (?:name|value)|invalid character in header content|header name must be a valid/i;

/** The status that the words of an error event stand for. 500 (retryable) when they say nothing. */
function statusOf(words: string): number {
  const text = words.toLowerCase();
  if (/rate.?limit|too many requests|resource_exhausted|throttl/.test(text)) return 429;
  if (isQuota(text)) return 429;
  if (/overloaded|unavailable|server_error|internal|timeout|capacity/.test(text)) return 503;
  if (/authentication|unauthenticated|invalid[_ ]api[_ ]key/.test(text)) return 401;
  if (/permission/.test(text)) return 403;
  if (/not[_ ]found/.test(text)) return 404;
  return /invalid[_ ]|bad[_ ]request|validation|context[_ ]length/.test(text) ? 400 : 500;
}

/** @param code "" when only words said so. */
function connection(code: string, context: FailureContext, cause: unknown): RuntimeError {
  const timedOut = code === "ETIMEDOUT";
  return new RuntimeError(
    timedOut ? "provider.timeout" : "provider.connection",
    `The connection to ${context.provider} ${timedOut ? "timed out" : "failed"}${code === "" ? "" : ` (${code})`}. Check the network and the base URL.`,
    { retryable: true, cause: lightCause(cause), ...(code !== "" && { details: { code } }) },
  );
}

function httpFailure(value: unknown): HttpFailure | undefined {
  const record = asRecord(value);
  const status = record?.["statusCode"];
  // An APICallError of a stream that broke after 200 has a cause that says more.
  if (record === undefined || typeof status !== "number" || (status >= 200 && status < 300 && status !== 204))
    return undefined;
  const headers = asRecord(record["responseHeaders"]);
  return {
    status,
    headers:
      headers === undefined
        ? undefined
        : Object.fromEntries(Object.entries(headers).map(([name, text]) => [name, String(text)])),
    body: typeof record["responseBody"] === "string" ? record["responseBody"] : "",
  };
}

/** The value and its causes, without running in circles. */
function chain(error: unknown): readonly unknown[] {
  const links: unknown[] = [];
  for (
    let link = error;
    link !== undefined && link !== null && !links.includes(link) && links.length < 8;
    link = asRecord(link)?.["cause"]
  )
    links.push(link);
  return links;
}

function parse(body: string): unknown {
  try {
    const value: unknown = JSON.parse(body);
    return value;
  } catch {
    return undefined; // Not JSON: the status alone decides.
  }
}

function lowerCase(headers: HttpFailure["headers"]): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(headers ?? {}).map(([name, value]) => [name.toLowerCase(), value]));
}
