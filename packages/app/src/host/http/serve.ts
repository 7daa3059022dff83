/** A route at work: scope, rate, body, validation, time, and its answer. */
import type { IncomingMessage, ServerResponse } from "node:http";
import { raceAbort } from "@margay/core/internal";
import { allows, type Credential } from "../auth/credential.ts";
import { TEXT } from "../api/api-texts.ts";
import { Problem, STARTING_MS, stopping } from "../api/problem.ts";
import type { Call, Making, Reply, Route } from "../api/route.ts";
import type { Services } from "../api/services.ts";
import { told } from "../api/words.ts";
import { clientKey } from "./address.ts";
import type { Admitted, Dispatch } from "./admit.ts";
import { readBody } from "./body.ts";
import { takesGzip, zipped } from "./gzip.ts";
import { replaysOf, isReplayed } from "./replays.ts";
import { writeAnswer, writeStream } from "./respond.ts";
import { requireJson, validBody, validQuery } from "./validate.ts";

const DEFAULT_TIMEOUT_MS = 30_000;

export interface Serving {
  readonly route: Route;
  readonly params: Readonly<Record<string, string>>;
  readonly admitted: Admitted;
  readonly requestId: string;
  readonly common: Readonly<Record<string, string>>;
  readonly dispatch: Dispatch;
}

export async function serve(request: IncomingMessage, response: ServerResponse, serving: Serving): Promise<void> {
  const { route, params, admitted, requestId, common, dispatch } = serving;
  const { services } = dispatch;
  const { clock } = services.app;
  const { credential } = admitted.presented;
  checkScope(route, credential, clock.now());
  if (admitted.local !== true) checkRate(route, admitted, services);
  if (services.closing.aborted && route.scope !== "public") throw stopping("The gateway is stopping.");
  const gone = new AbortController();
  response.once("close", () => gone.abort(new Error("the client is gone")));
  const body = await bodyOf(request, response, serving, gone.signal);
  const timeoutMs = route.timeoutMs === undefined ? DEFAULT_TIMEOUT_MS : route.timeoutMs;
  const timeout = timeoutMs === null ? undefined : AbortSignal.timeout(timeoutMs);
  const call: Call<unknown, unknown> = {
    services,
    params,
    query: validQuery(route, admitted.query),
    body: route.rawBody === undefined ? body.parsed() : body.bytes,
    credential,
    headers: request.headers as Call<unknown, unknown>["headers"], // those with many values are joined but set-cookie
    address: admitted.address,
    requestId,
    language: admitted.language,
    t: dispatch.translator(admitted.language),
    signal: timeout ?? gone.signal,
    newId: (kind) => services.app.ids.next(kind),
    begunAt: undefined,
  };
  // Before the handler: what it accepts must not be refused afterwards for lack of room.
  using _slot = mayStream(route, call) ? takeStream(services) : undefined;
  const work = async (making?: Making): Promise<Reply> => route.handle({ ...call, ...making } as never); // the schemas made its parts
  const key = request.headers["idempotency-key"];
  const isReplay = typeof key === "string" && credential !== undefined && isReplayed(route);
  const replying = untilTimeout(
    isReplay
      ? services
          .once(replaysOf)
          .answer({ route, key, owner: credential.id, target: targetOf(admitted), body: body.bytes }, work)
      : work(),
    timeout,
    services,
  );
  const reply = await raceAbort(replying, services.late);
  const headers = {
    ...common,
    "cache-control": "no-store",
    vary: "Accept-Language",
    ...reply.headers,
  };
  const status = reply.status ?? route.status ?? 200;
  if (reply.raw instanceof ReadableStream) {
    const stop = AbortSignal.any([services.closing, ...(credential === undefined ? [] : [credential.gone])]);
    await writeStream(response, { status, headers }, reply.raw, { clock, stop });
    return;
  }
  const isEmpty = reply.body === undefined && reply.raw === undefined;
  const answer = {
    status,
    headers: isEmpty || reply.raw !== undefined ? headers : { "content-type": "application/json", ...headers },
    body: isEmpty ? undefined : (reply.raw ?? JSON.stringify(reply.body)),
  };
  const isSmaller = route.compressed === true && takesGzip(request);
  await writeAnswer(request, response, isSmaller ? await zipped(answer) : answer, clock);
}

function targetOf({ path, query }: Admitted): string {
  return query.size === 0 ? path : `${path}?${query.toString()}`;
}

/** All that a token of somebody beside the owner can ask: everything else shows the owner's. */
const OF_OTHERS = "/!/v1/";

/** Closed: what does not say that it is for them is not. @throws Problem `auth.scope`. */
function checkPerson({ kind }: Credential, { path, ofPersons }: Route): void {
  if (kind === "browser" ? ofPersons === true : path.startsWith(OF_OTHERS)) return;
  if (kind !== "browser")
    throw new Problem("auth.scope", {
      detail: "This token is somebody else's than the owner's: it may use /v1 alone.",
      remedy: "Use a token of the owner: margay token create --scope …",
    });
  throw new Problem("auth.scope", "This login has its own conversations, and nothing that is the owner's.");
}

function checkScope(route: Route, credential: Credential | undefined, now: number): void {
  const { scope, ownSessions } = route;
  if (scope === "public") return;
  if (credential === undefined) throw new Problem("auth.required", "This needs a login or a token.");
  if (credential.for !== undefined) checkPerson(credential, route);
  if (credential.for !== undefined && credential.kind === "browser") return;
  if (allows(credential, scope, now) || (ownSessions === true && allows(credential, "chat", now))) return;
  const canProve = scope === "owner" && credential.kind === "browser";
  throw new Problem(canProve ? "auth.fresh-required" : "auth.scope", {
    detail: canProve ? "This needs a fresh proof that it is you." : `This needs the scope ${scope}.`,
    remedy: canProve
      ? "Confirm with the password, or with the code of `margay open --code`."
      : "Use a token with that scope: margay token create --scope …",
  });
}

/** @throws Problem `rate.exceeded`. */
function checkRate({ unlimited }: Route, { presented, address }: Admitted, { rates, app }: Services): void {
  const { requestsPerMinute, anonymousPerMinute } = app.inside.loaded().config.gateway.limits;
  const { credential } = presented;
  if (credential === undefined && unlimited === true) return;
  if (credential === undefined) rates.take(`anonymous:${clientKey(address)}`, anonymousPerMinute);
  else rates.take(`credential:${credential.id}`, requestsPerMinute);
}

async function bodyOf(
  request: IncomingMessage,
  response: ServerResponse,
  { route, params, dispatch: { services } }: Serving,
  signal: AbortSignal,
): Promise<{ readonly bytes: Uint8Array; parsed(): unknown }> {
  if (request.method === "GET" || request.method === "HEAD")
    return { bytes: new Uint8Array(), parsed: () => undefined };
  const type = request.headers["content-type"];
  const hasBody =
    request.headers["transfer-encoding"] !== undefined || Number(request.headers["content-length"] ?? 0) > 0;
  if (route.rawBody === undefined && hasBody) requireJson(type);
  if (request.headers.expect !== undefined) response.writeContinue();
  const bytes = await readBody(request, limitOf(route, params, services), signal);
  return { bytes, parsed: () => validBody(route, bytes, type) };
}

const IMPORT_BYTES = 10 * 1024 * 1024;
const HOOK_BYTES = 1024 * 1024;

function limitOf(route: Route, params: Serving["params"], services: Services): number {
  const { limits } = services.app.inside.loaded().config.gateway;
  if (typeof route.rawBody === "function") return route.rawBody({ services, params });
  if (route.rawBody === "upload") return limits.uploadBytes;
  if (route.rawBody === "import") return IMPORT_BYTES;
  if (route.rawBody === "hook") return HOOK_BYTES;
  return route.path.startsWith("/!/v1/") ? limits.apiBodyBytes : limits.bodyBytes;
}

/** @throws Problem `request.timeout`, `state.starting`; the handler's own work ends by its signal. */
function untilTimeout(work: Promise<Reply>, timeout: AbortSignal | undefined, services: Services): Promise<Reply> {
  if (timeout === undefined) return work;
  return new Promise((resolve, reject) => {
    const onTimeout = (): void =>
      reject(
        services.starting() ? starting() : new Problem("request.timeout", "The gateway did not finish this in time."),
      );
    timeout.addEventListener("abort", onTimeout, { once: true });
    work
      .finally(() => timeout.removeEventListener("abort", onTimeout))
      .then(resolve, (error: unknown) => (timeout.aborted ? onTimeout() : reject(error as Error))); // as it was thrown
  });
}

/** It needs more journals than are read by now. What was sent is perhaps kept: the same key is taken once. */
function starting(): Problem {
  return new Problem("state.starting", {
    ...told({ detail: TEXT.stillReading, remedy: TEXT.tryInAMoment }),
    retryAfterMs: STARTING_MS,
    headers: { "retry-after": String(STARTING_MS / 1000) },
  });
}

/** What stays open as long as the client likes: it is bounded by number, not by time. */
function mayStream({ timeoutMs, method, path }: Route, { headers, body }: Call<unknown, unknown>): boolean {
  if (timeoutMs !== null) return false;
  if (headers["accept"]?.includes("text/event-stream") === true) return true;
  if (method === "GET") return path.endsWith("/events");
  return typeof body === "object" && body !== null && "stream" in body && body.stream === true;
}

/** @throws Problem `rate.exceeded` when too many are open. */
function takeStream({ app, rates }: Services): Disposable {
  const { streams } = app.inside.loaded().config.gateway.limits;
  return { [Symbol.dispose]: rates.hold("streams", streams) };
}
