/** The open platform of Feishu: calls with the token of the app, which is renewed, and where the long connection is. */
import type { ChannelHost } from "@margay/core/plugin";
import { Refusal } from "./errors.ts";
import { faultOf, missingScopes } from "./faults.ts";
import { isRecord, textOf, type Wire } from "./json.ts";
import { ask, bodyOf, refusalIn, type Response200 } from "./request.ts";
import type { Settings } from "./settings.ts";

export interface CallOptions {
  readonly signal: AbortSignal;
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: Wire;
  /** Instead of a body. */
  readonly form?: FormData;
  /** How long an answer may take. */
  readonly ms?: number;
}

export interface Api {
  /** @param path behind `/open-apis`. @throws Refusal, NoAnswer; the reason of the signal. */
  call(method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE", path: string, options: CallOptions): Promise<Wire>;
  /** Bytes of a file. @throws a fault. */
  open(path: string, query: Readonly<Record<string, string>>, signal: AbortSignal): Promise<AsyncIterable<Uint8Array>>;
  /** Where the long connection is, for this once. @throws Refusal, NoAnswer; the reason of the signal. */
  endpoint(signal: AbortSignal): Promise<{ readonly url: string; readonly pingMs: number }>;
}

const CALL_MS = 30_000;
const BYTES_PER_MS = 50;
const ANSWER_BYTES = 8 * 1024 * 1024;
/** Missing, wrong, over: another token may do. */
const TOKEN_CODES = [99_991_661, 99_991_663, 99_991_664, 99_991_665, 99_991_668, 99_991_671];
/** A token is renewed so long before its end. */
const EARLY_MS = 300_000;

interface Token {
  readonly text: string;
  readonly until: number;
}

export function openApi(settings: Settings, host: ChannelHost): Api {
  const { baseUrl, appId, appSecret } = settings;
  const { clock } = host;
  let token: Promise<Token> | undefined;
  let limitedUntil = 0;
  const post = (path: string, body: Wire, signal: AbortSignal): Promise<Response200> =>
    ask({ url: `${baseUrl}${path}`, init: jsonOf("POST", body), ms: CALL_MS, maxBytes: ANSWER_BYTES }, host, signal);
  const renew = async (signal: AbortSignal): Promise<Token> => {
    const path = "/open-apis/auth/v3/tenant_access_token/internal";
    const body = bodyOf(await post(path, { app_id: appId, app_secret: appSecret }, signal));
    const text = textOf(body["tenant_access_token"]);
    if (text === undefined) throw new Refusal(200, "the answer names no token");
    return { text, until: clock.now() + Number(body["expire"] ?? 0) * 1000 };
  };
  const current = async (signal: AbortSignal): Promise<string> => {
    const known = await token?.catch(() => undefined);
    if (known !== undefined && known.until - EARLY_MS > clock.now()) return known.text;
    const made = renew(signal);
    token = made;
    return (await made).text;
  };
  /** With another token when that one is none any more: nothing was done then. */
  const withToken = async (
    url: string,
    init: RequestInit,
    sizes: { ms: number; maxBytes: number },
    signal: AbortSignal,
  ): Promise<Wire> => {
    // What would be refused is not asked.
    if (limitedUntil > clock.now())
      throw new Refusal(429, "the limit of the app is used up", {
        code: 99_991_400,
        retryAfterMs: limitedUntil - clock.now(),
      });
    const once = async (): Promise<Wire> => {
      const headers = {
        ...(init.headers as Record<string, string> | undefined),
        authorization: `Bearer ${await current(signal)}`,
      };
      return bodyOf(await ask({ url, init: { ...init, headers }, ...sizes }, host, signal));
    };
    try {
      return await once().catch((error: unknown) => {
        if (!(error instanceof Refusal) || !TOKEN_CODES.includes(error.code)) throw error;
        token = undefined;
        return once();
      });
    } catch (error) {
      if (error instanceof Refusal && error.code === 99_991_400) limitedUntil = clock.now() + (error.retryAfterMs ?? 0);
      throw error;
    }
  };
  return {
    async call(method, path, { signal, query = {}, body, form, ms = CALL_MS }) {
      const init = form === undefined ? jsonOf(method, body) : { method, body: form };
      const sizes = { ms: ms + sizeOf(form) / BYTES_PER_MS, maxBytes: ANSWER_BYTES };
      return withToken(`${baseUrl}/open-apis${path}${queryOf(query)}`, init, sizes, signal);
    },
    open: (path, query, signal) =>
      openFile(
        `${baseUrl}/open-apis${path}${queryOf(query)}`,
        { current, over: () => (token = undefined) },
        host,
        signal,
      ),
    async endpoint(signal) {
      const body = bodyOf(await post("/callback/ws/endpoint", { AppID: appId, AppSecret: appSecret }, signal));
      const data = isRecord(body["data"]) ? body["data"] : {};
      const url = textOf(data["URL"]);
      if (url === undefined) throw new Refusal(200, "the answer names no address");
      const config = isRecord(data["ClientConfig"]) ? data["ClientConfig"] : {};
      const seconds = Number(config["PingInterval"] ?? 0);
      return { url, pingMs: seconds > 0 ? seconds * 1000 : 120_000 };
    },
  };
}

/** @param tokens `over`: the one that was used is none any more, and the next attempt has another. @throws a fault. */
async function openFile(
  url: string,
  tokens: { readonly current: (signal: AbortSignal) => Promise<string>; readonly over: () => void },
  host: ChannelHost,
  signal: AbortSignal,
): Promise<AsyncIterable<Uint8Array>> {
  const held = await tokens.current(signal).catch((error: unknown) => {
    signal.throwIfAborted();
    throw faultOf(error, host);
  });
  return host.download(url, {
    headers: { authorization: `Bearer ${held}` },
    signal,
    refusal: async (answer) => {
      const refused = await refusalIn(answer);
      if (refused === undefined) return undefined;
      const missing = missingScopes(refused);
      const why = missing === undefined ? refused.message : `the app lacks the permission ${missing}`;
      const isOver = TOKEN_CODES.includes(refused.code);
      if (isOver) tokens.over();
      return host.fault(isOver ? "again" : "refused", why, { sent: "no" });
    },
  });
}

function jsonOf(method: string, body: Wire | undefined): RequestInit {
  if (body === undefined) return { method };
  return { method, headers: { "content-type": "application/json; charset=utf-8" }, body: JSON.stringify(body) };
}

function queryOf(query: Readonly<Record<string, string>>): string {
  const text = String(new URLSearchParams(query));
  return text === "" ? "" : `?${text}`;
}

function sizeOf(form: FormData | undefined): number {
  return [...(form?.values() ?? [])].reduce((sum, part) => sum + (typeof part === "string" ? 0 : part.size), 0);
}
