/** One request, in a fixed order of checks: each earlier one wins. */
import type { IncomingMessage, ServerResponse } from "node:http";
import { messageOf } from "@margay/core/internal";
import { Problem, toProblem } from "../api/problem.ts";
import { isPublic, languageFor, type Admitted, type Dispatch } from "./admit.ts";
import { SECURITY_HEADERS } from "./headers.ts";
import { problemAnswer } from "../api/problem-body.ts";
import { checkRequestLine, ParserRefusal } from "./request-line.ts";
import { writeAnswer, type Answer } from "./respond.ts";
import { serve } from "./serve.ts";
import { fullPath } from "./table.ts";

/** Never rejects. */
export async function handleRequest(
  request: IncomingMessage,
  response: ServerResponse,
  dispatch: Dispatch,
): Promise<void> {
  const { services } = dispatch;
  const { clock, ids, log } = services.app;
  const started = clock.monotonic();
  const requestId = ids.next("request");
  let label = "unknown";
  const common: Record<string, string> = {
    ...SECURITY_HEADERS,
    "request-id": requestId,
    ...(isHttps(dispatch) && { "strict-transport-security": "max-age=31536000" }),
  };
  const send = (answer: Answer): Promise<void> =>
    writeAnswer(request, response, { ...answer, headers: withCommon(common, answer.headers) }, clock);
  let path = "";
  try {
    const line = checkRequestLine(request);
    ({ path } = line);
    const isStatic = isRead(request) && dispatch.assets.has(path);
    const found = isStatic ? undefined : dispatch.table.find(request.method ?? "", path);
    if (found !== undefined && "route" in found) label = fullPath(found.route);
    else if (isStatic) label = "static";
    const admitted = dispatch.admit(request, line, isStatic || isPublic(found, request, dispatch));
    if (admitted.corsOrigin !== undefined) Object.assign(common, corsHeaders(admitted.corsOrigin));
    if (isStatic) await send(readAsset(request, admitted, dispatch));
    else if (request.method === "OPTIONS") await send(options(request, dispatch, path));
    else if (found === undefined) throw new Problem("request.not-found", "There is nothing at this path.");
    else if ("allow" in found)
      throw new Problem("request.method", {
        detail: `This path does not take ${request.method ?? ""}.`,
        headers: { allow: found.allow.join(", ") },
      });
    else await serve(request, response, { ...found, admitted, requestId, common, dispatch });
  } catch (error) {
    const problem = toProblem(error);
    const isOurs = !(error instanceof ParserRefusal) && !request.destroyed; // a client that left in its body is not
    if (problem.code === "internal" && isOurs)
      log.error("gateway.failed", { request: requestId, route: label, message: messageOf(error) });
    if (problem.code.startsWith("auth.")) services.metrics.add("margay_auth_failures_total", { kind: problem.code });
    if (response.headersSent || response.destroyed) response.destroy();
    else
      await send(
        error instanceof ParserRefusal
          ? refusal(error)
          : problemAnswer(problem, { path, requestId, language: languageFor(request, services) }),
      ).catch(
        () => response.destroy(), // the client is gone
      );
  } finally {
    const labels = { route: label, method: knownMethod(request.method), status: String(response.statusCode) };
    services.metrics.add("margay_http_requests_total", labels);
    services.metrics.observe("margay_http_seconds", (clock.monotonic() - started) / 1000);
  }
}

function readAsset(request: IncomingMessage, { path, secure, language }: Admitted, { assets }: Dispatch): Answer {
  const { headers } = request;
  const asset = assets.read({ path, headers, host: headers.host ?? "", secure, language });
  if (asset === undefined) throw new Problem("request.not-found", "There is nothing at this path.");
  return asset;
}

function options(request: IncomingMessage, { table, assets }: Dispatch, path: string): Answer {
  const found = table.find("OPTIONS", path);
  const allow =
    found !== undefined && "allow" in found ? found.allow : assets.has(path) ? ["GET", "HEAD", "OPTIONS"] : undefined;
  if (allow === undefined) throw new Problem("request.not-found", "There is nothing at this path.");
  return { status: 204, headers: { allow: allow.join(", ") }, body: undefined };
}

/** With those of the official client in a page. */
const CORS_HEADERS = [
  "authorization, content-type, margay-session, margay-approvals, margay-events, openai-organization, openai-project",
  ...[
    "arch",
    "helper-method",
    "lang",
    "os",
    "package-version",
    "retry-count",
    "runtime",
    "runtime-version",
    "timeout",
  ].map((name) => `x-stainless-${name}`),
].join(", ");

function corsHeaders(origin: string): Readonly<Record<string, string>> {
  return {
    "access-control-allow-origin": origin,
    "access-control-allow-methods": "GET, POST, DELETE",
    "access-control-allow-headers": CORS_HEADERS,
    "access-control-expose-headers":
      "margay-session, margay-history, margay-turn, margay-ignored, x-request-id, retry-after",
    "access-control-max-age": "600",
    "cross-origin-resource-policy": "cross-origin",
  };
}

function refusal({ status, message }: ParserRefusal): Answer {
  return {
    status,
    headers: { "content-type": "text/plain; charset=utf-8", connection: "close" },
    body: `${message}\n`,
  };
}

/** An empty value takes a common header away. */
function withCommon(common: Readonly<Record<string, string>>, own: Answer["headers"]): Answer["headers"] {
  return Object.fromEntries(Object.entries({ ...common, ...own }).filter(([, value]) => value !== ""));
}

function isHttps({ services, tls }: Dispatch): boolean {
  const { publicUrl } = services.app.inside.loaded().config.gateway;
  return tls || publicUrl?.startsWith("https:") === true;
}

const METHODS: ReadonlySet<string> = new Set(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]);

function knownMethod(method: string | undefined): string {
  return method !== undefined && METHODS.has(method) ? method : "other";
}

function isRead({ method }: IncomingMessage): boolean {
  return method === "GET" || method === "HEAD";
}
