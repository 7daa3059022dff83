/** What one could ask, from what is there: a failed run, the folder, a skill; a click writes it, and sends nothing. */
import type { VNode } from "preact";
import type { Home as HomeView } from "../../features/home/schema.ts";
import { t as chatText } from "../texts/chat.ts";
import { shortTime } from "../texts/format.ts";
import { Icon, type IconName } from "../ui/icon.tsx";
import { t } from "./texts.ts";

interface Suggestion {
  readonly icon: IconName;
  readonly text: string;
  readonly note: string;
  /** What is written, when it is not the text. */
  readonly writes?: string;
}

const SHOWN = 4;

export function Suggestions({ view }: { readonly view: HomeView | undefined }): VNode {
  return (
    <ul class="home-suggestions" aria-label={t("suggestions")}>
      {suggestionsFor(view).map(({ icon, text, note, writes = text }) => (
        <li key={text}>
          <button type="button" onClick={() => write(writes)}>
            <Icon name={icon} />
            <span class="grow">
              <span dir="auto">{text}</span>
              <span class="muted small">{note}</span>
            </span>
          </button>
        </li>
      ))}
    </ul>
  );
}

function suggestionsFor(view: HomeView | undefined): readonly Suggestion[] {
  const failed = view?.ran?.items.find(({ ok }) => !ok);
  const folder = view?.workspace;
  const skill = view?.skill;
  const all: readonly (Suggestion | undefined)[] = [
    failed && {
      icon: "refresh",
      text: t("try.failed", { name: failed.name }),
      note: t("try.failed.note", { time: shortTime(failed.at) }),
    },
    folder
      ? {
          icon: "folder",
          text: t("try.folder", { name: folder.name }),
          note: t("try.folder.note", { n: folder.entries }),
        }
      : { icon: "folder", text: chatText("example.1"), note: chatText("example.1.note") },
    view?.isNew === false ? { icon: "undo", text: t("try.undo"), note: t("try.undo.note") } : undefined,
    { icon: "calendar", text: chatText("example.2"), note: chatText("example.2.note") },
    skill?.name === undefined
      ? undefined
      : { icon: "spark", text: t("try.skill", skill), note: skill.description, writes: `/skill ${skill.name} ` },
    { icon: "book", text: chatText("example.3"), note: chatText("example.3.note") },
  ];
  return all.filter((one) => one !== undefined).slice(0, SHOWN);
}

/** Into the message field, as if it was typed. */
function write(text: string): void {
  const field = document.querySelector<HTMLTextAreaElement>("#composer");
  if (field === null) return;
  field.value = text;
  field.dispatchEvent(new InputEvent("input", { bubbles: true }));
  field.focus();
  field.setSelectionRange(text.length, text.length);
}
