// A failure on its way through the AI SDK's stream, in order behind the text that came before it.
import type { Json } from "../../contract/base.ts";
import { ERROR_CODES } from "../../lib/errors/error-codes.ts";
import type { ErrorCode } from "../../lib/errors/error-codes.ts";
import { RuntimeError, toErrorInfo } from "../../lib/errors/errors.ts";

const MARK = "margay-failure:";

/** The text to carry in the message of an error event. A thrown error would overtake queued text and discard it. */
export function failureText(failure: RuntimeError): string {
  return MARK + JSON.stringify(toErrorInfo(failure));
}

/** The failure in any error value that came out of the stream. */
export function failureFrom(error: unknown): RuntimeError | undefined {
  const text =
    typeof error === "string"
      ? error
      : typeof error === "object" && error !== null && "message" in error
        ? error.message
        : undefined;
  // Some adapters put words of their own before the message.
  const at = typeof text === "string" ? text.indexOf(MARK) : -1;
  if (typeof text !== "string" || at === -1) return undefined;
  try {
    const info: unknown = JSON.parse(text.slice(at + MARK.length));
    if (typeof info !== "object" || info === null || !("code" in info) || !("message" in info)) return undefined;
    if (!isProviderCode(info.code) || typeof info.message !== "string") return undefined;
    return new RuntimeError(info.code, info.message, {
      retryable: "retryable" in info && info.retryable === true,
      // Written by failureText above, so it is JSON.
      ...("details" in info && { details: info.details as Json }),
    });
  } catch {
    return undefined; // Not ours after all.
  }
}

/** A provider could forge the mark; it gains nothing but its own error codes. */
function isProviderCode(code: unknown): code is ErrorCode {
  return typeof code === "string" && code.startsWith("provider.") && Object.hasOwn(ERROR_CODES, code);
}
