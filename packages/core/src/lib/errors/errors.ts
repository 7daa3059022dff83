import type { Json } from "../../contract/base.ts";
import type { ErrorInfo } from "../../contract/record.ts";
import type { ErrorCode } from "./error-codes.ts";
import { mapStrings } from "../secrets/redact.ts";
import { ellipsis } from "../text.ts";

/**
 * The one error class. Callers branch on `code`, never on text. Every code has a row in `error-codes.ts` and in
 * `docs/errors.md`. `message` reads `what happened. what to do.` and never holds a secret.
 */
export class RuntimeError extends Error {
  override readonly name = "RuntimeError";
  readonly code: ErrorCode;
  readonly retryable: boolean;
  readonly details: Json | undefined;

  constructor(
    code: ErrorCode,
    message: string,
    options: { readonly cause?: unknown; readonly retryable?: boolean; readonly details?: Json } = {},
  ) {
    super(message, { cause: options.cause });
    this.code = code;
    this.retryable = options.retryable ?? false;
    this.details = options.details;
  }
}

/** An error as data. Anything that is not ours is `internal.bug`; its stack stays in the log. */
export function toErrorInfo(error: unknown): ErrorInfo {
  if (error instanceof RuntimeError)
    return {
      code: error.code,
      message: error.message,
      retryable: error.retryable,
      ...(error.details !== undefined && { details: error.details }),
    };
  return { code: "internal.bug", message: messageOf(error), retryable: false };
}

/** As it may be journaled: what failed may quote the secret it failed with. */
export function withoutSecrets(error: ErrorInfo, redact: (text: string) => string): ErrorInfo {
  return {
    ...error,
    message: redact(error.message),
    ...(error.details !== undefined && { details: mapStrings(error.details, redact) }),
  };
}

const MAX_MESSAGE_CHARS = 1000;

/** A readable text for whatever was thrown: bounded, never empty. */
export function messageOf(error: unknown): string {
  const text = error instanceof Error ? error.message || error.name : typeof error === "string" ? error : "";
  if (text.trim() === "") return "an error without a message";
  return ellipsis(text, MAX_MESSAGE_CHARS);
}

/** Narrows to a RuntimeError with one of the given codes. */
export function hasCode(error: unknown, ...codes: readonly ErrorCode[]): error is RuntimeError {
  return error instanceof RuntimeError && codes.includes(error.code);
}
