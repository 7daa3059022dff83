/** Uploads and files of the workspace, on the wire. */
import { z } from "zod";
import { Millis } from "./common.ts";
import { BlobSchema } from "./items.ts";

export const UploadQuery = z.strictObject({ name: z.string().max(200).optional() });
export const MediaQuery = z.strictObject({
  /** The conversation that shows it: a person has none without. */
  session: z.string().max(64).optional(),
});
export const UploadSchema = z.strictObject({
  blob: BlobSchema,
  /** As its bytes say. */
  mediaType: z.string(),
  name: z.string(),
  bytes: z.number().int(),
  width: z.number().int().optional(),
  height: z.number().int().optional(),
});
export const TranscriptionSchema = z.strictObject({
  /** Empty: nobody said anything. */
  text: z.string(),
  /** How long it took. */
  ms: z.number().int(),
});
export const PathQuery = z.strictObject({ path: z.string().max(1000).default("") });
export const TreeSchema = z.strictObject({
  path: z.string(),
  entries: z.array(
    z.strictObject({
      name: z.string(),
      kind: z.enum(["file", "directory"]),
      bytes: z.number().int().optional(),
      modifiedAt: Millis,
    }),
  ),
  /** There are more than are listed. */
  more: z.boolean(),
});
