/** The keys that are no text: stop, leave, unfold, suspend. */
import { draw, guarded, keyOf, type Chat } from "./chat-state.ts";
import type { ScreenHandlers } from "./screen.ts";

/** @returns true when the key was used up. */
export function pressed(chat: Chat, ...[key, editor]: Parameters<ScreenHandlers["key"]>): boolean {
  const asked = chat.hint !== undefined;
  const works = chat.opened?.conversation.view.turn !== undefined;
  chat.hint = undefined;
  switch (key) {
    case "escape":
      if (editor.completing || !works) return false;
      void guarded(chat, stop(chat));
      return true;
    case "ctrl+c":
      if (asked) chat.quit.abort();
      else if (!editor.empty) chat.screen.clearInput();
      else {
        if (works && !chat.stopping) void guarded(chat, stop(chat));
        chat.hint = chat.kit.texts("quitAgain");
      }
      break;
    case "ctrl+d":
      if (!editor.empty) return false;
      chat.quit.abort();
      break;
    case "ctrl+o":
      chat.unfolded = { ...chat.unfolded, tools: !chat.unfolded.tools };
      break;
    case "ctrl+t":
      chat.unfolded = { ...chat.unfolded, thinking: !chat.unfolded.thinking };
      break;
    case "ctrl+z":
      suspend(chat);
      break;
    case "other":
      if (asked) draw(chat);
      return false;
  }
  draw(chat);
  return true;
}

async function stop(chat: Chat): Promise<void> {
  chat.stopping = true;
  draw(chat);
  const result = await chat.app.agent.control(keyOf(chat), { type: "stop", withdraw: false }, chat.sender);
  if (!result.stopped) chat.stopping = false;
  draw(chat);
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
