/** What turns did to the workspace, and taking it back. */
import { z } from "zod";
import { Millis } from "../../protocol/common.ts";

const turn = {
  session: z.string(),
  key: z.string(),
  /** Id of a turn, or of an undo. */
  turn: z.string(),
  /** From 1; absent for an undo. */
  number: z.number().int().positive().optional(),
  at: Millis,
  /** The turn that this one took back. */
  undoes: z.string().optional(),
  /** The undo that took this one back. */
  undone: z.string().optional(),
  /** Directories that were not looked into. */
  excluded: z.array(z.string()),
  /** What may have changed without a copy being kept. */
  gaps: z.array(
    z.strictObject({ gap: z.enum(["too-many", "name", "failed", "outside", "cut-off"]), text: z.string() }),
  ),
};
const Action = z.enum(["restore", "recreate", "delete", "mode"]);

export const UndoTurnsSchema = z.strictObject({
  items: z.array(z.strictObject({ ...turn, changed: z.number().int().nonnegative() })),
});
export const UndoBody = z.strictObject({
  /** Its number or id; default: the last turn that changed something and was not taken back. */
  turn: z.string().min(1).max(100).optional(),
  /** Only say what would be done. */
  dryRun: z.boolean().default(false),
  /** Also files that somebody else changed since. */
  force: z.boolean().default(false),
});
export const UndoAnswer = z.strictObject({
  preview: z.strictObject({
    ...turn,
    files: z.array(
      z.strictObject({
        path: z.string(),
        action: Action,
        kind: z.enum(["file", "directory", "link", "special"]),
        bytes: z.number().int().nonnegative().optional(),
        /** Why it is left alone. */
        problem: z.string().optional(),
        /** It is done all the same with `force`. */
        forceable: z.literal(true).optional(),
        /** What is there now is too large to be kept: it cannot be brought back. */
        final: z.literal(true).optional(),
        /** It runs when somebody starts it, and the turn changed what runs. */
        starts: z.literal(true).optional(),
      }),
    ),
  }),
  /** What was done; absent for a dry run. */
  done: z
    .strictObject({
      /** Names this undo, to take it back. */
      id: z.string(),
      restored: z.array(z.strictObject({ path: z.string(), action: Action, failed: z.string().optional() })),
    })
    .optional(),
});
export type UndoAnswer = z.infer<typeof UndoAnswer>;
