/** What a turn did to the files of the workspace: where it is asked for. What is shown then is loaded by then. */
import type { VNode } from "preact";
import { useState } from "preact/hooks";
import type { UndoAnswer } from "../../../features/undo/schema.ts";
import { api } from "../../api.ts";
import type { Chat } from "../../store/chat-state.ts";
import { Lazy } from "../../shell/lazy.tsx";

export interface UndoFiles {
  ask(): Promise<void>;
  readonly dialog: VNode | null;
}

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

export function useUndoFiles(session: string, turn: string | undefined): UndoFiles {
  const [preview, setPreview] = useState<UndoAnswer["preview"]>();
  const path = `/sessions/${session}/undo`;
  return {
    ask: async () => {
      const { body } = await api.post<UndoAnswer>(path, { turn, dryRun: true });
      setPreview(body.preview);
    },
    dialog:
      preview === undefined ? null : (
        <Lazy
          over
          load={async () => (await import("./undo-dialog.tsx")).UndoDialog}
          props={{ path, preview, onClose: () => setPreview(undefined) }}
        />
      ),
  };
}
