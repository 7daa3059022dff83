/** One operation of the API: what it takes, who may call it, what it answers. Table and OpenAPI are made from these. */
import type { Millis } from "@margay/core/internal";
import type { z } from "zod";
import type { Translate } from "../../texts/translate.ts";
import type { Credential } from "../auth/credential.ts";
import type { ProblemCode } from "./problem.ts";
import type { Services } from "./services.ts";

/** `chat` routes are open to `admin` too. `owner` needs a fresh proof from a browser. */
export type Scope = "public" | "read" | "chat" | "admin" | "owner" | "metrics";

export type Method = "GET" | "POST" | "PUT" | "PATCH" | "DELETE";

/** What a request makes, so that it is made once by its `Idempotency-Key`. */
export interface Making {
  /** Random; the same for each attempt at one request with a key. */
  readonly newId: (kind: string) => string;
  /** When an attempt began whose end nobody knows, since the process died: what it made may be there. */
  readonly begunAt: Millis | undefined;
}

export interface Call<Query, Body> extends Making {
  readonly services: Services;
  /** Of the path template, decoded. */
  readonly params: Readonly<Record<string, string>>;
  readonly query: Query;
  readonly body: Body;
  /** Undefined on public routes without one. */
  readonly credential: Credential | undefined;
  /** Lower case. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  /** Remote address, after `trustedProxies`. */
  readonly address: string;
  readonly requestId: string;
  readonly language: "en" | "zh-CN";
  readonly t: Translate;
  /** Aborts on the route's timeout; on streaming routes when the client is gone. */
  readonly signal: AbortSignal;
}

export interface Reply {
  /** Default: the route's `status`. */
  readonly status?: number;
  /** Checked against the route's `response` in tests. */
  readonly body?: unknown;
  /** Sent as it is instead of `body`; `content-type` is in `headers`. */
  readonly raw?: Uint8Array | string | ReadableStream<Uint8Array>;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface RouteSpec<Query extends z.ZodType, Body extends z.ZodType> {
  /** `operationId`, unique. */
  readonly id: string;
  readonly method: Method;
  /** Below `/api/v1` unless it begins with `/!`: `/sessions/{id}`; `/!/metrics` is `/metrics`. */
  readonly path: string;
  readonly scope: Scope;
  /** Tokens that chat may use it for their own sessions, which the handler checks. */
  readonly ownSessions?: true;
  /** A login of a person beside the owner may use it, whatever its scope: the handler asks what they may read. */
  readonly ofPersons?: true;
  /** One line, English. */
  readonly summary: string;
  readonly query?: Query;
  readonly body?: Body;
  /** Raw body instead of JSON, up to this many bytes; the handler gets a `Uint8Array`. */
  readonly rawBody?:
    | "upload"
    | "import"
    | "hook"
    | ((call: Pick<Call<unknown, unknown>, "services" | "params">) => number);
  /** It bounds its callers itself, or answers probes: the limit of callers without a credential does not hold. */
  readonly unlimited?: true;
  /** It makes nothing to be read later but does something that costs: an `Idempotency-Key` holds for it too. */
  readonly runs?: true;
  /** Of success. Default 200; 204 has no body. */
  readonly status?: 200 | 201 | 202 | 204;
  /** What a probe goes by: with the same body, when the answer is no. */
  readonly otherwise?: 503;
  /** Undefined: not JSON. */
  readonly response?: z.ZodType;
  /** Besides those common to all routes. */
  readonly errors?: readonly ProblemCode[];
  /**
   * Sent as gzip to who takes it. Only where no secret stands beside a text that others can choose: what a body weighs
   * would tell of it (BREACH). Never of a body with an ETag.
   */
  readonly compressed?: true;
  /** Default 30,000; `null` for streams. */
  readonly timeoutMs?: number | null;
  readonly handle: (call: Call<z.output<Query>, z.output<Body>>) => Promise<Reply> | Reply;
}

/** Of a route that asks a model: what the provider may answer. */
export const ASKS_A_MODEL = [
  "provider.unreachable",
  "provider.failed",
  "provider.auth",
  "provider.rate-limited",
  "provider.quota",
] as const satisfies readonly ProblemCode[];

/** With the types of its schemas erased, as the table holds it. */
export type Route = Omit<RouteSpec<z.ZodType, z.ZodType>, "handle"> & {
  readonly handle: (call: Call<never, never>) => Promise<Reply> | Reply;
};

export function route<Query extends z.ZodType = z.ZodUndefined, Body extends z.ZodType = z.ZodUndefined>(
  spec: RouteSpec<Query, Body>,
): Route {
  return spec;
}
