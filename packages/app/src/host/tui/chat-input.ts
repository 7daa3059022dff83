/** What the person types: an answer to a question, a command, a message. */
import { readAnswer, type Answer } from "./approval-panel.ts";
import { add, chatOf, keyOf, say, type Chat } from "./chat-state.ts";
import { chooseSession } from "./chat-session.ts";
import type { PendingApproval } from "./conversation.ts";
import { safeLine } from "./safe.ts";

/** What the agent takes for a command; `/etc/hosts` is text. */
const COMMAND = /^\/[a-z][a-z-]*(?:@[\w-]+)?(?:\s[\s\S]*)?$/i;

export async function submit(chat: Chat, line: string): Promise<void> {
  const text = line.trim();
  if (text === "") return;
  const question = chat.opened?.conversation.shown.approvals[0];
  const answer = question && readAnswer(text, question);
  if (question && answer) return decide(chat, question, answer);
  chat.screen.remember(text);
  if (/^\/(?:quit|exit)$/.test(text)) return chat.quit.abort();
  const key = crypto.randomUUID();
  // At once: its answer may take a while.
  if (COMMAND.test(text)) add(chat, { kind: "user", text }, key);
  const session = /^\/(?:sessions|resume-session)(?:\s+(\S+))?$/.exec(text);
  if (session) return chooseSession(chat, session[1]);
  const accepted = await chat.app.agent.bus.accept({
    key,
    origin: { channel: "cli", chat: chatOf(keyOf(chat)) },
    from: chat.sender,
    parts: [{ type: "text", text }],
    sessionKey: keyOf(chat),
    attended: true,
  });
  if (accepted.status === "refused")
    say(chat, "error", chat.kit.texts("refused", { reason: safeLine(accepted.reason) }));
}

async function decide(chat: Chat, { call, hash }: PendingApproval, answer: Answer): Promise<void> {
  const done = await chat.app.agent.control(keyOf(chat), { ...answer, call, hash }, chat.sender);
  if (!done.done) say(chat, "info", chat.kit.texts("ask.gone"));
}
