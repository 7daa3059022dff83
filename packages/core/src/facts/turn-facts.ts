// Commits of one session → what happened: one fact per tool call, per ended turn, per answer of a person. Audit and tool history are made of these.
import type { CallId, Json, JsonObject, Millis, Seq, SessionId, TurnId } from "../contract/base.ts";
import type { ContentPart, Marks, ToolCallPart, ToolStatus, Usage } from "../contract/message.ts";
import type { Commit, EndReason, ErrorInfo, JournalRecord } from "../contract/record.ts";

export interface Decision {
  /** `ask`: nobody answered. `none`: settled before it was judged (a stopped turn). */
  readonly decision: "allow" | "deny" | "ask" | "none";
  /** The policy rule that decided or asked. */
  readonly rule: string;
  /** Who decided: a person's id, or `policy`. */
  readonly by: string;
  /** Of the context it was judged in; absent: trusted and public. */
  readonly label?: Marks;
}
export interface CallFact extends Decision {
  readonly kind: "call";
  readonly seq: Seq;
  readonly at: Millis;
  readonly turn: TurnId;
  readonly call: CallId;
  readonly tool: string;
  readonly arguments: Json;
  /** What the person wanted when the call was made. */
  readonly userMessage: string;
  readonly status: ToolStatus;
  readonly result: string;
  readonly durationMs: Millis;
  readonly attempts: number;
}
export interface TurnFact {
  readonly kind: "turn";
  readonly seq: Seq;
  readonly at: Millis;
  readonly turn: TurnId;
  readonly reason: EndReason;
  readonly user: string;
  readonly reply: string;
  readonly usage: Usage;
  readonly durationMs: Millis;
  readonly error?: ErrorInfo;
}
/** Events that core itself writes; all others have their names from whoever records them. */
export const OWN_AUDIT_EVENTS = ["approval.resolved", "context.endorsed", "audit.broken"] as const;

/** A person answered an approval, or vouched for what the session had read. */
export interface AnswerFact {
  readonly kind: "event";
  readonly seq: Seq;
  readonly at: Millis;
  readonly name: Exclude<(typeof OWN_AUDIT_EVENTS)[number], "audit.broken">;
  readonly data: JsonObject;
}
export type Fact = CallFact | TurnFact | AnswerFact;

/** Folds one session's commits, in order, from the first. */
export interface FactFold {
  readonly key: string;
  readonly parent: { readonly session: SessionId; readonly call: CallId } | undefined;
  apply(commit: Commit): readonly Fact[];
}

export function createFactFold(): FactFold {
  let key = "";
  let parent: FactFold["parent"];
  /** Commits a fork copied: they happened in the original session and are facts of that one. */
  let copied = 0;
  let user = "";
  const waiting = new Map<string, string>();
  const calls = new Map<CallId, ToolCallPart>();
  const decisions = new Map<CallId, Decision>();
  /** What running calls asked, by the hash of the question. */
  const questions = new Map<string, string>();

  const place = (ids: readonly string[]): void => {
    for (const id of ids) {
      user = [user, waiting.get(id) ?? ""].filter((text) => text !== "").join("\n");
      waiting.delete(id);
    }
  };
  const take = (record: JournalRecord, commit: Commit): Fact | undefined => {
    switch (record.type) {
      case "session.opened":
        ({ key, parent } = { key: record.key, parent: record.parent });
        copied = record.forked?.commits ?? 0;
        return undefined;
      case "message.received":
        waiting.set(record.message.id, plainText(record.message.parts));
        return undefined;
      case "messages.withdrawn":
        for (const id of record.ids) waiting.delete(id);
        return undefined;
      case "turn.started":
        user = "";
        return undefined;
      case "messages.placed":
        place(record.ids);
        return undefined;
      case "model.requested":
        place(record.placed);
        return undefined;
      case "model.responded":
        for (const part of record.message.parts) if (part.type === "tool-call") calls.set(part.callId, part);
        return undefined;
      case "call.judged":
        decisions.set(record.call, {
          decision: record.verdict,
          rule: record.rule,
          by: record.verdict === "ask" ? "nobody" : (record.by ?? "policy"),
          ...(record.marks !== undefined && { label: record.marks }),
        });
        return undefined;
      case "call.deferred":
        decisions.set(record.call, { decision: "allow", rule: "tool of the client", by: "policy" });
        return undefined;
      case "call.asked":
        questions.set(record.hash, record.prompt);
        return undefined;
      case "approval.resolved": {
        const about = record.hash === undefined ? undefined : questions.get(record.hash);
        // What a running call asks for is beside whether it may run.
        if (about === undefined)
          decisions.set(record.call, {
            rule: "",
            ...decisions.get(record.call),
            decision: record.verdict,
            by: record.by,
          });
        return answer(commit, "approval.resolved", {
          call: record.call,
          tool: calls.get(record.call)?.name ?? "",
          verdict: record.verdict,
          by: record.by,
          ...(about !== undefined && { about }),
          ...(record.remember !== undefined && { remember: record.remember }),
        });
      }
      case "tool.finished":
        return callFact(record, commit);
      case "turn.ended":
        calls.clear();
        decisions.clear();
        questions.clear();
        return {
          kind: "turn",
          seq: commit.seq,
          at: commit.at,
          turn: record.turn,
          reason: record.reason,
          user,
          reply: record.text,
          usage: record.usage,
          durationMs: record.durationMs,
          ...(record.error !== undefined && { error: record.error }),
        };
      case "context.endorsed":
        return answer(commit, "context.endorsed", { by: record.by.id });
      case "audience.set":
      case "prefix.frozen":
      case "journal.raised":
      case "command.handled":
      case "control.handled":
      case "skill.requested":
      case "notice.added":
      case "model.failed":
      case "tool.started":
      case "tool.failed":
      case "question.closed":
      case "turn.cancelled":
      case "reply.queued":
      case "message.posted":
      case "usage.counted":
      case "reply.sending":
      case "reply.sent":
      case "reply.delivered":
      case "reply.failed":
      case "history.compacted":
      case "memory.answered":
      case "memory.written":
      case "memory.archived":
      case "history.imported":
      case "session.cleared": // what waits is asked afterwards
      case "session.configured":
        return undefined;
    }
  };

  const callFact = (record: Extract<JournalRecord, { type: "tool.finished" }>, commit: Commit): CallFact => {
    const { callId, name, status, parts } = record.message;
    const call = calls.get(callId);
    return {
      kind: "call",
      seq: commit.seq,
      at: commit.at,
      turn: record.turn,
      call: callId,
      tool: name,
      // Text that is no JSON object is what the model really said.
      arguments:
        call === undefined
          ? null
          : isEmptyObject(call.input) && call.inputText !== undefined
            ? call.inputText
            : call.input,
      userMessage: user,
      ...(decisions.get(callId) ?? { decision: "none", rule: "", by: "runtime" }),
      status,
      result: plainText(parts),
      durationMs: record.durationMs,
      attempts: record.attempts,
    };
  };

  return {
    get key() {
      return key;
    },
    get parent() {
      return parent;
    },
    apply: (commit) => {
      const facts = commit.records.map((record) => take(record, commit)).filter((fact) => fact !== undefined);
      return commit.seq <= copied ? [] : facts;
    },
  };
}

function answer({ seq, at }: Commit, name: AnswerFact["name"], data: JsonObject): AnswerFact {
  return { kind: "event", seq, at, name, data };
}

function plainText(parts: readonly ContentPart[]): string {
  return parts.map((part) => (part.type === "text" ? part.text : `[image: ${part.name ?? part.mediaType}]`)).join("\n");
}

function isEmptyObject(value: Json): boolean {
  return typeof value === "object" && value !== null && Object.keys(value).length === 0;
}
