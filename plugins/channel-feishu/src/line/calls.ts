/** Feishu calls an address of ours: the same that the long connection tells, encrypted and signed, answered when it was taken. */
import { createDecipheriv, createHash } from "node:crypto";
import { parsed, textOf, type Wire } from "../json.ts";
import type { Link } from "./socket.ts";
import type { Account } from "../take.ts";

type CalledAccount = Pick<Account, "host" | "settings">;

/** Where: `/hooks/channel/{id}/events`, for events and callbacks alike. */
const PATH = "events";
/** Of the call that looks for the address: the only one that is read without a signature. */
const VERIFICATION_BYTES = 8192;

/** @throws a fault `config`: nobody could call. */
export function openCalls({ host, settings }: CalledAccount, signal: AbortSignal): Link {
  const calls = host.calls<Wire>(
    PATH,
    {
      proof: (headers, body) => proofOf(settings, headers, body),
      read: (_headers, body) => {
        host.alive();
        const event = opening(body, settings.encryptKey);
        if (event === undefined) host.deadLetter(body, new TypeError("no JSON object, or encrypted with another key"));
        else if (event["type"] === "url_verification")
          return { answer: { challenge: textOf(event["challenge"]) ?? "" } };
        return event === undefined ? { answer: {} } : { told: event };
      },
    },
    signal,
  );
  return {
    ready: Promise.resolve(),
    async next() {
      const { told, taken } = await calls.next();
      return { event: told, taken: (result = {}) => taken(result as never) }; // it is JSON: it was given to be sent
    },
    [Symbol.dispose]: () => calls[Symbol.dispose](),
  };
}

type Proof = ReturnType<Parameters<Account["host"]["http"]>[1]["proof"]>;

/** The SHA-256 of time, nonce, key and body. The call that looks for the address has none: what is in it proves it, and it alone. */
function proofOf({ encryptKey, verificationToken }: Account["settings"], headers: Headers, body: Uint8Array): Proof {
  const given = headers.get("x-lark-signature");
  if (given !== null) {
    const time = headers.get("x-lark-request-timestamp") ?? "";
    const nonce = headers.get("x-lark-request-nonce") ?? "";
    const expected = createHash("sha256").update(`${time}${nonce}${encryptKey}`).update(body).digest("hex");
    return { given, expected, signedAt: /^\d+$/.test(time) ? Number(time) * 1000 : Number.NaN };
  }
  const asked = body.length > VERIFICATION_BYTES ? undefined : opening(body, encryptKey);
  if (asked?.["type"] !== "url_verification") return undefined;
  return { given: textOf(asked["token"]) ?? "", expected: verificationToken };
}

/** Undefined: it is not encrypted with this key. */
function opening(body: Uint8Array, key: string): Wire | undefined {
  const encrypted = textOf(parsed(Buffer.from(body).toString())?.["encrypt"]);
  if (encrypted === undefined) return undefined;
  const bytes = Buffer.from(encrypted, "base64");
  try {
    const cipher = createDecipheriv("aes-256-cbc", createHash("sha256").update(key).digest(), bytes.subarray(0, 16));
    return parsed(Buffer.concat([cipher.update(bytes.subarray(16)), cipher.final()]).toString());
  } catch {
    return undefined;
  }
}
