/** One skill: its text, what is in its folder, approval, on and off. */
import { useState } from "preact/hooks";
import type { z } from "zod";
import type { SkillDetail } from "../schema.ts";
import { c } from "../../../web/texts/panels-common.ts";
import { t } from "./texts.ts";
import { openPanel } from "../../../web/lib/route.ts";
import { Markdown } from "../../../web/markdown/markdown.tsx";
import { Button } from "../../../web/ui/button.tsx";
import { Tabs } from "../../../web/ui/tabs.tsx";
import { toast, undoable } from "../../../web/ui/toast.tsx";
import { Act, type Acting, Outcome, useAct } from "../../../web/panel-kit/act.tsx";
import { api } from "../../../web/panel-kit/api.ts";
import { type Draft, useDraft } from "../../../web/panel-kit/draft.ts";
import { Editor } from "../../../web/panel-kit/editor.tsx";
import { PanelLink } from "../../../web/panel-kit/go.tsx";
import { Loaded } from "../../../web/panel-kit/loaded.tsx";
import { useResource } from "../../../web/panel-kit/resource.ts";
import { Report } from "./report.tsx";
import { Missing, TONES } from "./state.tsx";

type Detail = z.infer<typeof SkillDetail>;

export function SkillDetailView({ name }: { readonly name: string }) {
  const skill = useResource<Detail>(`/skills/${encodeURIComponent(name)}`);
  return (
    <div class="stack">
      <p>
        <PanelLink to="skills">‹ {t("toList")}</PanelLink>
      </p>
      <Loaded of={skill}>{(data) => <Body skill={data} reload={skill.reload} />}</Loaded>
    </div>
  );
}

function Body({ skill, reload }: { readonly skill: Detail; readonly reload: () => Promise<void> }) {
  const [tab, setTab] = useState<"text" | "preview" | "report">(
    skill.state === "unapproved" || skill.state === "suspended" ? "report" : "preview",
  );
  const acting = useAct();
  const path = `/skills/${encodeURIComponent(skill.name)}`;
  const draft = useDraft(`skills/${skill.name}`, skill.body, skill.hash);
  const own = skill.source === "workspace";
  const save = async (): Promise<void> => {
    await api.put(path, { body: draft.value }, { ifMatch: `"${draft.hash ?? skill.hash}"` });
    draft.discard();
    toast(t("saved", { name: skill.name }));
    await reload();
  };
  const set = async (): Promise<void> => {
    await api.put(`${path}/state`, { enabled: !skill.enabled });
    await reload();
  };
  const approve = async (): Promise<void> => {
    await api.post(`${path}/approve`, { hash: skill.report.hash });
    toast(t("approved", { name: skill.name }));
    await reload();
  };
  const remove = async (): Promise<void> => {
    await api.delete(path, { ifMatch: `"${skill.hash}"` });
    undoable(
      t("deleted", { name: skill.name }),
      () => void acting.run(() => api.post("/skills", { name: skill.name, body: skill.body })),
    );
    openPanel("skills");
  };
  return (
    <>
      <div class="p-row">
        <h3 class="grow">{skill.name}</h3>
        <span class={`badge ${TONES[skill.state]}`}>{t(`state_${skill.state}`)}</span>
      </div>
      <p>{skill.description}</p>
      <Missing skill={skill} />
      <Outcome of={acting} />
      <div class="p-row">
        {skill.state !== "shadowed" && (
          <Act acting={acting} work={set}>
            {t(skill.enabled ? "turnOff" : "turnOn")}
          </Act>
        )}
        {own && skill.report.files.length <= 1 && (
          <Act acting={acting} work={remove} kind="danger">
            {c("delete")}
          </Act>
        )}
      </div>
      {(skill.state === "unapproved" || skill.state === "suspended") && <Approve acting={acting} approve={approve} />}
      <Tabs
        label={skill.name}
        chosen={tab}
        onChoose={setTab}
        tabs={[
          { id: "preview", title: t("preview") },
          { id: "text", title: t("text") },
          { id: "report", title: t("report") },
        ]}
      >
        {tab === "preview" && <Markdown text={draft.value.replace(/^---\n[\s\S]*?\n---\n/, "")} />}
        {tab === "text" && <SkillText draft={draft} own={own} acting={acting} save={save} />}
        {tab === "report" && <Report report={skill.report} />}
      </Tabs>
    </>
  );
}

interface SkillTextProps {
  readonly draft: Draft<string>;
  /** It lies in the workspace: what came with margay is not edited. */
  readonly own: boolean;
  readonly acting: Acting;
  readonly save: () => Promise<void>;
}

function SkillText({ draft, own, acting, save }: SkillTextProps) {
  return (
    <div class="stack">
      {!own && <p class="p-help">{t("bundledWhy")}</p>}
      {draft.state === "elsewhere" && <p class="note-box warn">{c("elsewhereWhy")}</p>}
      <Editor label={t("text")} value={draft.value} onChange={draft.change} readOnly={!own} />
      {own && (
        <div class="p-row">
          <span class="grow p-faint">{draft.state === "saved" ? c("saved") : c("unsaved")}</span>
          <Button onClick={draft.discard} disabled={draft.state === "saved"}>
            {c("discard")}
          </Button>
          <Act acting={acting} work={save} kind="primary" disabled={draft.state === "saved"}>
            {c("save")}
          </Act>
        </div>
      )}
    </div>
  );
}

function Approve({ acting, approve }: { readonly acting: Acting; readonly approve: () => Promise<void> }) {
  return (
    <div class="note-box warn">
      <div class="stack grow">
        <span>{t("approveWhy")}</span>
        <div>
          <Act acting={acting} work={approve} kind="primary">
            {t("approve")}
          </Act>
        </div>
      </div>
    </div>
  );
}
