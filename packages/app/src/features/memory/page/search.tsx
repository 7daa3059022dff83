/** Search over facts, history and chats; every hit leads to its place. */
import { useState } from "preact/hooks";
import { t } from "./texts.ts";
import { Select } from "../../../web/ui/field.tsx";
import { Marked } from "../../../web/ui/marked.tsx";
import { SearchField } from "../../../web/ui/search-field.tsx";
import { ChatLink, PanelLink } from "../../../web/panel-kit/go.tsx";
import { Loaded } from "../../../web/panel-kit/loaded.tsx";
import { useResource } from "../../../web/panel-kit/resource.ts";
import { useSettled } from "../../../web/panel-kit/time.ts";
import type { Found } from "./types.ts";

const SOURCES = { memory: "source_memory", history: "source_history", session: "source_session" } as const;

export function MemorySearch() {
  const [query, setQuery] = useState("");
  const [where, setWhere] = useState("");
  const settled = useSettled(query.trim(), 200);
  const params = new URLSearchParams({ q: settled, ...(where !== "" && { in: where }) });
  const found = useResource<Found>(settled === "" ? undefined : `/memory/search?${params}`);
  return (
    <div class="stack">
      <div class="p-row p-bottom">
        <SearchField class="grow" label={t("query")} value={query} onValue={setQuery} />
        <Select
          label={t("where")}
          value={where}
          onValue={setWhere}
          options={[
            { value: "", label: t("inAll") },
            { value: "memory", label: t("inMemory") },
            { value: "history", label: t("inHistory") },
            { value: "sessions", label: t("inSessions") },
          ]}
        />
      </div>
      {settled !== "" && (
        <Loaded of={found}>
          {({ items }) => (
            <>
              <p class="muted" role="status">
                {items.length === 0 ? t("noHits", { query: settled }) : t("hits", { n: items.length })}
              </p>
              <ul class="p-cards">
                {items.map((hit, index) => (
                  <li key={index} class="p-card">
                    <p class="p-facts-line">
                      <span class="badge">{t(SOURCES[hit.source])}</span>
                      {hit.session !== undefined ? (
                        <ChatLink session={hit.session}>{hit.key ?? hit.session}</ChatLink>
                      ) : (
                        hit.file !== undefined && <PanelLink to={`memory/${hit.file}`}>{hit.file}</PanelLink>
                      )}
                      {hit.session === undefined && <span>{t("line", { n: hit.line })}</span>}
                      {hit.untrusted && <span class="badge warn">{t("untrusted")}</span>}
                    </p>
                    <p class="p-clip">
                      <Marked text={hit.text} ranges={hit.ranges} />
                    </p>
                  </li>
                ))}
              </ul>
            </>
          )}
        </Loaded>
      )}
    </div>
  );
}
