/** What can be done with a chat, from the list and from its header. */
import { api, fetchBlob } from "../api.ts";
import { t } from "../texts/chat.ts";
import { t as shared } from "../texts/index.ts";
import { keyLabel } from "../lib/keys.ts";
import { saveBlob } from "../lib/save-blob.ts";
import { navigate, route } from "../lib/route.ts";
import { changeSession, dropSummary, markDeleted, putSummary } from "../store/sessions.ts";
import { endChat } from "../chat/temporary-line.tsx";
import type { MenuEntry } from "../ui/menu.tsx";
import { tell } from "../ui/tell.ts";
import { undoable } from "../ui/toast.tsx";
import type { SessionDetail, SessionSummary } from "../wire.ts";
import { file } from "./folders/folders.ts";
import { t as ofFolders } from "./folders/texts.ts";
import { restore } from "./restore.ts";

export function sessionMenu(one: SessionSummary, rename: () => void): readonly MenuEntry[] {
  if (one.source === "temporary")
    return [
      ...exports(one),
      "line",
      { label: t("temporary.end"), icon: "trash", danger: true, onSelect: () => void endChat(one.id) },
    ];
  return [
    { label: shared("common.rename"), icon: "edit", note: "F2", onSelect: rename },
    {
      label: t(one.pinned ? "session.unpin" : "session.pin"),
      icon: "pin",
      onSelect: () => void tell(changeSession(one, { pinned: !one.pinned })),
    },
    {
      label: ofFolders("folder.move"),
      icon: "folder",
      needs: "listSessionFolders",
      note: keyLabel("Shift+F2"),
      onSelect: () => file(one.id),
    },
    { label: t("session.fork"), icon: "branch", needs: "forkSession", onSelect: () => void tell(fork(one.id)) },
    "line",
    ...exports(one),
    "line",
    {
      label: t(one.archived ? "session.unarchive" : "session.archive"),
      icon: "archive",
      onSelect: () => void archive(one),
    },
    { label: shared("common.delete"), icon: "trash", danger: true, onSelect: () => void remove(one) },
  ];
}

export function exports(one: SessionSummary): readonly MenuEntry[] {
  const formats = [
    ["markdown", "md"],
    ["json", "json"],
    ["seed", "jsonl"],
  ] as const;
  const share: MenuEntry = {
    label: t("session.share"),
    icon: "eye",
    needs: "exportSession",
    onSelect: () => navigate({ page: "chat", session: one.id, panel: `share/${one.id}` }),
  };
  const files = formats.map(([format, extension]): MenuEntry => ({
    label: t(`session.export.${format}`),
    icon: "download",
    onSelect: () =>
      void tell(
        fetchBlob(`/sessions/${one.id}/export`, { query: { format }, accept: "*/*" }).then((blob) =>
          saveBlob(blob, `${fileName(one.title)}.${extension}`),
        ),
      ),
  }));
  return [share, ...files];
}

/** @param at the last commit that is copied; all of it when absent. */
export async function fork(id: string, at?: number): Promise<void> {
  const { body } = await api.post<SessionDetail>(`/sessions/${id}/fork`, at === undefined ? {} : { at });
  putSummary(body);
  navigate({ page: "chat", session: body.id });
}

async function archive(one: SessionSummary): Promise<void> {
  if (!(await tell(changeSession(one, { archived: !one.archived }))) || one.archived) return;
  leave(one);
  undoable(t("session.archived", { title: titleOf(one) }), () => void tell(changeSession(one, { archived: false })));
}

/** Done at once, with an undo: it stays in the trash for 30 days. */
async function remove(one: SessionSummary): Promise<void> {
  markDeleted(one.id, true);
  if (!(await tell(api.delete(`/sessions/${one.id}`)))) return markDeleted(one.id, false);
  dropSummary(one.id);
  leave(one);
  undoable(t("session.deleted", { title: titleOf(one) }), () => void tell(restore(one.id)));
}

function leave(one: SessionSummary): void {
  if (route.value.session === one.id) navigate({ page: "chat", session: undefined });
}

function titleOf(one: SessionSummary): string {
  return one.title === "" ? t("list.untitled") : one.title;
}

function fileName(title: string): string {
  const plain = title
    .replaceAll(/[^\p{L}\p{N} _-]+/gu, "")
    .trim()
    .slice(0, 60);
  return plain === "" ? "margay" : plain;
}
