/** What the person types: an answer to a question, a command, a message. */
import { isTemporary, systemClock } from "@margay/core/internal";
import { ANSWER_KEYS, readAnswer, type Answer } from "./layout/approval-panel.ts";
import { add, chatOf, draw, guarded, keyOf, say, type Chat } from "./chat-state.ts";
import { own } from "./commands/own.ts";
import { perform } from "./commands/perform.ts";
import type { PendingApproval } from "./conversation.ts";
import { pastedImage } from "./input/images.ts";
import { isRemedy, remedy } from "./remedy.ts";
import { safeLine } from "./safe.ts";

/** What the agent takes for a command; `/etc/hosts` is text. */
const COMMAND = /^\/[a-z][a-z-]*(?:@[\w-]+)?(?:\s[\s\S]*)?$/i;

export async function submit(chat: Chat, line: string): Promise<void> {
  const text = line.trim();
  const { refusing } = chat;
  chat.refusing = undefined;
  if (refusing !== undefined) return decide(chat, refusing, { type: "deny", ...(text !== "" && { reason: text }) });
  if (text === "") return;
  const question = chat.opened?.conversation.shown.approvals[0];
  const answer = question && readAnswer(text, question);
  if (question && answer) return decide(chat, question, answer);
  if (isRemedy(chat, text)) return remedy(chat, text, send);
  chat.screen.remember(text);
  if (!isTemporary(keyOf(chat))) chat.history.add(line.trimEnd());
  if (text.startsWith("!")) return own(chat, text.slice(1).trim());
  return perform(chat, text) ?? send(chat, text);
}

/** A message, or a command of the agent; it is not kept in the history. */
export async function send(chat: Chat, text: string): Promise<void> {
  const key = crypto.randomUUID();
  // At once: its answer may take a while.
  if (COMMAND.test(text)) add(chat, { kind: "user", text }, key);
  const accepted = await chat.app.agent.bus.accept({
    key,
    origin: { channel: "cli", chat: chatOf(keyOf(chat)) },
    from: chat.sender,
    parts: chat.images.take(text),
    sessionKey: keyOf(chat),
    attended: true,
  });
  if (accepted.status === "refused")
    say(chat, "error", chat.kit.texts("refused", { reason: safeLine(accepted.reason) }));
}

async function decide(
  chat: Chat,
  { call, hash }: PendingApproval,
  answer: Answer & { readonly reason?: string },
): Promise<void> {
  const done = await chat.app.agent.control(keyOf(chat), { ...answer, call, hash }, chat.sender);
  if (!done.done) say(chat, "info", chat.kit.texts("ask.gone"));
  draw(chat);
}

/** A question must have been there so long before a single key answers it: who types meanwhile answers nothing. */
const READ_MS = 500;
/** Who goes on typing within that wrote the first letter of a message: "you could …" is no yes. */
const PAUSE_MS = 300;

/** A key alone in the line, with nothing behind it for a moment, answers the question or asks for the reason. The line keeps it until then. */
export function answered(chat: Chat, data: string): void {
  const question = questionOf(chat);
  if (question === undefined) return;
  const word = Object.hasOwn(ANSWER_KEYS, data) ? ANSWER_KEYS[data] : undefined;
  const answer = word === undefined ? undefined : readAnswer(word, question);
  if (data !== "r" && answer === undefined) return;
  systemClock().timer(PAUSE_MS, () => {
    // By hash: it may have been put anew meanwhile, for something else.
    if (chat.quit.signal.aborted || chat.screen.input() !== data || questionOf(chat)?.hash !== question.hash) return;
    chat.screen.clearInput();
    if (answer !== undefined) return void guarded(chat, decide(chat, question, answer));
    chat.refusing = question;
    chat.hint = chat.kit.texts("ask.reason");
    draw(chat);
  });
}

/** The one that keys answer now. */
function questionOf(chat: Chat): PendingApproval | undefined {
  const [question] = chat.opened?.conversation.shown.approvals ?? [];
  if (question === undefined || chat.question?.call !== question.call || chat.refusing !== undefined) return undefined;
  return systemClock().now() - chat.question.since < READ_MS ? undefined : question;
}

/** A picture whose path was pasted is attached. @returns true when it was one. */
export function pasted(chat: Chat, data: string): boolean {
  const image = chat.app.put === undefined ? undefined : pastedImage(data);
  if (image === undefined) return false;
  void guarded(chat, attach(chat, image.bytes, image.name));
  return true;
}

/** What stands for it comes into the line. */
export async function attach(chat: Chat, bytes: Uint8Array, name: string): Promise<void> {
  const place = await chat.images.add(bytes, name);
  if (place === undefined) return say(chat, "info", chat.kit.texts("image.none"));
  chat.screen.insert(`${place} `);
}
