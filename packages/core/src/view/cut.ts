/** What is long is cut before it travels: a page shows the beginning and fetches the rest when it is wanted. */
import type { Json, SessionId } from "../contract/base.ts";
import type { AssistantPart, ContentPart, Message, UserMessage } from "../contract/message.ts";
import type { Commit, JournalRecord } from "../contract/record.ts";
import { byKind, type KindTable, type OfKind } from "../lib/by-kind.ts";
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
  return byKind(CUTS, record, session, item);
}

/** Where a file lies is of no use to a page, and may be an address that gives it to whoever has it. */
function withoutFiles({ files: _files, unnamed: _unnamed, ...message }: UserMessage): UserMessage {
  return message;
}

type Of<Type extends JournalRecord["type"]> = OfKind<JournalRecord, Type>;

/** A commit for whoever may read the conversation, whole. */
export function exported(commit: Commit): Commit {
  return { ...commit, records: commit.records.map((one) => (one.type === "release.asked" ? shownRelease(one) : one)) };
}

/** Without the words that are not for who is asked here, and what is of those who are asked after them. */
function shownRelease({ parts, next, ...release }: Of<"release.asked">): Of<"release.asked"> {
  return {
    ...release,
    parts: release.blind === true ? [] : parts,
    next: next.map(({ of }) => ({ of, sources: [] })),
  };
}

const whole = (record: Exclude<JournalRecord, Of<"prefix.frozen" | "tool.finished">>): WireRecord => record;

/** What travels of each: all of it, or less. */
const CUTS: KindTable<JournalRecord, [session: SessionId, item: string], WireRecord> = {
  "prefix.frozen": (record, session) => {
    const { hash, system, tools } = record.prefix;
    const href = `${API}/sessions/${session}/prefix/${hash}`;
    return { ...record, prefix: { hash, system: cutOf(system, href), tools: tools.length } };
  },
  "message.received": (record, session, item) => {
    const href = `${API}/sessions/${session}/messages/${item}`;
    const parts = record.message.parts.map((part) => userPart(part, href));
    const { heard } = record;
    return {
      ...record,
      message: { ...withoutFiles(record.message), parts },
      ...(heard !== undefined && { heard: { ...heard, message: withoutFiles(heard.message) } }),
    };
  },
  // Who has it may write in the chat in our name.
  "handle.received": (record) => ({ ...record, handle: { ...record.handle, data: null } }),
  "message.heard": whole,
  "media.fetched": whole,
  "message.edited": (record) => ({ ...record, message: withoutFiles(record.message) }),
  "model.responded": (record, session) => ({
    ...record,
    message: { ...record.message, parts: record.message.parts.map((part) => answerPart(part, session)) },
  }),
  "tool.finished": ({ details, ...rest }, session) => {
    const href = `${API}/tools/calls/${session}/${rest.message.callId}`;
    return {
      ...rest,
      message: { ...rest.message, parts: cutResult(rest.message.parts, `${href}/output`) },
      ...(details !== undefined && { details: cutInput(details, href) }),
    };
  },
  // The rows of the new epoch are those that were seen already.
  "history.compacted": (record) => ({
    ...record,
    kept: record.kept.filter((row) => "role" in row && row.role === "notice" && row.kind === "summary"),
  }),
  "history.imported": ({ transcript: _transcript, ...rest }) => ({ ...rest, messages: rest.messages.map(cutRow) }),
  "memory.answered": ({ memory: _memory, ...rest }) => rest, // MEMORY.md has its own page
  "session.opened": whole,
  "voice.transcribed": whole,
  "messages.withdrawn": whole,
  "messages.placed": whole,
  "journal.raised": whole,
  "command.handled": whole,
  "control.handled": whole,
  "context.endorsed": whole,
  "audience.set": whole,
  "agent.bound": whole,
  "notice.added": whole,
  "skill.requested": whole,
  "turn.started": whole,
  "model.requested": whole,
  "model.failed": whole,
  "call.judged": whole,
  "call.deferred": whole,
  "approval.resolved": whole,
  "call.asked": whole,
  "question.closed": whole,
  "release.asked": shownRelease,
  "release.answered": whole,
  "release.closed": whole,
  "tool.started": whole,
  "tool.failed": whole,
  "turn.cancelled": whole,
  "turn.ended": whole,
  "reply.queued": whole,
  "reply.live": whole,
  "reply.held": whole,
  "reply.sending": whole,
  "reply.sent": whole,
  "reply.delivered": whole,
  "message.posted": whole,
  "usage.counted": whole,
  "reply.failed": whole,
  "memory.written": whole,
  "memory.archived": whole,
  "session.cleared": whole,
  "session.configured": whole,
};

function answerPart(
  part: AssistantPart,
  session: SessionId,
): Extract<WireRecord, { type: "model.responded" }>["message"]["parts"][number] {
  switch (part.type) {
    case "text":
      return part;
    case "thinking":
      return { type: "thinking", text: part.text }; // `opaque` is for the provider alone
    case "tool-call": {
      const { callId, name, input } = part;
      return { type: "tool-call", callId, name, input: cutInput(input, `${API}/tools/calls/${session}/${callId}`) };
    }
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
