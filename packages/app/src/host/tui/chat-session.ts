/** The session that the chat shows: opened, followed, left for another one. */
import type { Commit } from "@margay/core";
import { isTemporary } from "@margay/core/internal";
import { followCommits } from "../live/session-commits.ts";
import type { ChatApp } from "./chat-app.ts";
import { chatOf, draw, guarded, keyOf, say, type Chat } from "./chat-state.ts";
import { createConversation, typedBefore, type Conversation } from "./conversation.ts";
import { askFacts, NO_FACTS } from "./facts.ts";
import { checkQueue } from "./queue.ts";
import { findRemedies } from "./remedy.ts";
import { safeLine } from "./safe.ts";
import { MADE_KEY } from "./session-key.ts";

export async function openSession(chat: Chat, key: string): Promise<void> {
  const session = await chat.app.agent.sessions.open(key, { channel: "cli", chat: chatOf(key) });
  const conversation = createConversation(session.state.id);
  const away = new Set(session.state.outbox.map((queued) => queued.reply));
  // What happens while the journal is read comes after it.
  let meanwhile: Commit[] | undefined = [];
  const take = (commit: Commit): void => {
    conversation.commit(commit);
    if (conversation.view.turn === undefined) chat.stopping = false;
  };
  const close = followCommits(
    session,
    {
      commit: (commit) => {
        if (meanwhile !== undefined) return void meanwhile.push(commit);
        const worked = conversation.view.turn !== undefined;
        take(commit);
        followed(chat, worked && conversation.view.turn === undefined);
        draw(chat);
      },
      live: (event) => {
        if (meanwhile !== undefined) return;
        conversation.live(event);
        draw(chat);
      },
    },
    (error) => say(chat, "error", safeLine(error.message)),
  );
  try {
    for await (const commit of session.history()) conversation.commit(commit);
  } catch (error) {
    close();
    throw error;
  }
  for (const commit of meanwhile) take(commit);
  meanwhile = undefined;
  for (const note of chat.early.splice(0)) conversation.note(note);
  const left = chat.opened;
  closeSession(chat);
  chat.opened = { key, session, conversation, away, close };
  chat.stopping = false;
  remember(chat, conversation);
  chat.app.moved?.(key);
  chat.read.resolve();
  chat.editing = undefined;
  chat.screen.editQueue(undefined);
  chat.facts = NO_FACTS;
  // A new one has nothing to tell of yet, and a start reads no other conversation.
  followed(chat, conversation.view.items.length > 0);
  if (isTemporary(key) && left?.key !== key) say(chat, "info", chat.kit.texts("temporary"));
  draw(chat);
  if (left !== undefined && left.key !== key) await leaveBehind(chat.app, left.key);
}

/** What the screen shows beside the conversation, after it went on. */
function followed(chat: Chat, isOver: boolean): void {
  checkQueue(chat);
  const failed = chat.opened?.conversation.shown.failed;
  if (failed !== undefined && chat.remedies?.id !== failed.id) void guarded(chat, findRemedies(chat, failed));
  if (isOver) void refreshFacts(chat);
}

/** Never rejects. Drawn when something of it changed. */
export async function refreshFacts(chat: Chat): Promise<void> {
  const key = keyOf(chat);
  const facts = await askFacts(chat.app, key);
  if (facts === undefined || key !== keyOf(chat) || JSON.stringify(facts) === JSON.stringify(chat.facts)) return;
  chat.facts = facts;
  draw(chat);
}

/**
 * A temporary conversation is over when it is left. And nothing was said in one that only began because a chat must begin
 * somewhere: it leaves no trace.
 */
export async function leaveBehind(app: ChatApp, key: string): Promise<void> {
  if (isTemporary(key)) await app.operate?.("sessions.end", { key });
  if (MADE_KEY.test(key)) await app.operate?.("sessions.forgetUnused", { key }); // who holds it looks whether it is one
}

export function closeSession(chat: Chat): void {
  chat.opened?.close();
  chat.opened = undefined;
}

/** `/sessions`: one that is named, or chosen from a list. */
export async function chooseSession(chat: Chat, wanted: string | undefined): Promise<void> {
  const { texts } = chat.kit;
  const others = await othersOf(chat.app, keyOf(chat));
  if (wanted !== undefined && wanted !== keyOf(chat) && !others.some(({ key }) => key === wanted))
    return say(chat, "error", texts("noSession", { key: safeLine(wanted) }));
  if (others.length === 0) return say(chat, "info", texts("noSessions"));
  const items = others.map((session) => ({
    value: session.key,
    label: safeLine(session.key),
    description: `${whenText(session.updatedAt)} ${safeLine(session.title)}`,
  }));
  const chosen = wanted ?? (await chat.screen.choose(texts("chooseSession"), items));
  if (chosen === undefined) return;
  await openSession(chat, chosen);
  say(chat, "info", texts("session", { key: chosen }));
}

type Listed = Awaited<ReturnType<ChatApp["agent"]["sessions"]["list"]>>;

/** Those in which something was said, or that somebody named; without the one that is open. */
export async function othersOf({ agent }: ChatApp, here: string | undefined): Promise<Listed> {
  return (await agent.sessions.list()).filter(({ key, rows }) => key !== here && (rows > 0 || !MADE_KEY.test(key)));
}

export function whenText(at: number): string {
  return new Date(at).toISOString().slice(0, 16).replace("T", " ");
}

function remember({ screen, history }: Chat, conversation: Conversation): void {
  const known = new Set(history.typed());
  for (const text of [...typedBefore(conversation).filter((one) => !known.has(one)), ...history.typed()])
    screen.remember(text);
}
