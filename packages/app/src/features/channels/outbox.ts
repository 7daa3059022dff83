/** Replies on their way and those given up on, over all sessions: read once from the journals, then followed. */
import { type Address, type AgentEvent, type ContentPart, type JournalRecord, type Session } from "@margay/core";
import { ellipsis, visible, type SessionId } from "@margay/core/internal";
import type { App } from "../../app.ts";
import type { OutboxEntry } from "./schema.ts";

export interface OutboxItem extends Omit<OutboxEntry, "to"> {
  readonly to: Address;
  readonly key: string;
  /** What queues it again. */
  readonly queued: Extract<JournalRecord, { type: "reply.queued" }>;
}

export interface OutboxIndex {
  /** Newest first. */
  list(): Promise<readonly OutboxItem[]>;
  find(reply: string): Promise<OutboxItem | undefined>;
}

const TEXT_CHARS = 500;

type ReplyRecord = Extract<JournalRecord, { type: "reply.queued" | "reply.delivered" | "reply.failed" }>;

interface Index {
  readonly app: App;
  readonly items: Map<string, OutboxItem>;
  /** Until the journals are read: what happens meanwhile comes after them. */
  waiting: { readonly session: Session; readonly event: AgentEvent }[] | undefined;
  readonly seen: Map<SessionId, number>;
  reading: Promise<void> | undefined;
}

export function createOutboxIndex(app: App): OutboxIndex {
  const index: Index = { app, items: new Map(), waiting: [], seen: new Map(), reading: undefined };
  app.inside.feed.watch((session) => {
    session.subscribe((event) => {
      if (index.waiting === undefined) happened(index, session, event);
      else index.waiting.push({ session, event });
    });
  });
  const ready = (): Promise<void> => (index.reading ??= read(index));
  return {
    list: async () => {
      await ready();
      return [...index.items.values()]
        .filter(({ queued }) => queued.kind !== "progress")
        .toSorted((a, b) => b.at - a.at);
    },
    find: async (reply) => {
      await ready();
      return [...index.items.values()].find((item) => item.reply === reply);
    },
  };
}

function apply(
  { app, items }: Index,
  session: { readonly id: SessionId; readonly key: string },
  record: ReplyRecord,
  at: number,
): void {
  const name = `${session.id}\n${record.reply}`;
  const before = items.get(name);
  switch (record.type) {
    case "reply.queued":
      items.set(name, {
        reply: record.reply,
        session: session.id,
        key: session.key,
        to: record.to,
        queued: queuedAgain(record),
        state: "pending",
        at,
        attempts: 0,
        text: textOf(record.parts),
      });
      return;
    case "reply.delivered":
      items.delete(name);
      return;
    case "reply.failed": {
      if (before === undefined) return;
      const { nextAt: _old, ...rest } = before;
      const { retryAt } = record;
      items.set(name, {
        ...rest,
        attempts: record.attempt,
        error: app.inside.redact(record.error.message),
        ...(retryAt === undefined ? { state: "failed" } : { nextAt: retryAt }),
      });
    }
  }
}

function happened(index: Index, session: Session, event: AgentEvent): void {
  if (!isReply(event) || !("seq" in event)) return;
  if (event.seq <= (index.seen.get(session.state.id) ?? 0)) return; // it was in the journal that was read
  apply(index, session.state, event, event.at);
}

async function read(index: Index): Promise<void> {
  const { sessionIds, readCommits } = index.app.inside;
  for (const id of sessionIds()) {
    let key = "";
    try {
      for await (const { seq, at, records } of readCommits(id)) {
        for (const record of records) {
          if (record.type === "session.opened") key = record.key;
          if (isReply(record)) apply(index, { id, key }, record, at);
        }
        index.seen.set(id, seq);
      }
    } catch {
      continue; // a damaged journal is the doctor's finding; its replies are not sent either
    }
  }
  const later = index.waiting ?? [];
  index.waiting = undefined;
  for (const { session, event } of later) happened(index, session, event);
  index.seen.clear();
}

/** Without its call: that turn is over. */
function queuedAgain({ type, reply, to, kind, parts, marks }: OutboxItem["queued"]): OutboxItem["queued"] {
  return { type, reply, to, kind, parts, ...(marks !== undefined && { marks }) };
}

function isReply(record: { readonly type: string }): record is ReplyRecord {
  return record.type === "reply.queued" || record.type === "reply.delivered" || record.type === "reply.failed";
}

function textOf(parts: readonly ContentPart[]): string {
  const text = parts.map((part) => (part.type === "text" ? part.text : `[${part.name ?? part.mediaType}]`)).join("\n");
  return visible(ellipsis(text, TEXT_CHARS));
}
