/** A problem as a document: problem+json, or the shape of OpenAI's errors under /v1. */
import type { Language } from "../../texts/text.ts";
import { TITLES } from "./titles.en.ts";
import { TITLES_ZH } from "./titles.zh.ts";
import type { Problem } from "./problem.ts";
import type { Answer } from "../http/respond.ts";

export interface Asked {
  /** Of the request: official clients of /v1 read another shape. */
  readonly path: string;
  readonly requestId: string;
  readonly language: Language;
}

export function problemAnswer(problem: Problem, { path, requestId, language }: Asked): Answer {
  const isOpenAi = path === "/v1" || path.startsWith("/v1/");
  return {
    status: isOpenAi ? openAiStatus(problem) : problem.status,
    headers: {
      ...(isOpenAi && { "x-request-id": requestId }),
      "content-type": isOpenAi ? "application/json" : "application/problem+json",
      "cache-control": "no-store",
      vary: "Accept-Language",
      ...problem.details.headers,
    },
    body: JSON.stringify(isOpenAi ? openAiError(problem) : problemDocument(problem, requestId, language)),
  };
}

/** Trying the same again may work. */
const RETRYABLE: ReadonlySet<number> = new Set([408, 429, 500, 502, 503, 504]);

export function problemDocument(
  problem: Problem,
  instance: string,
  language: Language = "en",
): Readonly<Record<string, unknown>> {
  const { zh, retryAfterMs, errors, more } = problem.details;
  const { detail, remedy } = language === "zh-CN" && zh !== undefined ? zh : problem.details;
  const title = (language === "zh-CN" ? TITLES_ZH : TITLES)[problem.code];
  return {
    ...more,
    type: `urn:margay:error:${problem.code}`,
    title,
    status: problem.status,
    code: problem.code,
    // As commands do: what was not written in the reader's language stands beside what it means.
    detail: language === "en" || /\p{Script=Han}/u.test(detail) ? detail : `${title}（${detail}）`,
    instance,
    retryable: RETRYABLE.has(problem.status),
    ...(retryAfterMs !== undefined && { retryAfterMs }),
    ...(remedy !== undefined && { remedy }),
    ...(errors !== undefined && { errors }),
  };
}

const OPENAI_TYPES: Readonly<Record<number, string>> = {
  401: "authentication_error",
  403: "permission_error",
  404: "not_found_error",
  429: "rate_limit_error",
};

/** There a body that does not fit, a spent budget and the emergency stop have other numbers. */
const OPENAI_STATUS: Readonly<Record<number, number>> = { 402: 429, 422: 400, 423: 503 };

function openAiStatus({ status }: Problem): number {
  return OPENAI_STATUS[status] ?? status;
}

/** What official clients turn into their own error classes. `more.code`, `more.param` and `more.type` win over ours. */
export function openAiError(problem: Problem): Readonly<Record<string, unknown>> {
  const { code, details } = problem;
  const status = openAiStatus(problem);
  const type =
    details.more?.["type"] ?? OPENAI_TYPES[status] ?? (status >= 500 ? "server_error" : "invalid_request_error");
  const param = details.more?.["param"] ?? details.errors?.[0]?.path.replace(/^\//, "").replaceAll("/", ".") ?? null;
  const named = details.more?.["code"] ?? (code.startsWith("auth.") && status === 401 ? "invalid_api_key" : code);
  return { error: { message: details.detail, type, param, code: named } };
}
