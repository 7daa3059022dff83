// An error as Telegram answers it.

import type { ResponseParameters } from "grammy/types";

import type { Answer } from "./http.ts";

/** Thrown where Telegram would refuse: `text` is what follows the name of the status. */
export class Refusal extends Error {
  readonly code: number;
  readonly parameters: ResponseParameters | undefined;

  constructor(code: number, text: string, parameters?: ResponseParameters) {
    super(text);
    this.code = code;
    this.parameters = parameters;
  }

  answer(): Answer {
    const { code, message, parameters } = this;
    const body = { ok: false, error_code: code, description: message, ...(parameters && { parameters }) };
    const wait = parameters?.retry_after;
    return { status: code, body, ...(wait !== undefined && { headers: { "retry-after": String(wait) } }) };
  }
}

/** 400, with the first letter as Telegram writes it. */
export function badRequest(text: string): Refusal {
  return new Refusal(400, `Bad Request: ${text}`);
}

/** @throws Refusal 429 */
export function tooMany(seconds: number): Refusal {
  return new Refusal(429, `Too Many Requests: retry after ${seconds}`, { retry_after: seconds });
}
