// Commits of one session → what its transcript files hold. Pure; writer and rebuild share it, so their bytes agree.
import type { JsonObject, Millis } from "../contract/base.ts";
import type { UserMessage } from "../contract/message.ts";
import type { Commit, JournalRecord } from "../contract/record.ts";
import { byKind, type KindTable } from "../lib/by-kind.ts";
import { withFile } from "../lib/media/sent-files.ts";
import { withTranscript } from "../lib/text.ts";
import { isEmptyAnswer } from "../session/reduce-turn.ts";
import {
  assistantRow,
  finishTurn,
  isoTime,
  messageRows,
  postedRow,
  toolRow,
  userRow,
  type RowOptions,
  type TranscriptRow,
} from "./rows.ts";

/** Line 1 of a transcript. `rows`, `bytes` and `seq` tell whether the file is complete without reading it. */
export interface TranscriptHead {
  readonly key: string;
  readonly createdAt: Millis;
  readonly updatedAt: Millis;
  readonly lastConsolidated: number;
  readonly rows: number;
  /** Of the rows, newlines included. */
  readonly bytes: number;
  /** The last commit that changed the file. */
  readonly seq: number;
}
/** What a commit does to the files. */
export type TranscriptChange =
  | { readonly do: "write"; readonly lines: string; readonly head: TranscriptHead }
  /** The file so far gets the name `{id}.{time}.jsonl`; the next write starts a new one. */
  | { readonly do: "rotate"; readonly time: string };

export interface TranscriptFold {
  /** Of the last write since the file began; undefined: there is no file. */
  readonly head: TranscriptHead | undefined;
  /** All that it knows: another one that is made with it goes on as this one does. */
  known(): KnownRows;
  apply(commit: Commit): readonly TranscriptChange[];
}

/** What is known of a session, as it survives JSON. */
export interface KnownRows extends Omit<Known, "waiting"> {
  readonly waiting: readonly (readonly [string, readonly UserMessage[]])[];
}

/** What the file will hold, and what waits for the end of the turn. */
interface Known {
  key: string;
  createdAt: Millis | undefined;
  head: TranscriptHead | undefined;
  consolidated: number;
  inTurn: boolean;
  open: TranscriptRow[];
  toolsUsed: string[];
  /** What we sent unasked while a turn ran: rows behind it. */
  posted: TranscriptRow[];
  lastRotation: string;
  rotations: number;
  readonly waiting: Map<string, readonly UserMessage[]>;
}

interface Draft extends Known {
  readonly options: RowOptions;
  /** What the commit at hand did so far. */
  changes: TranscriptChange[];
  /** The file is to be written after it. */
  due: boolean;
}

/** @param known By another one that was shown the commits so far. */
export function createTranscriptFold(options: RowOptions, known?: KnownRows): TranscriptFold {
  const draft: Draft = {
    ...{ options, key: "", createdAt: undefined, head: undefined, consolidated: 0, inTurn: false },
    ...{ open: [], toolsUsed: [], posted: [], lastRotation: "", rotations: 0 },
    ...known,
    ...{ waiting: new Map(known?.waiting), changes: [], due: false },
  };
  return {
    known: () => {
      const { options: _options, changes: _changes, due: _due, waiting, ...rest } = draft;
      return { ...rest, waiting: [...waiting] };
    },
    get head() {
      return draft.head;
    },
    apply: (commit) => {
      draft.createdAt ??= commit.at;
      draft.changes = [];
      draft.due = false;
      for (const record of commit.records) byKind(RECORDS, record, draft, commit);
      const { due, open, posted, head } = draft;
      if (due && (open.length + posted.length > 0 || head !== undefined)) write(draft, closeTurn(draft), commit);
      return draft.changes;
    },
  };
}

const nothing = (): void => {};

const RECORDS: KindTable<JournalRecord, [draft: Draft, commit: Commit], void> = {
  "session.opened": ({ key }, draft) => {
    draft.key = key;
  },
  "message.received": ({ message, heard }, { waiting }) =>
    void waiting.set(message.id, heard === undefined ? [message] : [heard.message, message]),
  "message.heard": nothing,
  "voice.transcribed": ({ message, text }, draft) => change(draft, message, (row) => withTranscript(row, text)),
  "media.fetched": (record, draft) => change(draft, record.message, (row) => withFile(row, record)),
  "message.edited": ({ message }, draft) => change(draft, message.id, () => message),
  "messages.withdrawn": ({ ids }, { waiting }) => {
    for (const id of ids) waiting.delete(id);
  },
  "messages.placed": ({ ids }, draft) => {
    place(ids, draft);
    afterRow(draft);
  },
  "turn.started": (_record, draft) => {
    draft.inTurn = true;
  },
  "model.requested": ({ placed }, draft) => place(placed, draft),
  "model.responded": ({ message }, draft) => {
    if (!isEmptyAnswer(message)) draft.open.push(assistantRow(message));
    afterRow(draft);
  },
  "tool.started": ({ name }, { toolsUsed }) => {
    if (!toolsUsed.includes(name)) toolsUsed.push(name);
  },
  "tool.finished": ({ message }, draft) => {
    draft.open.push(toolRow(message, draft.options));
    afterRow(draft);
  },
  "message.posted": (record, draft, { at }) => {
    draft.posted.push(postedRow(record, at));
    afterRow(draft);
  },
  "turn.ended": (_record, draft) => {
    draft.inTurn = false;
    draft.due = true;
  },
  "history.compacted": ({ rows }, draft) => {
    draft.consolidated = Math.min((draft.head?.rows ?? 0) + draft.open.length, draft.consolidated + rows);
    afterRow(draft);
  },
  "history.imported": ({ consolidated, transcript, messages }, draft, commit) => {
    draft.consolidated = consolidated;
    write(draft, transcript ?? messageRows(messages, draft.options), commit);
  },
  "session.cleared": (_record, draft, commit) => {
    if (draft.due || draft.open.length > 0) write(draft, closeTurn(draft), commit);
    draft.posted = [];
    draft.due = false;
    // What waits stays: it is asked in the fresh context, and what was taken back is told by itself.
    rotate(draft, commit.at);
  },
  "prefix.frozen": nothing,
  "journal.raised": nothing,
  "command.handled": nothing,
  "control.handled": nothing,
  "context.endorsed": nothing,
  "audience.set": nothing,
  "agent.bound": nothing,
  "skill.requested": nothing,
  "notice.added": nothing,
  "model.failed": nothing,
  "call.judged": nothing,
  "call.deferred": nothing,
  "approval.resolved": nothing,
  "call.asked": nothing,
  "question.closed": nothing,
  "release.asked": nothing,
  "release.answered": nothing,
  "release.closed": nothing,
  "tool.failed": nothing,
  "turn.cancelled": nothing,
  "reply.queued": nothing,
  "usage.counted": nothing,
  "reply.live": nothing,
  "reply.held": nothing,
  "handle.received": nothing,
  "reply.sending": nothing,
  "reply.sent": nothing,
  "reply.delivered": nothing,
  "reply.failed": nothing,
  "memory.answered": nothing,
  "memory.written": nothing,
  "memory.archived": nothing,
  "session.configured": nothing,
};

/** In a turn the file waits for its end. */
function afterRow(draft: Draft): void {
  draft.due ||= !draft.inTurn;
}

/** A message that waits, or what goes in front of one. */
function change({ waiting }: Draft, message: string, changed: (row: UserMessage) => UserMessage): void {
  for (const [id, rows] of waiting)
    waiting.set(
      id,
      rows.map((row) => (row.id === message ? changed(row) : row)),
    );
}

function place(ids: readonly string[], { open, waiting }: Draft): void {
  for (const id of ids) {
    open.push(...(waiting.get(id) ?? []).map(userRow));
    waiting.delete(id);
  }
}

function write(draft: Draft, rows: readonly JsonObject[], { at, seq }: Commit): void {
  const { key, createdAt = at, consolidated, head: before } = draft;
  const lines = rows.map((row) => `${JSON.stringify(row)}\n`).join("");
  const head = {
    ...{ key, createdAt, updatedAt: at, lastConsolidated: consolidated },
    rows: (before?.rows ?? 0) + rows.length,
    bytes: (before?.bytes ?? 0) + byteLength(lines),
    seq,
  };
  draft.head = head;
  draft.changes.push({ do: "write", lines, head });
}

function closeTurn(draft: Draft): readonly TranscriptRow[] {
  const rows = [...finishTurn(draft.open, draft.toolsUsed), ...draft.posted];
  draft.open = [];
  draft.toolsUsed = [];
  draft.posted = [];
  return rows;
}

function rotate(draft: Draft, at: Millis): void {
  draft.consolidated = 0;
  if (draft.head === undefined) return;
  draft.head = undefined;
  const time = isoTime(at).replace(/[-:.]/g, "");
  draft.rotations = time === draft.lastRotation ? draft.rotations + 1 : 1;
  draft.lastRotation = time;
  // Two clears in one millisecond must not share a name.
  draft.changes.push({ do: "rotate", time: draft.rotations === 1 ? time : `${time}-${draft.rotations}` });
}

/** UTF-8 length without making the bytes. */
function byteLength(text: string): number {
  let bytes = text.length;
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index);
    // JSON.stringify escapes lone surrogates, so each half of a pair counts as two of the four bytes.
    if (code >= 0x80) bytes += code < 0x800 || (code >= 0xd800 && code <= 0xdfff) ? 1 : 2;
  }
  return bytes;
}
