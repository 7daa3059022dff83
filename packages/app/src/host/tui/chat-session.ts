/** The session that the chat shows: opened, followed, left for another one. */
import type { Commit } from "@margay/core";
import { followCommits } from "../live/session-commits.ts";
import { chatOf, draw, keyOf, say, type Chat, type Opened } from "./chat-state.ts";
import { createConversation, typedBefore, type Conversation } from "./conversation.ts";
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
        take(commit);
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
  draw(chat);
  if (left !== undefined && left.key !== key) await forgetUnused(chat, left);
}

/** Nothing was said in a conversation that only began because a chat must begin somewhere: it leaves no trace. */
export async function forgetUnused({ app }: Chat, { key, session, conversation }: Opened): Promise<void> {
  if (!MADE_KEY.test(key) || conversation.view.items.length > 0 || session.state.pending.length > 0) return;
  await app.operate?.("sessions.remove", { id: session.state.id, key });
}

export function closeSession(chat: Chat): void {
  chat.opened?.close();
  chat.opened = undefined;
}

/** `/sessions`: one that is named, or chosen from a list. */
export async function chooseSession(chat: Chat, wanted: string | undefined): Promise<void> {
  const { texts } = chat.kit;
  const sessions = await chat.app.agent.sessions.list();
  if (wanted !== undefined && !sessions.some((session) => session.key === wanted))
    return say(chat, "error", texts("noSession", { key: safeLine(wanted) }));
  const others = sessions.filter(({ key, rows }) => key !== keyOf(chat) && (rows > 0 || !MADE_KEY.test(key)));
  if (others.length === 0) return say(chat, "info", texts("noSessions"));
  const items = others.map((session) => ({
    value: session.key,
    label: safeLine(session.key),
    description: `${new Date(session.updatedAt).toISOString().slice(0, 16).replace("T", " ")} ${safeLine(session.title)}`,
  }));
  const chosen = wanted ?? (await chat.screen.choose(texts("chooseSession"), items));
  if (chosen === undefined) return;
  await openSession(chat, chosen);
  say(chat, "info", texts("session", { key: chosen }));
}

function remember({ screen, history }: Chat, conversation: Conversation): void {
  const known = new Set(history.typed());
  for (const text of [...typedBefore(conversation).filter((one) => !known.has(one)), ...history.typed()])
    screen.remember(text);
}
