/** The list of chats with search and filter, and the way to all pages. */
import type { VNode } from "preact";
import { useRef, useState } from "preact/hooks";
import { type ChatKey, t } from "../texts/chat.ts";
import { t as shared } from "../texts/index.ts";
import { programs, setPrograms } from "../lib/preferences.ts";
import { folderOf, type Filter } from "../store/sessions.ts";
import { Button } from "../ui/button.tsx";
import { Icon } from "../ui/icon.tsx";
import { MenuButton } from "../ui/menu.tsx";
import { Lazy } from "../shell/lazy.tsx";
import { isPhone } from "../shell/layout.ts";
import { startTemporaryChat } from "../shell/new-chat.ts";
import { Find, Look } from "./navigation.tsx";
import { folders, readFolders, shownFilter } from "./folders/folders.ts";
import { t as ofFolders } from "./folders/texts.ts";
import { SearchResults } from "./search-results.tsx";
import { SessionList } from "./session-list.tsx";
import "./folders/folders.css";
import "./sidebar.css";

const FILTERS: readonly [Filter, ChatKey][] = [
  ["all", "list.filter.all"],
  ["running", "list.filter.running"],
  ["waiting", "list.filter.waiting"],
  ["channels", "list.filter.channels"],
  ["schedule", "list.filter.schedule"],
  ["archived", "list.archived"],
];

export function Sidebar({ current, onNew }: { current: string | undefined; onNew: () => void }): VNode {
  const [query, setQuery] = useState("");
  const filter = shownFilter.value;
  const folder = folderOf(filter);
  const scroller = useRef<HTMLDivElement>(null);
  const [importing, setImporting] = useState(false);
  return (
    <nav class="side" aria-label={t("list.title")}>
      <div class="side-head">
        <span class="name">{t("list.head")}</span>
        {isPhone.value && (
          <>
            <Find />
            <Look />
          </>
        )}
        <Button kind="quiet" icon="clock" label={t("temporary.new")} onClick={startTemporaryChat} />
        <FilterMenu filter={filter} />
        <Button icon="plus" class="side-new" onClick={onNew}>
          {t("list.new")}
        </Button>
      </div>
      <div class="side-tools">
        <div class="row">
          <Search query={query} setQuery={setQuery} />
          <Button
            kind="quiet"
            icon="upload"
            needs="importSession"
            label={t("list.import")}
            onClick={() => setImporting(true)}
          />
        </div>
        {folder !== undefined && (
          <div class="side-folder">
            <Icon name="folder" size={16} />
            <span class="grow truncate" role="status" dir="auto">
              {folder}
            </span>
            <Button
              kind="quiet"
              size="small"
              icon="close"
              label={ofFolders("folder.leave")}
              onClick={() => setFilter("all")}
            />
          </div>
        )}
      </div>
      <div class="side-list" ref={scroller}>
        {query.trim() !== "" ? (
          <SearchResults query={query.trim()} current={current} />
        ) : filter === "trash" ? (
          <Lazy load={async () => (await import("./trash-list.tsx")).TrashList} props={{}} />
        ) : (
          <SessionList key={filter} current={current} filter={filter} scroller={scroller} />
        )}
      </div>
      {importing && (
        <Lazy
          over
          load={async () => (await import("./import-dialog.tsx")).ImportDialog}
          props={{ onClose: () => setImporting(false) }}
        />
      )}
    </nav>
  );
}

function setFilter(filter: Filter | "trash"): void {
  shownFilter.value = filter;
}

function FilterMenu({ filter }: { readonly filter: Filter | "trash" }): VNode {
  const isHidden = programs.value === "hidden";
  return (
    <MenuButton
      kind="quiet"
      icon="funnel"
      label={t("list.filter")}
      aria-pressed={filter !== "all" || isHidden}
      onOpen={() => void readFolders()}
      entries={() => [
        ...[
          ...FILTERS.map(([id, key]) => ({ id, label: t(key) })),
          { id: "trash" as const, label: t("list.trash") },
        ].map(({ id, label }) => ({ label, checked: filter === id, onSelect: () => setFilter(id) })),
        ...(folders.value.length === 0 ? [] : (["line", { head: ofFolders("folder.head") }] as const)),
        ...folders.value.map(({ name, sessions }) => ({
          label: name,
          icon: "folder" as const,
          note: String(sessions),
          checked: filter === `folder:${name}`,
          onSelect: () => setFilter(`folder:${name}`),
        })),
        "line",
        {
          label: t("list.filter.programs"),
          checked: isHidden,
          alone: true,
          onSelect: () => setPrograms(isHidden ? "shown" : "hidden"),
        },
      ]}
    />
  );
}

function Search({ query, setQuery }: { readonly query: string; readonly setQuery: (query: string) => void }): VNode {
  return (
    <div class="side-search grow">
      <Icon name="search" size={16} />
      <input
        id="list-search"
        class="input"
        type="search"
        aria-label={t("list.search")}
        placeholder={shared("common.search")}
        value={query}
        onInput={(event) => setQuery(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key !== "Escape" || query === "") return;
          event.preventDefault();
          setQuery("");
        }}
      />
    </div>
  );
}
