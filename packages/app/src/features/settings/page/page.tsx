/** Settings by task: found by what one wants, not by the name of a key; search finds every key. */
import { useMemo, useState } from "preact/hooks";
import { signal } from "@preact/signals";
import { followLink, addressOf } from "../../../web/lib/route.ts";
import { initials } from "../../../web/lib/pinyin.ts";
import { SearchField } from "../../../web/ui/search-field.tsx";
import { Check } from "../../../web/ui/field.tsx";
import { Icon } from "../../../web/ui/icon.tsx";
import { Loaded } from "../../../web/panel-kit/loaded.tsx";
import { PanelLink } from "../../../web/panel-kit/go.tsx";
import type { PanelProps } from "../../../web/panel-kit/panel.ts";
import { useResource } from "../../../web/panel-kit/resource.ts";
import { PushSwitch } from "../../../web/push/push-switch.tsx";
import { AllKeys } from "./all-keys.tsx";
import { BrowserSettings } from "./browser.tsx";
import { MorePages } from "./links.tsx";
import { matches, type Entry, type Settings } from "./model.ts";
import { Profile } from "./profile.tsx";
import { SettingRow } from "./row.tsx";
import { useSaving, type Saving } from "./saving.ts";
import { entriesOf, TASKS } from "./tasks.ts";
import { t } from "./texts.ts";
import "./settings.css";

const SECTIONS = [...TASKS.map(({ id }) => id), "profile", "everything"] as const;
type Section = (typeof SECTIONS)[number];

/** Kept while the pages are open. */
const detailsShown = signal(false);

/** `settings/limits` opens with that task, `settings/find/KEY` with what is found for a key. */
export function SettingsPage({ rest }: PanelProps) {
  const settings = useResource<Settings>("/settings", "system");
  const asked = /^find\/(.+)$/.exec(rest ?? "")?.[1] ?? "";
  const section = SECTIONS.find((one) => one === rest);
  return (
    <Loaded of={settings}>
      {(data) => <Body key={asked} settings={data} asked={asked} section={section} reload={settings.reload} />}
    </Loaded>
  );
}

interface BodyProps {
  readonly settings: Settings;
  /** None: the list of tasks, and beside it, where there is room, the first. */
  readonly section: Section | undefined;
  /** Searched for when it opens. */
  readonly asked: string;
  readonly reload: () => Promise<void>;
}

function Body({ settings, section, asked, reload }: BodyProps) {
  const [query, setQuery] = useState(asked);
  const saving = useSaving(settings, reload);
  const wanted = query.trim();
  return (
    <div class="set-page" data-chosen={section !== undefined || wanted !== ""}>
      <div class="set-side">
        <SearchField label={t("searchAll")} value={query} onValue={setQuery} />
        <Sections chosen={wanted === "" ? (section ?? "assistant") : undefined} count={saving.entries.length} />
      </div>
      <div class="set-main stack">
        <Pending paths={settings.pendingRestart} entries={saving.entries} />
        {wanted === "" ? (
          <SectionBody section={section ?? "assistant"} settings={settings} saving={saving} reload={reload} />
        ) : (
          <Found query={wanted} saving={saving} />
        )}
      </div>
    </div>
  );
}

function Sections({ chosen, count }: { readonly chosen: Section | undefined; readonly count: number }) {
  const link = (id: Section, body: preact.ComponentChildren) => {
    const target = { page: "chat", panel: `settings/${id}` } as const;
    return (
      <a
        href={addressOf(target)}
        class="set-link"
        aria-current={chosen === id ? "page" : undefined}
        onClick={(event) => followLink(event, target)}
      >
        {body}
      </a>
    );
  };
  return (
    <nav aria-label={t("sections")}>
      <ul class="set-tasks">
        {TASKS.map(({ id, icon }) => (
          <li key={id}>
            {link(
              id,
              <>
                <Icon name={icon} />
                <span>
                  <strong>{t(id)}</strong>
                  <span class="p-faint">{t(`${id}What`)}</span>
                </span>
              </>,
            )}
          </li>
        ))}
        <li class="set-more">{link("profile", t("profile"))}</li>
        <li class="set-more">{link("everything", t("everythingN", { n: count }))}</li>
      </ul>
    </nav>
  );
}

interface SectionProps {
  readonly section: Section;
  readonly settings: Settings;
  readonly saving: Saving;
  readonly reload: () => Promise<void>;
}

function SectionBody({ section, settings, saving, reload }: SectionProps) {
  const task = TASKS.find(({ id }) => id === section);
  return (
    <>
      <Head title={t(section === "everything" ? "everything" : section)} details={section !== "browser"} />
      {section === "browser" && <BrowserSettings />}
      {section === "profile" && <Profile settings={settings} hash={`"${settings.hash}"`} reload={reload} />}
      {section === "everything" && <AllKeys saving={saving} details={detailsShown.value} />}
      {task !== undefined && task.keys.length > 0 && (
        <>
          <p class="muted">{t(`${task.id}Why`)}</p>
          {task.id === "notifications" && <PushSwitch />}
          <Rows entries={entriesOf(task, saving.entries)} saving={saving} />
          <MorePages pages={task.pages} />
        </>
      )}
    </>
  );
}

/** In a narrow column the way back to the list stands before the title. */
function Head({ title, details }: { readonly title: string; readonly details: boolean }) {
  return (
    <div class="set-head">
      <span class="set-home">
        <PanelLink to="settings">‹ {t("allTasks")}</PanelLink>
      </span>
      <h3>{title}</h3>
      {details && (
        <Check label={t("details")} checked={detailsShown.value} onChecked={(on) => (detailsShown.value = on)} />
      )}
    </div>
  );
}

function Rows({ entries, saving }: { readonly entries: readonly Entry[]; readonly saving: Saving }) {
  return (
    <div class="set-rows">
      {entries.map((entry) => (
        <SettingRow key={entry.path} entry={entry} saving={saving} details={detailsShown.value} />
      ))}
    </div>
  );
}

function Found({ query, saving }: { readonly query: string; readonly saving: Saving }) {
  const found = useMemo(
    () => saving.entries.filter((entry) => matches(entry, query, initials)),
    [query, saving.entries],
  );
  return (
    <section class="stack">
      <Head title={t("searchAll")} details />
      <p role="status" class="muted">
        {found.length === 0 ? t("nothingFound", { query }) : t("found", { n: found.length })}
      </p>
      <Rows entries={found} saving={saving} />
    </section>
  );
}

function Pending({ paths, entries }: { readonly paths: readonly string[]; readonly entries: readonly Entry[] }) {
  if (paths.length === 0) return null;
  const names = paths.map((path) => entries.find((entry) => entry.path === path)?.title ?? path);
  return (
    <div class="note-box warn" role="status">
      <div class="grow">
        <strong>{t("pendingTitle")}</strong>
        <div>{t("pendingWhy", { list: names.join(", ") })}</div>
        <PanelLink to="system">{t("toSystem")}</PanelLink>
      </div>
    </div>
  );
}
