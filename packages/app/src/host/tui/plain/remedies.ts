/** What helps against the end of the last turn, as a line that is written once: a letter alone, and Enter. */
import { remedyWords } from "../layout/remedies.ts";
import { remediesAgainst, saveKey } from "../remedy.ts";
import type { PlainChat } from "./plain-chat.ts";

/** Once for each end. */
export async function sayRemedies(chat: PlainChat): Promise<void> {
  const { app, texts } = chat;
  const { failed } = chat.conversation.shown;
  if (failed === undefined || chat.remedies?.id === failed.id) return;
  chat.remedies = { id: failed.id, remedies: {} };
  const remedies = await remediesAgainst(app, failed);
  if (chat.conversation.shown.failed?.id !== failed.id) return;
  chat.remedies = { id: failed.id, remedies };
  const words = remedyWords(remedies, { texts }).map(([key, word]) => `${key} (${word})`);
  chat.say(texts("plain.remedies", { words: words.join(", ") }));
}

/** @returns true when the line was one of them, or the key that one asked for. */
export async function remedied(chat: PlainChat, text: string, send: (text: string) => Promise<void>): Promise<boolean> {
  const { app, texts, remedies: found, keyOf } = chat;
  if (keyOf !== undefined) {
    chat.keyOf = undefined;
    echo(true);
    if (text === "" || text.includes("\u0003")) return true;
    chat.say(texts("remedy.trying"));
    const refused = await saveKey(app, keyOf, typed(text), texts);
    if (refused === undefined) await again(chat, send);
    else chat.say(refused);
    return true;
  }
  if (found === undefined || chat.conversation.shown.failed?.id !== found.id) return false;
  const { provider, instead } = found.remedies;
  if (text === "k" && provider !== undefined) {
    chat.say(texts("plain.newKey", { provider }));
    chat.keyOf = provider;
    echo(false);
    return true;
  }
  if (text === "f" && instead !== undefined) await send(`/model ${instead}`);
  else if (text !== "t") return false;
  await again(chat, send);
  return true;
}

async function again(chat: PlainChat, send: (text: string) => Promise<void>): Promise<void> {
  chat.remedies = undefined;
  await send(chat.texts("again"));
}

/** A key is not to stand on the screen: the terminal shows nothing of what is typed, and nothing is drawn for that. */
export function echo(on: boolean): void {
  if (process.stdin.isTTY) process.stdin.setRawMode(!on);
}

/** Where nothing is shown the terminal takes nothing back either. */
function typed(text: string): string {
  let key = text;
  while (/[^\u007f\b][\u007f\b]/.test(key)) key = key.replace(/[^\u007f\b][\u007f\b]/g, "");
  return key.replace(/[\u007f\b]/g, "").trim();
}
