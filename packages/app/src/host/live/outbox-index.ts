/** Replies on their way and those given up on, over all sessions: read once from the journals, then followed. */
import { type Address, type AgentEvent, type ContentPart, type JournalRecord, type Session } from "@margay/core";
import { bySomeKind, ellipsis, firstOf, visible, type SessionId, type SomeKinds } from "@margay/core/internal";
import type { App } from "../../app.ts";
import type { OutboxEntry } from "../../features/channels/schema.ts";

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

interface Place {
  readonly id: SessionId;
  readonly key: string;
  readonly at: number;
}

/** Other records say nothing of a reply. */
const REPLIES: SomeKinds<JournalRecord, [index: Index, place: Place], void> = {
  "reply.queued": (record, { items }, { id, key, at }) => {
    const { reply, to, parts } = record;
    items.set(nameOf(id, reply), {
      ...{ reply, session: id, key, to, queued: queuedAgain(record) },
      ...{ state: "pending", at, attempts: 0, text: textOf(parts) },
    });
  },
  // It was held, and leaves.
  "reply.sending": ({ reply }, { items }, { id }) => {
    const before = items.get(nameOf(id, reply));
    if (before?.state === "held") items.set(nameOf(id, reply), { ...before, state: "pending" });
  },
  "reply.held": ({ reply, why }, { items }, { id }) => {
    const { nextAt: _old, ...before } = items.get(nameOf(id, reply)) ?? {};
    if ("reply" in before) items.set(nameOf(id, reply), { ...before, state: HELD[why ?? "digest"] });
  },
  "reply.delivered": ({ reply }, { items }, { id }) => void items.delete(nameOf(id, reply)),
  "reply.failed": ({ reply, retryAt, attempt, error }, { app, items }, { id }) => {
    const before = items.get(nameOf(id, reply));
    if (before === undefined) return;
    const { nextAt: _old, ...rest } = before;
    items.set(nameOf(id, reply), {
      ...rest,
      attempts: attempt,
      error: app.inside.redact(error.message),
      ...(retryAt === undefined ? { state: "failed" } : { nextAt: retryAt }),
    });
  },
};

/** Of many questions one waits for its turn. */
const HELD = { window: "held", uncertain: "uncertain", digest: "pending" } as const;

function nameOf(session: SessionId, reply: string): string {
  return `${session}\n${reply}`;
}

function happened(index: Index, { state: { id, key } }: Session, event: AgentEvent): void {
  if (!("seq" in event) || event.seq <= (index.seen.get(id) ?? 0)) return; // it was in the journal that was read
  bySomeKind(REPLIES, event, index, { id, key, at: event.at });
}

async function read(index: Index): Promise<void> {
  const { sessionIds, readCommits } = index.app.inside;
  for (const id of await sessionIds()) {
    let key = "";
    try {
      for await (const { seq, at, records } of readCommits(id)) {
        key = firstOf(records, "session.opened")?.key ?? key;
        for (const record of records) bySomeKind(REPLIES, record, index, { id, key, at });
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
function queuedAgain({ type, reply, to, kind, parts, marks, again }: OutboxItem["queued"]): OutboxItem["queued"] {
  return { type, reply, to, kind, parts, ...(marks !== undefined && { marks }), ...(again !== undefined && { again }) };
}

function textOf(parts: readonly ContentPart[]): string {
  const text = parts.map((part) => (part.type === "text" ? part.text : `[${part.name ?? part.mediaType}]`)).join("\n");
  return visible(ellipsis(text, TEXT_CHARS));
}
