/** What a failure of the protocol library, of HTTP or of a process says about the call it ended. */
import { SdkError, SdkErrorCode, SdkHttpError, UnauthorizedError } from "@modelcontextprotocol/client";
import { RuntimeError } from "@margay/core";
import type { Failure } from "./types.ts";

/** What the failure of a request means for the call it carried. */
export function classify(error: unknown): Failure {
  if (UnauthorizedError.isInstance(error)) return "login";
  if (error instanceof RuntimeError && error.code === "mcp.login") return "login";
  if (error instanceof RuntimeError && error.cause !== undefined) return classify(error.cause);
  if (SdkHttpError.isInstance(error)) {
    if (error.status === 401 || error.status === 403) return "login";
    return error.status === 404 ? "unsent" : "answered"; // 404: the server forgot our session
  }
  if (SdkError.isInstance(error)) {
    if (error.code === SdkErrorCode.NotConnected || error.code === SdkErrorCode.SendFailed) return "unsent";
    return error.code === SdkErrorCode.ConnectionClosed ? "lost" : "answered";
  }
  const code = networkCode(error);
  if (code === undefined) return "answered";
  return NEVER_SENT.has(code) ? "unsent" : "lost";
}

const NEVER_SENT: ReadonlySet<string> = new Set([
  "ECONNREFUSED",
  "ENOTFOUND",
  "EAI_AGAIN",
  "ENETUNREACH",
  "EHOSTUNREACH",
  "EPIPE",
]);

function networkCode(error: unknown): string | undefined {
  if (typeof error !== "object" || error === null) return undefined;
  if ("code" in error && typeof error.code === "string" && /^E[A-Z_]+$/.test(error.code)) return error.code;
  return "cause" in error ? networkCode(error.cause) : undefined;
}

/** Servers from before Streamable HTTP refuse the first POST. */
export function isOldServer(error: unknown): boolean {
  return SdkHttpError.isInstance(error) && [400, 404, 405, 406, 415].includes(error.status);
}
