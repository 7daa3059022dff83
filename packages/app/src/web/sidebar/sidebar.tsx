/** The list of chats with search and filter, and the way to all pages. */
import type { VNode } from "preact";
import { useRef, useState } from "preact/hooks";
import { type ChatKey, t } from "../texts/chat.ts";
import { keyLabel } from "../lib/keys.ts";
import type { Filter } from "../store/sessions.ts";
import { Button } from "../ui/button.tsx";
import { Icon } from "../ui/icon.tsx";
import { Mark } from "../ui/mark.tsx";
import { MenuButton } from "../ui/menu.tsx";
import { Lazy } from "../shell/lazy.tsx";
import { drawerOpen, listShown, toggleList } from "../shell/layout.ts";
import { Navigation } from "./navigation.tsx";
import { SearchResults } from "./search-results.tsx";
import { SessionList } from "./session-list.tsx";
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
  const [filter, setFilter] = useState<Filter | "trash">("all");
  const scroller = useRef<HTMLDivElement>(null);
  const [importing, setImporting] = useState(false);
  const toggle = (
    <Button kind="quiet" icon="sidebar" label={`${t("list.toggle")} (${keyLabel("Mod+B")})`} onClick={toggleList} />
  );
  if (!listShown.value && !drawerOpen.value)
    return (
      <nav class="side icons" aria-label={t("list.title")}>
        <div class="side-head">{toggle}</div>
        <div class="side-tools">
          <Button kind="quiet" icon="plus" label={t("list.new")} onClick={onNew} />
        </div>
        <div class="side-list" />
        <Navigation icons />
      </nav>
    );
  return (
    <nav class="side" aria-label={t("list.title")}>
      <div class="side-head">
        <span class="name">
          <Mark size={22} />
          margay
        </span>
        {toggle}
      </div>
      <div class="side-tools">
        <div class="row">
          <Button icon="plus" class="side-new grow" onClick={onNew}>
            {t("list.new")}
          </Button>
          <Button
            kind="quiet"
            icon="upload"
            needs="importSession"
            label={t("list.import")}
            onClick={() => setImporting(true)}
          />
        </div>
        <div class="row">
          <Search query={query} setQuery={setQuery} />
          <MenuButton
            kind="quiet"
            icon="list"
            label={t("list.filter")}
            aria-pressed={filter !== "all"}
            entries={() =>
              [
                ...FILTERS.map(([id, key]) => ({ id, label: t(key) })),
                { id: "trash" as const, label: t("list.trash") },
              ].map(({ id, label }) => ({ label, checked: filter === id, onSelect: () => setFilter(id) }))
            }
          />
        </div>
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
      <Navigation />
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

function Search({ query, setQuery }: { readonly query: string; readonly setQuery: (query: string) => void }): VNode {
  return (
    <div class="side-search grow">
      <Icon name="search" size={16} />
      <input
        id="list-search"
        class="input"
        type="search"
        aria-label={t("list.search")}
        placeholder={t("list.search")}
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
