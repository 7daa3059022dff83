// Histories of records of every kind, in any order: what a fold must take, whatever an agent would really do.
import fc from "fast-check";
import type { CallId, TurnId } from "../../src/contract/base.ts";
import type { AssistantMessage, ContentPart, KeptRows, Marks, Message } from "../../src/contract/message.ts";
import type { JournalRecord } from "../../src/contract/record.ts";

const AT = 1_760_000_000_000;
const CHAT = { channel: "cli", chat: "direct" } as const;
const PERSON = { id: "anna", kind: "person" } as const;
const MODEL = { provider: "mock", model: "m" } as const;
const ERROR = { code: "model.failed", message: "no", retryable: true } as const;
const USAGE = { input: 3, output: 2, cacheRead: 0, cacheWrite: 0 } as const;

const marks: fc.Arbitrary<Marks> = fc.constantFrom<Marks[]>(
  {},
  {},
  { integrity: "untrusted" },
  { confidentiality: "personal" },
  { integrity: "untrusted", confidentiality: "sensitive" },
);
const text = fc.constantFrom("", "yes", "two\nlines");
const parts: fc.Arbitrary<readonly ContentPart[]> = text.map((said) => [{ type: "text", text: said }]);
const id = fc.nat(5).map((n) => `m-${n}`);
const turn = fc.constantFrom("t-1", "t-2").map((name) => name as TurnId);
const call = fc.nat(4).map((n) => `c-${n}` as CallId);
const effect = fc.constantFrom("read" as const, "idempotent" as const, "write" as const);
const flag = fc.boolean();

const answer: fc.Arbitrary<AssistantMessage> = fc
  .record({
    marks,
    text,
    calls: fc.array(call, { maxLength: 3 }),
    host: fc.nat(5),
    finish: fc.constantFrom("stop" as const, "tool-calls" as const, "length" as const, "cut" as const),
  })
  .map(({ marks: given, text: said, calls, host, finish }) => ({
    role: "assistant",
    at: AT,
    model: host === 0 ? { provider: "direct", model: "none" } : MODEL,
    parts: [
      { type: "text", text: said },
      ...calls.map((callId) => ({ type: "tool-call" as const, callId, name: "note", input: {} })),
    ],
    finish,
    usage: USAGE,
    ...given,
  }));
const message: fc.Arbitrary<Message> = fc.oneof(
  answer,
  fc
    .record({ id, marks, parts })
    .map((item) => ({ role: "user" as const, id: item.id, at: AT, from: PERSON, parts: item.parts, ...item.marks })),
  fc.record({ call, marks, parts }).map((item) => ({
    role: "tool" as const,
    at: AT,
    callId: item.call,
    name: "note",
    parts: item.parts,
    status: "ok" as const,
    ...item.marks,
  })),
  marks.map((given) => ({ role: "notice" as const, at: AT, kind: "runtime" as const, text: "n", ...given })),
);
const messages = fc.array(message, { maxLength: 4 });
const places: fc.Arbitrary<KeptRows> = fc
  .record({ from: fc.nat(4), rows: fc.option(fc.nat(4)), chars: fc.option(fc.constantFrom(2, 16_000)) })
  .map(({ from, rows, chars }) => ({
    places: rows === null ? [from] : [from, from + rows],
    ...(chars !== null && { chars }),
  }));

const record: fc.Arbitrary<JournalRecord> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({ id, marks, parts, flag }).map((item): JournalRecord => ({
      type: "message.received",
      key: item.id,
      origin: CHAT,
      attended: item.flag,
      message: { role: "user", id: item.id, at: AT, from: PERSON, parts: item.parts, ...item.marks },
    })),
  },
  {
    weight: 3,
    arbitrary: turn.map((name): JournalRecord => ({ type: "turn.started", turn: name, replyTo: CHAT, attended: true })),
  },
  {
    weight: 4,
    arbitrary: fc.record({ turn, placed: fc.array(id, { maxLength: 2 }), flag }).map((item): JournalRecord => ({
      type: "model.requested",
      turn: item.turn,
      attempt: 1,
      model: MODEL,
      placed: item.placed,
      promptHash: "",
      estimated: 10,
      tools: item.flag,
    })),
  },
  {
    weight: 4,
    arbitrary: fc
      .record({ turn, answer })
      .map((item): JournalRecord => ({ type: "model.responded", turn: item.turn, message: item.answer })),
  },
  {
    weight: 4,
    arbitrary: fc
      .record({ turn, call, effect, verdict: fc.constantFrom("allow", "deny", "ask") })
      .map((item): JournalRecord => ({
        type: "call.judged",
        turn: item.turn,
        call: item.call,
        effect: item.effect,
        verdict: item.verdict,
        rule: "r",
        hash: "h",
        expiresAt: AT,
        grant: { tool: "note", always: true } as never, // only kept
      })),
  },
  {
    weight: 2,
    arbitrary: fc
      .record({ turn, call, verdict: fc.constantFrom("allow" as const, "deny" as const), flag })
      .map((item): JournalRecord => ({
        type: "approval.resolved",
        turn: item.turn,
        call: item.call,
        verdict: item.verdict,
        by: "anna",
        ...(item.flag && { remember: "session" as const }),
      })),
  },
  {
    weight: 4,
    arbitrary: fc
      .record({ turn, call, effect })
      .map((item): JournalRecord => ({ type: "tool.started", ...item, name: "note", attempt: 1 })),
  },
  {
    weight: 6,
    arbitrary: fc.record({ turn, call, marks, parts }).map((item): JournalRecord => ({
      type: "tool.finished",
      turn: item.turn,
      message: {
        role: "tool",
        at: AT,
        callId: item.call,
        name: "note",
        parts: item.parts,
        status: "ok",
        ...item.marks,
      },
      durationMs: 1,
      attempts: 1,
    })),
  },
  {
    weight: 2,
    arbitrary: marks.map((given): JournalRecord => ({
      type: "notice.added",
      notice: { role: "notice", at: AT, kind: "memory", text: "n", ...given },
    })),
  },
  {
    weight: 2,
    arbitrary: fc.record({ id, marks, text }).map((item): JournalRecord => ({
      type: "message.posted",
      reply: item.id,
      from: { id: "cron", kind: "schedule" },
      text: item.text,
      marks: item.marks,
    })),
  },
  {
    weight: 3,
    arbitrary: fc
      .record({ turn, reason: fc.constantFrom("done", "failed", "cancelled"), text })
      .map((item): JournalRecord => ({
        type: "turn.ended",
        turn: item.turn,
        reason: item.reason,
        text: item.text,
        ...(item.reason === "failed" && { error: ERROR }),
        durationMs: 1,
        usage: USAGE,
      })),
  },
  {
    weight: 2,
    arbitrary: fc.record({ id, parts }).map((item): JournalRecord => ({
      type: "reply.queued",
      reply: item.id,
      to: CHAT,
      kind: "reply",
      parts: item.parts,
    })),
  },
  id.map((reply): JournalRecord => ({ type: "reply.delivered", reply })),
  fc.record({ turn, flag, piece: fc.integer({ min: 1, max: 3 }), isIntent: flag }).map((item): JournalRecord => ({
    type: "reply.live",
    turn: item.turn,
    to: CHAT,
    ...(item.piece > 1 && { piece: item.piece }),
    ...(item.isIntent && { key: `live-${item.piece}` }),
    ...(item.flag && { id: "platform-9" }),
  })),
  fc
    .record({ reply: id, piece: fc.integer({ min: 1, max: 3 }), from: fc.nat(9), to: fc.nat(9) })
    .map((item): JournalRecord => ({ type: "reply.sending", ...item, attempt: 1 })),
  fc.record({ reply: id, piece: fc.integer({ min: 1, max: 3 }), flag }).map((item): JournalRecord => ({
    type: "reply.sent",
    reply: item.reply,
    piece: item.piece,
    ...(item.flag && { id: `platform-${item.piece}` }),
  })),
  fc
    .record({ reply: id, kind: fc.constantFrom("again", "slow-down", "refused", "fault"), answered: flag, final: flag })
    .map((item): JournalRecord => ({
      type: "reply.failed",
      reply: item.reply,
      piece: 1,
      kind: item.kind,
      sent: "maybe",
      ...(item.answered && { answered: true }),
      error: ERROR,
      attempt: 1,
      ...(!item.final && { retryAt: AT }),
    })),
  id.map((key): JournalRecord => ({ type: "control.handled", key, control: "stop", by: PERSON })),
  turn.map((name): JournalRecord => ({ type: "model.failed", turn: name, error: ERROR, retryAt: AT })),
  turn.map((name): JournalRecord => ({ type: "turn.cancelled", turn: name, by: PERSON })),
  fc
    .record({ turn, call })
    .map((item): JournalRecord => ({ type: "call.deferred", ...item, name: "note", expiresAt: AT })),
  fc
    .record({ turn, call })
    .map((item): JournalRecord => ({ type: "tool.failed", ...item, attempt: 1, error: ERROR, retryAt: AT })),
  fc.array(id, { maxLength: 2 }).map((ids): JournalRecord => ({ type: "messages.placed", ids })),
  fc.array(id, { maxLength: 2 }).map((ids): JournalRecord => ({ type: "messages.withdrawn", ids, by: PERSON })),
  fc.record({ id, parts, flag }).map((item): JournalRecord => ({
    type: "message.edited",
    message: {
      ...{ role: "user", id: item.id, at: AT, from: PERSON, parts: item.parts },
      ...(item.flag && { files: [{ file: "f", name: "list.txt", locator: "f" }] }),
      ...(!item.flag && { unnamed: { origin: { channel: "test", chat: "1" }, ids: [PERSON.id] } }),
    },
  })),
  fc.record({ id, text, flag }).map((item): JournalRecord => ({
    type: "media.fetched",
    message: item.id,
    file: "f",
    part: { type: "text", text: item.text },
    ...(item.flag && { first: true }),
  })),
  fc.constant<JournalRecord>({ type: "context.endorsed", by: PERSON }),
  fc.constant<JournalRecord>({ type: "skill.requested", name: "weather", by: PERSON }),
  flag.map((archive): JournalRecord => ({ type: "session.cleared", by: PERSON, archive })),
  fc
    .record({ kept: fc.array(fc.oneof(message, places), { maxLength: 4 }), rows: fc.nat(3) })
    .map((item): JournalRecord => ({ type: "history.compacted", ...item, usage: USAGE, fallback: false })),
  messages.map((given): JournalRecord => ({
    type: "history.imported",
    messages: given,
    rows: given.length,
    consolidated: 0,
  })),
  fc.record({ epoch: fc.nat(2), gone: fc.nat(3) }).map((item): JournalRecord => ({
    type: "memory.answered",
    ...item,
    rows: 1,
    history: "h",
    expected: "",
    usage: USAGE,
    at: AT,
    fallback: false,
  })),
  fc.nat(2).map((epoch): JournalRecord => ({ type: "memory.written", epoch })),
  fc.nat(2).map((cleared): JournalRecord => ({ type: "memory.archived", cleared })),
  flag.map((reset): JournalRecord => ({ type: "session.configured", model: reset ? MODEL : null, reset })),
  fc.constant<JournalRecord>({ type: "usage.counted", purpose: "heartbeat", model: MODEL, usage: USAGE }),
);

/** Commits of one to three records. */
export const recordHistory: fc.Arbitrary<readonly (readonly JournalRecord[])[]> = fc.array(
  fc.array(record, { minLength: 1, maxLength: 3 }),
  { minLength: 1, maxLength: 20 },
);
