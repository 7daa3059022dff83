/** Wire shapes of choosing a folder of this machine. */
import { z } from "zod";

const Path = z.string().min(1).max(4096);

/** Absent: the home of the account that margay runs as. */
export const FolderQuery = z.strictObject({ path: Path.optional() });
export const FolderBody = z.strictObject({ path: Path });

export const FoldersSchema = z.strictObject({
  /** Absolute. */
  path: z.string(),
  /** Absent: it is the root. */
  parent: z.string().optional(),
  /** Names of the folders in it, without hidden ones. */
  folders: z.array(z.string()),
  /** More are there. */
  more: z.boolean(),
});

export const FolderSchema = z.strictObject({ path: z.string() });

export type Folders = z.infer<typeof FoldersSchema>;
