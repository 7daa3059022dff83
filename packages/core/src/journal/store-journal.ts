/** The journal and the readable view of a store that is no session: both in one directory, made when first needed. */
import { join } from "node:path";
import type { JournalLine } from "../contract/services.ts";
import { makeDirectory } from "../machine/files/files.ts";
import { openFileJournal, type FileJournal } from "./journal.ts";
import { openViewFiles, type ViewFiles } from "./view-files.ts";

export interface StoreFiles<Line extends JournalLine> {
  /** @throws RuntimeError `journal.damaged`: nothing was changed. */
  openJournal(): FileJournal<Line>;
  readonly views: ViewFiles;
}

export function storePath(directory: string, name: string): string {
  return join(directory, `${name}.journal`);
}

/** Nothing is touched before it is used. */
export function storeFiles<Line extends JournalLine>(directory: string, name: string): StoreFiles<Line> {
  return {
    openJournal: () => {
      makeDirectory(directory);
      return openFileJournal<Line>(storePath(directory, name));
    },
    views: openViewFiles(directory),
  };
}
