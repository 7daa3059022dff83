/** Who sent a webhook, by its signature over the raw bytes; nothing of the body is read before. */
import { createHash, createHmac, timingSafeEqual } from "node:crypto";
import type { HookConfig } from "../../config/config.ts";

export interface HookRequest {
  /** Lower case. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly body: Uint8Array;
  /** Milliseconds. */
  readonly now: number;
}

export type Verified =
  /** `delivery`: what the sender calls this delivery, or the hash of its body. */
  { readonly ok: true; readonly delivery: string } | { readonly ok: false; readonly reason: Refusal };

/** For the audit log; the sender learns none of it. */
export type Refusal =
  | "unknown hook"
  | "no secret"
  | "no signature"
  | "no timestamp"
  | "old timestamp"
  | "wrong signature";

/** Clocks differ, and a recorded request must not work tomorrow. */
const WINDOW_SECONDS = 300;
const MAX_SIGNATURES = 10;

/** What is signed, with what, and what the header says: each scheme its own. */
interface Signed {
  readonly key: string | Uint8Array;
  /** Before the body. */
  readonly prefix: string;
  /** Undefined: the scheme has none. */
  readonly timestamp: string | undefined;
  readonly signatures: readonly string[];
  readonly encoding: "hex" | "base64";
  readonly id: string | undefined;
}

export function verifyHook(hook: HookConfig | undefined, request: HookRequest): Verified {
  const secret = hook?.secret ?? "";
  const signed = signedOf(hook?.scheme ?? "github", secret, request.headers);
  // The same work for an unknown name, so that time tells nothing.
  const right = matches(signed, request.body);
  if (hook === undefined) return { ok: false, reason: "unknown hook" };
  if (secret === "") return { ok: false, reason: "no secret" };
  if (signed.signatures.length === 0) return { ok: false, reason: "no signature" };
  if (signed.timestamp === "") return { ok: false, reason: "no timestamp" };
  if (signed.timestamp !== undefined && !isTimely(signed.timestamp, request.now))
    return { ok: false, reason: "old timestamp" };
  if (!right) return { ok: false, reason: "wrong signature" };
  return { ok: true, delivery: deliveryOf(signed.id, request.body) };
}

function signedOf(scheme: HookConfig["scheme"], secret: string, headers: HookRequest["headers"]): Signed {
  const header = (name: string): string => headers[name.toLowerCase()] ?? "";
  switch (scheme) {
    case "standard": {
      const [id, timestamp] = [header("webhook-id"), header("webhook-timestamp")];
      const signatures = header("webhook-signature")
        .split(" ")
        .flatMap((one) => (one.startsWith("v1,") ? [one.slice(3)] : []));
      return {
        key: standardKey(secret),
        prefix: `${id}.${timestamp}.`,
        timestamp,
        // An id is part of what is signed: without one nothing is.
        signatures: id === "" ? [] : signatures.slice(0, MAX_SIGNATURES),
        encoding: "base64",
        id,
      };
    }
    case "github":
      return {
        key: secret,
        prefix: "",
        timestamp: undefined,
        signatures: withPrefix(header("x-hub-signature-256"), "sha256="),
        encoding: "hex",
        id: header("x-github-delivery"),
      };
    case "slack": {
      const timestamp = header("x-slack-request-timestamp");
      return {
        key: secret,
        prefix: `v0:${timestamp}:`,
        timestamp,
        signatures: withPrefix(header("x-slack-signature"), "v0="),
        encoding: "hex",
        id: undefined,
      };
    }
    default: {
      const timestamp = scheme.timestampHeader === undefined ? undefined : header(scheme.timestampHeader);
      return {
        key: secret,
        prefix: timestamp === undefined ? "" : `${timestamp}.`,
        timestamp,
        signatures: withPrefix(header(scheme.header), scheme.prefix ?? ""),
        encoding: scheme.encoding,
        id: scheme.idHeader === undefined ? undefined : header(scheme.idHeader),
      };
    }
  }
}

/** `whsec_` and base64, as the standard writes them; any other text is the key itself. */
function standardKey(secret: string): string | Uint8Array {
  return secret.startsWith("whsec_") ? Buffer.from(secret.slice(6), "base64") : secret;
}

function withPrefix(header: string, prefix: string): readonly string[] {
  return header.length > prefix.length && header.startsWith(prefix) ? [header.slice(prefix.length)] : [];
}

/** In the same time for every wrong signature of the right length. */
function matches({ key, prefix, signatures, encoding }: Signed, body: Uint8Array): boolean {
  const expected = createHmac("sha256", key).update(prefix).update(body).digest();
  let found = false;
  for (const text of signatures) {
    const given = Buffer.from(text, encoding);
    // Decoders skip what they do not know: only the one spelling counts.
    const spelled = given.toString(encoding) === (encoding === "hex" ? text.toLowerCase() : text);
    if (given.length === expected.length && timingSafeEqual(given, expected) && spelled) found = true;
  }
  return found;
}

/** Seconds, or milliseconds where a sender counts them. */
function isTimely(timestamp: string, now: number): boolean {
  if (!/^\d{1,13}$/.test(timestamp)) return false;
  const seconds = timestamp.length === 13 ? Number(timestamp) / 1000 : Number(timestamp);
  return Math.abs(now / 1000 - seconds) <= WINDOW_SECONDS;
}

function deliveryOf(id: string | undefined, body: Uint8Array): string {
  if (id !== undefined && /^[\x21-\x7e]{1,200}$/.test(id)) return id;
  return createHash("sha256").update(body).digest("hex");
}
