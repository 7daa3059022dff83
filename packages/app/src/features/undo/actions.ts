/** What `margay undo` asks for: of this process, or of the one that holds the lock. Everything is JSON on the way. */
import type { Json, JsonObject } from "@margay/core";
import type { UndoPreview, UndoResult, UndoSelection, UndoTurn, WorkspaceUndo } from "./service.ts";
import { answering, type AnswerError } from "../../host/control/ask-holder.ts";

export type UndoAction =
  | { readonly do: "list"; readonly session?: string }
  | ({ readonly do: "preview" } & UndoSelection)
  | ({ readonly do: "apply"; readonly force: boolean } & UndoSelection);

export type UndoAnswer =
  | { readonly turns: readonly UndoTurn[] }
  | { readonly preview: UndoPreview }
  | { readonly result: UndoResult }
  | { readonly status: "none" | "busy" }
  | AnswerError;

export async function performUndo(action: UndoAction, undo: WorkspaceUndo): Promise<UndoAnswer> {
  switch (action.do) {
    case "list":
      return { turns: await undo.list(action.session) };
    case "preview": {
      const preview = await undo.preview(action);
      return typeof preview === "string" ? { status: preview } : { preview };
    }
    case "apply": {
      const result = await undo.apply({ ...action, by: "user" });
      return typeof result === "string" ? { status: result } : { result };
    }
  }
}

/** For another process. */
export function answerUndo(action: JsonObject, undo: WorkspaceUndo): Promise<Json> {
  return answering(() => performUndo(action as unknown as UndoAction, undo)); // written by undo.ts of the same version
}
