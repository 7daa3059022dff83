/** One file: its text as a draft, what to do when someone else saved first, and its versions. */
import { useState } from "preact/hooks";
import { c } from "../../../web/texts/panels-common.ts";
import { t } from "./texts.ts";
import { Markdown } from "../../../web/markdown/markdown.tsx";
import { Button } from "../../../web/ui/button.tsx";
import { TextField } from "../../../web/ui/field.tsx";
import { Tabs } from "../../../web/ui/tabs.tsx";
import { toast } from "../../../web/ui/toast.tsx";
import { Act, Outcome, useAct } from "../../../web/panel-kit/act.tsx";
import { api } from "../../../web/panel-kit/api.ts";
import { isConflict, useDraft } from "../../../web/panel-kit/draft.ts";
import { Editor } from "../../../web/panel-kit/editor.tsx";
import { PanelLink } from "../../../web/panel-kit/go.tsx";
import { Loaded } from "../../../web/panel-kit/loaded.tsx";
import { useResource } from "../../../web/panel-kit/resource.ts";
import { FactList } from "./facts.tsx";
import { Merge } from "./merge.tsx";
import type { FileText, Written } from "./types.ts";
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
            {tab === "edit" && <Text file={data} reload={file.reload} />}
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

interface Props {
  readonly file: FileText;
  readonly reload: () => Promise<void>;
}

export function Text({ file, reload }: Props) {
  const draft = useDraft(`memory/${file.name}`, file.text, file.hash);
  const [note, setNote] = useState("");
  const acting = useAct();
  const write = async (text: string, hash: string | undefined): Promise<void> => {
    const path = `/memory/files/${encodeURIComponent(file.name)}`;
    const answer = await api.put<Written>(
      path,
      { text, ...(note.trim() !== "" && { note: note.trim() }) },
      { ifMatch: `"${hash ?? file.hash}"` },
    );
    draft.discard();
    setNote("");
    toast(t(answer.body.effect === "notice" ? "savedNotice" : "savedNone"));
    await reload();
  };
  const save = async (): Promise<void> => {
    try {
      await write(draft.value, draft.hash);
    } catch (error) {
      await reload(); // after 412: what is there now, to choose from
      throw error;
    }
  };
  if (draft.state === "elsewhere")
    return (
      <Merge
        name={file.name}
        base={draft.base}
        theirs={draft.saved}
        mine={draft.value}
        acting={acting}
        save={(text) => write(text, file.hash)}
        takeTheirs={draft.discard}
      />
    );
  return (
    <div class="stack">
      <Editor label={t("editorOf", { name: file.name })} value={draft.value} onChange={draft.change} />
      <TextField label={t("note")} value={note} onValue={setNote} maxLength={200} />
      <Outcome of={acting} hide={isConflict(acting.problem) ? ["precondition.failed"] : []} />
      <div class="p-row">
        <span class="grow p-faint" role="status">
          {draft.state === "saved" ? c("saved") : c("unsaved")}
        </span>
        <Button onClick={draft.discard} disabled={draft.state === "saved"}>
          {c("discard")}
        </Button>
        <Act acting={acting} work={save} kind="primary" disabled={draft.state === "saved"}>
          {c("save")}
        </Act>
      </div>
    </div>
  );
}
