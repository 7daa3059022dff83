/** REST of Discord: one request, its limits, and what became of it. */
import type { ChannelHost } from "@margay/core/plugin";
import { isRecord, parsed, type Wire } from "./json.ts";
import type { Settings } from "./settings.ts";

export interface CallOptions {
  readonly signal: AbortSignal;
  readonly body?: Wire | readonly Wire[];
  /** With files the body is a part of a form. */
  readonly files?: readonly File[];
}

export interface Rest {
  /** @param path behind `/api/v10`. @throws Refusal, NoAnswer; the reason of the signal. */
  call(method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE", path: string, options: CallOptions): Promise<unknown>;
}

/** Discord said no. */
export class Refusal extends Error {
  readonly status: number;
  /** Discord's own number of the reason; 0 where it says none. */
  readonly code: number;
  readonly retryAfterMs: number | undefined;
  /** Holds for all that we ask, and not for this channel alone. */
  readonly isGlobal: boolean;

  constructor(
    status: number,
    message: string,
    more: Partial<Pick<Refusal, "code" | "retryAfterMs" | "isGlobal">> = {},
  ) {
    super(message);
    this.status = status;
    this.code = more.code ?? 0;
    this.retryAfterMs = more.retryAfterMs;
    this.isGlobal = more.isGlobal ?? false;
  }
}

/** Nothing came back that is an answer of Discord. */
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
/** Discord turns away who does not name itself in this form. */
const AGENT = "DiscordBot (margay, 0.1.0)";

export function openRest({ token, baseUrl }: Settings, host: ChannelHost): Rest {
  const pace = new Map<string, number>();
  const ask = async (...asked: Parameters<ChannelHost["request"]>): Promise<Response> => {
    const answer = await host.request(...asked);
    if (answer instanceof Response) return answer;
    throw new NoAnswer(answer.failed, answer.sent, answer.cause);
  };
  return {
    async call(method, path, { signal, body, files = [] }) {
      const key = `${method} ${path.replace(/\?.*/, "")}`;
      const wait = Math.max(pace.get(key) ?? 0, pace.get("all") ?? 0) - host.clock.now();
      // What would be refused is not asked: too many refusals shut out the whole address.
      if (wait > 0)
        throw new Refusal(429, "the limit of this channel is used up", {
          retryAfterMs: wait,
          isGlobal: (pace.get("all") ?? 0) > host.clock.now(),
        });
      const form = files.length === 0 ? undefined : formOf(body ?? {}, files);
      const request: RequestInit = {
        method,
        headers: {
          authorization: `Bot ${token}`,
          "user-agent": AGENT,
          ...(form === undefined && body !== undefined && { "content-type": "application/json" }),
        },
        ...(body !== undefined && { body: form ?? JSON.stringify(body) }),
      };
      const ms = CALL_MS + files.reduce((sum, { size }) => sum + size, 0) / BYTES_PER_MS;
      const answer = await ask(`${baseUrl}/api/v10${path}`, request, { ms, maxBytes: ANSWER_BYTES, signal });
      const text = await answer.text();
      noteLimits(pace, key, answer.headers, host.clock.now());
      const refused = answer.status === 429 ? tooMany(text, answer.headers) : undefined;
      if (refused === undefined) return resultOf(answer.status, text);
      pace.set(refused.isGlobal ? "all" : key, host.clock.now() + (refused.retryAfterMs ?? 0));
      throw refused;
    },
  };
}

/** The next request of a used-up bucket waits for it to be filled. */
function noteLimits(pace: Map<string, number>, key: string, headers: Headers, now: number): void {
  for (const [name, until] of pace) if (until <= now) pace.delete(name);
  const seconds = Number(headers.get("x-ratelimit-reset-after"));
  if (headers.get("x-ratelimit-remaining") === "0" && seconds > 0) pace.set(key, now + seconds * 1000);
}

/** Without a body of Discord's it comes from what stands in front of it, and holds for the whole address. */
function tooMany(text: string, headers: Headers): Refusal {
  const body = parsed(text);
  const seconds = Number(body?.["retry_after"] ?? headers.get("retry-after") ?? 1);
  return new Refusal(429, "too many requests", {
    retryAfterMs: Math.ceil((Number.isFinite(seconds) ? seconds : 1) * 1000),
    isGlobal: body?.["global"] === true || body?.["retry_after"] === undefined,
  });
}

function resultOf(status: number, text: string): unknown {
  if (status === 204) return undefined;
  if (status < 200 || status >= 300) {
    const body = parsed(text);
    const { message, code, errors } = body ?? {};
    const details = isRecord(errors) ? ` ${JSON.stringify(errors).slice(0, 300)}` : "";
    throw new Refusal(status, `${typeof message === "string" ? message : `status ${status}`}${details}`, {
      ...(typeof code === "number" && { code }),
    });
  }
  try {
    return JSON.parse(text) as unknown;
  } catch (error) {
    throw new NoAnswer(`${status}, and no answer of Discord`, "maybe", error);
  }
}

function formOf(body: object, files: readonly File[]): FormData {
  const form = new FormData();
  const attachments = files.map(({ name }, index) => ({ id: index, filename: name }));
  form.set("payload_json", JSON.stringify({ ...body, attachments }));
  for (const [index, file] of files.entries()) form.set(`files[${index}]`, file, file.name);
  return form;
}
