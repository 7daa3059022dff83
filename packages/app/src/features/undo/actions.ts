/** What `margay undo` asks for. */
import { z } from "zod";
import { operation } from "../../host/control/operation.ts";
import type { UndoPreview, UndoResult, UndoTurn } from "./service.ts";

const Selection = { session: z.string().optional(), turn: z.string().optional() };

export const UNDO_OPERATIONS = {
  "undo.list": operation(
    z.strictObject({ session: z.string().optional() }),
    ({ session }, { app }): Promise<readonly UndoTurn[]> => app.inside.undo.list(session),
  ),
  /** `none` or `busy` in place of a preview. */
  "undo.preview": operation(z.strictObject(Selection), (selection, { app }): Promise<UndoPreview | "none" | "busy"> =>
    app.inside.undo.preview(given(selection)),
  ),
  "undo.apply": operation(
    z.strictObject({ ...Selection, force: z.boolean() }),
    ({ force, ...selection }, { app }): Promise<UndoResult | "none" | "busy"> =>
      app.inside.undo.apply({ ...given(selection), force, by: "user" }),
  ),
} as const;

function given({ session, turn }: { readonly session?: string | undefined; readonly turn?: string | undefined }) {
  return { ...(session !== undefined && { session }), ...(turn !== undefined && { turn }) };
}
