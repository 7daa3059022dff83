/** A waiting message is edited where it stands, told when it is to be seen, or taken out. */
import { draw, guarded, keyOf, say, type Chat } from "./chat-state.ts";
import type { Action } from "./input/keymap.ts";
import type { Editing, Mode, WaitingMessage } from "./layout/queue.ts";

/** What a key does while a waiting message has the keys. @returns true when it was used up. */
export function queueKey(chat: Chat, editing: Editing, action: Action | undefined): boolean {
  switch (action) {
    case "takeBack":
    case "queueNext":
      begun(chat, keepAndGo(chat, editing, action === "takeBack" ? -1 : 1));
      return true;
    case "queueMode":
      edit(chat, editing.message, editing.mode === "steer" ? "queue" : "steer");
      return true;
    case "queueRemove":
      leaveQueue(chat);
      begun(chat, remove(chat, editing));
      return true;
    case "stop":
    case "interrupt":
      leaveQueue(chat);
      return true;
    case "leave":
    case "tools":
    case "thinking":
    case "suspend":
    case "history":
    case "editor":
    case "image":
    case undefined:
      return false;
  }
}

/** The newest of them gets the keys. */
export function editNewest(chat: Chat): void {
  const newest = waitingOf(chat).at(-1);
  if (newest === undefined) return;
  begin(chat, newest);
}

/** Enter. */
export function keepQueued(chat: Chat, text: string): void {
  const { editing } = chat;
  if (editing === undefined) return;
  leaveQueue(chat);
  begun(chat, keep(chat, editing, text));
}

/** It was taken up meanwhile: what was changed goes into the line, so that nothing of it is lost. */
export function checkQueue(chat: Chat): void {
  const { editing } = chat;
  if (editing === undefined || waitingOf(chat).some(({ id }) => id === editing.message.id)) return;
  const text = chat.screen.queueInput();
  chat.editing = undefined;
  chat.screen.editQueue(undefined);
  if (text.trim() !== editing.message.text.trim()) putBack(chat, text);
}

function begin(chat: Chat, message: WaitingMessage): void {
  chat.screen.editQueue(message.text);
  edit(chat, message, message.mode);
}

function edit(chat: Chat, message: WaitingMessage, mode: Mode): void {
  chat.editing = { message, mode };
  draw(chat);
}

function leaveQueue(chat: Chat): void {
  chat.editing = undefined;
  chat.screen.editQueue(undefined);
  draw(chat);
}

async function keepAndGo(chat: Chat, editing: Editing, by: -1 | 1): Promise<void> {
  const all = waitingOf(chat);
  const next = all[all.findIndex(({ id }) => id === editing.message.id) + by];
  const text = chat.screen.queueInput();
  if (next === undefined) return;
  begin(chat, next);
  await keep(chat, editing, text);
}

async function keep(chat: Chat, { message, mode }: Editing, given: string): Promise<void> {
  const text = given.trim();
  if (text === "") return remove(chat, { message, mode });
  const change = { ...(text !== message.text.trim() && { text }), ...(mode !== message.mode && { mode }) };
  if (Object.keys(change).length === 0) return;
  if (await chat.app.agent.rewrite(keyOf(chat), message.id, change, chat.sender)) return;
  say(chat, "info", chat.kit.texts("takenUp"));
  if (change.text !== undefined) putBack(chat, text);
}

async function remove(chat: Chat, { message }: Editing): Promise<void> {
  if (!(await chat.app.agent.withdraw(keyOf(chat), message.id, chat.sender)))
    say(chat, "info", chat.kit.texts("takenUp"));
}

function putBack(chat: Chat, text: string): void {
  const typed = chat.screen.input();
  chat.screen.setInput(typed.trim() === "" ? text : `${text}\n${typed}`);
}

function waitingOf({ opened }: Chat): readonly WaitingMessage[] {
  return opened?.conversation.shown.waiting ?? [];
}

function begun(chat: Chat, work: Promise<void>): void {
  void guarded(chat, work);
}
