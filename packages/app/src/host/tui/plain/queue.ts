/** What waits, by number: listed, changed, told when it is to be seen, taken out. By a typed command, as nothing is drawn here. */
import { OPERATOR } from "../../operator.ts";
import { safeLine } from "../safe.ts";
import type { PlainChat } from "./plain-chat.ts";

const COMMAND = /^\/queue(?:\s+(edit|when|drop)\s+(\d+)(?:\s+([\s\S]+))?)?$/;

/** @returns undefined: the line is not about what waits. */
export function queueCommand(chat: PlainChat, line: string): Promise<void> | undefined {
  if (!/^\/queue(?:\s|$)/.test(line)) return undefined;
  return perform(chat, line);
}

async function perform(chat: PlainChat, line: string): Promise<void> {
  const { app, key, texts, say, conversation } = chat;
  const [isOne, what, number, words] = COMMAND.exec(line) ?? [];
  const { waiting } = conversation.shown;
  const message = waiting[Number(number) - 1];
  if (isOne === undefined || what === undefined || (message !== undefined && what === "edit" && words === undefined))
    return list(chat);
  if (message === undefined) return say(waiting.length === 0 ? texts("takenUp") : texts("plain.queueHow"));
  const isDone = await (what === "drop"
    ? app.agent.withdraw(key, message.id, OPERATOR)
    : app.agent.rewrite(
        key,
        message.id,
        what === "when"
          ? { mode: message.mode === "steer" ? ("queue" as const) : ("steer" as const) }
          : { text: words ?? "" },
        OPERATOR,
      ));
  say(texts(isDone ? "plain.queueDone" : "takenUp"));
}

function list({ texts, say, conversation }: PlainChat): void {
  const { waiting } = conversation.shown;
  if (waiting.length === 0) return say(texts("plain.queueNone"));
  for (const [index, { text, mode }] of waiting.entries())
    say(`${index + 1}. ${safeLine(text)} (${texts(`queue.${mode}`)})`);
  say(texts("plain.queueHow"));
}
