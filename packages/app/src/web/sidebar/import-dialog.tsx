/** A chat from a file: an export of margay, or a transcript in JSON lines. Always a new chat. */
import type { VNode } from "preact";
import { useState } from "preact/hooks";
import { api } from "../api.ts";
import { bytes } from "../texts/format.ts";
import { t as shared } from "../texts/index.ts";
import { t as chat } from "../texts/chat.ts";
import { t } from "./session-texts.ts";
import { navigate } from "../lib/route.ts";
import { putSummary } from "../store/sessions.ts";
import { Button } from "../ui/button.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { Field, Select, TextField } from "../ui/field.tsx";
import { ProblemBox } from "../ui/problem.tsx";
import type { SessionDetail } from "../wire.ts";

type Format = "seed" | "margay";
interface Imported {
  readonly sessions: readonly string[];
  readonly messages: number;
  readonly warnings: readonly string[];
}

export function ImportDialog({ onClose }: { onClose: () => void }): VNode {
  const [file, setFile] = useState<File>();
  const [format, setFormat] = useState<Format>("seed");
  const [title, setTitle] = useState("");
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>();
  const [done, setDone] = useState<Imported>();
  const choose = async (chosen: File | undefined): Promise<void> => {
    setFile(chosen);
    setError(undefined);
    if (chosen) setFormat(formatOf(await chosen.slice(0, 65_536).text()));
  };
  const open = ({ sessions }: Imported): void => {
    onClose();
    navigate({ page: "chat", session: sessions[0] });
  };
  const send = async (): Promise<void> => {
    if (!file) return;
    setBusy(true);
    setError(undefined);
    try {
      const query = { format, ...(title.trim() !== "" && { title: title.trim() }) };
      const options = { query, raw: file, contentType: "application/x-ndjson" };
      const { body } = await api.post<Imported>("/sessions/import", undefined, options);
      for (const id of body.sessions) putSummary((await api.get<SessionDetail>(`/sessions/${id}`)).body);
      if (body.warnings.length === 0) open(body);
      else setDone(body);
    } catch (failure) {
      setError(failure);
    } finally {
      setBusy(false);
    }
  };
  if (done) return <Repaired done={done} onClose={onClose} open={() => open(done)} />;
  return (
    <Dialog
      title={chat("list.import")}
      onClose={onClose}
      footer={
        <>
          <Button onClick={onClose}>{shared("common.cancel")}</Button>
          <Button kind="primary" busy={busy} disabled={!file} onClick={() => void send()}>
            {t("import.go")}
          </Button>
        </>
      }
    >
      <div class="stack">
        <p class="muted">{t("import.what")}</p>
        <Field label={t("import.file")} {...(file && { hint: bytes(file.size) })}>
          {(control) => (
            <input
              type="file"
              accept=".jsonl,.ndjson,.json,.journal,application/x-ndjson"
              {...control}
              onChange={(event) => void choose(event.currentTarget.files?.[0])}
            />
          )}
        </Field>
        <Select
          label={t("import.format")}
          value={format}
          onValue={(value) => setFormat(value === "margay" ? "margay" : "seed")}
          options={[
            { value: "seed", label: t("import.format.seed") },
            { value: "margay", label: t("import.format.margay") },
          ]}
        />
        <TextField label={t("import.name")} value={title} onValue={setTitle} maxLength={200} />
        {error !== undefined && <ProblemBox error={error} />}
      </div>
    </Dialog>
  );
}

interface RepairedProps {
  readonly done: Imported;
  readonly onClose: () => void;
  readonly open: () => void;
}

/** It is imported, but some of its lines were not as they should be. */
function Repaired({ done, onClose, open }: RepairedProps): VNode {
  return (
    <Dialog
      title={chat("list.import")}
      onClose={onClose}
      footer={
        <Button kind="primary" onClick={open}>
          {t("import.open")}
        </Button>
      }
    >
      <div class="stack">
        <p role="status">{t("import.done", { n: done.messages })}</p>
        <p>{t("import.repaired")}</p>
        <ul class="plain-list small">
          {done.warnings.map((warning, index) => (
            <li key={index}>{warning}</li>
          ))}
        </ul>
      </div>
    </Dialog>
  );
}

/** A line of a journal is a commit; whatever else it is, the gateway says what is wrong with it. */
function formatOf(head: string): Format {
  return /^\s*\{"(?:seq|at|records)":[^\n]*"records":/.test(head) ? "margay" : "seed";
}
