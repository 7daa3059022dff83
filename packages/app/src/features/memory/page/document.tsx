/** One file: its text as a draft, what it will look like, its facts and its versions. */
import { useState } from "preact/hooks";
import { t } from "./texts.ts";
import { Markdown } from "../../../web/markdown/markdown.tsx";
import { Tabs } from "../../../web/ui/tabs.tsx";
import { DraftText } from "../../../web/panel-kit/document/draft-text.tsx";
import { useDraft } from "../../../web/panel-kit/draft.ts";
import { PanelLink } from "../../../web/panel-kit/go.tsx";
import { Loaded } from "../../../web/panel-kit/loaded.tsx";
import { useResource } from "../../../web/panel-kit/resource.ts";
import { FactList } from "./facts.tsx";
import type { FileText } from "./types.ts";
import { History } from "./versions.tsx";

export function Document({ name }: { readonly name: string }) {
  const file = useResource<FileText>(`/memory/files/${encodeURIComponent(name)}`);
  const [tab, setTab] = useState<"facts" | "edit" | "preview" | "versions">("edit");
  return (
    <div class="stack p-fill">
      <p>
        <PanelLink to="memory">‹ {t("toList")}</PanelLink>
      </p>
      <h3>{name}</h3>
      <Loaded of={file}>
        {(data) => (
          <Tabs
            label={name}
            chosen={tab}
            onChoose={setTab}
            tabs={[
              { id: "edit", title: t("edit") },
              { id: "preview", title: t("preview") },
              ...(name === "MEMORY.md" ? [{ id: "facts" as const, title: t("facts") }] : []),
              { id: "versions", title: t("versions") },
            ]}
          >
            {tab === "edit" && <DraftText file={data} reload={file.reload} />}
            {tab === "facts" && <FactList file={data} reload={file.reload} />}
            {tab === "preview" && <Preview file={data} />}
            {tab === "versions" && <History file={data} reload={file.reload} />}
          </Tabs>
        )}
      </Loaded>
    </div>
  );
}

/** The draft as it will look, saved or not. */
function Preview({ file }: { readonly file: FileText }) {
  const draft = useDraft(`memory/${file.name}`, file.text, file.hash);
  return <Markdown text={draft.value} />;
}
