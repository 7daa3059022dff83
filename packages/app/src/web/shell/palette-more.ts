/** What the palette finds besides pages and chats: slash commands, folders and every setting. Loaded when it opens. */
import { api } from "../api.ts";
import { may } from "../auth.ts";
import { commandsOffered, commandTexts } from "../chat/composer/command-texts.ts";
import { t } from "../texts/work.ts";
import { keyLabel } from "../lib/keys.ts";
import { openPanel, route } from "../lib/route.ts";
import { file, folders, readFolders, showFolder } from "../sidebar/folders/folders.ts";
import { t as ofFolders } from "../sidebar/folders/texts.ts";
import { putIntoComposer } from "../chat/composer/composer-text.ts";
import type { z } from "zod";
import type { FieldSchema } from "../../features/settings/schema.ts";
import type { Entry } from "./palette-entry.ts";

export function commandEntries(): readonly Entry[] {
  return commandsOffered().map((name) => ({
    id: `command-${name}`,
    group: t("palette.commands"),
    icon: "bolt",
    label: `/${name}`,
    words: commandTexts(`command.${name}`),
    note: commandTexts(`command.${name}`),
    run: () => {
      putIntoComposer(`/${name} `);
      document.querySelector<HTMLElement>("#composer")?.focus();
    },
  }));
}

/** The folder of the open chat, and those that the list can be filtered by. */
export async function folderEntries(): Promise<readonly Entry[]> {
  if (!may("listSessionFolders")) return [];
  const { session } = route.peek();
  const move: Entry = {
    id: "folder",
    group: t("palette.actions"),
    icon: "folder",
    label: ofFolders("folder.move"),
    note: keyLabel("Shift+F2"),
    run: () => file(session ?? ""),
  };
  await readFolders();
  const all = folders.value.map(({ name, sessions }): Entry => ({
    id: `folder-${name.replaceAll(/\s/g, "_")}`,
    group: ofFolders("folder.head"),
    icon: "folder",
    label: ofFolders("folder.name", { name }),
    note: String(sessions),
    run: () => showFolder(name),
  }));
  return [...(session === undefined ? [] : [move]), ...all];
}

export async function settingEntries(): Promise<readonly Entry[]> {
  if (!may("getSettings")) return [];
  const { body } = await api.get<{ readonly fields: Readonly<Record<string, z.infer<typeof FieldSchema>>> }>(
    "/settings",
  );
  return Object.entries(body.fields)
    .filter(([path]) => !path.includes("*"))
    .map(([path, { title, help }]) => ({
      id: `setting-${path}`,
      group: t("palette.settings"),
      icon: "gear",
      label: title,
      words: `${path} ${help}`,
      note: path,
      asked: true,
      run: () => openPanel(`settings/find/${path}`),
    }));
}
