/** The keys that are no text: stop, leave, unfold, suspend, and what brings another text into the line. */
import { answered, attach } from "./chat-input.ts";
import { draw, guarded, keyOf, say, type Chat } from "./chat-state.ts";
import type { Action } from "./input/keymap.ts";
import { clipboardImage, editText } from "./input/programs.ts";
import { editNewest, queueKey } from "./queue.ts";
import type { Typing as Editor } from "./screen.ts";

/** @returns true when the key was used up. */
export function pressed(chat: Chat, action: Action | undefined, data: string, editor: Editor): boolean {
  if (chat.editing !== undefined) return queueKey(chat, chat.editing, action);
  const asked = chat.hint !== undefined;
  if (chat.refusing === undefined) chat.hint = undefined;
  if (action === undefined) {
    if (asked) draw(chat);
    if (!editor.empty) return false;
    answered(chat, data);
    return explained(chat, data);
  }
  const used = ACT[action](chat, editor, asked);
  if (used) draw(chat);
  return used;
}

type Act = (chat: Chat, editor: Editor, asked: boolean) => boolean;

const ACT: Readonly<Record<Action, Act>> = {
  stop: (chat, editor) => {
    if (editor.completing) return false;
    if (chat.refusing !== undefined) {
      chat.refusing = undefined;
      chat.hint = undefined;
      return true;
    }
    if (chat.own === undefined && !works(chat)) return false;
    end(chat);
    return true;
  },
  interrupt: (chat, editor, asked) => {
    if (asked && chat.refusing === undefined) chat.quit.abort();
    else if (!editor.empty) chat.screen.clearInput();
    else {
      end(chat);
      chat.refusing = undefined;
      chat.hint = chat.kit.texts("quitAgain");
    }
    return true;
  },
  leave: (chat, editor) => {
    if (editor.empty) chat.quit.abort();
    return editor.empty;
  },
  tools: (chat) => {
    chat.unfolded = { ...chat.unfolded, tools: !chat.unfolded.tools };
    return true;
  },
  thinking: (chat) => {
    chat.unfolded = { ...chat.unfolded, thinking: !chat.unfolded.thinking };
    return true;
  },
  suspend: (chat) => {
    suspend(chat);
    return true;
  },
  takeBack: (chat) => {
    editNewest(chat);
    return true;
  },
  // While a waiting message has the keys; else they are the editor's.
  queueNext: () => false,
  queueMode: () => false,
  queueRemove: () => false,
  history: (chat) => begun(chat, searchHistory(chat)),
  editor: (chat) => begun(chat, edit(chat)),
  image: (chat) => begun(chat, pasteImage(chat)),
};

function begun(chat: Chat, work: Promise<void>): true {
  void guarded(chat, work);
  return true;
}

function works({ opened }: Chat): boolean {
  return opened?.conversation.view.turn !== undefined;
}

/** What runs for the person, else the turn. */
function end(chat: Chat): void {
  if (chat.own !== undefined) chat.own.abort();
  else if (works(chat) && !chat.stopping) void guarded(chat, stop(chat));
}

async function stop(chat: Chat): Promise<void> {
  chat.stopping = true;
  draw(chat);
  const result = await chat.app.agent.control(keyOf(chat), { type: "stop", withdraw: false }, chat.sender);
  if (!result.stopped) chat.stopping = false;
  draw(chat);
}

async function searchHistory(chat: Chat): Promise<void> {
  const found = await chat.screen.search(chat.kit.texts("history.search"), chat.history.typed());
  if (found !== undefined) chat.screen.setInput(found);
}

async function edit(chat: Chat): Promise<void> {
  const text = await chat.screen.lend(() => editText(chat.screen.input(), chat.app.env ?? {}));
  if (text === undefined) say(chat, "error", chat.kit.texts("editor.failed"));
  else chat.screen.setInput(text);
}

async function pasteImage(chat: Chat): Promise<void> {
  const bytes = await clipboardImage(chat.app.env ?? {});
  if (bytes === undefined) say(chat, "info", chat.kit.texts("image.none"));
  else await attach(chat, bytes, "clipboard.png");
}

/** `?` on an empty line. */
function explained(chat: Chat, data: string): boolean {
  if (data !== "?") return false;
  say(chat, "answer", chat.kit.texts("keys"));
  return true;
}

function suspend(chat: Chat): void {
  if (process.platform === "win32") return;
  chat.screen.stop();
  process.once("SIGCONT", () => {
    chat.screen.start();
    draw(chat);
  });
  // A signal handler alone does not hold the process open; reading does, and a stopped process reads nothing.
  process.stdin.resume();
  process.kill(process.pid, "SIGTSTP");
}
