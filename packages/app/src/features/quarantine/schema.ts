/** What commands left behind that runs by itself, kept aside for a person. */
import { z } from "zod";
import { Millis } from "../../protocol/common.ts";

export const QuarantineSchema = z.strictObject({
  /** Oldest first. */
  items: z.array(
    z.strictObject({
      id: z.string(),
      /** Where it was, below the workspace. */
      path: z.string(),
      /** A name, or the keys of a configuration. */
      why: z.string(),
      kind: z.enum(["file", "directory", "link"]),
      at: Millis,
      /** Of its content: what is taken back. */
      sha256: z.string(),
      bytes: z.number().int().nonnegative(),
      /** A text; of a folder the names in it, then its texts, indented; the target of a link. Absent: it is no text. */
      text: z.string().optional(),
      /** `text` is only the beginning. */
      cut: z.literal(true).optional(),
    }),
  ),
});
export type QuarantineView = z.infer<typeof QuarantineSchema>;
export const RestoreBody = z.strictObject({
  /** As it was shown. */
  sha256: z.string().regex(/^[0-9a-f]{64}$/),
});
export const RestoreAnswer = z.strictObject({
  /** It is there again. */
  path: z.string(),
});
