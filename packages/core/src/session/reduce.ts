/** (state, record) → state: the meaning of the journal. Pure; runs in a browser too. */
import type { Millis, Seq, SessionId } from "../contract/base.ts";
import type { Commit, JournalRecord } from "../contract/record.ts";
import type { UserMessage } from "../contract/message.ts";
import type { SessionState } from "../contract/session.ts";
import { PLAIN } from "../lib/labels.ts";
import { answerRelease, askedRelease, closeRelease, usedLate } from "../lib/approval-choices.ts";
import { addUsage, NO_USAGE } from "../lib/usage.ts";
import { withFile } from "../lib/media/sent-files.ts";
import { withTranscript } from "../lib/text.ts";
import { shareOf, usageOf } from "./spending.ts";
import {
  answer,
  closeQuestion,
  placePosted,
  post,
  question,
  renamed,
  withMode,
  withName,
  withoutWaiting,
} from "./reduce-conversation.ts";
import { configure, setAudience } from "./reduce-settings.ts";
import { added, endorse, replaced } from "./reduce-labels.ts";
import { keptRows } from "./kept-rows.ts";
import { asCopy, withoutLeftovers, withoutSkill } from "./left-to-do.ts";
import { askedAlone, put, shown } from "./reduce-asked.ts";
import { opened, reply, spent, used } from "./reduce-outbox.ts";
import { afterClear, afterCut, remember, withoutAnswerOf } from "./reduce-memory.ts";
import {
  askModel,
  compact,
  countRepeat,
  countUnasked,
  defer,
  failRequest,
  judged,
  onCall,
  onTurn,
  respond,
  startTool,
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

/** Of one kind, or of any. */
type RecordOf<Type extends JournalRecord["type"] = JournalRecord["type"]> = {
  readonly [Each in Type]: Extract<JournalRecord, { type: Each }> & { readonly type: Each };
}[Type];
type Change<Type extends JournalRecord["type"]> = (
  state: SessionState,
  record: RecordOf<Type>,
  at: Millis,
) => SessionState;

function change<Type extends JournalRecord["type"]>(
  state: SessionState,
  record: RecordOf<Type>,
  at: Millis,
): SessionState {
  const changes: { readonly [Each in Type]: Change<Each> } = CHANGES;
  return changes[record.type](state, record, at);
}

const nothing = (state: SessionState): SessionState => state;

/** What each record means. A new one without its change does not compile. */
const CHANGES: { readonly [Type in JournalRecord["type"]]: Change<Type> } = {
  "session.opened": (state, { key, origin, parent, forked }) => ({
    ...state,
    key,
    origin,
    ...(parent !== undefined && { parent }),
    ...(forked !== undefined && { copied: forked.commits }),
  }),
  "audience.set": setAudience,
  "session.configured": configure,
  "agent.bound": (state, { agent, rule, hash }) => ({ ...state, bound: { agent, rule, hash } }),
  "prefix.frozen": ({ stale: _stale, ...state }, { prefix, model }) => ({ ...state, prefix, frozenFor: model }),
  "message.received": (
    state,
    { key, message, replyTo, origin, attended, mode, sampling, speaker, late, joins, heard, allows },
  ) => ({
    ...state,
    ...(speaker !== undefined && withName(state, message)),
    ...(heard?.last !== undefined && { heardTo: heard.last }),
    ...(allows !== undefined && { grants: [...(state.grants ?? []), allows] }),
    pending: [
      ...state.pending,
      {
        message,
        key,
        replyTo: replyTo ?? origin,
        attended,
        ...(mode !== undefined && { mode }),
        ...(sampling !== undefined && { sampling }),
        ...(speaker !== undefined && { speaker }),
        ...(late !== undefined && { late }),
        ...(joins !== undefined && { joins }),
        ...(heard !== undefined && { heard: heard.message }),
      },
    ],
  }),
  "handle.received": (state, record, at) => ({ ...state, ...opened(state, record, at) }),
  "message.heard": (state, { key, message }) => ({
    ...state,
    ...withName(state, message),
    heard: [...(state.heard ?? []), { key, message }].slice(-MAX_HEARD),
    rows: state.rows + 1,
  }),
  "voice.transcribed": (state, { message: id, text }) => changed(state, id, (message) => withTranscript(message, text)),
  "media.fetched": (state, record) => changed(state, record.message, (message) => withFile(message, record)),
  "message.edited": (state, { message, mode }) =>
    withMode(
      changed(renamed(state, message), message.id, () => message),
      message.id,
      mode,
    ),
  "messages.withdrawn": (state, { ids }) => ({
    ...state,
    pending: state.pending.filter((item) => !ids.includes(item.message.id)),
  }),
  "messages.placed": (state, { ids }) => place(state, ids).state,
  "journal.raised": nothing,
  "command.handled": nothing,
  "control.handled": nothing,
  "usage.counted": nothing,
  "context.endorsed": endorse,
  "notice.added": (state, { notice }) => withoutSkill({ ...state, ...added(state, [notice]) }, notice.skill),
  "skill.requested": (state, { name }) => ({
    ...state,
    skills: [...(state.skills ?? []).filter((other) => other !== name), name],
  }),
  "turn.started": (state, record, at) => {
    const { unanswered: _unanswered, ...rest } = state;
    return { ...countUnasked(rest, record), turn: startTurn(state, record, at) };
  },
  "model.requested": (state, record) => {
    const next = place(state, record.placed);
    return { ...next.state, ...onTurn(state, (turn) => askModel(turn, record, next.placed > 0)) };
  },
  "model.responded": (state, { message, dropped }) => respond(state, message, dropped),
  "model.failed": (state, record) => ({ ...state, ...onTurn(state, (turn) => failRequest(turn, record)) }),
  "call.judged": (state, record, at) => {
    // Judged anew because it never began: it was counted, and will be again.
    const counted = state.turn?.calls.some((item) => item.call.callId === record.call && item.status === "started");
    const given = state.grants === undefined ? state : usedLate(state, record);
    const next = onCall(given, record.call, ({ call }) => judged(call, record, at));
    return counted === true ? { ...next, ...onTurn(next, (turn) => ({ ...turn, executed: turn.executed - 1 })) } : next;
  },
  "call.deferred": defer,
  "approval.resolved": answer,
  "call.asked": question,
  "question.closed": closeQuestion,
  "release.asked": (state, record, at) => ({ ...state, releases: askedRelease(state.releases, record, at) }),
  "release.answered": answerRelease,
  "release.closed": closeRelease,
  "tool.started": startTool,
  "tool.failed": (state, { call: id, attempt, retryAt, error }) =>
    onCall(state, id, (item) =>
      item.status === "started"
        ? { status: "retrying", call: item.call, effect: item.effect, attempt, retryAt, error }
        : item,
    ),
  "tool.finished": (state, record) => {
    const { message } = record;
    const next = onCall(state, message.callId, ({ call }) => ({ status: "finished", call, message }));
    return {
      ...next,
      ...added(state, [message]),
      rows: state.rows + 1,
      ...onTurn(next, (turn) => ({ ...withoutWaiting(turn, message.callId), repeats: countRepeat(turn, record) })),
    };
  },
  "turn.cancelled": (state) => ({ ...state, ...onTurn(state, (turn) => ({ ...turn, cancelled: true })) }),
  "turn.ended": (state, record, at) => {
    const { turn: _turn, ...rest } = withoutAnswerOf(state, record.turn);
    const unanswered = record.error !== undefined && record.reason === "failed" && { unanswered: record.error };
    const isTold = record.error !== undefined && shareOf(record.error) === "used up";
    return placePosted({ ...rest, ...unanswered, ...(isTold && { shareToldAt: at }) });
  },
  "reply.queued": (state, record, at) => ({ ...reply(state, record, at), ...(record.question && put(state, record)) }),
  "reply.live": reply,
  "reply.held": (state, record) => ({
    ...reply(state, record, 0),
    ...(record.handle && spent(state, record.handle)),
    ...askedAlone(state, record),
  }),
  "reply.sending": (state, record, at) => ({
    ...reply(state, record, at),
    ...(record.handle && used(state, record.handle)),
  }),
  "reply.sent": (state, record, at) => ({ ...reply(state, record, at), ...(state.asked && shown(state, record)) }),
  "reply.delivered": reply,
  "reply.failed": reply,
  "message.posted": post,
  "memory.answered": remember,
  "memory.written": remember,
  "memory.archived": remember,
  "history.compacted": (state, record) => {
    const kept = keptRows(state.messages, record.kept);
    return {
      ...afterCut(state, record.rows, kept),
      ...replaced(state, kept),
      consolidated: Math.min(state.rows, state.consolidated + record.rows),
      tokenFactor: 1,
      ...onTurn(state, (turn) => compact(turn, record)),
    };
  },
  "session.cleared": (state, { archive }) => ({
    ...withoutLeftovers(afterClear(state, archive === true)),
    ...replaced(state, []),
    // What arrived after /new was typed waits for its turn in the fresh context.
    rows: 0,
    consolidated: 0,
    cleared: state.cleared + 1,
    stale: "reset",
    tokenFactor: 1,
  }),
  "history.imported": (state, { messages, rows, consolidated }) => ({
    ...{ ...state, rows, consolidated },
    ...replaced(state, messages),
  }),
};

/** Lines of a group that are at hand; the others are in the journal. */
const MAX_HEARD = 200;

/** A message that waits, or a line that was heard. */
function changed(state: SessionState, id: string, change: (message: UserMessage) => UserMessage): SessionState {
  const each = <Item extends { readonly message: UserMessage }>(item: Item): Item =>
    item.message.id === id ? { ...item, message: change(item.message) } : item;
  const waiting = state.pending.map(({ heard, ...item }) => ({
    ...each(item),
    ...(heard !== undefined && { heard: each({ message: heard }).message }),
  }));
  return { ...state, pending: waiting, ...(state.heard && { heard: state.heard.map(each) }) };
}

/** Waiting messages into the context, in their order. */
function place(state: SessionState, ids: readonly string[]): { readonly state: SessionState; readonly placed: number } {
  const placed = state.pending
    .filter((item) => ids.includes(item.message.id))
    .flatMap(({ heard, message }) => (heard === undefined ? [message] : [heard, message]));
  const pending = state.pending.filter((item) => !ids.includes(item.message.id));
  return {
    state: { ...state, ...added(state, placed), pending, rows: state.rows + placed.length },
    placed: placed.length,
  };
}
