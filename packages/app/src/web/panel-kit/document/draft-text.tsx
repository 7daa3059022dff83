/** The text of a file as a draft, and what to do when someone else saved first. */
import { useState } from "preact/hooks";
import type { z } from "zod";
import type { MemoryText, MemoryWritten } from "../../../features/memory/schema.ts";
import { c } from "../../texts/panels-common.ts";
import { Button } from "../../ui/button.tsx";
import { TextField } from "../../ui/field.tsx";
import { toast } from "../../ui/toast.tsx";
import { Act, Outcome, useAct } from "../act.tsx";
import { api } from "../api.ts";
import { isConflict, useDraft } from "../draft.ts";
import { Editor } from "../editor.tsx";
import { Merge } from "./merge.tsx";
import { t } from "./texts.ts";

interface Props {
  readonly file: z.infer<typeof MemoryText>;
  readonly reload: () => Promise<void>;
}

export function DraftText({ file, reload }: Props) {
  const draft = useDraft(`memory/${file.name}`, file.text, file.hash);
  const [note, setNote] = useState("");
  const acting = useAct();
  const write = async (text: string, hash: string | undefined): Promise<void> => {
    const path = `/memory/files/${encodeURIComponent(file.name)}`;
    const answer = await api.put<z.infer<typeof MemoryWritten>>(
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
