/** Skills from outside: brought to a stage, reported, and installed only with the content that was looked at. */
import { useState } from "preact/hooks";
import type { z } from "zod";
import type { StagedSchema } from "../schema.ts";
import { t } from "./texts.ts";
import { openPanel } from "../../../web/lib/route.ts";
import { Field, TextField } from "../../../web/ui/field.tsx";
import { toast } from "../../../web/ui/toast.tsx";
import { Act, Outcome, useAct } from "../../../web/panel-kit/act.tsx";
import { api } from "../../../web/panel-kit/api.ts";
import { PanelLink } from "../../../web/panel-kit/go.tsx";
import { Report } from "./report.tsx";

type Staged = z.infer<typeof StagedSchema>["items"][number];

export function Bring() {
  const acting = useAct();
  const [file, setFile] = useState<File | undefined>(undefined);
  const [source, setSource] = useState("");
  const [staged, setStaged] = useState<readonly Staged[]>([]);
  const look = async (): Promise<void> => {
    const from =
      file === undefined
        ? { query: { source: source.trim() } }
        : { raw: file, contentType: "application/octet-stream" };
    setStaged((await api.post<z.infer<typeof StagedSchema>>("/skills/stage", undefined, from)).body.items);
  };
  const drop = (id: string): void => setStaged((before) => before.filter((one) => one.id !== id));
  return (
    <div class="stack">
      <p>
        <PanelLink to="skills">‹ {t("toList")}</PanelLink>
      </p>
      <h3>{t("bring")}</h3>
      <p class="muted">{t("bringWhy")}</p>
      <Field label={t("archive")}>
        {(control) => (
          <input
            {...control}
            type="file"
            accept=".zip,.tgz,.gz,.skill"
            onChange={(event) => setFile(event.currentTarget.files?.[0])}
          />
        )}
      </Field>
      <TextField label={t("sourceName")} value={source} onValue={setSource} spellcheck={false} />
      <Outcome of={acting} />
      <div>
        <Act acting={acting} work={look} kind="primary" disabled={file === undefined && source.trim() === ""}>
          {t("look")}
        </Act>
      </div>
      <ul class="p-cards">
        {staged.map((one) => (
          <Stage key={one.id} staged={one} drop={() => drop(one.id)} />
        ))}
      </ul>
    </div>
  );
}

function Stage({ staged, drop }: { readonly staged: Staged; readonly drop: () => void }) {
  const acting = useAct();
  const path = `/skills/stage/${encodeURIComponent(staged.id)}`;
  const { name, hash } = staged.report;
  const install = async (): Promise<void> => {
    await api.post(`${path}/approve`, { hash });
    toast(t("approved", { name }));
    openPanel(`skills/${name}`);
  };
  const forget = async (): Promise<void> => {
    await api.delete(path);
    drop();
  };
  return (
    <li class="p-card stack" data-staged={name}>
      <div class="p-row">
        <strong class="grow">{name}</strong>
        {staged.replaces && <span class="badge warn">{t("replaces")}</span>}
      </div>
      {staged.report.reason !== undefined && <p class="p-error">{staged.report.reason}</p>}
      <Report report={staged.report} />
      <Outcome of={acting} />
      <div class="p-row">
        <Act acting={acting} work={install} kind="primary" disabled={staged.report.reason !== undefined}>
          {t("install", { name })}
        </Act>
        <Act acting={acting} work={forget}>
          {t("forget")}
        </Act>
      </div>
    </li>
  );
}
