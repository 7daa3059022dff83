/** One request over the `fetch` of Node, and what became of it. */
import type { ChannelHost } from "@margay/core/plugin";
import { NoAnswer, Refusal } from "./errors.ts";
import { isRecord, parsed, recordsOf, textOf, type Wire } from "./json.ts";

export interface Response200 {
  readonly bytes: Uint8Array;
  readonly headers: Headers;
}

export interface Asking {
  readonly url: string;
  readonly init: RequestInit;
  readonly ms: number;
  /** Of the answer. */
  readonly maxBytes: number;
}

/** There was no connection that anything could have been written to. */
const NEVER_STOOD =
  /^(?:ECONNREFUSED|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|UND_ERR_CONNECT_TIMEOUT|CERT_\w+|ERR_TLS_\w+|DEPTH_ZERO_\w+|SELF_SIGNED_\w+|UNABLE_TO_\w+)$/;
const RATE_LIMITED = 99_991_400;

/** @throws Refusal, NoAnswer; the reason of the signal. */
export async function ask(
  { url, init, ms, maxBytes }: Asking,
  { clock }: ChannelHost,
  signal: AbortSignal,
): Promise<Response200> {
  signal.throwIfAborted();
  const over = new AbortController();
  using _timer = clock.timer(ms, () => over.abort(new Error(`no answer within ${Math.round(ms / 1000)} s`)));
  try {
    const response = await fetch(url, { ...init, redirect: "error", signal: AbortSignal.any([signal, over.signal]) });
    const bytes = await bounded(response.body, maxBytes);
    if (!response.ok) throw refusalOf(response.status, parsed(String(Buffer.from(bytes))), response.headers);
    return { bytes, headers: response.headers };
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof Refusal) throw error;
    const code = codeOf(error);
    throw new NoAnswer(code ?? messageOf(error), code !== undefined && NEVER_STOOD.test(code) ? "no" : "maybe", error);
  }
}

/** The body of an answer that says that all is well. @throws Refusal, NoAnswer. */
export function bodyOf({ bytes, headers }: Response200): Wire {
  const body = parsed(String(Buffer.from(bytes)));
  if (body === undefined || typeof body["code"] !== "number")
    throw new NoAnswer("200, and no answer of Feishu", "maybe");
  if (body["code"] !== 0) throw refusalOf(200, body, headers);
  return body;
}

function refusalOf(status: number, body: Wire | undefined, headers: Headers): Refusal {
  const { code, msg, error } = body ?? {};
  const violations = isRecord(error) ? recordsOf(error["permission_violations"]) : [];
  const scopes = violations.flatMap(({ subject }) => textOf(subject) ?? []);
  const seconds = Number(headers.get("x-ogw-ratelimit-reset") ?? headers.get("retry-after") ?? "");
  const isLimited = status === 429 || code === RATE_LIMITED;
  return new Refusal(status, textOf(msg) ?? `status ${status}`, {
    ...(typeof code === "number" && { code }),
    ...(isLimited && { retryAfterMs: seconds > 0 ? Math.ceil(seconds * 1000) : 1000 }),
    scopes: [...new Set(scopes)],
  });
}

async function bounded(body: AsyncIterable<Uint8Array> | null, maxBytes: number): Promise<Uint8Array> {
  const parts: Uint8Array[] = [];
  let bytes = 0;
  for await (const part of body ?? []) {
    bytes += part.length;
    if (bytes > maxBytes) throw new Refusal(413, "it is larger than 25 MB");
    parts.push(part);
  }
  return Buffer.concat(parts);
}

function codeOf(error: unknown): string | undefined {
  for (let link = error; link instanceof Error; link = link.cause)
    if ("code" in link && typeof link.code === "string") return link.code;
  return undefined;
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
