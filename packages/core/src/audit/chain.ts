// Each line vouches for the one before it, and a key vouches for each line.
import type { JsonObject, Millis } from "../contract/base.ts";
import { canonicalJson, type JsonInput } from "../lib/canonical-json.ts";
import type { AuditEntry } from "./entry.ts";

export type Sealed = AuditEntry & {
  /** Position in the whole log, from 1. */
  readonly n: number;
  /** Hash of line `n` − 1. */
  readonly prev: string;
  /** SHA-256(prev ‖ canonical JSON of everything but `hash` and `mac`). */
  readonly hash: string;
  /** HMAC-SHA-256 of `hash` with the key file: a chain recomputed without the key is noticed. */
  readonly mac: string;
};
/** Where the chain ends. */
export interface Head {
  readonly n: number;
  readonly hash: string;
}
export interface Cryptography {
  readonly hash: (text: string) => string;
  readonly mac: (text: string) => string;
}

export const START: Head = { n: 0, hash: "0".repeat(64) };

/** The next line, without its newline, and the new head. */
export function seal(
  entry: AuditEntry,
  head: Head,
  { hash, mac }: Cryptography,
): { readonly line: string; readonly head: Head } {
  const body = { ...entry, n: head.n + 1, prev: head.hash };
  const own = hash(head.hash + canonicalJson(asJson(body)));
  return { line: canonicalJson(asJson({ ...body, hash: own, mac: mac(own) })), head: { n: body.n, hash: own } };
}

export type Flaw = "edited" | "missing" | "reordered" | "key";

/** A line that fits. `signed` is false for one of a chain from before there was a key. */
export interface Fitting {
  readonly head: Head;
  readonly signed: boolean;
  /** When what it tells happened. */
  readonly at: Millis;
}

/** Checks one line against the head before it. Only the exact canonical bytes pass. */
export function check(
  line: string,
  head: Head,
  { hash, mac }: Cryptography,
): Fitting | { readonly flaw: Flaw; readonly n?: number } {
  const sealed = parseSealed(line);
  if (sealed === undefined) return { flaw: "edited" };
  const { hash: own, mac: proof, ...body } = sealed;
  const { n, prev } = body;
  if (hash(prev + canonicalJson(body)) !== own || canonicalJson(sealed) !== line) return { flaw: "edited", n };
  if (proof !== undefined && mac(own) !== proof) return { flaw: "key", n };
  if (n !== head.n + 1) return { flaw: n > head.n ? "missing" : "reordered", n };
  return prev === head.hash
    ? { head: { n, hash: own }, signed: proof !== undefined, at: Number(body["at"]) }
    : { flaw: "edited", n };
}

type Parsed = JsonObject & {
  readonly n: number;
  readonly prev: string;
  readonly hash: string;
  readonly mac?: string;
};

export function parseSealed(line: string): Parsed | undefined {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    return undefined; // a damaged line is the finding, not a failure of the check
  }
  if (typeof value !== "object" || value === null || !("n" in value) || !("prev" in value) || !("hash" in value))
    return undefined;
  if (typeof value.n !== "number" || typeof value.prev !== "string" || typeof value.hash !== "string") return undefined;
  if ("mac" in value && typeof value.mac !== "string") return undefined;
  return value as Parsed; // fields checked above; JSON.parse makes JSON
}

// An entry is made of JSON values; interfaces have no index signature, so TypeScript cannot see it.
function asJson(value: object): JsonInput {
  return value as JsonInput;
}
