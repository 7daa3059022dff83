/** What went wrong, as `application/problem+json` (RFC 9457). Codes are stable; each has one status. */
import { RuntimeError } from "@margay/core";

/** Every code that can leave the gateway, with its status. */
export const PROBLEMS = {
  "request.malformed": 400,
  "request.not-found": 404,
  "request.method": 405,
  "request.timeout": 504,
  "request.too-large": 413,
  "request.media-type": 415,
  "request.invalid": 422,
  "precondition.required": 428,
  "precondition.failed": 412,
  "idempotency.conflict": 409,
  "host.refused": 403,
  "origin.refused": 403,
  "auth.required": 401,
  "auth.invalid": 401,
  "auth.expired": 401,
  "auth.scope": 403,
  "auth.private": 403,
  "auth.fresh-required": 403,
  "auth.code-used": 410,
  "auth.code-expired": 410,
  "auth.locked": 429,
  "auth.setup-closed": 403,
  "auth.weak-password": 422,
  "rate.exceeded": 429,
  "state.closing": 503,
  "state.starting": 503,
  "state.disk": 503,
  internal: 500,
  "session.not-found": 404,
  "session.trashed": 410,
  "session.busy": 409,
  "session.read-only": 409,
  "journal.version": 409,
  "message.placed": 409,
  "message.not-found": 404,
  "turn.has-writes": 409,
  "undo.not-found": 404,
  "quarantine.not-found": 404,
  "quarantine.changed": 409,
  "quarantine.occupied": 409,
  "queue.full": 429,
  "budget.exhausted": 402,
  "attachment.unsupported": 422,
  "media.not-found": 404,
  "approval.not-found": 404,
  "approval.settled": 409,
  "approval.expired": 410,
  "approval.stale": 412,
  "tool.not-found": 404,
  "call.not-found": 404,
  "audit.broken": 409,
  "memory.not-found": 404,
  "persona.not-found": 404,
  "persona.builtin": 403,
  "persona.exists": 409,
  "skill.not-found": 404,
  "skill.builtin": 403,
  "skill.exists": 409,
  "skill.invalid": 422,
  "skill.suspended": 409,
  "skill.unsafe": 422,
  "cron.not-found": 404,
  "cron.invalid": 422,
  "cron.running": 409,
  "cron.protected": 403,
  "cron.past": 409,
  "channel.not-found": 404,
  "channel.invalid": 422,
  "channel.disabled": 409,
  "pairing.not-found": 404,
  "pairing.expired": 410,
  "mcp.not-found": 404,
  "mcp.invalid": 422,
  "mcp.exists": 409,
  "mcp.manifest-changed": 409,
  "mcp.state-used": 410,
  "provider.not-found": 404,
  "model.not-found": 404,
  "provider.unreachable": 502,
  "provider.failed": 502,
  "provider.auth": 424,
  "provider.rate-limited": 429,
  "provider.quota": 424,
  "settings.invalid": 422,
  "settings.locked": 403,
  "settings.unreadable-file": 409,
  "import.invalid": 422,
  "import.version": 422,
  "import.conflict": 409,
  "system.no-supervisor": 409,
  "system.estopped": 423,
} as const satisfies Readonly<Record<string, number>>;

export type ProblemCode = keyof typeof PROBLEMS;

export interface FieldFault {
  /** JSON Pointer into the body, or `query/name`. */
  readonly path: string;
  readonly code: string;
  readonly message: string;
}

export interface ProblemDetails {
  /** The thing, the value received, the limit. Never a stack, a path outside the workspace, or a key. */
  readonly detail: string;
  /** The next step. */
  readonly remedy?: string;
  /** Both in Chinese, for who asked in it. */
  readonly zh?: { readonly detail: string; readonly remedy?: string };
  readonly retryAfterMs?: number;
  readonly errors?: readonly FieldFault[];
  /** Further members of the document: `current` of a failed precondition, … */
  readonly more?: Readonly<Record<string, unknown>>;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Thrown by checks and handlers; the server writes it. */
export class Problem extends Error {
  override readonly name = "Problem";
  readonly code: ProblemCode;
  readonly details: ProblemDetails;

  constructor(code: ProblemCode, details: ProblemDetails | string) {
    const given = typeof details === "string" ? { detail: details } : details;
    super(given.detail);
    this.code = code;
    this.details = given;
  }

  get status(): number {
    return PROBLEMS[this.code];
  }
}

export function stopping(detail: string): Problem {
  return new Problem("state.closing", { detail, headers: { connection: "close" } });
}

/** When who came while a gateway starts is asked to come again. */
export const STARTING_MS = 1000;

/** Codes of the runtime that callers may see as they are, and what the others become. */
const FROM_RUNTIME: Readonly<Record<string, ProblemCode>> = {
  "session.missing": "session.not-found",
  "system.stopped": "system.estopped",
  "journal.failed": "state.disk",
  "journal.damaged": "state.disk",
  "journal.version": "journal.version",
  "process.stopping": "state.closing",
  "doc.conflict": "precondition.failed",
  "memory.conflict": "precondition.failed",
  "cron.invalid": "cron.invalid",
  "config.invalid": "settings.invalid",
  "config.unreadable": "settings.unreadable-file",
  "config.changed": "precondition.failed",
  "skill.missing": "skill.not-found",
  "skill.refused": "skill.invalid",
  "provider.auth": "provider.auth",
  "provider.no-key": "provider.auth",
  "provider.quota": "provider.quota",
  "provider.rate-limited": "provider.rate-limited",
  "provider.unknown": "provider.not-found",
  "provider.connection": "provider.unreachable",
  "provider.timeout": "provider.unreachable",
  "provider.silent": "provider.unreachable",
  "provider.overloaded": "provider.failed",
  "provider.truncated": "provider.failed",
  "provider.malformed": "provider.failed",
  "provider.bad-request": "provider.failed",
  "provider.not-found": "provider.failed",
  "provider.media-rejected": "provider.failed",
  "budget.exhausted": "budget.exhausted",
  "blob.missing": "media.not-found",
  "inbox.refused": "request.invalid",
  "usage.wrong": "request.invalid",
};

/** Whatever a handler threw; what nobody foresaw is `internal`, without its text. */
export function toProblem(error: unknown): Problem {
  if (error instanceof Problem) return error;
  if (error instanceof RuntimeError) {
    const code = FROM_RUNTIME[error.code];
    if (code !== undefined) return new Problem(code, error.message);
  }
  return new Problem("internal", { detail: "margay failed at this request.", remedy: "The log says more." });
}
