/** One request, and what became of it. */
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

const RATE_LIMITED = 99_991_400;
const SHORT_BYTES = 4096;

/** @throws Refusal, NoAnswer; the reason of the signal. */
export async function ask(
  { url, init, ms, maxBytes }: Asking,
  host: ChannelHost,
  signal: AbortSignal,
): Promise<Response200> {
  const answer = await host.request(url, init, { ms, maxBytes, signal });
  if (!(answer instanceof Response)) throw new NoAnswer(answer.failed, answer.sent, answer.cause);
  const { status, ok, headers } = answer;
  const bytes = new Uint8Array(await answer.arrayBuffer());
  if (!ok) throw refusalOf(status, parsed(String(Buffer.from(bytes))), headers);
  return { bytes, headers };
}

/** The body of an answer that says that all is well. @throws Refusal, NoAnswer. */
export function bodyOf({ bytes, headers }: Response200): Wire {
  const body = parsed(String(Buffer.from(bytes)));
  if (body === undefined || typeof body["code"] !== "number")
    throw new NoAnswer("200, and no answer of Feishu", "maybe");
  if (body["code"] !== 0) throw refusalOf(200, body, headers);
  return body;
}

/** What stands in place of a file. A file may be JSON too, but never a short one with a code that is not 0. */
export async function refusalIn(answer: Response): Promise<Refusal | undefined> {
  const { status, ok, headers } = answer;
  if (status === 429 || status >= 500) return undefined;
  if (ok && !(headers.get("content-type") ?? "").includes("application/json")) return undefined;
  const body = parsed((await shortText(answer.clone())) ?? "");
  if (ok && (typeof body?.["code"] !== "number" || body["code"] === 0)) return undefined;
  return refusalOf(status, body, headers);
}

/** Undefined: it is long. Often nobody says before how long it is. */
async function shortText({ body }: Response): Promise<string | undefined> {
  const reader = body?.getReader();
  const parts: Uint8Array[] = [];
  for (let size = 0; size <= SHORT_BYTES;) {
    const { value } = (await reader?.read()) ?? {};
    if (value === undefined) return String(Buffer.concat(parts));
    parts.push(value);
    size += value.length;
  }
  reader?.cancel().catch(() => {}); // it ends when the other copy does
  return undefined;
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
