/** (state, record) → state: the meaning of the journal. Pure; runs in a browser too. */
import type { Millis, Seq, SessionId } from "../contract/base.ts";
import type { Commit, JournalRecord } from "../contract/record.ts";
import type { SessionState } from "../contract/session.ts";
import { PLAIN } from "../lib/labels.ts";
import { addUsage, NO_USAGE } from "../lib/usage.ts";
import { usageOf } from "./spending.ts";
import { placePosted, post } from "./notes.ts";
import { answer, closeQuestion, question, withoutWaiting } from "./reduce-conversation.ts";
import { configure, setAudience } from "./reduce-settings.ts";
import { added, endorse, replaced } from "./reduce-labels.ts";
import { asCopy } from "./left-to-do.ts";
import { reply } from "./reduce-outbox.ts";
import { afterClear, afterCut, remember, withoutAnswerOf } from "./reduce-memory.ts";
import {
  countRepeat,
  countUnasked,
  defer,
  judged,
  onCall,
  onTurn,
  onTurnAfterCall,
  respond,
  startTurn,
} from "./reduce-turn.ts";

export function emptyState(id: SessionId): SessionState {
  return {
    id,
    key: "",
    seq: 0 as Seq, // before the first commit
    createdAt: 0,
    updatedAt: 0,
    origin: { channel: "", chat: "" },
    messages: [],
    label: PLAIN,
    pending: [],
    outbox: [],
    undelivered: [],
    usage: NO_USAGE,
    tokenFactor: 1,
    rows: 0,
    consolidated: 0,
    cleared: 0,
    epoch: 0,
    archive: [],
  };
}

export function fold(state: SessionState, commit: Commit): SessionState {
  let next = state;
  for (const record of commit.records) next = reduce(next, record, commit.at);
  if (commit.seq === next.copied) next = asCopy(next);
  return {
    ...next,
    seq: commit.seq,
    updatedAt: commit.at,
    ...(state.seq === 0 && { createdAt: commit.at }),
    ...(commit.seq <= (next.copied ?? 0) && { usage: NO_USAGE }),
  };
}

export function reduce(state: SessionState, record: JournalRecord, at: Millis): SessionState {
  const next = change(state, record, at);
  const usage = usageOf(record);
  return usage === undefined ? next : { ...next, usage: addUsage(state.usage, usage) };
}

function change(state: SessionState, record: JournalRecord, at: Millis): SessionState {
  switch (record.type) {
    case "session.opened":
      return {
        ...state,
        key: record.key,
        origin: record.origin,
        ...(record.parent !== undefined && { parent: record.parent }),
        ...(record.forked !== undefined && { copied: record.forked.commits }),
      };
    case "audience.set":
      return setAudience(state, record);
    case "prefix.frozen": {
      const { stale: _stale, ...rest } = state;
      return { ...rest, prefix: record.prefix, frozenFor: record.model };
    }
    case "message.received":
      return {
        ...state,
        pending: [
          ...state.pending,
          {
            message: record.message,
            replyTo: record.replyTo ?? record.origin,
            attended: record.attended,
            ...(record.mode !== undefined && { mode: record.mode }),
            ...(record.sampling !== undefined && { sampling: record.sampling }),
          },
        ],
      };
    case "messages.withdrawn":
      return { ...state, pending: state.pending.filter((item) => !record.ids.includes(item.message.id)) };
    case "messages.placed": {
      const placed = state.pending.filter((item) => record.ids.includes(item.message.id));
      return {
        ...state,
        ...added(
          state,
          placed.map((item) => item.message),
        ),
        pending: state.pending.filter((item) => !record.ids.includes(item.message.id)),
        rows: state.rows + placed.length,
      };
    }
    case "journal.raised":
    case "command.handled":
    case "control.handled":
    case "usage.counted":
      return state;
    case "context.endorsed":
      return endorse(state);
    case "notice.added":
      return withoutSkill({ ...state, ...added(state, [record.notice]) }, record.notice.skill);
    case "skill.requested":
      return { ...state, skills: [...(state.skills ?? []).filter((name) => name !== record.name), record.name] };
    case "turn.started": {
      const { unanswered: _unanswered, ...rest } = state;
      return { ...countUnasked(rest, record), turn: startTurn(state, record, at) };
    }
    case "model.requested": {
      const placed = state.pending.filter((item) => record.placed.includes(item.message.id));
      return {
        ...state,
        ...added(
          state,
          placed.map((item) => item.message),
        ),
        pending: state.pending.filter((item) => !record.placed.includes(item.message.id)),
        rows: state.rows + placed.length,
        ...onTurn(state, ({ retryAt: _retryAt, error: _error, ...turn }) => ({
          ...turn,
          attempt: record.attempt,
          responded: false,
          calls: [],
          estimated: record.estimated,
          // A person's message resets what counts answers that led nowhere.
          ...(placed.length > 0 && { empty: 0, continued: 0 }),
          tools: record.tools,
          ...(record.closing === true && { summarized: true }),
        })),
      };
    }
    case "model.responded":
      return respond(state, record.message, record.dropped);
    case "model.failed":
      return {
        ...state,
        ...onTurn(state, ({ retryAt: _retryAt, ...turn }) => ({
          ...turn,
          estimated: 0,
          error: record.error,
          ...(record.usage !== undefined && { usage: addUsage(turn.usage, record.usage) }),
          ...(record.retryAt !== undefined && { retryAt: record.retryAt }),
        })),
      };
    case "call.judged": {
      // Judged anew because it never began: it was counted, and will be again.
      const counted = state.turn?.calls.some((item) => item.call.callId === record.call && item.status === "started");
      const next = onCall(state, record.call, ({ call }) => judged(call, record, at));
      return counted === true
        ? { ...next, ...onTurn(next, (turn) => ({ ...turn, executed: turn.executed - 1 })) }
        : next;
    }
    case "call.deferred":
      return defer(state, record, at);
    case "approval.resolved":
      return answer(state, record);
    case "call.asked":
      return question(state, record, at);
    case "question.closed":
      return closeQuestion(state, record);
    case "tool.started":
      return {
        ...onCall(state, record.call, ({ call }) => ({
          status: "started",
          call,
          effect: record.effect,
          attempt: record.attempt,
        })),
        ...(record.attempt === 1 && onTurnAfterCall(state, record)),
      };
    case "tool.failed":
      return onCall(state, record.call, (item) =>
        item.status === "started"
          ? {
              status: "retrying",
              call: item.call,
              effect: item.effect,
              attempt: record.attempt,
              retryAt: record.retryAt,
              error: record.error,
            }
          : item,
      );
    case "tool.finished": {
      const next = onCall(state, record.message.callId, ({ call }) => ({
        status: "finished",
        call,
        message: record.message,
      }));
      return {
        ...next,
        ...added(state, [record.message]),
        rows: state.rows + 1,
        ...onTurn(next, (turn) => ({
          ...withoutWaiting(turn, record.message.callId),
          repeats: countRepeat(turn, record),
        })),
      };
    }
    case "turn.cancelled":
      return { ...state, ...onTurn(state, (turn) => ({ ...turn, cancelled: true })) };
    case "turn.ended": {
      const { turn: _turn, ...rest } = withoutAnswerOf(state, record.turn);
      const unanswered = record.error !== undefined && record.reason === "failed" && { unanswered: record.error };
      return placePosted({ ...rest, ...unanswered });
    }
    case "reply.queued":
    case "reply.sending":
    case "reply.sent":
    case "reply.delivered":
    case "reply.failed":
      return reply(state, record, at);
    case "message.posted":
      return post(state, record, at);
    case "memory.answered":
    case "memory.written":
    case "memory.archived":
      return remember(state, record);
    case "history.compacted":
      return {
        ...afterCut(state, record),
        ...replaced(state, record.kept),
        consolidated: Math.min(state.rows, state.consolidated + record.rows),
        tokenFactor: 1,
        ...onTurn(state, ({ error: _error, retryAt: _retryAt, ...turn }) => ({
          ...turn,
          compactions: turn.compactions + 1,
          usage: addUsage(turn.usage, record.usage),
          attempt: 0,
        })),
      };
    case "session.cleared":
      return {
        ...withoutLeftovers(afterClear(state, record.archive === true)),
        ...replaced(state, []),
        // What arrived after /new was typed waits for its turn in the fresh context.
        rows: 0,
        consolidated: 0,
        cleared: state.cleared + 1,
        stale: "reset",
        tokenFactor: 1,
      };
    case "history.imported":
      return { ...state, ...replaced(state, record.messages), rows: record.rows, consolidated: record.consolidated };
    case "session.configured":
      return configure(state, record);
  }
}

function withoutLeftovers(state: SessionState): SessionState {
  const { unanswered: _unanswered, posted: _posted, skills: _skills, grants: _grants, ...rest } = state;
  return rest;
}

/** A request for a skill is met by its notice. */
function withoutSkill(state: SessionState, name: string | undefined): SessionState {
  if (name === undefined || state.skills === undefined) return state;
  const { skills, ...rest } = state;
  const waiting = skills.filter((other) => other !== name);
  return { ...rest, ...(waiting.length > 0 && { skills: waiting }) };
}
