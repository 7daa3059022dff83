/** A persona of one's own: name, traits, way of speaking, or free text instead. */
import { c } from "../../../web/texts/panels-common.ts";
import { t } from "./texts.ts";
import { Button } from "../../../web/ui/button.tsx";
import { TextArea, TextField } from "../../../web/ui/field.tsx";
import { toast, undoable } from "../../../web/ui/toast.tsx";
import { Act, Outcome, useAct } from "../../../web/panel-kit/act.tsx";
import { api, faultsOf } from "../../../web/panel-kit/api.ts";
import { useDraft } from "../../../web/panel-kit/draft.ts";
import type { Persona } from "./types.ts";

interface Draft {
  readonly id: string;
  readonly name: string;
  readonly description: string;
  readonly traits: string;
  readonly style: string;
  readonly custom: string;
}

interface Props {
  readonly persona: Persona | undefined;
  readonly done: () => Promise<void>;
}

export function PersonaForm({ persona, done }: Props) {
  const draft = useDraft<Draft>(`personas/${persona?.id ?? "~new"}`, read(persona), persona?.hash);
  const { value } = draft;
  const acting = useAct();
  const faults = faultsOf(acting.problem);
  const edit = (change: Partial<Draft>): void => draft.change({ ...value, ...change });
  const path = `/personas/${encodeURIComponent(value.id)}`;
  const save = async (): Promise<void> => {
    if (persona === undefined) await api.post("/personas", { id: value.id, ...bodyOf(value) });
    else await api.put(path, bodyOf(value), { ifMatch: `"${persona.hash}"` });
    draft.discard();
    toast(t("saved", { name: value.name }));
    await done();
  };
  const remove = async (): Promise<void> => {
    if (persona === undefined) return;
    const { id, name, description, traits, style, custom } = persona;
    await api.delete(path, { ifMatch: `"${persona.hash}"` });
    const again = { id, name, description, traits, style, ...(custom !== undefined && { custom }) };
    undoable(t("deleted", { name }), () => void acting.run(async () => api.post("/personas", again).then(done)));
    await done();
  };
  return (
    <div class="stack p-form">
      <Fields value={value} isNew={persona === undefined} edit={edit} faults={faults} />
      <Outcome of={acting} />
      <div class="p-row">
        <Act
          acting={acting}
          work={save}
          kind="primary"
          disabled={draft.state === "saved" || value.id === "" || value.name.trim() === ""}
        >
          {c("save")}
        </Act>
        {draft.state !== "saved" && <Button onClick={draft.discard}>{c("discard")}</Button>}
        {persona !== undefined && (
          <Act acting={acting} work={remove} kind="danger">
            {c("delete")}
          </Act>
        )}
      </div>
    </div>
  );
}

interface FieldsProps {
  readonly value: Draft;
  readonly isNew: boolean;
  readonly edit: (change: Partial<Draft>) => void;
  readonly faults: ReadonlyMap<string, string>;
}

function Fields({ value, isNew, edit, faults }: FieldsProps) {
  return (
    <>
      {isNew && (
        <TextField
          label={t("id")}
          hint={t("idWhy")}
          value={value.id}
          onValue={(id) => edit({ id })}
          spellcheck={false}
          maxLength={64}
          fault={faults.get("/id")}
        />
      )}
      <TextField
        label={t("name")}
        value={value.name}
        onValue={(name) => edit({ name })}
        maxLength={60}
        fault={faults.get("/name")}
      />
      <TextField
        label={t("description")}
        value={value.description}
        onValue={(description) => edit({ description })}
        maxLength={500}
      />
      <TextArea
        label={t("traits")}
        hint={t("traitsWhy")}
        value={value.traits}
        onValue={(traits) => edit({ traits })}
        rows={3}
        fault={faults.get("/traits")}
      />
      <TextArea label={t("style")} value={value.style} onValue={(style) => edit({ style })} maxLength={500} rows={3} />
      <TextArea
        label={t("custom")}
        value={value.custom}
        onValue={(custom) => edit({ custom })}
        maxLength={2000}
        rows={4}
      />
    </>
  );
}

function bodyOf(value: Draft) {
  return {
    name: value.name.trim(),
    description: value.description.trim(),
    traits: value.traits
      .split("\n")
      .map((trait) => trait.trim())
      .filter((trait) => trait !== ""),
    style: value.style.trim(),
    ...(value.custom.trim() !== "" && { custom: value.custom.trim() }),
  };
}

function read(persona: Persona | undefined): Draft {
  return {
    id: persona?.id ?? "",
    name: persona?.name ?? "",
    description: persona?.description ?? "",
    traits: (persona?.traits ?? []).join("\n"),
    style: persona?.style ?? "",
    custom: persona?.custom ?? "",
  };
}
