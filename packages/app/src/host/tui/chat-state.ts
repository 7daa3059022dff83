/** What a chat holds while it runs, and how it is drawn. */
import type { Sender } from "@margay/core";
import type { ChatSession } from "../sessions/chat-agent.ts";
import { messageOf, systemClock } from "@margay/core/internal";
import type { ChatApp } from "./chat-app.ts";
import { OPERATOR } from "../operator.ts";
import { NOTHING, type Conversation, type PendingApproval } from "./conversation.ts";
import type { Kit, Unfolded } from "./layout/kit.ts";
import type { Note } from "./rows.ts";
import { NO_FACTS, type ChatFacts } from "./facts.ts";
import type { Remedies } from "./layout/remedies.ts";
import type { Editing } from "./layout/queue.ts";
import type { Screen } from "./screen.ts";
import type { History } from "./input/history.ts";
import type { Images } from "./input/images.ts";

export interface Opened {
  readonly key: string;
  readonly session: ChatSession;
  readonly conversation: Conversation;
  /** Replies that waited for somebody to come back. */
  readonly away: ReadonlySet<string>;
  readonly close: () => void;
}

export interface Chat {
  readonly app: ChatApp;
  readonly kit: Kit;
  readonly quit: AbortController;
  readonly screen: Screen;
  readonly sender: Sender;
  /** Resolves when the first conversation was read. */
  readonly read: PromiseWithResolvers<void>;
  /** Replies whose text is on the screen because they came. */
  readonly received: Set<string>;
  opened: Opened | undefined;
  /** Said before a conversation is open. */
  readonly early: Note[];
  unfolded: Unfolded;
  stopping: boolean;
  hint: string | undefined;
  readonly history: History;
  readonly images: Images;
  /** The question on the screen, and since when. */
  question: { readonly call: string; readonly since: number } | undefined;
  /** The next line says why this is refused. */
  refusing: PendingApproval | undefined;
  /** When the turn that runs began. */
  works: number | undefined;
  /** A command of the person runs: what ends it. */
  own: AbortController | undefined;
  facts: ChatFacts;
  /** The waiting message that has the keys. */
  editing: Editing | undefined;
  /** What helps against the end of the last turn. */
  remedies: { readonly id: string; readonly remedies: Remedies } | undefined;
}

/** What a chat is made of. */
export interface ChatParts {
  readonly kit: Kit;
  readonly quit: AbortController;
  readonly screen: Screen;
  readonly history: History;
  readonly images: Images;
}

export function createChat(app: ChatApp, parts: ChatParts): Chat {
  return {
    app,
    ...parts,
    sender: app.sender ?? OPERATOR,
    read: Promise.withResolvers(),
    received: new Set(),
    opened: undefined,
    early: [],
    unfolded: { tools: false, thinking: false },
    stopping: false,
    hint: undefined,
    question: undefined,
    refusing: undefined,
    works: undefined,
    own: undefined,
    facts: NO_FACTS,
    editing: undefined,
    remedies: undefined,
  };
}

export function keyOf({ opened, app }: Chat): string {
  return opened?.key ?? app.sessionKey;
}

/** `cli:direct` → `direct`; a chat of another channel is answered at this terminal. */
export function chatOf(sessionKey: string): string {
  return sessionKey.startsWith("cli:") ? sessionKey.slice("cli:".length) : "direct";
}

export function draw(chat: Chat): void {
  const { screen, opened, early, unfolded, stopping, hint, facts, editing, remedies, refusing } = chat;
  ring(chat);
  const shown = opened?.conversation.shown ?? { ...NOTHING, rows: early };
  screen.show({
    shown,
    facts,
    ...(editing !== undefined && { editing }),
    ...(remedies !== undefined && remedies.id === shown.failed?.id && { remedies: remedies.remedies }),
    ...(refusing !== undefined && { refusing: true }),
    session: keyOf(chat),
    usage: opened?.session.state.usage ?? { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
    unfolded,
    stopping,
    ...(hint !== undefined && { hint }),
  });
}

/** An answer that took so long is heard when it is there. */
const LONG_MS = 10_000;

/** Once for each question, and when a long turn is over: something waits for the person. */
function ring(chat: Chat): void {
  const { now } = systemClock();
  const shown = chat.opened?.conversation.shown;
  const [first] = shown?.approvals ?? [];
  if (first?.call !== chat.question?.call) {
    chat.question = first && { call: first.call, since: now() };
    if (first !== undefined) chat.screen.ring();
  }
  const isAtWork = shown?.turn !== undefined;
  if (!isAtWork && chat.works !== undefined && now() - chat.works > LONG_MS) chat.screen.ring();
  chat.works = isAtWork ? (chat.works ?? now()) : undefined;
}

export function say(chat: Chat, tone: "info" | "error" | "answer", text: string): void {
  add(chat, { kind: "note", tone, text });
}

/** @param key of the message that takes its place. */
export function add(chat: Chat, note: Note, key?: string): void {
  if (chat.opened === undefined) chat.early.push(note);
  else chat.opened.conversation.note(note, key);
  draw(chat);
}

export async function guarded(chat: Chat, work: Promise<void>): Promise<void> {
  await work.catch((error: unknown) => say(chat, "error", chat.kit.texts("failed", { reason: messageOf(error) })));
}
