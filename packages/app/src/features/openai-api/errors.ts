/** Refusals in the words of OpenAI's errors: `code` and `param` are what clients branch on. */
import type { ErrorInfo } from "@margay/core";
import { Problem, type ProblemCode } from "../../host/api/problem.ts";

/** 400 `invalid_request_error`. */
export function refusal(code: string, param: string | null, detail: string, remedy?: string): Problem {
  return new Problem("request.malformed", {
    detail: remedy === undefined ? detail : `${detail} ${remedy}`,
    more: { code, param },
    headers: NO_RETRY,
  });
}

export function unsupported(param: string, detail: string): Problem {
  return refusal("unsupported_parameter", param, detail);
}

/** For official clients, which otherwise repeat a failed request: a turn that failed has been repeated already. */
export const NO_RETRY: Readonly<Record<string, string>> = { "x-should-retry": "false" };

/** Status and type of a failed turn; our code stays in `code`. */
const FAILURES: Readonly<Record<string, readonly [ProblemCode, string?]>> = {
  "budget.exhausted": ["rate.exceeded", "insufficient_quota"],
  "provider.quota": ["rate.exceeded", "insufficient_quota"],
  "provider.rate-limited": ["rate.exceeded"],
  "provider.overloaded": ["state.closing"],
  "provider.timeout": ["request.timeout"],
  "provider.silent": ["request.timeout"],
  "provider.context-length": ["request.malformed"],
  "provider.media-rejected": ["request.malformed"],
  "internal.bug": ["internal"],
  "process.stopping": ["state.closing"],
};

/** OpenAI's own words where there are some. */
const CODES: Readonly<Record<string, string>> = {
  "budget.exhausted": "insufficient_quota",
  "provider.quota": "insufficient_quota",
  "provider.rate-limited": "rate_limit_exceeded",
  "provider.context-length": "context_length_exceeded",
  "provider.media-rejected": "unsupported_content",
};

/** What the client is told of a turn that ended without an answer. */
export function failedTurn(error: ErrorInfo): Problem {
  const [code, type] = FAILURES[error.code] ?? ["provider.failed"];
  return new Problem(code, {
    detail: error.message,
    more: { code: CODES[error.code] ?? error.code, param: null, ...(type !== undefined && { type }) },
    headers: { ...NO_RETRY, ...retryAfter(error) },
  });
}

function retryAfter({ details }: ErrorInfo): Readonly<Record<string, string>> {
  if (typeof details !== "object" || details === null || !("retryAfterMs" in details)) return {};
  const wait = details.retryAfterMs;
  return typeof wait === "number" ? { "retry-after": String(Math.max(1, Math.ceil(wait / 1000))) } : {};
}

/** What was sent cannot be taken back. */
export function restarted(): Problem {
  return new Problem("provider.failed", {
    detail: "The model began its answer again after part of it was sent. The turn goes on; ask again for its answer.",
    more: { code: "stream.restarted", param: null },
  });
}

export function estopped(): Problem {
  return new Problem("system.estopped", {
    detail: "The operator has stopped everything. Ask again when work goes on.",
    headers: { "retry-after": "300" },
  });
}

/** The inbox did not take it: stopped since the request was checked, or too much waits already. @param until As `Accepted` says. */
export function notTaken(reason: string, until: unknown): Problem {
  if (until === "release") return estopped();
  return new Problem(until === "room" ? "queue.full" : "request.invalid", { detail: reason });
}

/** The process stops in the middle of a turn, which goes on at the next start. */
export function interrupted(): Problem {
  return new Problem("state.closing", {
    detail: "margay is shutting down. A session that has a name goes on after its start.",
    more: { code: "state.closing", param: null },
  });
}
