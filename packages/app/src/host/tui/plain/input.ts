/** A line of the person in the line mode: an answer, a reason, a command, a message. */
import { isTemporary } from "@margay/core/internal";
import { OPERATOR } from "../../operator.ts";
import { ANSWER_KEYS, readAnswer } from "../layout/approval-panel.ts";
import { chatOf } from "../chat-state.ts";
import { runOwn } from "../input/programs.ts";
import { safeLine, safeText } from "../safe.ts";
import type { PlainChat } from "./plain-chat.ts";
import { queueCommand } from "./queue.ts";
import { remedied } from "./remedies.ts";

/** Of the chat that draws: they need a list to choose from. */
const ONLY_DRAWN = /^\/(?:undo|fork|tree|export|sessions|resume|temporary)$/;

export async function plainInput(chat: PlainChat, line: string): Promise<void> {
  const { app, key, texts } = chat;
  const text = line.trim();
  if (text === "" && chat.refusing === undefined && chat.keyOf === undefined) return;
  if (chat.keyOf === undefined && (await answered(chat, text))) return;
  if (await remedied(chat, text, (words) => send(chat, words))) return;
  if (/^\/(?:quit|exit)$/.test(text)) return chat.quit.abort();
  if (ONLY_DRAWN.test(text) && !(text === "/resume" && app.held?.() === true))
    return chat.say(texts("plain.notHere", { command: text }));
  if (!isTemporary(key)) chat.history.add(line.trimEnd());
  if (text.startsWith("!")) return own(chat, text.slice(1).trim());
  return queueCommand(chat, text) ?? send(chat, text);
}

async function send({ app, key, texts, say }: PlainChat, text: string): Promise<void> {
  const accepted = await app.agent.bus.accept({
    key: crypto.randomUUID(),
    origin: { channel: "cli", chat: chatOf(key) },
    from: OPERATOR,
    parts: [{ type: "text", text }],
    sessionKey: key,
    attended: true,
  });
  if (accepted.status === "refused") say(texts("refused", { reason: safeLine(accepted.reason) }));
}

/** @returns true when the line answered the question that stands open. */
async function answered(chat: PlainChat, text: string): Promise<boolean> {
  const { app, key, texts, conversation } = chat;
  const [question] = conversation.shown.approvals;
  const refused = chat.refusing;
  chat.refusing = undefined;
  if (question === undefined) return false;
  const [, word = "", why = ""] = /^(\S+)\s*([\s\S]*)$/.exec(text) ?? [];
  if (refused === undefined && word.toLowerCase() === "r" && why === "") {
    chat.refusing = question;
    chat.say(texts("plain.reason"));
    return true;
  }
  const isRefusal = refused?.call === question.call || word.toLowerCase() === "r";
  const reason = refused === undefined ? why : text;
  const answer = isRefusal
    ? ({ type: "deny", ...(reason !== "" && { reason }) } as const)
    : readAnswer(Object.hasOwn(ANSWER_KEYS, text) ? (ANSWER_KEYS[text] ?? "") : text, question);
  if (answer === undefined) return false;
  const done = await app.agent.control(key, { ...answer, call: question.call, hash: question.hash }, OPERATOR);
  if (!done.done) chat.say(texts("ask.gone"));
  return true;
}

async function own({ app, say, texts, quit }: PlainChat, command: string): Promise<void> {
  if (command === "") return say(texts("own.usage"));
  const { output, code } = await runOwn(command, { env: app.env ?? {}, cwd: app.workspace, signal: quit.signal });
  if (output.trim() !== "") say(safeText(output));
  say(texts(code === null ? "own.ended" : "own.done", { code: code ?? 0 }));
}
