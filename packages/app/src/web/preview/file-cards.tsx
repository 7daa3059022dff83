/** Under an answer: the files that its turn wrote and that can be looked at. */
import type { VNode } from "preact";
import { openPanel } from "../lib/route.ts";
import type { Chat } from "../store/chat-state.ts";
import { Icon } from "../ui/icon.tsx";
import { kindOf } from "./kinds.ts";
import { t } from "./texts.ts";
import { writtenIn } from "./written-files.ts";
import "./preview.css";

const MAX_CARDS = 8;

export function FileCards({ chat, turn }: { readonly chat: Chat; readonly turn: string | undefined }): VNode | null {
  const files = writtenIn(chat.drawn(), turn).filter(({ path }) => kindOf(path) !== "text");
  if (files.length === 0) return null;
  return (
    <ul class="file-cards" aria-label={t("cards")}>
      {files.slice(-MAX_CARDS).map(({ path, version }) => (
        <li key={path}>
          <button type="button" class="file-card" onClick={() => openPanel(`preview/file/${path}`)}>
            <Icon name={ICONS[kindOf(path)] ?? "file"} />
            <span class="grow">
              <span class="truncate" dir="auto">
                {path}
              </span>
              <span class="muted small">{t("card.open", { kind: t(`card.${kindOf(path)}`) })}</span>
            </span>
            {version > 1 && <span class="badge">v{version}</span>}
          </button>
        </li>
      ))}
    </ul>
  );
}

const ICONS = {
  html: "globe",
  svg: "image",
  image: "image",
  csv: "list",
  tsv: "list",
  markdown: "file",
  text: "file",
} as const;
