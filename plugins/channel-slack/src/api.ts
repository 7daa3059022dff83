/** The Web API of Slack: one request, and what became of it. */
import type { ChannelHost } from "@margay/core/plugin";
import { isRecord, parsed, textOf, type Wire } from "./json.ts";
import { isSlacks, type Settings } from "./settings.ts";

export interface Answer {
  readonly body: Wire;
  /** What the token may do, where Slack says it. */
  readonly scopes: readonly string[] | undefined;
}

export interface Api {
  /** @param args what is no text is said as JSON. @throws Refusal, NoAnswer; the reason of the signal. */
  call(method: string, args: Wire, signal: AbortSignal, token?: "bot" | "app"): Promise<Answer>;
  /** To where Slack said that the bytes of a file go. @throws Refusal, NoAnswer; the reason of the signal. */
  upload(url: string, file: Blob, signal: AbortSignal): Promise<void>;
}

/** Slack said no. */
export class Refusal extends Error {
  /** Slack's own word for the reason, as `channel_not_found`; `http_500` where it says none. */
  readonly code: string;
  readonly method: string;
  /** The scope that is missing. */
  readonly needed: string | undefined;
  readonly retryAfterMs: number | undefined;

  constructor(
    method: string,
    code: string,
    more: { readonly needed?: string | undefined; readonly retryAfterMs?: number; readonly details?: string } = {},
  ) {
    super(more.details === undefined ? code : `${code} (${more.details})`);
    this.method = method;
    this.code = code;
    this.needed = more.needed;
    this.retryAfterMs = more.retryAfterMs;
  }
}

/** Nothing came back that is an answer of Slack. */
export class NoAnswer extends Error {
  /** Whether what was asked for may have been done. */
  readonly sent: "no" | "maybe";

  constructor(message: string, sent: "no" | "maybe", cause?: unknown) {
    super(message, { cause });
    this.sent = sent;
  }
}

const CALL_MS = 30_000;
const BYTES_PER_MS = 50;
const ANSWER_BYTES = 8 * 1024 * 1024;

export function openApi(settings: Settings, host: ChannelHost): Api {
  const rests = new Map<string, number>();
  const { baseUrl } = settings;
  const ask = async (...asked: Parameters<ChannelHost["request"]>): Promise<Response> => {
    const answer = await host.request(...asked);
    if (answer instanceof Response) return answer;
    throw new NoAnswer(answer.failed, answer.sent, answer.cause);
  };
  return {
    async call(method, args, signal, token = "bot") {
      const key = `${method} ${String(args["channel"] ?? "")}`;
      const wait = (rests.get(key) ?? 0) - host.clock.now();
      // It would be refused: who goes on asking waits longer.
      if (wait > 0) throw new Refusal(method, "ratelimited", { retryAfterMs: wait });
      rests.delete(key);
      const init = {
        method: "POST",
        headers: { authorization: `Bearer ${token === "app" ? settings.appToken : settings.token}` },
        body: formOf(args),
      };
      const answer = await ask(`${baseUrl}/api/${method}`, init, { ms: CALL_MS, maxBytes: ANSWER_BYTES, signal });
      if (answer.status === 429) {
        const retryAfterMs = secondsOf(answer.headers) * 1000;
        rests.set(key, host.clock.now() + retryAfterMs);
        throw new Refusal(method, "ratelimited", { retryAfterMs });
      }
      const scopes = answer.headers.get("x-oauth-scopes");
      return {
        body: resultOf(method, answer.status, await answer.text()),
        scopes: scopes === null ? undefined : scopes.split(/\s*,\s*/),
      };
    },
    async upload(url, file, signal) {
      const headers = { "content-type": "application/octet-stream" };
      const init = { method: "POST", headers, body: file };
      const ms = CALL_MS + file.size / BYTES_PER_MS;
      const answer = await ask(placeOf(url, settings), init, { ms, maxBytes: ANSWER_BYTES, signal });
      if (!answer.ok)
        throw new Refusal("upload", `http_${answer.status}`, { details: (await answer.text()).slice(0, 200) });
    },
  };
}

/** @throws Refusal: the token, or somebody's file, would go to others. */
function placeOf(url: string, settings: Settings): URL {
  const address = URL.parse(url);
  if (address === null || !isSlacks(address, settings))
    throw new Refusal("files", "not_slack", {
      details: `${address?.host ?? "its address"} is no place where Slack keeps files`,
    });
  return address;
}

function formOf(args: Wire): URLSearchParams {
  const form = new URLSearchParams();
  for (const [name, value] of Object.entries(args))
    if (value !== undefined) form.set(name, typeof value === "string" ? value : JSON.stringify(value));
  return form;
}

function secondsOf(headers: Headers): number {
  const seconds = Number(headers.get("retry-after") ?? Number.NaN);
  return Number.isFinite(seconds) && seconds > 0 ? seconds : 1;
}

function resultOf(method: string, status: number, text: string): Wire {
  const body = parsed(text);
  if (body?.["ok"] === true) return body;
  const code = textOf(body?.["error"]);
  if (code === undefined) {
    if (status >= 400) throw new Refusal(method, `http_${status}`);
    throw new NoAnswer(`${status}, and no answer of Slack`, "maybe");
  }
  const { messages } = isRecord(body?.["response_metadata"]) ? body["response_metadata"] : {};
  throw new Refusal(method, code, {
    needed: textOf(body?.["needed"]),
    ...(Array.isArray(messages) && messages.length > 0 && { details: messages.map(String).join("; ").slice(0, 300) }),
  });
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
