/** Commits → what a person sees. One pure rule for the server and the browser; grows by a commit at a time. */
import type { ModelRef } from "../contract/message.ts";
import type { Millis, Seq, SessionId, TurnId } from "../contract/base.ts";
import { NO_USAGE } from "../lib/usage.ts";
import { failedOnce, finished, judged, questioned, resolved, started, unanswered, wentOn } from "./calls.ts";
import { importRows, shownPart } from "./imported.ts";
import { callsOf, createItemStore } from "./store.ts";
import type { ApprovalView, Item, ItemOf, TurnView, ViewSnapshot, WireCommit, WireRecord } from "./types.ts";

/** Items are replaced, never changed: equal objects are equal to the eye. */
export interface SessionView {
  readonly session: SessionId;
  readonly seq: Seq;
  readonly items: readonly Item[];
  readonly turn: TurnView | undefined;
  /** User items that the model has not seen yet. */
  readonly pending: readonly ItemOf<"user">[];
  /** Calls that wait for a person. */
  readonly approvals: readonly ApprovalView[];
  /** Commits must come in order; one that was applied already changes nothing. @returns the items that are new or other. */
  apply(commit: WireCommit): readonly Item[];
  /** Where an item stands; undefined when the view does not hold it. */
  indexOf(id: string): number | undefined;
  /** The last `limit` items. */
  snapshot(limit?: number): ViewSnapshot;
}

/** @param from a snapshot of a view: what comes after it is applied; items before its first are not known here. */
export function createView(session: SessionId, from?: Omit<ViewSnapshot, "session">): SessionView {
  const store = createItemStore(from?.items ?? []);
  const { items, add, onCall } = store;
  let seq = from?.seq ?? (0 as Seq); // before the first commit
  let turn = from?.turn;

  const onTurn = (change: Partial<TurnView>, ...gone: readonly (keyof TurnView)[]): void => {
    if (turn === undefined) return;
    const next = { ...turn, ...change };
    for (const name of gone) delete next[name];
    turn = next;
  };
  const place = (ids: readonly string[], by: TurnId | undefined, placedAt: Seq): void => {
    for (const id of ids)
      store.onMessage(id, (item) => ({ ...item, state: "placed", placedAt, ...(by !== undefined && { turn: by }) }));
  };
  /** After a call changed: what the turn is doing now. */
  const settle = (): void => {
    if (turn === undefined) return;
    const last = items.findLast((item) => item.kind === "assistant" && item.turn === turn?.id);
    const views = last?.kind === "assistant" ? callsOf(last) : [];
    const doing = views.some(({ status, retryAt }) => status === "running" && retryAt === undefined)
      ? "invoke"
      : views.some(({ retryAt }) => retryAt !== undefined)
        ? "sleep"
        : views.some(({ status }) => status === "asked")
          ? "wait"
          : "judge";
    onTurn({ doing });
  };

  const take = (record: WireRecord, id: string, at: Millis, commit: Seq): void => {
    switch (record.type) {
      case "prefix.frozen":
        return add({ id, at, kind: "epoch", hash: record.prefix.hash, because: record.because });
      case "message.received":
        return add({
          id,
          at,
          kind: "user",
          messageId: record.message.id,
          key: record.key,
          from: record.message.from,
          origin: record.origin,
          parts: record.message.parts,
          state: "pending",
          mode: record.mode ?? "steer",
        });
      case "messages.withdrawn":
        for (const message of record.ids) store.onMessage(message, (item) => ({ ...item, state: "withdrawn" }));
        return;
      case "messages.placed":
        return place(record.ids, turn?.id, commit);
      case "command.handled":
        return add({
          id,
          at,
          kind: "user",
          messageId: id,
          key: record.key.slice(record.key.indexOf("\n") + 1),
          from: record.by,
          origin: { channel: record.key.split("\n")[0] ?? "", chat: "" },
          parts: [{ type: "text", text: record.text }],
          state: "placed",
          mode: "queue",
          command: true,
        });
      case "notice.added":
        return add({
          id,
          at,
          ...(turn !== undefined && { turn: turn.id }),
          kind: "notice",
          notice: record.notice.kind,
          text: record.notice.text,
        });
      case "turn.started":
        turn = {
          id: record.turn,
          source: record.replyTo.channel,
          startedAt: at,
          step: 0,
          calls: 0,
          doing: "judge",
        };
        return;
      case "model.requested":
        place(record.placed, record.turn, commit);
        return onTurn({ doing: "request", requestedAt: at, model: record.model }, "retryAt", "error");
      case "model.responded": {
        const { message } = record;
        const where = { session, turn: record.turn, seq: commit };
        add({
          id,
          at,
          turn: record.turn,
          kind: "assistant",
          model: message.model,
          ...(turn?.model !== undefined && isOther(turn.model, message.model) && { asked: turn.model }),
          parts: message.parts.map((part) => shownPart(part, where)),
          finish: message.finish,
          usage: message.usage,
          ...(turn?.requestedAt !== undefined && { ms: Math.max(0, at - turn.requestedAt) }),
        });
        return onTurn({ doing: "judge", step: (turn?.step ?? 0) + 1 }, "requestedAt", "retryAt", "error");
      }
      case "model.failed":
        return record.retryAt === undefined
          ? onTurn({ doing: "judge", error: record.error }, "retryAt", "requestedAt")
          : onTurn({ doing: "sleep", error: record.error, retryAt: record.retryAt }, "requestedAt");
      case "call.judged":
        onCall(record.call, (call) => judged(call, record, at));
        return settle();
      case "approval.resolved":
        onCall(record.call, (call) => resolved(call, record, at));
        return settle();
      case "call.asked":
        onCall(record.call, (call) => questioned(call, record, at));
        return settle();
      case "question.closed":
        onCall(record.call, (call) => wentOn(call, record));
        return settle();
      case "call.deferred": // it runs at the client
        onCall(record.call, (call) => ({ ...call, effect: "write", status: "running", attempts: 1, startedAt: at }));
        onTurn({ calls: (turn?.calls ?? 0) + 1 });
        return settle();
      case "tool.started":
        onCall(record.call, (call) => started(call, record, at));
        if (record.attempt === 1) onTurn({ calls: (turn?.calls ?? 0) + 1 });
        return settle();
      case "tool.failed":
        onCall(record.call, (call) => failedOnce(call, record));
        return settle();
      case "tool.finished":
        onCall(record.message.callId, (call) => finished(call, record, at));
        return settle();
      case "turn.cancelled":
        return onTurn({ stopping: true });
      case "turn.ended": {
        for (const { call } of store.approvals) onCall(call, unanswered);
        add({
          id,
          at,
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
        turn = undefined;
        return;
      }
      case "reply.queued":
        // The answer to a command is seen nowhere else; a page reads what goes to pages in the journal itself.
        if (record.kind === "command")
          return add({ id, at, kind: "notice", notice: "command", text: textOf(record.parts) });
        if (record.to.channel === "web" || record.to.channel === "api") return;
        if (store.onDelivery(record.reply, ({ error: _error, ...rest }) => ({ ...rest, state: "queued" }))) return; // again
        return add({
          id,
          at,
          ...(turn !== undefined && { turn: turn.id }),
          kind: "delivery",
          reply: record.reply,
          to: record.to,
          state: "queued",
        });
      case "reply.delivered":
        store.onDelivery(record.reply, ({ retryAt: _retryAt, error: _error, ...rest }) => ({
          ...rest,
          state: "delivered",
        }));
        return;
      case "reply.failed":
        store.onDelivery(record.reply, ({ retryAt: _retryAt, ...rest }) => ({
          ...rest,
          error: record.error,
          ...(record.retryAt === undefined ? { state: "failed" } : { retryAt: record.retryAt }),
        }));
        return;
      case "message.posted":
        return add({
          id,
          at,
          kind: "assistant",
          model: { provider: "margay", model: record.from.id },
          parts: [{ type: "text", text: record.text }],
          finish: "stop",
          usage: NO_USAGE,
        });
      case "history.compacted": {
        const summary = record.kept.find((row) => row.role === "notice" && row.kind === "summary");
        return add({
          id,
          at,
          kind: "compaction",
          through: commit,
          summary: summary?.role === "notice" ? summary.text : "",
        });
      }
      case "session.cleared":
        return add({ id, at, kind: "cleared", by: record.by });
      case "history.imported":
        return importRows(record.messages, session, commit, store);
      case "session.opened":
      case "journal.raised":
      case "control.handled":
      case "reply.sending":
      case "reply.sent":
      case "session.configured":
      case "context.endorsed": // its command says so
      case "skill.requested":
      case "usage.counted":
      case "audience.set":
      case "memory.answered":
      case "memory.written":
      case "memory.archived":
    }
  };

  return {
    session,
    get seq() {
      return seq;
    },
    get items() {
      return items;
    },
    get turn() {
      return turn;
    },
    get pending() {
      return store.pending;
    },
    get approvals() {
      return store.approvals;
    },
    apply: (commit) => {
      if (commit.seq <= seq) return [];
      commit.records.forEach((record, number) => take(record, `${commit.seq}.${number}`, commit.at, commit.seq));
      seq = commit.seq;
      return store.takeTouched();
    },
    indexOf: store.indexOf,
    snapshot: (limit = items.length) => ({
      session,
      seq,
      items: limit >= items.length ? [...items] : items.slice(items.length - limit),
      ...(turn !== undefined && { turn }),
    }),
  };
}

function textOf(parts: Extract<WireRecord, { type: "reply.queued" }>["parts"]): string {
  return parts.map((part) => (part.type === "text" ? part.text : "")).join("");
}

function isOther(one: ModelRef, other: ModelRef): boolean {
  return one.provider !== other.provider || one.model !== other.model;
}
