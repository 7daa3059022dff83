/** The list of chats, kept current by the `sessions` topic; and the chats this page has open. */
import { computed, effect, signal, untracked } from "@preact/signals";
import { api, ApiProblem } from "../api.ts";
import { line } from "../connection.ts";
import type { Page, SessionDetail, SessionSummary } from "../wire.ts";
import type { Chat } from "./chat-state.ts";
import { createChat } from "./chat.ts";
import { link } from "./link.ts";
import { sessionsWithOutgoing, type Begins } from "./outgoing.ts";
import { createSessionPages, type Query, type Reading, type SessionPages } from "./session-pages.ts";

export const summaries = signal<ReadonlyMap<string, SessionSummary>>(new Map());

/** Newest first; subagents belong to their chat and the Tasks page. */
export const listed = computed(() =>
  [...summaries.value.values()].filter(({ parent }) => parent === undefined).sort((a, b) => b.updatedAt - a.updatedAt),
);
/** Approvals that wait in any chat: the count in the title and at the navigation. */
export const approvalsWaiting = computed(() =>
  [...summaries.value.values()].reduce((sum, { approvals }) => sum + approvals, 0),
);
/** Ids of the chats in which a turn runs or waits. */
export const chatsAtWork = computed(
  () => new Set(listed.value.flatMap(({ id, state }) => (state === "running" || state === "waiting" ? [id] : []))),
);

const GATHER_MS = 150;
const stale = new Set<string>();
const deleted = new Set<string>();
const timer = { current: undefined as ReturnType<typeof setTimeout> | undefined };
const chats = new Map<string, Chat>(); // of this page's life: an opened chat stays at hand

export function chatOf(id: string): Chat {
  const known = chats.get(id);
  if (known) return known;
  const chat = createChat(id, () => undefined);
  chats.set(id, chat);
  return chat;
}

export function newChat(begins: Begins, onCreated: (id: string) => void): Chat {
  return createChat(
    undefined,
    (chat, id) => {
      chats.set(id, chat);
      onCreated(id);
    },
    begins,
  );
}

/** Ids that changed while a read was on its way: what is known of them is newer than what it brings. */
const reads = new Set<Set<string>>();

/** Of the list: all, or what a filter leaves. Read when it is first shown. */
export type Filter = Standard | `folder:${string}`;
type Standard = "all" | "running" | "waiting" | "channels" | "schedule" | "archived";

const QUERIES: Readonly<Record<Standard, readonly Query[]>> = {
  all: [{ top: true, archived: false }],
  running: [{ state: "running" }],
  waiting: [{ state: "waiting" }],
  channels: [{ source: "channel", archived: false }],
  schedule: ["cron", "heartbeat", "greeting"].map((source) => ({ source, archived: false })),
  archived: [{ top: true, archived: true }],
};
/** Whatever their age, these are seen: pinned chats, and those whose work counts in badge and title. */
const STANDING: Query = { standing: true };

const pages = new Map<Filter, SessionPages>();

export function pagesOf(filter: Filter): SessionPages {
  const known = pages.get(filter);
  if (known) return known;
  const made = createSessionPages({ queries: queriesOf(filter), begin: () => beginRead(filter) });
  pages.set(filter, made);
  if (filter !== "all") void made.refresh();
  return made;
}

/** The folder whose chats a filter leaves. */
export function folderOf(filter: string): string | undefined {
  return filter.startsWith("folder:") ? filter.slice("folder:".length) : undefined;
}

function queriesOf(filter: Filter): readonly Query[] {
  const folder = folderOf(filter);
  return folder === undefined ? QUERIES[filter as Standard] : [{ folder, top: true, archived: false }];
}

/** The list as far as it was read, and what stands in front of it. */
async function loadSessions(): Promise<void> {
  pagesOf("all");
  await Promise.all([loadStanding(), ...[...pages.values()].map((one) => one.refresh())]);
}

async function loadStanding(): Promise<void> {
  const reading = beginRead(undefined);
  try {
    let cursor: string | undefined;
    const found = new Set<string>();
    do {
      const { body } = await api.get<Page<SessionSummary>>("/sessions", { query: { ...STANDING, limit: 200, cursor } });
      for (const { id } of body.items) found.add(id);
      reading.take(body.items);
      cursor = body.next ?? undefined;
    } while (cursor !== undefined);
    // What was at work when the line broke and is no more: read one by one, it is little.
    for (const { id, pinned, state, approvals } of summaries.peek().values())
      if (!found.has(id) && (pinned || state === "running" || approvals > 0)) readSoon(id);
  } catch {
    // the list says that it can't be read
  } finally {
    reading.over();
  }
}

function beginRead(filter: Filter | undefined): Reading {
  const changed = new Set<string>();
  reads.add(changed);
  return {
    take: (page) => {
      const next = new Map(summaries.peek());
      for (const one of page) if (!changed.has(one.id) && !deleted.has(one.id)) next.set(one.id, withUnanswered(one));
      summaries.value = next;
    },
    end: (found, horizon) => {
      if (filter !== "all" && filter !== "archived") return; // parts of these
      const isGone = (one: SessionSummary): boolean =>
        one.parent === undefined &&
        one.archived === (filter === "archived") &&
        one.updatedAt > horizon && // of those of the same moment some may be on the next page
        !found.has(one.id) &&
        !changed.has(one.id);
      summaries.value = new Map([...summaries.peek()].filter(([, one]) => !isGone(one)));
    },
    over: () => void reads.delete(changed),
  };
}

/**
 * Live changes of the list. It is read when they begin, after each reconnect too: topics are not replayed. Where the line does not
 * come (a proxy that lets no sockets through), it is read without.
 * @returns the function that ends it.
 */
export function watchSessions(): () => void {
  let isRead = false;
  const read = (): void => {
    isRead = true;
    void loadSessions();
  };
  link().listen((frame) => {
    if (frame.type === "welcome") for (const id of sessionsWithOutgoing()) chatOf(id).repeat(); // on screen or not
    if (frame.type === "topic" && frame.topic === "sessions") takeTopic(frame.data);
  });
  link().subscribe(() => ({ topic: "sessions" }), read, read);
  return effect(() => {
    if (line.value.state === "lost" && !isRead) untracked(read);
  });
}

/** The note names what changed; it is read when the changes of a moment are over. */
function takeTopic(data: unknown): void {
  if (typeof data !== "object" || data === null) return;
  const { changed, removed } = data as { changed?: string; removed?: string };
  if (removed !== undefined) dropSummary(removed);
  if (changed !== undefined && !deleted.has(changed)) readSoon(changed);
}

function readSoon(id: string): void {
  stale.add(id);
  timer.current ??= setTimeout(() => void readStale(), GATHER_MS);
}

async function readStale(): Promise<void> {
  const ids = [...stale].filter((id) => !deleted.has(id)); // it may have been deleted meanwhile
  stale.clear();
  timer.current = undefined;
  await Promise.all(
    ids.map(async (id) => {
      try {
        const { body } = await api.get<SessionDetail>(`/sessions/${id}`);
        putSummary(body);
        chats.get(id)?.setDetail(body);
      } catch (error) {
        if (error instanceof ApiProblem && (error.problem.status === 404 || error.problem.status === 410))
          dropSummary(id);
      }
    }),
  );
}

export function putSummary(one: SessionSummary): void {
  if (deleted.has(one.id)) return; // read before it was deleted, answered after
  for (const changed of reads) changed.add(one.id);
  summaries.value = new Map(summaries.value).set(one.id, withUnanswered(one));
}

/** Deleted from this page: notes about it are no reason to read it. */
export function markDeleted(id: string, isDeleted: boolean): void {
  if (isDeleted) deleted.add(id);
  else deleted.delete(id);
}

export function dropSummary(id: string): void {
  for (const changed of reads) changed.add(id);
  const next = new Map(summaries.value);
  next.delete(id);
  summaries.value = next;
}

/** `folder: null`: in none. */
interface Change extends Readonly<Partial<Pick<SessionSummary, "title" | "pinned" | "archived">>> {
  readonly folder?: string | null;
}

/** Sent, and not answered yet: what is read meanwhile does not take it back. */
const unanswered = new Set<{ readonly id: string; readonly change: Change }>();

function withUnanswered(one: SessionSummary): SessionSummary {
  const changes = [...unanswered].filter(({ id }) => id === one.id);
  return changes.reduce<SessionSummary>((all, { change: { folder, ...rest } }) => {
    const { folder: was, ...others } = all;
    const now = folder === undefined ? was : (folder ?? undefined);
    return { ...others, ...rest, ...(now !== undefined && { folder: now }) };
  }, one);
}

/** Shown at once, taken back when it is refused. */
export async function changeSession(one: SessionSummary, change: Change): Promise<void> {
  const mine = { id: one.id, change };
  unanswered.add(mine);
  putSummary(one);
  let answer: SessionSummary = one;
  try {
    const detail = await patchSession(one.id, change);
    chats.get(one.id)?.setDetail(detail);
    answer = detail;
  } finally {
    unanswered.delete(mine);
    putSummary(answer);
  }
}

/** What is changed here depends on nothing that was read before: a change in between is no conflict. */
export async function patchSession(id: string, change: object, tries = 3): Promise<SessionDetail> {
  const { body, etag } = await api.get<SessionDetail>(`/sessions/${id}`);
  try {
    return (await api.patch<SessionDetail>(`/sessions/${id}`, change, { ifMatch: etag ?? `"${body.hash}"` })).body;
  } catch (error) {
    if (tries <= 1 || !(error instanceof ApiProblem) || error.code !== "precondition.failed") throw error;
    return patchSession(id, change, tries - 1);
  }
}
