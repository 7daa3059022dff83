/** What each kind of record does to a view. */
import { textOf } from "../lib/text.ts";
import type { CallId, Millis, Seq, SessionId } from "../contract/base.ts";
import type { KindTable, OfKind } from "../lib/by-kind.ts";
import { NO_USAGE } from "../lib/usage.ts";
import {
  failedOnce,
  finished,
  judged,
  questioned,
  released,
  releaseClosed,
  resolved,
  started,
  unanswered,
  wentOn,
} from "./calls.ts";
import { importRows, shownPart } from "./imported.ts";
import type { ItemStore } from "./store.ts";
import { isOther, onTurn, settle } from "./turn.ts";
import type { ItemPart, TurnView, WireRecord } from "./types.ts";

export interface ViewState {
  readonly session: SessionId;
  readonly store: ItemStore;
  turn: TurnView | undefined;
}

/** Where the record stands: what it makes has this id. */
export interface Place {
  readonly id: string;
  readonly at: Millis;
  readonly seq: Seq;
}

type Of<Type extends WireRecord["type"]> = OfKind<WireRecord, Type>;

/** Of these a page shows nothing: their command says so, or nobody asks. A table without names for them is a smaller page. */
type Unshown =
  | "session.opened"
  | "journal.raised"
  | "control.handled"
  | "handle.received"
  | "reply.live"
  | "reply.sending"
  | "reply.sent"
  | "session.configured"
  | "context.endorsed"
  | "skill.requested"
  | "usage.counted"
  | "audience.set"
  | "agent.bound"
  | "memory.answered"
  | "memory.written"
  | "memory.archived";

export const RECORDS: Omit<KindTable<WireRecord, [state: ViewState, place: Place], void>, Unshown> = {
  "prefix.frozen": ({ prefix: { hash }, because }, { store }, { id, at }) =>
    store.add({ id, at, kind: "epoch", hash, because }),
  "message.received": received,
  "message.heard": ({ key, channel, message }, state, place) =>
    received({ key, message, origin: { channel, chat: "" }, mode: "queue" }, state, place, "placed"),
  "voice.transcribed": ({ message, text }, { store }) =>
    append(store, message, { type: "text", text, transcript: true }),
  "media.fetched": ({ message, part }, { store }) => append(store, message, part),
  "message.edited": ({ message: { id, parts, from }, mode }, { store }) => {
    const isGone = parts.length === 0;
    const changed = { from, parts, ...(mode !== undefined && { mode }) };
    store.onMessage(id, (item) => ({ ...item, ...changed, ...(isGone && { state: "withdrawn" as const }) }));
  },
  "messages.withdrawn": ({ ids }, { store }) => {
    for (const id of ids) store.onMessage(id, (item) => ({ ...item, state: "withdrawn" }));
  },
  "messages.placed": ({ ids }, state, { seq }) => place(state, ids, state.turn?.id, seq),
  "command.handled": handled,
  "notice.added": ({ notice }, { store, turn }, { id, at }) =>
    store.add({
      ...{ id, at },
      ...(turn !== undefined && { turn: turn.id }),
      ...{ kind: "notice", notice: notice.kind, text: notice.text },
    }),
  "turn.started": ({ turn, replyTo }, state, { at }) => {
    state.turn = { id: turn, source: replyTo.channel, startedAt: at, step: 0, calls: 0, doing: "judge" };
  },
  "model.requested": ({ placed, turn, model }, state, { at, seq }) => {
    place(state, placed, turn, seq);
    onTurn(state, { doing: "request", requestedAt: at, model }, "retryAt", "error");
  },
  "model.responded": responded,
  "model.failed": ({ error, retryAt }, state) =>
    retryAt === undefined
      ? onTurn(state, { doing: "judge", error }, "retryAt", "requestedAt")
      : onTurn(state, { doing: "sleep", error, retryAt }, "requestedAt"),
  "call.judged": (record, state, { at }) => {
    state.store.onCall(record.call, (call) => judged(call, record, at));
    settle(state);
  },
  "approval.resolved": (record, state, { at }) => {
    state.store.onCall(record.call, (call) => resolved(call, record, at));
    settle(state);
  },
  "call.asked": (record, state, { at }) => {
    state.store.onCall(record.call, (call) => questioned(call, record, at));
    settle(state);
  },
  "question.closed": (record, state) => {
    state.store.onCall(record.call, (call) => wentOn(call, record));
    settle(state);
  },
  "release.asked": (record, { session, store }, { id, at, seq }) =>
    store.add({
      ...{ id, at },
      kind: "assistant",
      model: { provider: "margay", model: "release" },
      parts: [{ type: "call", call: released(record, session, seq, at) }],
      finish: "tool-calls",
      usage: NO_USAGE,
    }),
  "release.answered": ({ release, ...record }, { store }, { at }) =>
    store.onCall(release as CallId, (call) => resolved(call, record, at)),
  "release.closed": (record, { store }, { at }) =>
    store.onCall(record.release as CallId, (call) => releaseClosed(call, record, at)),
  // It runs at the client.
  "call.deferred": (record, state, { at }) => {
    state.store.onCall(record.call, (call) => ({
      ...call,
      ...{ effect: "write", status: "running", attempts: 1, startedAt: at },
    }));
    countCall(state);
    settle(state);
  },
  "tool.started": (record, state, { at }) => {
    state.store.onCall(record.call, (call) => started(call, record, at));
    if (record.attempt === 1) countCall(state);
    settle(state);
  },
  "tool.failed": (record, state) => {
    state.store.onCall(record.call, (call) => failedOnce(call, record));
    settle(state);
  },
  "tool.finished": (record, state, { at }) => {
    state.store.onCall(record.message.callId, (call) => finished(call, record, at));
    settle(state);
  },
  "turn.cancelled": (_record, state) => onTurn(state, { stopping: true }),
  "turn.ended": ended,
  "reply.queued": queued,
  "reply.held": ({ reply, why }, { store }) => {
    store.onDelivery(reply, ({ retryAt: _retryAt, ...rest }) => ({
      ...rest,
      state: why === "digest" ? "queued" : (why ?? "queued"),
    }));
  },
  "reply.delivered": ({ reply }, { store }) => {
    store.onDelivery(reply, ({ retryAt: _retryAt, error: _error, ...rest }) => ({
      ...rest,
      state: "delivered",
    }));
  },
  "reply.failed": ({ reply, error, retryAt }, { store }) => {
    store.onDelivery(reply, ({ retryAt: _retryAt, ...rest }) => ({
      ...rest,
      error,
      ...(retryAt === undefined ? { state: "failed" } : { retryAt }),
    }));
  },
  "message.posted": ({ from, text }, { store }, { id, at }) =>
    store.add({
      ...{ id, at },
      ...POSTED,
      model: { provider: "margay", model: from.id },
      parts: [{ type: "text", text }],
    }),
  "history.compacted": ({ kept }, { store }, { id, at, seq }) => {
    const row = kept.find((one) => "role" in one && one.role === "notice" && one.kind === "summary");
    const summary = row !== undefined && "text" in row ? row.text : "";
    store.add({ id, at, kind: "compaction", through: seq, summary });
  },
  "session.cleared": ({ by }, { store }, { id, at }) => store.add({ id, at, kind: "cleared", by }),
  "history.imported": ({ messages }, { session, store }, { seq }) => importRows(messages, session, seq, store),
};

/** What stands there without a request of its own. */
const POSTED = { kind: "assistant", finish: "stop", usage: NO_USAGE } as const;

function received(
  { key, origin, message, mode, heard }: Pick<Of<"message.received">, "key" | "origin" | "message" | "mode" | "heard">,
  { store }: ViewState,
  { id, at }: Place,
  state: "pending" | "placed" = "pending",
): void {
  // Like no other: the number of a record in its commit has no zero in front.
  if (heard !== undefined)
    store.add({ id: `${id}0`, at, kind: "notice", notice: "runtime", text: textOf(heard.message.parts) });
  store.add({
    ...{ id, at },
    kind: "user",
    messageId: message.id,
    key,
    from: message.from,
    origin,
    parts: message.parts,
    state,
    mode: mode ?? "steer",
  });
}

function append(store: ItemStore, message: string, part: ItemPart): void {
  store.onMessage(message, (item) => ({ ...item, parts: [...item.parts, part] }));
}

function handled({ key, by, text }: Of<"command.handled">, { store }: ViewState, { id, at }: Place): void {
  store.add({
    ...{ id, at },
    kind: "user",
    messageId: id,
    key: key.slice(key.indexOf("\n") + 1),
    from: by,
    origin: { channel: key.split("\n")[0] ?? "", chat: "" },
    parts: [{ type: "text", text }],
    state: "placed",
    mode: "queue",
    command: true,
  });
}

function place({ store }: ViewState, ids: readonly string[], by: TurnView["id"] | undefined, placedAt: Seq): void {
  for (const id of ids)
    store.onMessage(id, (item) => ({ ...item, state: "placed", placedAt, ...(by !== undefined && { turn: by }) }));
}

function responded({ turn: id, message }: Of<"model.responded">, state: ViewState, where: Place): void {
  const { session, store, turn } = state;
  const { at, seq } = where;
  store.add({
    ...{ id: where.id, at },
    turn: id,
    kind: "assistant",
    model: message.model,
    ...(turn?.model !== undefined && isOther(turn.model, message.model) && { asked: turn.model }),
    parts: message.parts.map((part) => shownPart(part, { session, turn: id, seq })),
    finish: message.finish,
    usage: message.usage,
    ...(turn?.requestedAt !== undefined && { ms: Math.max(0, at - turn.requestedAt) }),
  });
  onTurn(state, { doing: "judge", step: (turn?.step ?? 0) + 1 }, "requestedAt", "retryAt", "error");
}

function countCall(state: ViewState): void {
  onTurn(state, { calls: (state.turn?.calls ?? 0) + 1 });
}

function ended(record: Of<"turn.ended">, state: ViewState, { id, at }: Place): void {
  const { store, turn } = state;
  for (const { call } of store.approvals) store.onCall(call, unanswered);
  store.add({
    ...{ id, at },
    turn: record.turn,
    kind: "turn-end",
    reason: record.reason,
    ...(record.notice !== undefined && { notice: record.notice }),
    ...(record.error !== undefined && { error: record.error }),
    steps: turn?.step ?? 0,
    calls: turn?.calls ?? 0,
    usage: record.usage,
    ms: record.durationMs,
  });
  state.turn = undefined;
}

function queued(
  { kind, parts, to, reply, again }: Of<"reply.queued">,
  { store, turn }: ViewState,
  { id, at }: Place,
): void {
  // The answer to a command is seen nowhere else; a page reads what goes to pages in the journal itself.
  if (kind === "command" && again === undefined)
    return store.add({ id, at, kind: "notice", notice: "command", text: textOf(parts, "") });
  if (to.channel === "web" || to.channel === "api") {
    const files = again === undefined ? parts.filter((part) => part.type === "media") : [];
    if (files.length > 0)
      store.add({ id, at, ...POSTED, model: { provider: "margay", model: "message" }, parts: files });
    return;
  }
  if (store.onDelivery(reply, ({ error: _error, ...rest }) => ({ ...rest, state: "queued" }))) return; // again
  store.add({
    ...{ id, at },
    ...(turn !== undefined && { turn: turn.id }),
    ...{ kind: "delivery", reply, to, state: "queued" },
  });
}
