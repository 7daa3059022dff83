/** `[k] [f] [t]` under an error: each does the thing, with Enter. A key alone would be the first letter of what somebody writes next. */
import type { ChatApp } from "./chat-app.ts";
import { draw, say, type Chat } from "./chat-state.ts";
import type { Failed } from "./conversation.ts";
import type { Remedies } from "./layout/remedies.ts";
import { safeLine } from "./safe.ts";
import type { ChatTexts } from "./texts.ts";

const OF_KEY: ReadonlySet<string> = new Set(["provider.auth", "provider.no-key"]);

/** What is offered against this end, found once for each. */
export async function findRemedies(chat: Chat, failed: Failed): Promise<void> {
  chat.remedies = { id: failed.id, remedies: await remediesAgainst(chat.app, failed) };
  draw(chat);
}

export async function remediesAgainst(app: ChatApp, failed: Failed): Promise<Remedies> {
  const { provider, model } = app.agent.model;
  const isOfKey = failed.code !== undefined && OF_KEY.has(failed.code);
  const ask = { model: `${provider}/${model}` };
  const found =
    failed.reason === "budget" ? undefined : await app.operate?.("providers.instead", ask).catch(() => undefined);
  const instead = typeof found === "string" ? safeLine(found) : undefined;
  return {
    ...(isOfKey && app.operate !== undefined && { provider: safeLine(provider) }),
    ...(instead !== undefined && { instead }),
  };
}

type Send = (chat: Chat, text: string) => Promise<void>;

/** Whether a line that holds this alone is one of the keys. */
export function isRemedy({ remedies: found, opened }: Chat, key: string): boolean {
  if (found === undefined || opened?.conversation.shown.failed?.id !== found.id) return false;
  const { provider, instead } = found.remedies;
  return key === "t" || (key === "k" && provider !== undefined) || (key === "f" && instead !== undefined);
}

export async function remedy(chat: Chat, key: string, send: Send): Promise<void> {
  const { texts } = chat.kit;
  const { provider, instead } = chat.remedies?.remedies ?? {};
  if (key === "k" && provider !== undefined && !(await newKey(chat, provider))) return;
  if (key === "f" && instead !== undefined) await send(chat, `/model ${instead}`);
  chat.remedies = undefined;
  await send(chat, texts("again"));
}

/** What `providers.newKey` answers. */
type Saved = { readonly saved: true } | { readonly saved: false; readonly reason: string };

/** Tried first; what does not work is not saved. @returns whether it was. */
async function newKey(chat: Chat, provider: string): Promise<boolean> {
  const { texts } = chat.kit;
  const key = await chat.screen.secret(texts("remedy.keyOf", { provider }));
  if (key === undefined || key === "") return false;
  say(chat, "info", texts("remedy.trying"));
  const refused = await saveKey(chat.app, provider, key, texts);
  if (refused !== undefined) say(chat, "error", refused);
  return refused === undefined;
}

/** @returns why it was not saved. */
export async function saveKey(
  app: ChatApp,
  provider: string,
  key: string,
  texts: ChatTexts,
): Promise<string | undefined> {
  const done = (await app.operate?.("providers.newKey", { provider, key, language: app.language })) as
    | Saved
    | undefined; // of that operation
  if (done?.saved === true) return undefined;
  return done === undefined ? texts("noOperation") : safeLine(done.reason);
}
