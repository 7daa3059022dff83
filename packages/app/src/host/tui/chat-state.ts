/** What a chat holds while it runs, and how it is drawn. */
import type { Sender } from "@margay/core";
import type { ChatSession } from "../sessions/chat-agent.ts";
import { messageOf } from "@margay/core/internal";
import type { ChatApp } from "./chat-app.ts";
import { OPERATOR } from "../operator.ts";
import { NOTHING, type Conversation } from "./conversation.ts";
import type { Kit, Unfolded } from "./render-row.ts";
import type { Note } from "./rows.ts";
import type { Screen } from "./screen.ts";

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
}

export function createChat(app: ChatApp, kit: Kit, quit: AbortController, screen: Screen): Chat {
  return {
    app,
    kit,
    quit,
    screen,
    sender: app.sender ?? OPERATOR,
    read: Promise.withResolvers(),
    received: new Set(),
    opened: undefined,
    early: [],
    unfolded: { tools: false, thinking: false },
    stopping: false,
    hint: undefined,
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
  const { screen, opened, early, unfolded, stopping, hint } = chat;
  screen.show({
    shown: opened?.conversation.shown ?? { ...NOTHING, rows: early },
    session: keyOf(chat),
    usage: opened?.session.state.usage ?? { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
    unfolded,
    stopping,
    ...(hint !== undefined && { hint }),
  });
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
