/** A conversation chosen by its number: what a list with a mark in it is for eyes. */
import { untilAborted } from "@margay/core/internal";
import type { ChatApp } from "../chat-app.ts";
import { othersOf, whenText } from "../chat-session.ts";
import { safeLine } from "../safe.ts";
import type { ChatTexts } from "../texts.ts";

interface Choosing {
  readonly say: (text: string) => void;
  readonly texts: ChatTexts;
  readonly typed: AsyncIterator<string>;
  readonly ended: AbortSignal;
}

/** More than that are not read out. */
const SHOWN = 20;

/** An empty line begins a new one. @returns undefined when the input or the chat ended first. */
export async function chosen(app: ChatApp, { say, texts, typed, ended }: Choosing): Promise<string | undefined> {
  const sessions = (await othersOf(app, undefined)).toSorted((a, b) => b.updatedAt - a.updatedAt).slice(0, SHOWN);
  if (sessions.length === 0) {
    say(texts("noSessions"));
    return app.sessionKey;
  }
  say(texts("plain.choose"));
  for (const [index, one] of sessions.entries())
    say(`${index + 1}. ${whenText(one.updatedAt)} ${safeLine(one.title) || safeLine(one.key)}`);
  for (;;) {
    const next = await Promise.race([typed.next(), untilAborted(ended)]);
    if (next === undefined || next.done === true) return undefined;
    const text = next.value.trim();
    if (text === "") return app.sessionKey;
    const one = /^\d+$/.test(text) ? sessions[Number(text) - 1] : undefined;
    if (one !== undefined) return one.key;
    say(texts("plain.chooseAgain", { count: sessions.length }));
  }
}
