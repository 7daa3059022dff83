/** How a request can go wrong: Feishu said no, or nothing came back that is an answer of Feishu. */

export class Refusal extends Error {
  readonly status: number;
  /** Feishu's own number of the reason; 0 where it says none. */
  readonly code: number;
  readonly retryAfterMs: number | undefined;
  /** Permissions of which the app has none. */
  readonly scopes: readonly string[];

  constructor(status: number, message: string, more: Partial<Pick<Refusal, "code" | "retryAfterMs" | "scopes">> = {}) {
    super(message);
    this.status = status;
    this.code = more.code ?? 0;
    this.retryAfterMs = more.retryAfterMs;
    this.scopes = more.scopes ?? [];
  }
}

export class NoAnswer extends Error {
  /** Whether what was asked for may have been done. */
  readonly sent: "no" | "maybe";

  constructor(message: string, sent: "no" | "maybe", cause?: unknown) {
    super(message, { cause });
    this.sent = sent;
  }
}
