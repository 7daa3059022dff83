/** The Bot API over the `fetch` of Node. The types are those of grammy; nothing of it runs. */
import type { ChannelHost } from "@margay/core/plugin";
import type { ApiMethods } from "grammy/types";
import type { Settings } from "./settings.ts";

type Method = keyof ApiMethods;
type ArgsOf<M extends Method> =
  Parameters<ApiMethods[M]> extends [] ? Readonly<Record<string, never>> : NonNullable<Parameters<ApiMethods[M]>[0]>;

export interface CallOptions {
  readonly signal: AbortSignal;
  /** Until the whole answer is there. Default: half a minute, and a second for each 50 KB that are sent. */
  readonly timeoutMs?: number;
  /** What `attach://NAME` stands for. */
  readonly files?: ReadonlyMap<string, File>;
}

export interface Api {
  /** @throws Refusal, NoAnswer; the reason of the signal. */
  call<M extends Method>(method: M, args: ArgsOf<M>, options: CallOptions): Promise<ReturnType<ApiMethods[M]>>;
  /** @throws Refusal, NoAnswer; the reason of the signal. */
  download(path: string, maxBytes: number, signal: AbortSignal): Promise<Uint8Array>;
}

/** Telegram said no. */
export class Refusal extends Error {
  readonly code: number;
  readonly retryAfterMs: number | undefined;
  /** The group has become this supergroup. */
  readonly movedTo: string | undefined;

  constructor(code: number, description: string, parameters: Readonly<Record<string, unknown>> = {}) {
    super(description);
    const { retry_after: seconds, migrate_to_chat_id: moved } = parameters;
    this.code = code;
    this.retryAfterMs = typeof seconds === "number" ? seconds * 1000 : undefined;
    this.movedTo = typeof moved === "number" ? String(moved) : undefined;
  }
}

/** Nothing came back that is an answer of Telegram. */
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
const DOWNLOAD_MS = 600_000;
/** There was no connection that anything could have been written to. */
const NEVER_STOOD =
  /^(?:ECONNREFUSED|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|UND_ERR_CONNECT_TIMEOUT|CERT_\w+|ERR_TLS_\w+|DEPTH_ZERO_\w+|SELF_SIGNED_\w+|UNABLE_TO_\w+)$/;

export function openApi({ token, baseUrl }: Settings, host: ChannelHost): Api {
  return {
    async call(method, args, { signal, files, timeoutMs = CALL_MS + sizeOf(files) / BYTES_PER_MS }) {
      const body = files === undefined ? JSON.stringify(args) : form(args, files);
      const headers: Record<string, string> = files === undefined ? { "content-type": "application/json" } : {};
      // A redirect would take the token elsewhere.
      const request: RequestInit = { method: "POST", headers, body, redirect: "error" };
      const url = `${baseUrl}/bot${token}/${method}`;
      const answer = await within(host, timeoutMs, signal, async (until) => {
        const response = await fetch(url, { ...request, signal: until });
        return { status: response.status, text: await response.text() };
      });
      host.alive();
      return resultOf(answer) as ReturnType<ApiMethods[typeof method]>; // as the Bot API has it
    },
    download: (path, maxBytes, signal) =>
      within(host, DOWNLOAD_MS, signal, async (until) => {
        const response = await fetch(`${baseUrl}/file/bot${token}/${path}`, { redirect: "error", signal: until });
        if (!response.ok || response.body === null) throw new Refusal(response.status, "the file is not there");
        const parts: Uint8Array[] = [];
        let bytes = 0;
        for await (const part of response.body) {
          host.alive(); // a slow line is no dead one
          bytes += part.length;
          if (bytes > maxBytes) throw new Refusal(413, "the file is larger than it was said to be");
          parts.push(part);
        }
        return Buffer.concat(parts);
      }),
  };
}

/** Ends what takes too long, a half answer too. */
async function within<T>(
  { clock }: ChannelHost,
  ms: number,
  signal: AbortSignal,
  ask: (until: AbortSignal) => Promise<T>,
): Promise<T> {
  signal.throwIfAborted();
  const over = new AbortController();
  using _timer = clock.timer(ms, () => over.abort(new Error(`no answer within ${Math.round(ms / 1000)} s`)));
  try {
    return await ask(AbortSignal.any([signal, over.signal]));
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof Refusal) throw error;
    const why = innermost(error);
    const code = "code" in why ? String(why.code) : "";
    throw new NoAnswer(why.message === "" ? code : why.message, NEVER_STOOD.test(code) ? "no" : "maybe", error);
  }
}

/** `fetch failed` says nothing: what it was is inside, in one of several addresses maybe. */
function innermost(error: unknown): Error {
  let found = error instanceof Error ? error : new Error(String(error));
  for (let depth = 0; depth < 5; depth++) {
    const next: unknown = found instanceof AggregateError ? found.errors[0] : found.cause;
    if (!(next instanceof Error)) break;
    found = next;
  }
  return found;
}

function resultOf({ status, text }: { readonly status: number; readonly text: string }): unknown {
  const answer = parsed(text);
  if (answer?.["ok"] === true) return answer["result"];
  // Not Telegram itself: a proxy, or a page of the network one is in.
  if (answer?.["ok"] !== false) throw new NoAnswer(`${status}, and no answer of the Bot API`, "maybe");
  const { error_code: code, description, parameters } = answer;
  throw new Refusal(
    typeof code === "number" ? code : status,
    typeof description === "string" ? description : `status ${status}`,
    typeof parameters === "object" && parameters !== null ? { ...parameters } : {},
  );
}

function parsed(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null ? { ...value } : undefined;
  } catch {
    return undefined;
  }
}

function form(args: object, files: ReadonlyMap<string, File>): FormData {
  const body = new FormData();
  for (const [name, value] of Object.entries(args) as [string, unknown][])
    if (value !== undefined) body.set(name, typeof value === "string" ? value : JSON.stringify(value));
  for (const [name, file] of files) body.set(name, file, file.name);
  return body;
}

function sizeOf(files: ReadonlyMap<string, File> = new Map()): number {
  return [...files.values()].reduce((sum, { size }) => sum + size, 0);
}
