// How Slack says no.

import type { Wire } from "./http.ts";

export class Refusal extends Error {
  readonly body: Wire;
  readonly retryAfter: number | undefined;

  constructor(body: Wire, retryAfter?: number) {
    super(String(body["error"]));
    this.body = body;
    this.retryAfter = retryAfter;
  }
}

/** A word of Slack. */
export function refuse(error: string, messages?: readonly string[]): Refusal {
  return new Refusal({ ok: false, error, ...(messages !== undefined && { response_metadata: { messages } }) });
}
