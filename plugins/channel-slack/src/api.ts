/** The Web API of Slack over the `fetch` of Node: one request, and what became of it. */
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
  upload(url: string, bytes: Uint8Array, signal: AbortSignal): Promise<void>;
  /** Only from where Slack keeps files. @throws Refusal, NoAnswer; the reason of the signal. */
  download(
    file: { readonly url: string; readonly mediaType: string },
    maxBytes: number,
    signal: AbortSignal,
  ): Promise<Uint8Array>;
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
const DOWNLOAD_MS = 300_000;
/** There was no connection that anything could have been written to. */
const NEVER_STOOD =
  /^(?:ECONNREFUSED|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|UND_ERR_CONNECT_TIMEOUT|CERT_\w+|ERR_TLS_\w+|DEPTH_ZERO_\w+|SELF_SIGNED_\w+|UNABLE_TO_\w+)$/;

export function openApi(settings: Settings, host: ChannelHost): Api {
  const rests = new Map<string, number>();
  const { baseUrl } = settings;
  return {
    async call(method, args, signal, token = "bot") {
      const key = `${method} ${String(args["channel"] ?? "")}`;
      const wait = (rests.get(key) ?? 0) - host.clock.now();
      // It would be refused: who goes on asking waits longer.
      if (wait > 0) throw new Refusal(method, "ratelimited", { retryAfterMs: wait });
      rests.delete(key);
      const answer = await within(host, CALL_MS, signal, async (until) => {
        const response = await fetch(`${baseUrl}/api/${method}`, {
          method: "POST",
          headers: { authorization: `Bearer ${token === "app" ? settings.appToken : settings.token}` },
          body: formOf(args),
          redirect: "error", // it would take the token elsewhere
          signal: until,
        });
        return { status: response.status, headers: response.headers, text: await response.text() };
      });
      if (answer.status === 429) {
        const retryAfterMs = secondsOf(answer.headers) * 1000;
        rests.set(key, host.clock.now() + retryAfterMs);
        throw new Refusal(method, "ratelimited", { retryAfterMs });
      }
      const scopes = answer.headers.get("x-oauth-scopes");
      return { body: resultOf(method, answer), scopes: scopes === null ? undefined : scopes.split(/\s*,\s*/) };
    },
    async upload(url, bytes, signal) {
      const address = placeOf(url, settings);
      await within(host, CALL_MS + bytes.length / BYTES_PER_MS, signal, async (until) => {
        const response = await fetch(address, {
          method: "POST",
          headers: { "content-type": "application/octet-stream" },
          body: new Uint8Array(bytes),
          redirect: "error",
          signal: until,
        });
        if (!response.ok)
          throw new Refusal("upload", `http_${response.status}`, { details: (await response.text()).slice(0, 200) });
        await response.text();
      });
    },
    download: ({ url, mediaType }, maxBytes, signal) =>
      within(host, DOWNLOAD_MS, signal, async (until) => {
        const response = await fetch(placeOf(url, settings), {
          headers: { authorization: `Bearer ${settings.token}` },
          redirect: "error",
          signal: until,
        });
        if (!response.ok || response.body === null) throw new Refusal("download", `http_${response.status}`);
        // Who may not read a file is shown the page where people sign in.
        if (response.headers.get("content-type")?.startsWith("text/html") === true && !mediaType.startsWith("text/"))
          throw new Refusal("download", "not_a_file", {
            details: "Slack showed a page instead: the scope files:read may be missing",
          });
        return bounded(response.body, maxBytes);
      }),
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

async function bounded(body: AsyncIterable<Uint8Array>, maxBytes: number): Promise<Uint8Array> {
  const parts: Uint8Array[] = [];
  let bytes = 0;
  for await (const part of body) {
    bytes += part.length;
    if (bytes > maxBytes)
      throw new Refusal("download", "too_large", { details: "it is larger than it was said to be" });
    parts.push(part);
  }
  return Buffer.concat(parts);
}

/** Ends what takes too long, a half answer too. */
async function within<T>(
  { clock }: ChannelHost,
  ms: number,
  signal: AbortSignal,
  act: (until: AbortSignal) => Promise<T>,
): Promise<T> {
  signal.throwIfAborted();
  const over = new AbortController();
  using _timer = clock.timer(ms, () => over.abort(new Error(`no answer within ${Math.round(ms / 1000)} s`)));
  try {
    return await act(AbortSignal.any([signal, over.signal]));
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof Refusal || error instanceof NoAnswer) throw error;
    const code = codeOf(error);
    throw new NoAnswer(code ?? messageOf(error), code !== undefined && NEVER_STOOD.test(code) ? "no" : "maybe", error);
  }
}

function secondsOf(headers: Headers): number {
  const seconds = Number(headers.get("retry-after") ?? Number.NaN);
  return Number.isFinite(seconds) && seconds > 0 ? seconds : 1;
}

function resultOf(method: string, { status, text }: { readonly status: number; readonly text: string }): Wire {
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

function codeOf(error: unknown): string | undefined {
  for (let link = error; link instanceof Error; link = link.cause)
    if ("code" in link && typeof link.code === "string") return link.code;
  return undefined;
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
