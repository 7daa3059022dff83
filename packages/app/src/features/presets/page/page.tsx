/** Prompts kept under a name: what `/name` writes into the message field. */
import type { z } from "zod";
import { useState } from "preact/hooks";
import type { PresetsSchema } from "../schema.ts";
import { t } from "./texts.ts";
import { Act, Outcome, useAct } from "../../../web/panel-kit/act.tsx";
import { api } from "../../../web/panel-kit/api.ts";
import { Empty, Loaded } from "../../../web/panel-kit/loaded.tsx";
import { useResource } from "../../../web/panel-kit/resource.ts";
import { Button } from "../../../web/ui/button.tsx";
import { TextArea, TextField } from "../../../web/ui/field.tsx";
import { undoable } from "../../../web/ui/toast.tsx";

type Presets = z.infer<typeof PresetsSchema>;
type Preset = Presets["items"][number];

export function PresetsPage() {
  const presets = useResource<Presets>("/presets", "system");
  const [edited, setEdited] = useState<Preset>();
  return (
    <div class="stack p-narrow">
      <p class="muted">{t("why")}</p>
      <Loaded of={presets}>
        {({ items }) => (
          <>
            <PresetForm
              key={edited?.name ?? ""}
              edited={edited}
              onDone={(next) => {
                setEdited(undefined);
                if (next !== undefined) presets.put(next);
              }}
            />
            {items.length === 0 && <Empty>{t("none")}</Empty>}
            <ul class="p-cards" hidden={items.length === 0}>
              {items.map((preset) => (
                <Card key={preset.name} preset={preset} onEdit={() => setEdited(preset)} put={presets.put} />
              ))}
            </ul>
          </>
        )}
      </Loaded>
    </div>
  );
}

interface FormProps {
  readonly edited: Preset | undefined;
  /** @param next undefined: left as it was. */
  readonly onDone: (next: Presets | undefined) => void;
}

function PresetForm({ edited, onDone }: FormProps) {
  const [name, setName] = useState(edited?.name ?? "");
  const [text, setText] = useState(edited?.text ?? "");
  const acting = useAct();
  const typed = name.trim().replace(/^\//, "");
  const isName = /^[\p{L}\p{N}][\p{L}\p{M}\p{N}_-]{0,31}$/u.test(typed);
  const save = async (): Promise<void> => {
    const { body } = await api.put<Presets>("/presets", { text }, { query: { name: typed } });
    // The new one first: while there are two, nothing is lost.
    const isRenamed = edited !== undefined && edited.name !== typed;
    const left = isRenamed ? await api.delete<Presets>("/presets", { query: { name: edited.name } }) : undefined;
    setName("");
    setText("");
    onDone(left?.body ?? body);
  };
  return (
    <section class="p-card stack" aria-label={t(edited === undefined ? "new" : "edit")}>
      <TextField
        label={t("name")}
        hint={t("nameHint")}
        fault={typed !== "" && !isName ? t("nameWrong") : undefined}
        value={name}
        onValue={setName}
      />
      <TextArea
        label={t("text")}
        hint={t("textHint", { place: "{}", named: `{${t("named")}}` })}
        value={text}
        onValue={setText}
      />
      <Outcome of={acting} />
      <div class="p-row">
        {edited !== undefined && <Button onClick={() => onDone(undefined)}>{t("leave")}</Button>}
        <Act acting={acting} work={save} kind="primary" disabled={!isName || text.trim() === ""}>
          {t("save")}
        </Act>
      </div>
    </section>
  );
}

interface CardProps {
  readonly preset: Preset;
  readonly onEdit: () => void;
  readonly put: (presets: Presets) => void;
}

function Card({ preset, onEdit, put }: CardProps) {
  const acting = useAct();
  const { name, text } = preset;
  const remove = async (): Promise<void> => {
    put((await api.delete<Presets>("/presets", { query: { name } })).body);
    undoable(t("gone", { name }), () => {
      void api.put<Presets>("/presets", { text }, { query: { name } }).then(({ body }) => put(body));
    });
  };
  return (
    <li class="p-card">
      <div class="p-row">
        <strong class="grow">/{name}</strong>
        <Button size="small" icon="edit" label={t("editIt", { name })} onClick={onEdit} />
        <Act acting={acting} work={remove} size="small" icon="trash" label={t("removeIt", { name })} />
      </div>
      <p class="p-clip">{text}</p>
      <Outcome of={acting} />
    </li>
  );
}
