/** Settings: this browser, the essentials, the profile, and every key with search. */
import { useMemo, useState } from "preact/hooks";
import { c } from "../../../web/texts/panels-common.ts";
import { t } from "./texts.ts";
import { navigate } from "../../../web/lib/route.ts";
import { SearchField } from "../../../web/ui/search-field.tsx";
import { Tabs } from "../../../web/ui/tabs.tsx";
import { Loaded } from "../../../web/panel-kit/loaded.tsx";
import { PanelLink } from "../../../web/panel-kit/go.tsx";
import type { PanelProps } from "../../../web/panel-kit/panel.ts";
import { useResource } from "../../../web/panel-kit/resource.ts";
import { AllKeys } from "./all-keys.tsx";
import { BrowserSettings } from "./browser.tsx";
import { ESSENTIALS, matches, readEntries, type Entry, type Settings } from "./model.ts";
import { Profile } from "./profile.tsx";
import { SaveBar, useEdits, type Edits } from "./edits.tsx";
import { SettingRow } from "./row.tsx";

const SECTIONS = ["essentials", "browser", "profile", "everything", "raw"] as const;
type Section = (typeof SECTIONS)[number];

/** `settings/browser` opens with that section, `settings/find/KEY` with what is found for a key. */
export function SettingsPage({ rest }: PanelProps) {
  const settings = useResource<Settings>("/settings", "system");
  const asked = /^find\/(.+)$/.exec(rest ?? "")?.[1] ?? "";
  const section = SECTIONS.find((one) => one === rest) ?? "essentials";
  return (
    <Loaded of={settings}>
      {(data) => (
        <Body
          key={asked}
          settings={data}
          asked={asked}
          section={section}
          hash={settings.hash}
          reload={settings.reload}
        />
      )}
    </Loaded>
  );
}

interface BodyProps {
  readonly settings: Settings;
  readonly section: Section;
  /** Searched for when it opens. */
  readonly asked: string;
  readonly hash: string | undefined;
  readonly reload: () => Promise<void>;
}

function Body({ settings, section, asked, hash, reload }: BodyProps) {
  const [query, setQuery] = useState(asked);
  const entries = useMemo(() => readEntries(settings), [settings]);
  const edits = useEdits(entries, hash, reload);
  const wanted = query.trim();
  return (
    <div class="stack">
      <SearchField label={t("searchAll")} value={query} onValue={setQuery} />
      {settings.pendingRestart.length > 0 && (
        <div class="note-box warn" role="status">
          <div class="grow">
            <strong>{t("pendingTitle")}</strong>
            <div>{t("pendingWhy", { list: settings.pendingRestart.join(", ") })}</div>
            <PanelLink to="system">{t("toSystem")}</PanelLink>
          </div>
        </div>
      )}
      {wanted === "" ? (
        <Tabs
          label={t("sections")}
          chosen={section}
          onChoose={(chosen) => navigate({ panel: `settings/${chosen}` }, { replace: true })}
          tabs={SECTIONS.map((id) => ({ id, title: t(id) }))}
        >
          {section === "essentials" && <Rows entries={essentials(entries)} edits={edits} />}
          {section === "browser" && <BrowserSettings />}
          {section === "profile" && <Profile settings={settings} hash={hash} reload={reload} />}
          {section === "everything" && <AllKeys entries={entries} edits={edits} />}
          {section === "raw" && <Raw values={settings.values} />}
        </Tabs>
      ) : (
        <Found query={wanted} entries={entries} edits={edits} />
      )}
      <SaveBar edits={edits} />
    </div>
  );
}

function essentials(entries: readonly Entry[]): readonly Entry[] {
  return ESSENTIALS.flatMap((path) => entries.find((entry) => entry.path === path) ?? []);
}

function Rows({ entries, edits }: { readonly entries: readonly Entry[]; readonly edits: Edits }) {
  return (
    <div class="p-settings">
      {entries.map((entry) => (
        <SettingRow key={entry.path} entry={entry} edits={edits} />
      ))}
    </div>
  );
}

function Found({
  query,
  entries,
  edits,
}: {
  readonly query: string;
  readonly entries: readonly Entry[];
  readonly edits: Edits;
}) {
  const found = entries.filter((entry) => matches(entry, query));
  return (
    <section>
      <p role="status" class="muted">
        {found.length === 0 ? t("nothingFound", { query }) : t("found", { n: found.length })}
      </p>
      <Rows entries={found} edits={edits} />
    </section>
  );
}

function Raw({ values }: { readonly values: unknown }) {
  return (
    <div class="stack">
      <p class="muted">{t("rawWhy")}</p>
      <pre class="p-code" tabIndex={0} aria-label={c("details")}>
        {JSON.stringify(values, null, 2)}
      </pre>
    </div>
  );
}
