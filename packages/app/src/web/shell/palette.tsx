/** One field for everything: chats, pages, actions, commands, settings; Chinese also by the first letters of its pinyin. */
import type { VNode } from "preact";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { api } from "../api.ts";
import { setLanguage } from "../texts/index.ts";
import { LANGUAGE_NAMES, LANGUAGE_WORDS } from "../lib/languages.zh.ts";
import { shortTime } from "../texts/format.ts";
import { t as chat } from "../texts/chat.ts";
import { t } from "../texts/work.ts";
import { fuzzyScore } from "../lib/fuzzy.ts";
import { keyLabel, SHORTCUTS } from "../lib/keys.ts";
import { setTheme } from "../lib/look.ts";
import { initials } from "../lib/pinyin.ts";
import { navigate, openPanel } from "../lib/route.ts";
import { listed, putSummary } from "../store/sessions.ts";
import { Icon } from "../ui/icon.tsx";
import type { Page, SessionSummary } from "../wire.ts";
import { panels, panelTitle } from "../pages.tsx";
import { toggleList } from "./layout.ts";
import { startNewChat, startTemporaryChat } from "./new-chat.ts";
import { tell } from "../ui/tell.ts";
import { paletteOpen } from "./palette-open.ts";
import type { Entry } from "./palette-entry.ts";
import "./palette.css";

const SHOWN = 40;

export function Palette(): VNode {
  const dialog = useRef<HTMLDialogElement>(null);
  const list = useRef<HTMLDivElement>(null);
  const [query, setQuery] = useState("");
  const [at, setAt] = useState(0);
  useLayoutEffect(() => dialog.current?.showModal(), []); // before the next key, which is for the field already
  const close = (): void => {
    paletteOpen.value = false;
  };
  const [more, setMore] = useState<readonly Entry[]>([]);
  useEffect(() => {
    void import("./palette-more.ts").then(async ({ commandEntries, folderEntries, settingEntries }) => {
      setMore(commandEntries());
      const known = [...commandEntries(), ...(await folderEntries())];
      setMore(known);
      setMore([...known, ...(await settingEntries().catch(() => []))]); // offline: what else there is
    });
  }, []);
  useChatsAsked(query);
  const all = [...entries(), ...more];
  const found = best(all, query);
  const choose = (entry: Entry | undefined): void => {
    close();
    entry?.run();
  };
  const move = (by: number): void => {
    const next = (at + by + found.length) % Math.max(1, found.length);
    setAt(next);
    list.current?.querySelectorAll("[role=option]")[next]?.scrollIntoView({ block: "nearest" });
  };
  return (
    <dialog
      ref={dialog}
      class="dialog palette"
      aria-label={t("palette.title")}
      onCancel={(event) => {
        event.preventDefault();
        close();
      }}
      onMouseDown={(event) => {
        if (event.target === dialog.current) close();
      }}
    >
      <div class="palette-field">
        <Icon name="search" />
        <input
          role="combobox"
          aria-label={t("palette.placeholder")}
          aria-expanded="true"
          aria-controls="palette-list"
          aria-activedescendant={found[at] ? `palette-${found[at].id}` : undefined}
          placeholder={t("palette.placeholder")}
          autofocus
          spellcheck={false}
          value={query}
          onInput={(event) => {
            setQuery(event.currentTarget.value);
            setAt(0);
          }}
          onKeyDown={(event) => {
            if (event.isComposing) return;
            if (event.key === "ArrowDown") move(1);
            else if (event.key === "ArrowUp") move(-1);
            else if (event.key === "Enter") {
              // Typed faster than it is drawn: what counts is what stands in the field.
              const typed = event.currentTarget.value;
              choose(typed === query ? found[at] : best(all, typed)[0]);
            } else return;
            event.preventDefault();
          }}
        />
      </div>
      <div class="palette-list" id="palette-list" role="listbox" aria-label={t("palette.title")} ref={list}>
        <Found entries={found} at={at} setAt={setAt} choose={choose} />
        {found.length === 0 && <p class="empty">{t("palette.none")}</p>}
      </div>
    </dialog>
  );
}

interface FoundProps {
  readonly entries: readonly Entry[];
  /** The one that Enter takes. */
  readonly at: number;
  readonly setAt: (at: number) => void;
  readonly choose: (entry: Entry) => void;
}

function Found({ entries: found, at, setAt, choose }: FoundProps): VNode {
  return (
    <>
      {found.map((entry, index) => (
        <div key={entry.id}>
          {(index === 0 || found[index - 1]?.group !== entry.group) && <div class="menu-head">{entry.group}</div>}
          <div
            id={`palette-${entry.id}`}
            class="menu-item"
            role="option"
            aria-selected={index === at}
            onMouseMove={() => setAt(index)}
            onClick={() => choose(entry)}
          >
            <Icon name={entry.icon} size={16} />
            <span class="grow truncate">{entry.label}</span>
            {entry.note !== undefined && <span class="note">{entry.note}</span>}
          </div>
        </div>
      ))}
    </>
  );
}

/** Chats that the list has not read yet, by their titles. */
function useChatsAsked(query: string): void {
  useEffect(() => {
    if (query.trim() === "") return undefined;
    const abort = new AbortController();
    const timer = setTimeout(() => {
      const options = { query: { q: query.trim(), top: true, limit: 20 }, signal: abort.signal };
      api.get<Page<SessionSummary>>("/sessions", options).then(
        ({ body }) => body.items.forEach(putSummary),
        () => undefined, // what is known is shown
      );
    }, 200);
    return () => {
      clearTimeout(timer);
      abort.abort();
    };
  }, [query]);
}

function entries(): readonly Entry[] {
  const key = (action: string): string => keyLabel(SHORTCUTS.find((one) => one.action === action)?.keys ?? "");
  const actions = t("palette.actions");
  return [
    { id: "new", group: actions, icon: "plus", label: chat("list.new"), note: key("new"), run: startNewChat },
    { id: "temporary", group: actions, icon: "clock", label: chat("temporary.new"), run: startTemporaryChat },
    { id: "list", group: actions, icon: "sidebar", label: chat("list.toggle"), note: key("list"), run: toggleList },
    {
      id: "light",
      group: actions,
      icon: "sun",
      label: `${chat("look.theme")}: ${chat("look.light")}`,
      run: () => setTheme("light"),
    },
    {
      id: "dark",
      group: actions,
      icon: "moon",
      label: `${chat("look.theme")}: ${chat("look.dark")}`,
      run: () => setTheme("dark"),
    },
    {
      id: "system",
      group: actions,
      icon: "gear",
      label: `${chat("look.theme")}: ${chat("look.system")}`,
      run: () => setTheme("system"),
    },
    ...(["en", "zh"] as const).map((id): Entry => ({
      id,
      group: actions,
      icon: "globe",
      label: LANGUAGE_NAMES[id],
      other: LANGUAGE_WORDS[id],
      run: () => void tell(setLanguage(id)),
    })),
    ...panels().map((panel): Entry => ({
      id: `page-${panel.id}`,
      group: t("palette.pages"),
      icon: panel.icon,
      label: panelTitle(panel),
      other: panel.id,
      run: () => openPanel(panel.id),
    })),
    ...listed.value.map((one): Entry => ({
      id: one.id,
      group: t("palette.chats"),
      icon: "chat",
      label: one.title === "" ? chat("list.untitled") : one.title,
      note: shortTime(one.updatedAt),
      run: () => navigate({ page: "chat", session: one.id }),
    })),
  ];
}

function scoreOf({ label, other, words, asked }: Entry, query: string): number | undefined {
  const wanted = query.toLowerCase().trim();
  if (wanted === "") return asked === true ? undefined : 0;
  // Of many settings scattered letters would find most.
  const direct = asked === true && !label.toLowerCase().includes(wanted) ? undefined : fuzzyScore(wanted, label);
  if (direct !== undefined) return direct;
  if (/^[a-z]+$/.test(wanted) && initials(label).includes(wanted)) return 550 - label.length;
  if (words?.toLowerCase().includes(wanted) === true) return 400;
  return other === undefined ? undefined : fuzzyScore(wanted, other);
}

/** Groups stay together; inside a group the best comes first. */
function best(all: readonly Entry[], query: string): readonly Entry[] {
  const scored = all.flatMap((entry) => {
    const score = scoreOf(entry, query);
    return score === undefined ? [] : [{ entry, score }];
  });
  const groups = [...new Set(all.map(({ group }) => group))];
  const top = (group: string): number =>
    Math.max(...scored.filter(({ entry }) => entry.group === group).map(({ score }) => score), -1);
  if (query.trim() !== "") groups.sort((a, b) => top(b) - top(a));
  return groups
    .flatMap((group) =>
      scored
        .filter(({ entry }) => entry.group === group)
        .sort((a, b) => (query.trim() === "" ? 0 : b.score - a.score))
        .slice(0, query.trim() === "" ? 12 : 20)
        .map(({ entry }) => entry),
    )
    .slice(0, SHOWN);
}
