/** REST of the gateway: the key of the login, the language, ETags, problems, and the proof a call may ask for. */
import { forget, login, loginKey } from "./auth.ts";
import { languageTag, t } from "./texts/index.ts";
import { askForProof } from "./proof.ts";

/** What the gateway says went wrong (RFC 9457), or that it can't be reached (`code` "offline"). */
export interface ProblemDocument {
  readonly code: string;
  readonly title: string;
  readonly status: number;
  readonly detail: string;
  readonly remedy?: string;
  readonly retryable?: boolean;
  readonly retryAfterMs?: number;
  readonly errors?: readonly { readonly path: string; readonly code: string; readonly message: string }[];
  /** Of 412: the hash that is there now. */
  readonly current?: string;
  readonly [more: string]: unknown;
}

export class ApiProblem extends Error {
  override readonly name = "ApiProblem";
  readonly problem: ProblemDocument;
  constructor(problem: ProblemDocument) {
    super(problem.detail);
    this.problem = problem;
  }
  get code(): string {
    return this.problem.code;
  }
}

export interface Answer<Body> {
  readonly body: Body;
  /** Send it back as `ifMatch` when the document is written. */
  readonly etag: string | null;
  readonly status: number;
}

export interface CallOptions {
  readonly query?: Readonly<Record<string, string | number | boolean | undefined>>;
  /** Sent as JSON. */
  readonly body?: unknown;
  /** Sent as it is, with `contentType`. */
  readonly raw?: Blob | Uint8Array<ArrayBuffer>;
  readonly contentType?: string;
  /** Of the document that is changed; `"*"` with `ifNoneMatch` creates. */
  readonly ifMatch?: string;
  readonly ifNoneMatch?: string;
  /** For POSTs that create. */
  readonly idempotencyKey?: string;
  readonly accept?: string;
  /** Further ones of a single route. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
}

type Method = "GET" | "POST" | "PUT" | "PATCH" | "DELETE";

/** One call of `/api/v1`. @throws ApiProblem. A call that needs a fresh proof asks for it and is made again. */
export async function call<Body>(method: Method, path: string, options: CallOptions = {}): Promise<Answer<Body>> {
  const response = await respond(method, path, options);
  const text = response.status === 204 ? "" : await response.text();
  const json = text !== "" && (response.headers.get("content-type") ?? "").includes("json");
  const body: unknown = json ? JSON.parse(text) : text;
  return {
    body: body as Body /* the gateway checks its answers in its tests */,
    etag: response.headers.get("etag"),
    status: response.status,
  };
}

export const api = {
  get: <Body>(path: string, options?: CallOptions) => call<Body>("GET", path, options),
  post: <Body>(path: string, body?: unknown, options?: CallOptions) =>
    call<Body>("POST", path, { ...options, ...(body !== undefined && { body }) }),
  put: <Body>(path: string, body: unknown, options?: CallOptions) => call<Body>("PUT", path, { ...options, body }),
  patch: <Body>(path: string, body: unknown, options?: CallOptions) => call<Body>("PATCH", path, { ...options, body }),
  delete: <Body>(path: string, options?: CallOptions) => call<Body>("DELETE", path, options),
};

/** Bytes, for `blob:` addresses and downloads: the key travels in a header, so plain links can't be used. */
export async function fetchBlob(path: string, options: CallOptions = {}): Promise<Blob> {
  return (await respond("GET", path, options)).blob();
}

/** The response itself, checked for problems; for bodies that are streamed or read by range. */
export async function respond(method: Method, path: string, options: CallOptions): Promise<Response> {
  const response = await send(method, path, options);
  if (response.ok) return response;
  const problem = await refusalOf(response);
  if (problem.code === "auth.fresh-required" && (await askForProof())) {
    const again = await send(method, path, options);
    if (again.ok) return again;
    throw new ApiProblem(await refusalOf(again));
  }
  if (problem.code === "state.starting" && method === "GET") {
    // It has waited for half a minute and was answered in time: the journals are being read, and it goes on by itself.
    await new Promise((resolve) => setTimeout(resolve, problem.retryAfterMs));
    options.signal?.throwIfAborted();
    return respond(method, path, options);
  }
  if (response.status === 401 && !path.startsWith("/auth/")) {
    forget(false);
    login.value = login.value === "in" ? "signed-out" : "out";
  }
  throw new ApiProblem(problem);
}

async function send(method: Method, path: string, options: CallOptions): Promise<Response> {
  const url = new URL(`/api/v1${path}`, location.origin);
  for (const [name, value] of Object.entries(options.query ?? {}))
    if (value !== undefined) url.searchParams.set(name, String(value));
  const headers = headersOf(options);
  try {
    return await fetch(url, {
      method,
      headers,
      credentials: "same-origin",
      ...(options.body !== undefined && { body: JSON.stringify(options.body) }),
      ...(options.raw !== undefined && { body: options.raw }),
      ...(options.signal && { signal: options.signal }),
    });
  } catch (error) {
    if (options.signal?.aborted === true) throw error;
    throw offline();
  }
}

/** The key of the login, the language, and what the call says. */
export function headersOf(options: CallOptions): Record<string, string> {
  const key = loginKey();
  return {
    accept: options.accept ?? "application/json",
    "accept-language": languageTag(),
    ...(key !== null && { "margay-key": key }),
    ...(options.body !== undefined && { "content-type": "application/json" }),
    ...(options.contentType !== undefined && { "content-type": options.contentType }),
    ...(options.ifMatch !== undefined && { "if-match": options.ifMatch }),
    ...(options.ifNoneMatch !== undefined && { "if-none-match": options.ifNoneMatch }),
    ...(options.idempotencyKey !== undefined && { "idempotency-key": options.idempotencyKey }),
    ...options.headers,
  };
}

/** The gateway did not answer at all. */
export function offline(): ApiProblem {
  return new ApiProblem({
    code: "offline",
    title: t("problem.title"),
    status: 0,
    detail: t("problem.offline"),
    remedy: t("problem.offline.remedy"),
    retryable: true,
  });
}

/** @param text The body of an answer that is no success. */
export function problemOf(text: string, status: number, statusText: string): ProblemDocument {
  const fallback = { code: `http.${String(status)}`, title: statusText, status };
  try {
    const body: unknown = JSON.parse(text);
    if (typeof body === "object" && body !== null && "code" in body)
      return { detail: "", ...fallback, ...(body as object) }; // a problem document: its own members win
  } catch {
    // no JSON: a proxy answered
  }
  return { ...fallback, detail: `${String(status)} ${statusText}` };
}

async function refusalOf(response: Response): Promise<ProblemDocument> {
  return problemOf(await response.text().catch(() => ""), response.status, response.statusText);
}
