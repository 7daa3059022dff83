/** Memory: the files with their role and size, one of them open, and search over everything remembered. */
import { useState } from "preact/hooks";
import { t } from "./texts.ts";
import { Tabs } from "../../../web/ui/tabs.tsx";
import { bytes, relative, short } from "../../../web/panel-kit/format.ts";
import { PanelLink } from "../../../web/panel-kit/go.tsx";
import { Loaded } from "../../../web/panel-kit/loaded.tsx";
import type { PanelProps } from "../../../web/panel-kit/panel.ts";
import { useResource } from "../../../web/panel-kit/resource.ts";
import { useNow } from "../../../web/panel-kit/time.ts";
import { Document } from "./document.tsx";
import { MemorySearch } from "./search.tsx";
import type { Files } from "./types.ts";

const ROLES = {
  facts: "role_facts",
  history: "role_history",
  person: "role_person",
  character: "role_character",
  rules: "role_rules",
  tools: "role_tools",
  tasks: "role_tasks",
} as const;

export function MemoryPage({ rest }: PanelProps) {
  return rest === undefined ? <Overview /> : <Document name={rest} />;
}

function Overview() {
  const files = useResource<Files>("/memory/files");
  const [tab, setTab] = useState<"files" | "search">("files");
  return (
    <Tabs
      label={t("tabs")}
      chosen={tab}
      onChoose={setTab}
      tabs={[
        { id: "files", title: t("files") },
        { id: "search", title: t("searchTab") },
      ]}
    >
      {tab === "files" ? <Loaded of={files}>{({ items }) => <List items={items} />}</Loaded> : <MemorySearch />}
    </Tabs>
  );
}

function List({ items }: { readonly items: Files["items"] }) {
  const now = useNow();
  return (
    <ul class="p-cards">
      {items.map((file) => (
        <li key={file.name} class="p-card">
          <div class="p-row">
            <PanelLink to={`memory/${file.name}`} class="p-title grow">
              {file.name}
            </PanelLink>
            <span class={file.inPrompt ? "badge accent" : "badge"}>
              {t(file.inPrompt ? "inPrompt" : "notInPrompt")}
            </span>
            {file.label.integrity === "untrusted" && <span class="badge warn">{t("untrusted")}</span>}
            {!file.writable && <span class="badge">{t("readOnly")}</span>}
          </div>
          <p>{t(ROLES[file.role])}</p>
          <p class="p-facts-line">
            {file.modifiedAt === null ? (
              <span>{t("neverWritten")}</span>
            ) : (
              <>
                <span>{t("size", { bytes: bytes(file.bytes), tokens: short(file.tokens) })}</span>
                <span>{t("changedAt", { when: relative(file.modifiedAt, now) })}</span>
              </>
            )}
          </p>
          {file.inPrompt && file.tokens > 4000 && <p class="p-warn">{t("long", { tokens: short(file.tokens) })}</p>}
        </li>
      ))}
    </ul>
  );
}
