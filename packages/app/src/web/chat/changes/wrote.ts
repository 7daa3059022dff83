/** Which turns may have changed files. */
import type { Chat } from "../../store/chat-state.ts";

/** Whether a tool of the turn may have written files. */
export function wrote(chat: Chat, turn: string | undefined): boolean {
  return chat.items
    .peek()
    .some(
      (item) =>
        item.kind === "assistant" &&
        item.turn === turn &&
        item.parts.some((part) => part.type === "call" && WRITERS.has(part.call.name)),
    );
}

const WRITERS: ReadonlySet<string> = new Set(["write_file", "edit_file", "exec"]);
