/** The Bot API. The types are those of grammy; nothing of it runs. */
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
  /** Where a file lies that `getFile` names. */
  fileAt(path: string): string;
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
/** A hundred updates are far less. */
const ANSWER_BYTES = 64 * 1024 * 1024;

export function openApi({ token, baseUrl }: Settings, host: ChannelHost): Api {
  const ask = async (...asked: Parameters<ChannelHost["request"]>): Promise<Response> => {
    const answer = await host.request(...asked);
    if (answer instanceof Response) return answer;
    throw new NoAnswer(answer.failed, answer.sent, answer.cause);
  };
  return {
    async call(method, args, { signal, files, timeoutMs = CALL_MS + sizeOf(files) / BYTES_PER_MS }) {
      const body = files === undefined ? JSON.stringify(args) : form(args, files);
      const headers: Record<string, string> = files === undefined ? { "content-type": "application/json" } : {};
      const url = `${baseUrl}/bot${token}/${method}`;
      const limits = { ms: timeoutMs, maxBytes: ANSWER_BYTES, signal };
      const answer = await ask(url, { method: "POST", headers, body }, limits);
      host.alive();
      return resultOf(answer.status, await answer.text()) as ReturnType<ApiMethods[typeof method]>; // as the Bot API has it
    },
    fileAt: (path) => `${baseUrl}/file/bot${token}/${path}`,
  };
}

function resultOf(status: number, text: string): unknown {
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
