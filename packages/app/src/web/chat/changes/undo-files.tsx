/** What a turn did to the files of the workspace: where it is asked for. What is shown then is loaded by then. */
import type { VNode } from "preact";
import { useState } from "preact/hooks";
import type { UndoAnswer } from "../../../features/undo/schema.ts";
import { api } from "../../api.ts";
import { Lazy } from "../../shell/lazy.tsx";

export interface UndoFiles {
  ask(): Promise<void>;
  readonly dialog: VNode | null;
}

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
