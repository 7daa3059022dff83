/** The list of chats, kept current by the `sessions` topic; and the chats this page has open. */
import { computed, signal } from "@preact/signals";
import { api, ApiProblem } from "../api.ts";
import { newest } from "../lib/newest.ts";
import type { Page, SessionDetail, SessionSummary } from "../wire.ts";
import { createChat, type Chat } from "./chat.ts";
import { link } from "./link.ts";
import { sessionsWithOutgoing } from "./outgoing.ts";

export const summaries = signal<ReadonlyMap<string, SessionSummary>>(new Map());
export const listState = signal<{ status: "loading" | "ready" } | { status: "failed"; error: unknown }>({
  status: "loading",
});

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

export function newChat(onBorn: (id: string) => void): Chat {
  return createChat(undefined, (chat, id) => {
    chats.set(id, chat);
    onBorn(id);
  });
}

/** Ids that changed while a read was on its way: what is known of them is newer than what it brings. */
const reads = new Set<Set<string>>();
const ask = newest();

export async function loadSessions(): Promise<void> {
  const isNewest = ask();
  const changed = new Set<string>();
  reads.add(changed);
  try {
    const found = new Map<string, SessionSummary>();
    let cursor: string | undefined;
    do {
      const query: Record<string, string | number | undefined> = { limit: 200, cursor };
      const { body } = await api.get<Page<SessionSummary>>("/sessions", { query });
      if (!isNewest()) return; // a later read was answered first
      for (const one of body.items) found.set(one.id, withUnanswered(one));
      for (const id of changed) found.delete(id);
      summaries.value = new Map([...summaries.value, ...found]);
      listState.value = { status: "ready" };
      cursor = body.next ?? undefined;
    } while (cursor !== undefined && found.size < 5_000);
    summaries.value = new Map([...summaries.value].filter(([id]) => found.has(id) || changed.has(id)));
  } catch (error) {
    if (isNewest()) listState.value = { status: "failed", error };
  } finally {
    reads.delete(changed);
  }
}

/** Live changes of the list. It is read once more when they begin, after each reconnect too: topics are not replayed. */
export function watchSessions(): void {
  link().listen((frame) => {
    if (frame.type === "welcome") for (const id of sessionsWithOutgoing()) chatOf(id).repeat(); // on screen or not
    if (frame.type === "topic" && frame.topic === "sessions") takeTopic(frame.data);
  });
  link().subscribe(
    () => ({ topic: "sessions" }),
    () => void loadSessions(),
  );
}

/** The note names what changed; it is read when the changes of a moment are over. */
function takeTopic(data: unknown): void {
  if (typeof data !== "object" || data === null) return;
  const { changed, removed } = data as { changed?: string; removed?: string };
  if (removed !== undefined) dropSummary(removed);
  if (changed === undefined || deleted.has(changed)) return;
  stale.add(changed);
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

type Change = Readonly<Partial<Pick<SessionSummary, "title" | "pinned" | "archived">>>;

/** Sent, and not answered yet: what is read meanwhile does not take it back. */
const unanswered = new Set<{ readonly id: string; readonly change: Change }>();

function withUnanswered(one: SessionSummary): SessionSummary {
  const changes = [...unanswered].filter(({ id }) => id === one.id);
  return changes.reduce<SessionSummary>((all, { change }) => ({ ...all, ...change }), one);
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
