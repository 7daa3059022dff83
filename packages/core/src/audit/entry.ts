// What one line of the audit log says, and how it is bounded.
import type { CallId, Json, JsonObject, Millis, SessionId, TurnId } from "../contract/base.ts";
import type { ToolStatus, Usage } from "../contract/message.ts";
import type { EndReason } from "../contract/record.ts";
import { canonicalJson } from "../lib/canonical-json.ts";
import { isTemporary } from "../lib/session-key.ts";
import { truncate } from "../lib/text.ts";
import type { CallFact, Decision, Fact, TurnFact } from "../facts/turn-facts.ts";

/** Results, user text and replies have bounds of their own; one argument gets room for a command, not for a whole file. */
const MAX_RESULT_CHARS = 1_000;
const MAX_USER_CHARS = 500;
const MAX_REPLY_CHARS = 2_000;
const MAX_ARGUMENT_CHARS = 2_000;

/** The commit a record was made from: what keeps records from being written twice. `index` counts within the commit. */
export interface Source {
  readonly session: SessionId;
  readonly sessionKey: string;
  readonly parent?: SessionId;
  readonly seq: number;
  readonly index: number;
  readonly at: Millis;
}
export interface AuditedCall extends Source, Decision {
  readonly kind: "call";
  readonly turn: TurnId;
  readonly call: CallId;
  readonly tool: string;
  readonly arguments: Json;
  /** SHA-256 of the canonical arguments before redaction and cutting. */
  readonly argumentsHash: string;
  readonly status: ToolStatus;
  readonly durationMs: Millis;
  readonly attempts: number;
  readonly result: string;
}
export interface AuditedTurn extends Source {
  readonly kind: "turn";
  readonly turn: TurnId;
  readonly reason: EndReason;
  readonly user: string;
  readonly reply: string;
  readonly usage: Usage;
  readonly durationMs: Millis;
  readonly error?: string;
}
/**
 * Something that is neither a call nor a turn: a refused login, a changed key file, a broken chain found at start. With
 * a source: a person's answer in that session.
 */
export interface AuditedEvent extends Partial<Source> {
  readonly kind: "event";
  readonly at: Millis;
  readonly name: string;
  readonly data: JsonObject;
}
export type AuditEntry = AuditedCall | AuditedTurn | AuditedEvent;

export interface EntryOptions {
  readonly redact: (text: string) => string;
  /** SHA-256 of a text, as hex. */
  readonly hash: (text: string) => string;
}

export function auditedFact(fact: Fact, source: Source, options: EntryOptions): AuditEntry {
  switch (fact.kind) {
    case "call":
      return auditedCall(fact, source, options);
    case "turn":
      return auditedTurn(fact, source, options);
    case "event":
      return { ...auditedEvent(fact.name, fact.data, fact.at, options), ...source };
  }
}

function auditedCall(fact: CallFact, source: Source, { redact, hash }: EntryOptions): AuditedCall {
  return {
    kind: "call",
    ...source,
    turn: fact.turn,
    call: fact.call,
    tool: fact.tool,
    arguments: cleanJson(fact.arguments, redact),
    argumentsHash: hash(canonicalJson(fact.arguments)),
    decision: fact.decision,
    rule: fact.rule,
    by: fact.by,
    ...(fact.label !== undefined && { label: fact.label }),
    status: fact.status,
    durationMs: fact.durationMs,
    attempts: fact.attempts,
    result: isTemporary(source.sessionKey) ? "" : truncateClean(fact.result, MAX_RESULT_CHARS, redact),
  };
}

function auditedTurn(fact: TurnFact, source: Source, { redact }: EntryOptions): AuditedTurn {
  // A line here stays for good: of a conversation that goes it says that a turn was, and what it cost.
  const words = (text: string, max: number): string =>
    isTemporary(source.sessionKey) ? "" : truncateClean(text, max, redact);
  return {
    kind: "turn",
    ...source,
    turn: fact.turn,
    reason: fact.reason,
    user: words(fact.user, MAX_USER_CHARS),
    reply: words(fact.reply, MAX_REPLY_CHARS),
    usage: fact.usage,
    durationMs: fact.durationMs,
    ...(fact.error !== undefined && { error: redact(`${fact.error.code}: ${fact.error.message}`) }),
  };
}

export function auditedEvent(name: string, data: JsonObject, at: Millis, { redact }: EntryOptions): AuditedEvent {
  return { kind: "event", at, name, data: cleanObject(data, redact) };
}

/** Redacted before it is cut: half a secret no longer looks like one. At most `max` characters in all. */
function truncateClean(text: string, max: number, redact: (text: string) => string): string {
  const clean = redact(text);
  return clean.length <= max ? clean : truncate(clean, max - MARKER_CHARS);
}
/** Room for `… [{n} characters in all]` with a number of nine digits. */
const MARKER_CHARS = 35;

function cleanJson(value: Json, redact: (text: string) => string): Json {
  if (typeof value === "string") return truncateClean(value, MAX_ARGUMENT_CHARS, redact);
  if (value === null || typeof value !== "object") return value;
  return isList(value) ? value.map((item) => cleanJson(item, redact)) : cleanObject(value, redact);
}

function cleanObject(value: JsonObject, redact: (text: string) => string): JsonObject {
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [redact(key), cleanJson(item, redact)]));
}

function isList(value: object): value is readonly Json[] {
  return Array.isArray(value);
}
