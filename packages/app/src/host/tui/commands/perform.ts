/** Commands of this chat: leave, other conversations, branches, taking back, writing out. */
import { writeFileSync } from "node:fs";
import { resolve } from "node:path";
import { isTemporary } from "@margay/core/internal";
import { keyOf, say, type Chat } from "../chat-state.ts";
import { chooseSession, openSession } from "../chat-session.ts";
import { safeLine } from "../safe.ts";
import { newSessionKey, newTemporaryKey } from "../session-key.ts";
import { markdownOf } from "./markdown.ts";

/** @returns undefined: it is none of them. */
export function perform(chat: Chat, text: string): Promise<void> | undefined {
  const [, name = "", rest = ""] = /^\/([a-z-]+)(?:\s+([\s\S]*))?$/.exec(text) ?? [];
  const given = rest.trim() === "" ? undefined : rest.trim();
  switch (name) {
    case "quit":
    case "exit":
      chat.quit.abort();
      return Promise.resolve();
    case "sessions":
      return chooseSession(chat, given);
    case "resume":
      // Where schedules wait, the word is theirs, as everywhere else.
      return given === undefined && chat.app.held?.() === true ? undefined : chooseSession(chat, given);
    case "temporary":
      return openSession(chat, newTemporaryKey());
    case "undo":
      return undo(chat);
    case "fork":
      return fork(chat, given);
    case "tree":
      return tree(chat);
    case "waits":
      return waits(chat);
    case "export":
      return exportTo(chat, given);
    default:
      return undefined;
  }
}

/** An operation, as `margay undo` and `margay sessions fork` ask for it. */
function ask(chat: Chat, name: string, input: unknown): Promise<unknown> {
  return chat.app.operate?.(name, input) ?? Promise.reject(new Error(chat.kit.texts("noOperation")));
}

/** The part of what `undo.preview` answers that is shown here. */
interface Preview {
  readonly session: string;
  readonly turn: string;
  readonly files: readonly { readonly path: string; readonly action: string; readonly problem?: string }[];
}

async function undo(chat: Chat): Promise<void> {
  const { texts } = chat.kit;
  const preview = (await ask(chat, "undo.preview", { session: keyOf(chat) })) as Preview | "none" | "busy"; // of that operation
  if (typeof preview === "string") return say(chat, "info", texts(`undo.${preview}`));
  const files = preview.files.filter(({ problem }) => problem === undefined);
  const left = preview.files.filter(({ problem }) => problem !== undefined);
  if (left.length > 0)
    say(chat, "info", texts("undo.left", { names: left.map(({ path }) => safeLine(path)).join(", ") }));
  if (files.length === 0) return say(chat, "info", texts("undo.same"));
  const names = files.map(({ path }) => safeLine(path)).join(", ");
  const chosen = await chat.screen.choose(texts("undo.ask", { names }), [
    { value: "no", label: texts("undo.no") },
    { value: "yes", label: texts("undo.yes", { count: files.length }) },
  ]);
  if (chosen !== "yes") return say(chat, "info", texts("undo.kept"));
  const done = (await ask(chat, "undo.apply", { session: preview.session, turn: preview.turn, force: false })) as
    | { readonly restored: readonly { readonly path: string; readonly failed?: string }[] }
    | "none"
    | "busy"; // of that operation
  if (typeof done === "string") return say(chat, "info", texts(`undo.${done}`));
  const failed = done.restored.filter((file) => file.failed !== undefined);
  for (const { path } of failed) say(chat, "error", texts("undo.failed", { path: safeLine(path) }));
  say(chat, "info", texts("undo.done", { count: done.restored.length - failed.length }));
}

async function fork(chat: Chat, name: string | undefined): Promise<void> {
  const made = isTemporary(keyOf(chat)) ? newTemporaryKey() : newSessionKey();
  const key = name === undefined ? made : name.includes(":") ? name : `cli:${name}`;
  const from = keyOf(chat);
  await ask(chat, "sessions.fork", { from, key });
  await openSession(chat, key);
  say(chat, "info", chat.kit.texts("forked", { from: safeLine(from), key: safeLine(key) }));
}

/** One of those that `sessions.family` answers with. */
interface Relative {
  readonly id: string;
  readonly key: string;
  readonly title: string;
  readonly from?: string;
}

/** The conversation this one comes from, and all that came of it. */
async function tree(chat: Chat): Promise<void> {
  const { texts } = chat.kit;
  const family = (await ask(chat, "sessions.family", { key: keyOf(chat) })) as readonly Relative[]; // of that operation
  if (family.length < 2) return say(chat, "info", texts("tree.alone"));
  const known = new Set(family.map(({ id }) => id));
  const below = (from: string | undefined, depth: number): readonly (Relative & { readonly depth: number })[] =>
    family
      .filter((one) => (from === undefined ? one.from === undefined || !known.has(one.from) : one.from === from))
      .flatMap((one) => [{ ...one, depth }, ...below(one.id, depth + 1)]);
  const items = below(undefined, 0).map(({ key, title, depth }) => ({
    value: key,
    label: `${"  ".repeat(depth)}${depth === 0 ? "" : "└ "}${safeLine(title) || safeLine(key)}${key === keyOf(chat) ? ` ${texts("tree.here")}` : ""}`,
    description: safeLine(key),
  }));
  const chosen = await chat.screen.choose(texts("tree.choose"), items);
  if (chosen !== undefined && chosen !== keyOf(chat)) await openSession(chat, chosen);
}

/** The part of what `approvals.list` answers that is shown here. */
interface Asked {
  readonly sessionKey: string;
  readonly name: string;
  readonly prompt: string;
}

/** Questions in other conversations: one is opened to be answered there. */
async function waits(chat: Chat): Promise<void> {
  const { texts } = chat.kit;
  const asked = (await ask(chat, "approvals.list", {})) as readonly Asked[]; // of that operation
  const others = asked.filter(({ sessionKey }) => sessionKey !== keyOf(chat));
  if (others.length === 0) return say(chat, "info", texts("waits.none"));
  const items = others.map(({ sessionKey, name, prompt }) => ({
    value: sessionKey,
    label: safeLine(sessionKey),
    description: safeLine(prompt) || safeLine(name),
  }));
  const chosen = await chat.screen.choose(texts("waits.choose"), items);
  if (chosen !== undefined) await openSession(chat, chosen);
}

/** What is on the screen, as Markdown. A file that is there is left alone. */
async function exportTo(chat: Chat, given: string | undefined): Promise<void> {
  const { texts } = chat.kit;
  const name = `${keyOf(chat).replaceAll(/[^\p{Letter}\p{Number}._-]+/gu, "-")}.md`;
  const path = resolve(chat.app.workspace, given ?? name);
  const text = markdownOf(chat.opened?.conversation.shown.rows ?? []);
  try {
    writeFileSync(path, text, { flag: "wx", mode: 0o600 });
  } catch (error) {
    const isThere = error instanceof Error && "code" in error && error.code === "EEXIST";
    if (!isThere) throw error;
    return say(chat, "error", texts("export.there", { path: safeLine(path) }));
  }
  say(chat, "info", texts("export.done", { path: safeLine(path) }));
}
