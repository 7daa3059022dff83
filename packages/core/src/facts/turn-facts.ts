// Commits of one session → what happened: one fact per tool call, per ended turn, per answer of a person. Audit and tool history are made of these.
import type { CallId, Json, JsonObject, Millis, Seq, SessionId, TurnId } from "../contract/base.ts";
import type { ContentPart, Marks, ToolCallPart, ToolStatus, Usage } from "../contract/message.ts";
import type { Commit, EndReason, ErrorInfo, JournalRecord } from "../contract/record.ts";
import { isPerson } from "../lib/audience.ts";
import { byKind, type KindTable, type OfKind } from "../lib/by-kind.ts";

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
export const OWN_AUDIT_EVENTS = [
  "approval.resolved",
  "release.answered",
  "context.endorsed",
  "agent.bound",
  "audit.broken",
] as const;

/** A person answered an approval, or vouched for what the session had read; the session works with another agent. */
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
  /** Somebody beside the owner has it for themselves, as of the last commit. */
  readonly isPrivate: boolean;
  /** All that it knows: another one that is made with it goes on as this one does. */
  known(): KnownFacts;
  apply(commit: Commit): readonly Fact[];
}

/** What is known of a session so far. */
interface Known {
  key: string;
  parent: FactFold["parent"];
  isPrivate: boolean;
  /** Commits a fork copied: they happened in the original session and are facts of that one. */
  copied: number;
  /** What the persons of the turn wanted. */
  user: string;
  readonly waiting: Map<string, string>;
  readonly calls: Map<CallId, ToolCallPart>;
  readonly decisions: Map<CallId, Decision>;
  /** What running calls asked, by the hash of the question. */
  readonly questions: Map<string, string>;
}

/** As it survives JSON. */
export type KnownFacts = {
  readonly [Name in keyof Known]: Known[Name] extends Map<infer Key, infer Value>
    ? readonly (readonly [Key, Value])[]
    : Known[Name];
};

/** @param before What one knew that was shown the commits so far. */
export function createFactFold(before?: KnownFacts): FactFold {
  const known: Known = {
    ...{ key: "", parent: undefined, isPrivate: false, copied: 0, user: "" },
    ...before,
    waiting: new Map(before?.waiting),
    calls: new Map(before?.calls),
    decisions: new Map(before?.decisions),
    questions: new Map(before?.questions),
  };
  return {
    known: () => {
      const { waiting, calls, decisions, questions, ...rest } = known;
      const maps = { waiting: [...waiting], calls: [...calls] };
      return { ...rest, ...maps, decisions: [...decisions], questions: [...questions] };
    },
    get key() {
      return known.key;
    },
    get parent() {
      return known.parent;
    },
    get isPrivate() {
      return known.isPrivate;
    },
    apply: (commit) => {
      const facts = commit.records
        .map((record) => byKind(RECORDS, record, known, commit))
        .filter((fact) => fact !== undefined);
      return commit.seq <= known.copied ? [] : facts;
    },
  };
}

type Of<Type extends JournalRecord["type"]> = OfKind<JournalRecord, Type>;

const nothing = (): undefined => undefined;

const RECORDS: KindTable<JournalRecord, [known: Known, commit: Commit], Fact | undefined> = {
  "session.opened": ({ key, parent, forked }, known) => {
    Object.assign(known, { key, parent, copied: forked?.commits ?? 0 });
    return undefined;
  },
  "message.received": ({ message: { id, parts } }, { waiting }) => {
    waiting.set(id, plainText(parts));
    return undefined;
  },
  "message.heard": nothing,
  "voice.transcribed": ({ message, text }, { waiting }) => {
    waiting.set(message, [waiting.get(message) ?? "", text].filter((line) => line !== "").join("\n"));
    return undefined;
  },
  "media.fetched": ({ message, part }, { waiting }) => {
    const before = waiting.get(message);
    if (before !== undefined)
      waiting.set(message, [before, plainText([part])].filter((line) => line !== "").join("\n"));
    return undefined;
  },
  "message.edited": ({ message: { id, parts } }, { waiting }) => {
    if (waiting.has(id)) waiting.set(id, plainText(parts));
    return undefined;
  },
  "messages.withdrawn": ({ ids }, { waiting }) => {
    for (const id of ids) waiting.delete(id);
    return undefined;
  },
  "turn.started": (_record, known) => {
    known.user = "";
    return undefined;
  },
  "messages.placed": ({ ids }, known) => place(ids, known),
  "model.requested": ({ placed }, known) => place(placed, known),
  "model.responded": ({ message }, { calls }) => {
    for (const part of message.parts) if (part.type === "tool-call") calls.set(part.callId, part);
    return undefined;
  },
  "call.judged": ({ call, verdict, rule, by, marks }, { decisions }) => {
    decisions.set(call, {
      ...{ decision: verdict, rule },
      by: verdict === "ask" ? "nobody" : (by ?? "policy"),
      ...(marks !== undefined && { label: marks }),
    });
    return undefined;
  },
  "call.deferred": ({ call }, { decisions }) => {
    decisions.set(call, { decision: "allow", rule: "tool of the client", by: "policy" });
    return undefined;
  },
  "call.asked": ({ hash, prompt }, { questions }) => {
    questions.set(hash, prompt);
    return undefined;
  },
  "approval.resolved": resolved,
  "tool.finished": callFact,
  "turn.ended": turnFact,
  "context.endorsed": ({ by }, _known, commit) => answer(commit, "context.endorsed", { by: by.id }),
  "agent.bound": ({ agent, rule }, _known, commit) => answer(commit, "agent.bound", { agent, rule }),
  "audience.set": ({ audience }, known) => {
    known.isPrivate = isPerson(audience);
    return undefined;
  },
  "prefix.frozen": nothing,
  "journal.raised": nothing,
  "command.handled": nothing,
  "control.handled": nothing,
  "skill.requested": nothing,
  "notice.added": nothing,
  "model.failed": nothing,
  "tool.started": nothing,
  "tool.failed": nothing,
  "question.closed": nothing,
  "release.asked": nothing,
  "release.answered": ({ release, verdict, by, remember }, _known, commit) =>
    answer(commit, "release.answered", { release, verdict, by, ...(remember !== undefined && { remember }) }),
  // Of a call: its answer in time is a fact of its own conversation too.
  "release.closed": ({ release, answer: given }, _known, commit) =>
    given && answer(commit, "release.answered", { release, ...given }),
  "turn.cancelled": nothing,
  "reply.queued": nothing,
  "message.posted": nothing,
  "usage.counted": nothing,
  "reply.live": nothing,
  "reply.held": nothing,
  "handle.received": nothing,
  "reply.sending": nothing,
  "reply.sent": nothing,
  "reply.delivered": nothing,
  "reply.failed": nothing,
  "history.compacted": nothing,
  "memory.answered": nothing,
  "memory.written": nothing,
  "memory.archived": nothing,
  "history.imported": nothing,
  "session.cleared": nothing, // what waits is asked afterwards
  "session.configured": nothing,
};

function place(ids: readonly string[], known: Known): undefined {
  for (const id of ids) {
    known.user = [known.user, known.waiting.get(id) ?? ""].filter((text) => text !== "").join("\n");
    known.waiting.delete(id);
  }
}

function resolved(record: Of<"approval.resolved">, known: Known, commit: Commit): Fact {
  const { call, verdict, by, hash, remember } = record;
  const { calls, decisions, questions } = known;
  const about = hash === undefined ? undefined : questions.get(hash);
  // What a running call asks for is beside whether it may run.
  if (about === undefined) decisions.set(call, { rule: "", ...decisions.get(call), decision: verdict, by });
  return answer(commit, "approval.resolved", {
    ...{ call, tool: calls.get(call)?.name ?? "", verdict, by },
    ...(about !== undefined && !known.isPrivate && { about }),
    ...(remember !== undefined && { remember }),
  });
}

function turnFact(record: Of<"turn.ended">, known: Known, { seq, at }: Commit): TurnFact {
  known.calls.clear();
  known.decisions.clear();
  known.questions.clear();
  const { turn, reason, text, usage, durationMs, error } = record;
  return {
    ...{ kind: "turn", seq, at, turn, reason, user: known.user, reply: text, usage, durationMs },
    ...(error !== undefined && { error }),
  };
}

function callFact(record: Of<"tool.finished">, { calls, decisions, user }: Known, { seq, at }: Commit): CallFact {
  const { callId, name, status, parts } = record.message;
  return {
    ...{ kind: "call", seq, at, turn: record.turn, call: callId, tool: name },
    arguments: argumentsOf(calls.get(callId)),
    userMessage: user,
    ...(decisions.get(callId) ?? { decision: "none", rule: "", by: "runtime" }),
    status,
    result: plainText(parts),
    durationMs: record.durationMs,
    attempts: record.attempts,
  };
}

/** Text that is no JSON object is what the model really said. */
function argumentsOf(call: ToolCallPart | undefined): Json {
  if (call === undefined) return null;
  return isEmptyObject(call.input) && call.inputText !== undefined ? call.inputText : call.input;
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
