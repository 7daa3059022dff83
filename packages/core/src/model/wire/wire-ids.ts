// Names and ids in the form a wire accepts; the same input gives the same output in every request.
import { fingerprint } from "../../lib/hash.ts";

/** OpenAI accepts 64 characters in Responses and 40 in Chat Completions; Anthropic `[a-zA-Z0-9_-]+`. */
const MAX_ID_CHARS = 40;

export function wireCallId(callId: string, style: "plain" | "nine"): string {
  if (style === "nine") return nine(callId);
  return callId.length <= MAX_ID_CHARS && /^[a-zA-Z0-9_-]+$/.test(callId) ? callId : `call-${fingerprint(callId)}`;
}

/** Mistral: "must be a-z, A-Z, 0-9, with a length of 9". */
function nine(callId: string): string {
  if (/^[a-zA-Z0-9]{9}$/.test(callId)) return callId;
  return BigInt(`0x${fingerprint(callId)}`)
    .toString(36)
    .padStart(9, "0")
    .slice(-9);
}

/** A tool name every wire takes back, also when the model made up another kind. */
export function wireToolName(name: string): string {
  if (/^[a-zA-Z0-9_-]{1,64}$/.test(name)) return name;
  const clean = name.replace(/[^a-zA-Z0-9_-]+/g, "_").slice(0, 64);
  return clean === "" ? "unknown_tool" : clean;
}
