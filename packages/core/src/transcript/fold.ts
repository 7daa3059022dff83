// Commits of one session → what its transcript files hold. Pure; writer and rebuild share it, so their bytes agree.
import type { JsonObject, Millis, Seq } from "../contract/base.ts";
import type { UserMessage } from "../contract/message.ts";
import type { Commit, JournalRecord } from "../contract/record.ts";
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
  apply(commit: Commit): readonly TranscriptChange[];
}

export function createTranscriptFold(options: RowOptions): TranscriptFold {
  let key = "";
  let createdAt: Millis | undefined;
  let head: TranscriptHead | undefined;
  let consolidated = 0;
  let inTurn = false;
  let open: TranscriptRow[] = [];
  let toolsUsed: string[] = [];
  /** What we sent unasked while a turn ran: rows behind it. */
  let posted: TranscriptRow[] = [];
  let lastRotation = "";
  let rotations = 0;
  const waiting = new Map<string, UserMessage>();

  const write = (rows: readonly JsonObject[], at: Millis, seq: Seq): TranscriptChange => {
    const lines = rows.map((row) => `${JSON.stringify(row)}\n`).join("");
    head = {
      key,
      createdAt: createdAt ?? at,
      updatedAt: at,
      lastConsolidated: consolidated,
      rows: (head?.rows ?? 0) + rows.length,
      bytes: (head?.bytes ?? 0) + byteLength(lines),
      seq,
    };
    return { do: "write", lines, head };
  };
  const closeTurn = (): readonly TranscriptRow[] => {
    const rows = [...finishTurn(open, toolsUsed), ...posted];
    open = [];
    toolsUsed = [];
    posted = [];
    return rows;
  };
  const place = (ids: readonly string[]): void => {
    for (const id of ids) {
      const message = waiting.get(id);
      if (message !== undefined) open.push(userRow(message));
      waiting.delete(id);
    }
  };
  const rotate = (at: Millis): readonly TranscriptChange[] => {
    consolidated = 0;
    if (head === undefined) return [];
    head = undefined;
    const time = isoTime(at).replace(/[-:.]/g, "");
    rotations = time === lastRotation ? rotations + 1 : 1;
    lastRotation = time;
    // Two clears in one millisecond must not share a name.
    return [{ do: "rotate", time: rotations === 1 ? time : `${time}-${rotations}` }];
  };

  /** Takes a record in; true when the file is to be written after this commit. */
  const take = (record: JournalRecord, at: Millis): boolean => {
    switch (record.type) {
      case "session.opened":
        key = record.key;
        return false;
      case "message.received":
        waiting.set(record.message.id, record.message);
        return false;
      case "messages.withdrawn":
        for (const id of record.ids) waiting.delete(id);
        return false;
      case "messages.placed":
        place(record.ids);
        return !inTurn;
      case "turn.started":
        inTurn = true;
        return false;
      case "model.requested":
        place(record.placed);
        return false;
      case "model.responded":
        if (!isEmptyAnswer(record.message)) open.push(assistantRow(record.message));
        return !inTurn;
      case "tool.started":
        if (!toolsUsed.includes(record.name)) toolsUsed.push(record.name);
        return false;
      case "tool.finished":
        open.push(toolRow(record.message, options));
        return !inTurn;
      case "message.posted":
        posted.push(postedRow(record, at));
        return !inTurn;
      case "turn.ended":
        inTurn = false;
        return true;
      case "history.compacted":
        consolidated = Math.min((head?.rows ?? 0) + open.length, consolidated + record.rows);
        return !inTurn;
      case "history.imported":
      case "session.cleared":
      case "prefix.frozen":
      case "journal.raised":
      case "command.handled":
      case "control.handled":
      case "context.endorsed":
      case "audience.set":
      case "skill.requested":
      case "notice.added":
      case "model.failed":
      case "call.judged":
      case "call.deferred":
      case "approval.resolved":
      case "call.asked":
      case "question.closed":
      case "tool.failed":
      case "turn.cancelled":
      case "reply.queued":
      case "usage.counted":
      case "reply.sending":
      case "reply.sent":
      case "reply.delivered":
      case "reply.failed":
      case "memory.answered":
      case "memory.written":
      case "memory.archived":
      case "session.configured":
        return false;
    }
  };

  return {
    get head() {
      return head;
    },
    apply: (commit) => {
      createdAt ??= commit.at;
      const changes: TranscriptChange[] = [];
      let due = false;
      for (const record of commit.records) {
        if (record.type === "session.cleared") {
          if (due || open.length > 0) changes.push(write(closeTurn(), commit.at, commit.seq));
          posted = [];
          due = false;
          // What waits stays: it is asked in the fresh context, and what was taken back is told by itself.
          changes.push(...rotate(commit.at));
        } else if (record.type === "history.imported") {
          consolidated = record.consolidated;
          changes.push(write(record.transcript ?? messageRows(record.messages, options), commit.at, commit.seq));
        } else due = take(record, commit.at) || due;
      }
      if (due && (open.length + posted.length > 0 || head !== undefined))
        changes.push(write(closeTurn(), commit.at, commit.seq));
      return changes;
    },
  };
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
