/** What is long is cut before it travels: a page shows the beginning and fetches the rest when it is wanted. */
import type { Json, SessionId } from "../contract/base.ts";
import type { ContentPart, Message } from "../contract/message.ts";
import type { Commit, JournalRecord } from "../contract/record.ts";
import type { Cut, ItemPart, WireCommit, WireRecord } from "./types.ts";

const RESULT_BYTES = 4096;
const INPUT_BYTES = 8192;
const USER_TEXT_BYTES = 65_536;
const HEAD_BYTES = 3072;
const TAIL_BYTES = 1024;
/** A UTF-16 unit is at most three bytes of UTF-8. */
const MAX_BYTES_PER_UNIT = 3;
const API = "/api/v1";

/** Folding cut commits gives the cut items: `view(cut(commits))` is what the server sends as items. */
export function cutCommit(session: SessionId, { seq, at, records }: Commit): WireCommit {
  return { seq, at, records: records.map((record, index) => cutRecord(record, session, `${seq}.${index}`)) };
}

function cutRecord(record: JournalRecord, session: SessionId, item: string): WireRecord {
  switch (record.type) {
    case "prefix.frozen": {
      const { hash, system, tools } = record.prefix;
      const href = `${API}/sessions/${session}/prefix/${hash}`;
      return { ...record, prefix: { hash, system: cutOf(system, href), tools: tools.length } };
    }
    case "message.received": {
      const href = `${API}/sessions/${session}/messages/${item}`;
      return {
        ...record,
        message: { ...record.message, parts: record.message.parts.map((part) => userPart(part, href)) },
      };
    }
    case "model.responded":
      return {
        ...record,
        message: {
          ...record.message,
          parts: record.message.parts.map((part) => {
            switch (part.type) {
              case "text":
                return part;
              case "thinking":
                return { type: "thinking", text: part.text }; // `opaque` is for the provider alone
              case "tool-call":
                return {
                  type: "tool-call",
                  callId: part.callId,
                  name: part.name,
                  input: cutInput(part.input, `${API}/tools/calls/${session}/${part.callId}`),
                };
            }
          }),
        },
      };
    case "tool.finished": {
      const { details, ...rest } = record;
      const href = `${API}/tools/calls/${session}/${record.message.callId}`;
      return {
        ...rest,
        message: { ...record.message, parts: cutResult(record.message.parts, `${href}/output`) },
        ...(details !== undefined && { details: cutInput(details, href) }),
      };
    }
    case "history.compacted":
      // The rows of the new epoch are those that were seen already.
      return { ...record, kept: record.kept.filter((row) => row.role === "notice" && row.kind === "summary") };
    case "history.imported": {
      const { transcript: _transcript, ...rest } = record;
      return { ...rest, messages: record.messages.map(cutRow) };
    }
    case "memory.answered": {
      const { memory: _memory, ...rest } = record; // MEMORY.md has its own page
      return rest;
    }
    case "session.opened":
    case "messages.withdrawn":
    case "messages.placed":
    case "journal.raised":
    case "command.handled":
    case "control.handled":
    case "context.endorsed":
    case "audience.set":
    case "notice.added":
    case "skill.requested":
    case "turn.started":
    case "model.requested":
    case "model.failed":
    case "call.judged":
    case "call.deferred":
    case "approval.resolved":
    case "call.asked":
    case "question.closed":
    case "tool.started":
    case "tool.failed":
    case "turn.cancelled":
    case "turn.ended":
    case "reply.queued":
    case "reply.sending":
    case "reply.sent":
    case "reply.delivered":
    case "message.posted":
    case "usage.counted":
    case "reply.failed":
    case "memory.written":
    case "memory.archived":
    case "session.cleared":
    case "session.configured":
      return record;
  }
}

/** Rows of an import have no place of their own to be fetched from whole: they are shortened for good. */
function cutRow(row: Message): Message {
  switch (row.role) {
    case "user":
      return { ...row, parts: row.parts.map((part) => shortened(part, USER_TEXT_BYTES)) };
    case "tool":
      return { ...row, parts: row.parts.map((part) => shortened(part, RESULT_BYTES)) };
    case "assistant":
    case "notice":
      return row;
  }
}

function shortened(part: ContentPart, maxBytes: number): ContentPart {
  if (part.type !== "text" || fits(part.text, maxBytes)) return part;
  const { head, tail } = endsOf(part.text);
  return { type: "text", text: `${head}\n…\n${tail}` };
}

function userPart(part: ContentPart, href: string): ItemPart {
  if (part.type !== "text" || fits(part.text, USER_TEXT_BYTES)) return part;
  const cut = cutOf(part.text, href);
  return { type: "text", text: cut.head, cut };
}

function cutResult(parts: readonly ContentPart[], href: string): readonly ContentPart[] | Cut {
  const text = parts.map((part) => (part.type === "text" ? part.text : "")).join("");
  return fits(text, RESULT_BYTES) ? parts : cutOf(text, href);
}

function cutInput(input: Json, href: string): Json {
  const text = JSON.stringify(input);
  return fits(text, INPUT_BYTES) ? input : cutOf(text, href);
}

function cutOf(text: string, href: string): Cut {
  return { cut: true, ...endsOf(text), href };
}

function endsOf(text: string): { readonly bytes: number; readonly head: string; readonly tail: string } {
  const bytes = new TextEncoder().encode(text);
  const { read } = new TextEncoder().encodeInto(text, new Uint8Array(HEAD_BYTES));
  return {
    bytes: bytes.length,
    head: text.slice(0, read),
    // A character that was split leaves replacement characters at the beginning.
    tail:
      bytes.length <= HEAD_BYTES ? "" : new TextDecoder().decode(bytes.subarray(-TAIL_BYTES)).replace(/^\uFFFD+/, ""),
  };
}

function fits(text: string, maxBytes: number): boolean {
  if (text.length * MAX_BYTES_PER_UNIT <= maxBytes) return true;
  return text.length <= maxBytes && new TextEncoder().encode(text).length <= maxBytes;
}
