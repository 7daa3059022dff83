/** Which folders there are, which chat is put into one now, and what the list is filtered by. */
import { signal } from "@preact/signals";
import type { z } from "zod";
import type { FoldersSchema } from "../../../protocol/sessions.ts";
import { api } from "../../api.ts";
import { may } from "../../auth.ts";
import type { Filter } from "../../store/sessions.ts";
import { drawerOpen, isNarrow, listShown, toggleList } from "../../shell/layout.ts";

type Folders = z.infer<typeof FoldersSchema>;

/** As they were read last: the list of chats knows only those of the rows that it has read. */
export const folders = signal<Folders["folders"]>([]);
/** The chat whose folder is chosen. */
export const filing = signal<string | undefined>(undefined);
export const shownFilter = signal<Filter | "trash">("all");

export async function readFolders(): Promise<void> {
  if (!may("listSessionFolders")) return;
  try {
    folders.value = (await api.get<Folders>("/sessions/folders")).body.folders;
  } catch {
    // offline: those that are known
  }
}

export function file(session: string): void {
  void readFolders();
  filing.value = session;
}

/** The list, with the chats of one folder. */
export function showFolder(name: string): void {
  shownFilter.value = `folder:${name}`;
  if (isNarrow() ? !drawerOpen.value : !listShown.value) toggleList();
}
