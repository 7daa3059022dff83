// What a provider says about a failure, found in the many shapes of error bodies and made fit for a person.
import { redactShapes } from "../lib/secrets/redact.ts";
import { ellipsis } from "../lib/text.ts";

const MAX_SENTENCE_CHARS = 300;

export interface ErrorFields {
  readonly message: string | undefined;
  /** An HTTP status named in the body. */
  readonly status: number | undefined;
  /** Message, type and code in one string, for matching. */
  readonly words: string;
}

/** `{error:{message,type,code}}`, `{message,code}`, `{type:"error",error}`, `[{error}]`, `{detail}`, `{error:"text"}`. */
export function errorFields(value: unknown): ErrorFields | undefined {
  if (typeof value === "string") return value === "" ? undefined : { message: value, status: undefined, words: value };
  const record = asRecord(Array.isArray(value) ? value[0] : value);
  if (record === undefined) return undefined;
  const response = asRecord(record["response"]);
  const inner = asRecord(record["error"]) ?? asRecord(response?.["error"]) ?? record;
  const message = firstText(
    inner["message"],
    record["message"],
    record["error"],
    record["detail"],
    record["msg"],
    record["error_msg"],
    record["errorMessage"],
  );
  const type = firstText(inner["type"], inner["status"], record["type"]);
  const code = inner["code"] ?? inner["status_code"] ?? record["code"] ?? record["status"] ?? record["error_code"];
  if (message === undefined && code === undefined && inner === record) return undefined;
  return {
    message,
    status: statusFrom(code),
    words: [type, code, message].filter((word) => typeof word === "string" || typeof word === "number").join(" "),
  };
}

/** A provider's own words: one line, bounded, without markup, addresses or anything shaped like a key. */
export function sentence(message: string | undefined): string | undefined {
  if (message === undefined || /<\/?(?:html|body|head|!doctype|div|h1|p|center)\b/i.test(message)) return undefined;
  const clean = redactShapes(message.replace(/\bhttps?:\/\/\S+/gi, "[address]"))
    // Keys are echoed by 401 answers, often masked or of an unknown shape: any long word of mixed letters and digits.
    .replace(/\b(?=[A-Za-z_*-]*\d)(?=[\d_*-]*[A-Za-z])(?:sk|pk|key|api)[-_*][\w*-]{6,}/gi, "[redacted]")
    .replace(/\b(?=\w*\d)(?=\w*[A-Za-z])[A-Za-z0-9_-]{32,}\b/g, "[redacted]")
    // oxlint-disable-next-line no-control-regex -- control characters are exactly what must not reach a terminal
    .replace(/[\u0000-\u001f\u007f-\u009f\s]+/g, " ")
    .trim();
  if (clean === "") return undefined;
  const short = ellipsis(clean, MAX_SENTENCE_CHARS);
  return /[.!?…。！？]$/.test(short) ? short : `${short}.`;
}

/** Narrows to an object; arrays and null are none. */
export function asRecord(value: unknown): Readonly<Record<string, unknown>> | undefined {
  // An object of unknown keys is a record of unknown values.
  return typeof value === "object" && value !== null && !Array.isArray(value)
    ? (value as Readonly<Record<string, unknown>>)
    : undefined;
}

function firstText(...candidates: readonly unknown[]): string | undefined {
  return candidates.find((candidate): candidate is string => typeof candidate === "string" && candidate.trim() !== "");
}

function statusFrom(code: unknown): number | undefined {
  const status =
    typeof code === "number" ? code : typeof code === "string" && /^\d{3}$/.test(code) ? Number(code) : Number.NaN;
  return status >= 400 && status <= 599 ? status : undefined;
}
