/** One tool call as a person sees it, from its proposal to its result. Pure. */
import type { Json, Millis, Seq, SessionId, TurnId } from "../contract/base.ts";
import type { ToolCallPart } from "../contract/message.ts";
import type { CallView, WireRecord } from "./types.ts";
import { choicesOf } from "../lib/approval-choices.ts";
import { ellipsis, textOf } from "../lib/text.ts";

type Of<Type extends WireRecord["type"]> = Extract<WireRecord, { type: Type }>;

const PREVIEW_CHARS = 160;
/** What the journal keeps of a call whose arguments were cut or long is shown by its first words. */
const PREVIEW_SOURCE_CHARS = 2000;

export function proposed(
  part: Omit<ToolCallPart, "opaque" | "inputText">,
  where: { readonly session: SessionId; readonly turn: TurnId; readonly seq: Seq },
): CallView {
  return {
    call: part.callId,
    ...where,
    name: part.name,
    status: "proposed",
    preview: previewOf(part.input),
    input: part.input,
    attempts: 0,
  };
}

export function judged(call: CallView, record: Of<"call.judged">, at: Millis): CallView {
  const known = { ...call, effect: record.effect };
  switch (record.verdict) {
    case "allow":
      return { ...known, status: "allowed" };
    case "deny":
      return { ...known, status: "denied" };
    case "ask":
      return {
        ...known,
        status: "asked",
        approval: {
          session: call.session,
          turn: call.turn,
          call: call.call,
          tool: call.name,
          display: record.prompt ?? "",
          input: call.input,
          hash: record.hash ?? "",
          rule: record.rule,
          why: record.reason ?? record.rule,
          risk: record.risks ?? [],
          ...(record.cwd !== undefined && { cwd: record.cwd }),
          ...(record.by !== undefined && { of: record.by }),
          choices: choicesOf(record.grant),
          ...(record.grant !== undefined && { rulePreview: record.grant.shown }),
          requestedAt: at,
          expiresAt: record.expiresAt ?? at,
        },
      };
  }
}

/** A call that runs needs a word to go on. */
export function questioned(call: CallView, record: Of<"call.asked">, at: Millis): CallView {
  return {
    ...call,
    status: "asked",
    approval: {
      session: call.session,
      turn: call.turn,
      call: call.call,
      tool: call.name,
      display: record.prompt,
      input: call.input,
      hash: record.hash,
      rule: record.rule,
      why: record.reason ?? record.rule,
      risk: record.risks ?? [],
      choices: choicesOf(record.grant),
      ...(record.grant !== undefined && { rulePreview: record.grant.shown }),
      requestedAt: at,
      expiresAt: record.expiresAt,
      during: true,
    },
  };
}

/** It went on without; who answers now answers for the next one. */
export function wentOn(call: CallView, { hash, because }: Of<"question.closed">): CallView {
  if (because !== "late" || call.approval?.hash !== hash || call.approval.resolved !== undefined) return call;
  return {
    ...call,
    status: call.status === "asked" ? "running" : call.status,
    approval: { ...call.approval, late: true },
  };
}

/** Whether an answer still counts, also one for a call that went on without. */
export function isWaiting({ status, approval }: CallView): boolean {
  if (status === "asked") return true;
  return approval?.late === true && approval.resolved === undefined && approval.expired !== true;
}

/** The turn is over, and with it what its calls asked. */
export function unanswered(call: CallView): CallView {
  if (call.approval?.late !== true || call.approval.resolved !== undefined) return call;
  return { ...call, approval: { ...call.approval, expired: true } };
}

/** The first answer counts. */
export function resolved(
  call: CallView,
  record: Pick<Of<"approval.resolved">, "verdict" | "by" | "reason" | "remember" | "hash">,
  at: Millis,
): CallView {
  if (call.approval === undefined || !isWaiting(call)) return call;
  const { during, hash } = call.approval;
  if (during === true && record.hash !== hash) return call;
  const judged = record.verdict === "allow" ? "allowed" : "denied";
  return {
    ...call,
    status: during !== true ? judged : call.status === "asked" ? "running" : call.status,
    approval: {
      ...call.approval,
      resolved: {
        verdict: record.verdict,
        by: record.by,
        at,
        ...(record.reason !== undefined && { reason: record.reason }),
        ...(record.remember !== undefined && { remember: record.remember }),
      },
    },
  };
}

export function started(call: CallView, record: Of<"tool.started">, at: Millis): CallView {
  const { retryAt: _retryAt, ...rest } = call;
  return {
    ...rest,
    effect: record.effect,
    status: "running",
    attempts: record.attempt,
    startedAt: call.startedAt ?? at,
  };
}

export function failedOnce(call: CallView, { error, retryAt, maxAttempts }: Of<"tool.failed">): CallView {
  return { ...call, error, retryAt, ...(maxAttempts !== undefined && { maxAttempts }) };
}

export function finished(call: CallView, record: Of<"tool.finished">, at: Millis): CallView {
  const { retryAt: _retryAt, ...rest } = call;
  const { message, details } = record;
  const { approval } = call;
  const isOpen = call.status === "asked" && approval !== undefined;
  const expired = isOpen && at >= approval.expiresAt;
  // Denied by nobody: a limit, a stop or a call that could not be read.
  const notRun = message.status === "denied" && call.status !== "denied" && !expired;
  return {
    ...rest,
    status: notRun ? "not-run" : message.status,
    attempts: record.attempts,
    ms: record.durationMs,
    result: message.parts,
    ...(expired
      ? { approval: { ...approval, expired: true as const } }
      : isOpen && approval.during === true && { approval: { ...approval, late: true as const } }),
    ...(details !== undefined && { details }),
    ...(message.integrity === "untrusted" && { untrusted: true }),
  };
}

/** The most telling argument, in one line: the only text there is, else all of it. */
export function previewOf(input: Json): string {
  if (input === null || typeof input !== "object") return oneLine(String(input));
  const values = Object.values(input);
  const first = values.find((value) => typeof value === "string");
  if (typeof first === "string") return oneLine(first);
  return values.length === 0 ? "" : oneLine(JSON.stringify(input));
}

function oneLine(text: string): string {
  return ellipsis(text.slice(0, PREVIEW_SOURCE_CHARS).replaceAll(/\s+/g, " ").trim(), PREVIEW_CHARS);
}

const ASKED_ELSEWHERE = { rule: "operator", why: "Others read that conversation, so an operator decides." } as const;

/** What somebody else would be told: asked like a call, and answered like one. */
export function released(record: Of<"release.asked">, session: SessionId, seq: Seq, at: Millis): CallView {
  const { id, hash, expiresAt, parts, reader, to, from, question, lasting, sources, asks, blind } = record;
  const text = blind === true ? "" : textOf(parts); // not for whoever is asked
  const call = id as CallView["call"]; // answered by it
  const where = { session, turn: "" as TurnId }; // it belongs to no turn of this conversation
  const told = { text, reader, chat: `${to.channel}:${to.chat}`, from, ...(question !== undefined && { question }) };
  const input = asks === undefined ? told : { call: asks.name, in: told.chat, text };
  return {
    ...{
      call,
      ...where,
      seq,
      name: asks?.name ?? "release",
      status: "asked",
      preview: previewOf(text),
      input,
      attempts: 0,
    },
    approval: {
      ...{ session, turn: where.turn, call, tool: asks?.name ?? "release", display: text, input, hash },
      ...(asks === undefined ? { rule: "readers", why: "readers" } : ASKED_ELSEWHERE),
      ...{ risk: [], of: record.of, requestedAt: at, expiresAt },
      choices: lasting === undefined ? ["once"] : ["once", "always"],
      ...(lasting !== undefined && { rulePreview: sources.join("\n") }),
    },
  };
}

/** A yes has been carried out, or nothing can come of it any more. */
export function releaseClosed(given: CallView, { because, answer }: Of<"release.closed">, at: Millis): CallView {
  const call = answer === undefined ? given : resolved(given, answer, at);
  if (because === "answered") return { ...call, status: answer?.verdict === "allow" ? "ok" : "not-run" };
  const isDone = because === "sent" || because === "asked";
  const { approval } = call;
  return {
    ...call,
    status: isDone ? "ok" : "not-run",
    ...(!isDone && approval !== undefined && { approval: { ...approval, expired: true as const } }),
  };
}
